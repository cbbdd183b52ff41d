// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Points that cover a surface at the scale of the lattice. Contacts act on them besides the
// vertices: a triangle larger than a cell would let the cells between its corners sink in.
#ifndef PL_GRID_SURFACE_POINTS_H
#define PL_GRID_SURFACE_POINTS_H

#include "base/fail.h"

#include <pliant/mesh.h>

typedef struct pl_grid_surface_points {
    int count;
    double* positions;   // 3 per point [m]
    double* areas;       // of the surface around each point [m^2]
    double* vertex_area; // the same for each vertex of the surface
    int vertex_count;
} pl_grid_surface_points;

// Points on edges and triangles, so that no two neighbours along an edge or a row across a triangle
// are farther apart than `spacing`. None where the vertices are as dense as that.
pl_status pl_grid_surface_points_create(const pl_mesh* surface, double spacing,
                                        pl_grid_surface_points* out, pl_error* error);
void pl_grid_surface_points_free(pl_grid_surface_points* points);

#endif
