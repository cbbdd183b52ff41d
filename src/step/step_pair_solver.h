// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Solves the linear systems of Newton's method with surfaces in contact. The matrix H is the matrix
// A of another solver (the inner one) plus that of the contacts:
//
//   H = A + sum of r r' over the rows of step_meeting.h.
//
// H is solved by conjugate gradients. The preconditioner is the inner solver with a solve of the
// contacts alone before and after it (step_patch.h). An inner solver that has `join` gets the sum
// as J and solves the whole system itself. If no surfaces are near each other, the inner solver is
// used alone.
#ifndef PL_STEP_PAIR_SOLVER_H
#define PL_STEP_PAIR_SOLVER_H

#include "step/step_meeting.h"
#include "step/step_solvers.h"

// Takes ownership of *solver and replaces it. On failure *solver is unchanged. The meeting is
// borrowed.
pl_status pl_pair_solver_wrap(pl_newton_solver* solver, pl_step_meeting* meeting, pl_pool* pool,
                              pl_error* error);

#endif
