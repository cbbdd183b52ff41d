// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Directions of Newton's method with the low-rank parts U C U' of terms (step_term.h), by the
// formula of Woodbury:
//
//   (A + U C U')^-1 b = d - W (I + C U'W)^-1 C U'd,  d = A^-1 b,  W = A^-1 U
#ifndef PL_STEP_LOW_RANK_H
#define PL_STEP_LOW_RANK_H

#include "base/array.h"
#include "step/step_solvers.h"

typedef struct pl_low_rank_work {
    int rank;       // 0: terms have no such part
    pl_array U, W;  // of double: columns, 3 per vertex; U without what is held
    pl_array C;     // of double, rank x rank
    pl_array S;     // of double, rank x rank: I + C U'W as L R, rows exchanged
    pl_array rows;  // of int: the row that was exchanged with each
    pl_array small; // of double, 2 rank: work
} pl_low_rank_work;

pl_low_rank_work pl_low_rank_setup(void);
void pl_low_rank_free(pl_low_rank_work* w);

// Takes the parts of all terms of f at x and finds W, after the solver was updated for A. *solved
// becomes false if that fails: W was not found to its tolerance, or the matrix with the parts is
// singular; then they are left out.
pl_status pl_low_rank_update(pl_low_rank_work* w, const pl_newton_solver* solver,
                             const pl_step_objective* f, const double* x,
                             const pl_linear_options* options, bool* solved, pl_method_info* info,
                             pl_error* error);
// d = A^-1 b becomes (A + U C U')^-1 b. It stays as it is if the parts are left out.
void pl_low_rank_apply(const pl_low_rank_work* w, pl_pool* pool, int count, double* d);

#endif
