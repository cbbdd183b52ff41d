// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Directions of Newton's method with the low-rank parts U C U' of terms (step_term.h). The exact
// one is A^-1 b and a combination of A^-1 U. Terms that nearly know the latter, as Q, are solved by
//
//   e = A^-1 r,  e <- e - Q E C U'e,  d <- d + e,  r <- r - (A + U C U') e,
//
// repeated. The second formula makes Q'r = 0, where E is right: Galerkin's condition. The error of
// Q then enters squared, so that one more round gains as much as two without it: two or three rough
// solves with A replace one exact solve. Other terms, and those whose Q was wrong, for example
// because contacts changed A, are solved by Woodbury's formula:
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
    pl_array Q, E;  // of double: columns, and one for each; empty: not known of all terms
    pl_array r, e;  // of double, 3 per vertex: residual and correction
} pl_low_rank_work;

pl_low_rank_work pl_low_rank_setup(void);
void pl_low_rank_free(pl_low_rank_work* w);

// d = (A + U C U')^-1 b with the parts of all terms of f at x, after the solver was updated for A.
// linear->converged is false if the tolerance was not reached or the matrix with the parts is
// singular; then they are left out. Without such parts this is solver->solve. d must be zero on
// entry.
pl_status pl_low_rank_solve(pl_low_rank_work* w, const pl_newton_solver* solver,
                            const pl_step_objective* f, const double* x,
                            const pl_linear_options* options, bool residual_unread, const double* b,
                            double* d, pl_linear_info* linear, pl_error* error);

#endif
