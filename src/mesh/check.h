// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The checks behind pl_mesh_check.
#ifndef PL_MESH_CHECK_H
#define PL_MESH_CHECK_H

#include "math/vec3.h"

#include <pliant/mesh_check.h>

// Counts a defect; keeps the lowest pair of indices.
void pl_defect_add(pl_defect* defect, int first, int other);

typedef enum pl_tet_shape { PL_TET_SOUND, PL_TET_FLAT, PL_TET_INVERTED } pl_tet_shape;
// Flat tet: a repeated vertex, or a volume within rounding.
pl_tet_shape pl_judge_tet(const double* positions, const int* tet);
// Flat triangle: a repeated vertex, or corners exactly on one line.
bool pl_triangle_is_degenerate(const double* positions, const int* triangle);

// Edges, fans, rims, components and winding of a surface. judge_winding: look for components that
// are inside out.
pl_status pl_check_surface(const pl_mesh* mesh, const int* triangles, int triangle_count,
                           bool judge_winding, pl_mesh_report* report, pl_error* error);

// Finds pairs of triangles that intersect beyond their shared vertices.
pl_status pl_check_intersections(const double* positions, const int* triangles, int triangle_count,
                                 int64_t limit, pl_pool* pool, pl_mesh_report* report,
                                 pl_error* error);

#endif
