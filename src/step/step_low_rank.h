// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Directions of Newton's method with the low-rank parts U C U' of terms (step_term.h). The exact
// direction is A^-1 b plus a combination of the columns of A^-1 U. If terms provide an
// approximation Q of their span, the system is solved by repeating
//
//   e = A^-1 r,  e <- e - Q E C U'e,  d <- d + e,  r <- r - (A + U C U') e.
//
// The second formula makes Q'r = 0 if E is exact: Galerkin's condition. The error of Q then enters
// squared, so that one more round gains as much as two without it: two or three rough solves with A
// replace one exact solve. Other terms, and those whose Q was inaccurate, for example because
// contacts changed A, are solved by Woodbury's formula:
//
//   (A + U C U')^-1 b = d - W (I + C U'W)^-1 C U'd,  d = A^-1 b,  W = A^-1 U
#ifndef PL_STEP_LOW_RANK_H
#define PL_STEP_LOW_RANK_H

#include "base/array.h"
#include "step/step_solvers.h"

typedef struct pl_low_rank_work {
    int rank;       // 0: no term has a low-rank part
    pl_array U, W;  // of double: columns, 3 per vertex; U without held directions
    pl_array C;     // of double, rank x rank
    pl_array S;     // of double, rank x rank: I + C U'W as L R, rows exchanged
    pl_array rows;  // of int: the row with which each was exchanged
    pl_array small; // of double, 2 rank: work
    pl_array Q, E;  // of double: columns, and one number for each; empty: some term does not
                    // provide them
    pl_array r, e;  // of double, 3 per vertex: residual and correction
} pl_low_rank_work;

pl_low_rank_work pl_low_rank_setup(void);
void pl_low_rank_free(pl_low_rank_work* w);

// d = (A + U C U')^-1 b with the low-rank parts of all terms of f at x, after the solver was
// updated for A. If the tolerance was not reached or the matrix with these parts is singular,
// linear->converged is false and they are ignored. Without such parts this is solver->solve. d must
// be zero on entry.
pl_status pl_low_rank_solve(pl_low_rank_work* w, const pl_newton_solver* solver,
                            const pl_step_objective* f, const double* x,
                            const pl_linear_options* options, bool residual_unread, const double* b,
                            double* d, pl_linear_info* linear, pl_error* error);

#endif
