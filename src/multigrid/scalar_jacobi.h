// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Damped block Jacobi on the finest level of Projective Dynamics, the paper's smoother for cloth
// (S0 section 4.5). A sweep reads the whole matrix; a half sweep of Gauss-Seidel reads half of it.
#ifndef PL_MULTIGRID_SCALAR_JACOBI_H
#define PL_MULTIGRID_SCALAR_JACOBI_H

#include "multigrid/scalar_fine.h"

// x += damping D^-1 (b - A x); from_zero: x counts as 0. Swaps the arrays x and u.
void pl_scalar_fine_jacobi(pl_scalar_fine* f, pl_pool* pool, bool from_zero);

// Sets the damping to 4 / (3 rho), at most 1. rho is the spectral radius of D^-1 A, estimated by
// some steps of the power method. Overwrites b, x and u.
void pl_scalar_fine_damp(pl_scalar_fine* f, pl_pool* pool);

#endif
