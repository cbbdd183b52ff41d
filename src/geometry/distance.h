// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Closest points on segments and triangles, including those of zero length or area.
#ifndef PL_GEOMETRY_DISTANCE_H
#define PL_GEOMETRY_DISTANCE_H

#include "math/vec3.h"

// The point a + t (b - a), t in [0, 1], closest to p. For a segment of zero length: a, with t = 0.
typedef struct pl_segment_point {
    pl_vec3 point;
    double t;
    double distance2; // squared distance to p
} pl_segment_point;
pl_segment_point pl_closest_on_segment(pl_vec3 p, pl_vec3 a, pl_vec3 b);

// The point of a triangle closest to p, with its barycentric weights (all in [0, 1], sum 1).
typedef struct pl_triangle_point {
    pl_vec3 point;
    double weights[3];
    double distance2;
} pl_triangle_point;
pl_triangle_point pl_closest_on_triangle(pl_vec3 p, pl_vec3 a, pl_vec3 b, pl_vec3 c);

// The closest points a0 + s (a1 - a0) and b0 + t (b1 - b0) of two segments; s and t in [0, 1]. If
// several pairs are closest (parallel segments), one of them is returned.
typedef struct pl_segment_pair {
    double s, t;
    double distance2;
} pl_segment_pair;
pl_segment_pair pl_closest_segments(pl_vec3 a0, pl_vec3 a1, pl_vec3 b0, pl_vec3 b1);

#endif
