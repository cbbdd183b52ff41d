// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Signed distance sampled on a regular grid: exact at the nodes within a band around the surface,
// and a lower bound (with the right sign) beyond it.
#ifndef PL_GEOMETRY_SDF_GRID_H
#define PL_GEOMETRY_SDF_GRID_H

#include "base/pool.h"
#include "geometry/solid.h"

typedef struct pl_sdf_grid {
    pl_vec3 origin; // of node 0 0 0
    double spacing;
    int size[3];    // nodes per axis
    double* values; // x runs fastest; negative inside
} pl_sdf_grid;

typedef struct pl_sdf_options {
    double spacing; // [m]
    double margin;  // between the surface and the end of the grid [m]
    double band;    // where distances are exact; INFINITY or 0: everywhere
} pl_sdf_options;

// Returns PL_ERROR_ARGUMENT if the spacing is not positive, PL_ERROR_LIMIT if the grid would have
// more than 2^31 nodes.
pl_status pl_sdf_grid_build(const pl_solid* solid, const pl_sdf_options* options, pl_pool* pool,
                            pl_sdf_grid* out, pl_error* error);
void pl_sdf_grid_free(pl_sdf_grid* grid);

// Trilinearly interpolated value and, if `gradient` is not NULL, its gradient. Outside the grid:
// the value at the nearest point of the grid plus the distance to this point.
double pl_sdf_grid_value(const pl_sdf_grid* grid, pl_vec3 p, pl_vec3* gradient);

#endif
