// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The vertices of surfaces that are near each other, as a separate system: all contacts, with every
// other vertex held. This solver and one that ignores contacts, applied in turn, are a good
// preconditioner for the whole. The stiffness of contacts does not matter, because this system
// contains them exactly:
//
//   S = (sum of r r' + D)^-1,   D: DIAGONAL_PART of the diagonal of the solver's matrix.
//
// (A Schwarz method with two subspaces: Smith, Bjorstad, Gropp 1996, "Domain Decomposition".)
#ifndef PL_STEP_PATCH_H
#define PL_STEP_PATCH_H

#include "step/step_meeting.h"
#include "step/step_solvers.h"

typedef struct pl_step_patch {
    int vertex_count;            // of the system
    const pl_step_meeting* rows; // of the current system; borrowed
    int* place_of;               // per vertex of the system: its number in the patch; -1: none
    pl_array vertices;           // of int
    pl_array places;             // of int, 4 per row: numbers of its vertices in the patch
    pl_array diagonal, blocks;   // of double: 3 per vertex; inverse 3 x 3 blocks of the matrix
    pl_array r, x, z, p, q;      // of double, 3 per vertex: work
} pl_step_patch;

pl_status pl_step_patch_setup(pl_step_patch* patch, int vertex_count, pl_error* error);
void pl_step_patch_free(pl_step_patch* patch);

// Takes the rows of the meeting, which must stay valid until the next call, and the diagonal of the
// solver's matrix. work: 3 per vertex of the system. Returns false if allocation fails.
bool pl_step_patch_update(pl_step_patch* patch, const pl_step_meeting* meeting,
                          const pl_newton_solver* solver, double* work);
// z += S r, 3 per vertex of the system
void pl_step_patch_add(pl_step_patch* patch, const double* r, double* z);

#endif
