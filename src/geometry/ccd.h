// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Continuous collision detection: how far can a vertex and a triangle, or two edges, move along
// straight lines before they touch? Answers are conservative: possibly too early, never too late.
#ifndef PL_GEOMETRY_CCD_H
#define PL_GEOMETRY_CCD_H

#include "math/vec3.h"

#include <stdbool.h>

// Four corners: a vertex and the three of a triangle, or the two of each of two edges.
typedef struct pl_quad {
    pl_vec3 x[4];
} pl_quad;

// The distance of the two primitives. weights, if not NULL, gives the closest points: their
// difference is the sum of weights[i] * x[i], with positive weights on the first primitive.
double pl_quad_distance(const pl_quad* quad, bool is_edges, double weights[4]);

// True only if the two are certainly farther apart than `room` (beyond), or certainly not (within).
// Much cheaper than the distance, and one of the two decides most pairs.
bool pl_quad_is_beyond(const pl_quad* quad, bool is_edges, double room);
bool pl_quad_is_within(const pl_quad* quad, bool is_edges, double room);

// Upper bound of how much the two can approach each other by this motion of their corners. The
// common motion of all four does not count.
double pl_quad_approach(const pl_quad* motion, bool is_edges);

// The fraction of the motion (0 to 1) during which the two stay farther apart than a tenth of their
// initial distance. 0 if they touch at the start and move.
double pl_quad_advance(const pl_quad* start, const pl_quad* motion, bool is_edges);

// A cheap test that rejects most pairs: false if the boxes swept by the two are farther apart than
// `room`.
bool pl_quad_boxes_meet(const pl_quad* from, const pl_quad* to, bool is_edges, double room);

#endif
