// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Linear systems of method mixed while bodies touch. Their matrix is A, 4 unknowns per vertex, plus
// J, which couples only positions and is outside the pattern of A. Solved by flexible GMRES in
// double, preconditioned by any solver for A.
#ifndef PL_MIXED_JOINED_H
#define PL_MIXED_JOINED_H

#include "sparse/krylov.h"
#include "step/step_solvers.h"

typedef struct pl_mixed_joined pl_mixed_joined;

pl_status pl_mixed_joined_create(int vertex_count, pl_pool* pool, pl_mixed_joined** out,
                                 pl_error* error);
// Accepts NULL.
void pl_mixed_joined_destroy(pl_mixed_joined* j);
// Sets J for later solves, borrowed; NULL: none.
void pl_mixed_joined_set(pl_mixed_joined* j, const pl_join* J);
// True if J is set. Accepts NULL.
bool pl_mixed_joined_is_set(const pl_mixed_joined* j);
// The solver for A: y = A x, and z ~ A^-1 r.
typedef struct pl_mixed_inner {
    void (*multiply)(void* user, const double* x, double* y);
    void (*precondition)(void* user, const double* r, double* z);
    void* user;
} pl_mixed_inner;
// x = (A + J)^-1 b from a zero initial guess
void pl_mixed_joined_solve(pl_mixed_joined* j, const pl_mixed_inner* inner,
                           const pl_linear_options* options, const double* b, double* x,
                           pl_linear_info* info);

#endif
