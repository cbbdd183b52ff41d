// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The solvers that every method has: the matrix of a step in double, and a linear solver of
// sparse/linear_solver.h.
#ifndef PL_STEP_ASSEMBLED_H
#define PL_STEP_ASSEMBLED_H

#include "step/step_solvers.h"

pl_status pl_assembled_newton(const pl_solver_input* input, pl_newton_solver* out, pl_error* error);
pl_status pl_assembled_projective(const pl_solver_input* input, pl_linear linear,
                                  pl_projective_solver* out, pl_error* error);

#endif
