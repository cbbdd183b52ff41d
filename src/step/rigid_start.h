// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A start of a step for pieces that rotate fast. Straight flight along the velocities stretches a
// spinning piece; leaving the vertices in place stops it. From either start Projective Dynamics
// takes many iterations to rotate the piece. A better start is the rigid motion nearest to the
// flight in the norm of the masses. For a stiff piece it is the solution of the step, with any
// integrator.
#ifndef PL_STEP_RIGID_START_H
#define PL_STEP_RIGID_START_H

#include "base/pool.h"

#include <pliant/status.h>
#include <stdbool.h>

typedef struct pl_rigid_start pl_rigid_start;

// neighbours: vertices that share an element with each vertex (CSR; it may include the vertex
// itself). They define the connected pieces.
pl_status pl_rigid_start_create(int vertex_count, const int* neighbour_offsets,
                                const int* neighbours, pl_rigid_start** out, pl_error* error);
void pl_rigid_start_destroy(pl_rigid_start* start);

int pl_rigid_start_piece_count(const pl_rigid_start* start);
int pl_rigid_start_piece(const pl_rigid_start* start, int vertex);
// One value per piece, for the caller.
double* pl_rigid_start_values(pl_rigid_start* start);

// Fits rigid motions from x to y (3 per vertex). Pieces that rotate by more than 0.1 rad are moved
// rigidly: their y is replaced, except where `fixed` (per vertex, or NULL) is set. Returns true if
// there are such pieces.
bool pl_rigid_start_move(pl_rigid_start* start, pl_pool* pool, const double* mass, const double* x,
                         const bool* fixed, double* y);
// True if the last move replaced y of this vertex's piece.
bool pl_rigid_start_moved(const pl_rigid_start* start, int vertex);

#endif
