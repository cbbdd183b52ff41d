// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Meshes of round shapes for pictures: surfaces of revolution. A mesh consists of rows of points;
// each row is a ring around the axis. The triangles do not depend on sizes, so animated sizes
// change only the points.
#ifndef PL_COLLIDER_TURNED_PROFILE_H
#define PL_COLLIDER_TURNED_PROFILE_H

#include "math/vec3.h"

#include <stdbool.h>

enum {
    PL_TURNED_AROUND = 64, // points of a row
    PL_ROUND_ARC = 17,     // rows of half a ball
    PL_ROUND_ROWS = 2 * PL_ROUND_ARC,
};

// Two unit vectors orthogonal to a unit vector and to each other.
void pl_turned_axes(pl_vec3 n, pl_vec3* a, pl_vec3* b);

// Writes a row of PL_TURNED_AROUND points; returns where the next row goes.
double* pl_turned_ring(double* out, pl_vec3 center, pl_vec3 a, pl_vec3 b, double radius);

// Writes PL_ROUND_ROWS rows: a ball around each end, and the cone that touches both.
double* pl_turned_cone(double* out, pl_vec3 from, double ra, pl_vec3 to, double rb);

// The triangles between the rows of each piece; is_closed: also from the last row to the first.
int pl_turned_triangles(int rows, bool is_closed, int piece_count);
void pl_turned_join(int rows, bool is_closed, int piece_count, int* out);

#endif
