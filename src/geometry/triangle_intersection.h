// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Exact tests, by the predicates: do segments and triangles, including their boundaries, have a
// point in common? Touching counts. Triangles must have an area (see pl_triangle_is_flat).
#ifndef PL_GEOMETRY_TRIANGLE_INTERSECTION_H
#define PL_GEOMETRY_TRIANGLE_INTERSECTION_H

#include "math/vec3.h"

#include <stdbool.h>

// True if the corners are exactly on one line.
bool pl_triangle_is_flat(pl_vec3 a, pl_vec3 b, pl_vec3 c);

bool pl_segment_meets_triangle(pl_vec3 p, pl_vec3 q, const pl_vec3 t[3]);
bool pl_triangles_meet(const pl_vec3 s[3], const pl_vec3 t[3]);

// For two triangles that share the edge e f and have the other corners g and h: do they overlap
// beyond that edge?
bool pl_triangles_fold(pl_vec3 e, pl_vec3 f, pl_vec3 g, pl_vec3 h);

#endif
