// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Conjugate gradients in float, preconditioned by a multigrid cycle. From time to time the true
// residual is computed in double.
#ifndef PL_MULTIGRID_MG_KRYLOV_FLOAT_H
#define PL_MULTIGRID_MG_KRYLOV_FLOAT_H

#include "multigrid/mg_krylov_vectors.h"

// Starts from x. On entry krylov->r is its residual, and info holds the norm of r relative to |b| =
// b_norm. Returns true if the iteration converged or used up max_iterations. Returns false if float
// is not precise enough: the matrix is not definite or is too badly conditioned. x then holds the
// best iterate.
bool pl_mg_krylov_float(pl_mg_krylov* krylov, pl_block_mg* mg, const double* b, double* x,
                        double b_norm, const pl_linear_options* options, pl_linear_info* info);

#endif
