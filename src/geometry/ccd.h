// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Continuous collision: how far may a vertex and a triangle, or two edges, go along straight ways
// before they touch? Answers are conservative. They may be too early and are never too late.
#ifndef PL_GEOMETRY_CCD_H
#define PL_GEOMETRY_CCD_H

#include "math/vec3.h"

#include <stdbool.h>

// Four corners: a vertex and the three of a triangle, or the two of each of two edges.
typedef struct pl_quad {
    pl_vec3 x[4];
} pl_quad;

// The distance of the two; with the weights of the closest points: their difference is the sum of
// weights[i] * x[i], positive weights on the first of the two (weights may be NULL).
double pl_quad_distance(const pl_quad* quad, bool is_edges, double weights[4]);

// True only if the two are farther apart than `room`, or are not. Much cheaper than the distance,
// and one of them is true of most.
bool pl_quad_is_beyond(const pl_quad* quad, bool is_edges, double room);
bool pl_quad_is_within(const pl_quad* quad, bool is_edges, double room);

// The part of the motion (0 to 1) that leaves the two farther apart than a tenth of their distance
// at the start; 1 if all of it does. 0 if they touch at the start and move.
double pl_quad_advance(const pl_quad* start, const pl_quad* motion, bool is_edges);

// False if the boxes of all that the two pass over are farther apart than `room`: they are cheap,
// and most pairs are not near.
bool pl_quad_boxes_meet(const pl_quad* from, const pl_quad* to, bool is_edges, double room);

#endif
