// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Do closed segments and triangles have a point in common? Exact, by the predicates; touching
// counts. Triangles must have an area (pl_triangle_is_flat tells).
#ifndef PL_GEOMETRY_TRIANGLE_INTERSECTION_H
#define PL_GEOMETRY_TRIANGLE_INTERSECTION_H

#include "math/vec3.h"

#include <stdbool.h>

// True if the corners are exactly on one line.
bool pl_triangle_is_flat(pl_vec3 a, pl_vec3 b, pl_vec3 c);

bool pl_segment_meets_triangle(pl_vec3 p, pl_vec3 q, const pl_vec3 t[3]);
bool pl_triangles_meet(const pl_vec3 s[3], const pl_vec3 t[3]);

// For two triangles with an edge e f in common, and g and h their other corners: do they have more
// than that edge in common?
bool pl_triangles_fold(pl_vec3 e, pl_vec3 f, pl_vec3 g, pl_vec3 h);

#endif
