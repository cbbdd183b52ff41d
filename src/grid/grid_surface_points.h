// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Contact points that cover a surface at the resolution of the lattice, in addition to the
// vertices. Without them the cells between the corners of a large triangle would sink in.
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

// Points on edges and triangles, so that neighbours along an edge or along a row across a triangle
// are at most `spacing` apart. None if the vertices are that dense.
pl_status pl_grid_surface_points_create(const pl_mesh* surface, double spacing,
                                        pl_grid_surface_points* out, pl_error* error);
void pl_grid_surface_points_free(pl_grid_surface_points* points);

#endif
