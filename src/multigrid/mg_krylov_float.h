// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Conjugate gradients in float, preconditioned by a multigrid cycle. The true residual is found in
// double from time to time.
#ifndef PL_MULTIGRID_MG_KRYLOV_FLOAT_H
#define PL_MULTIGRID_MG_KRYLOV_FLOAT_H

#include "multigrid/mg_krylov_vectors.h"

// Starts from x; its residual is in krylov->r, and the norm of that relative to `load` = |b| in
// info. Returns true if the iteration converged or ran out of iterations. Returns false if float is
// not precise enough: the matrix is not definite or is too badly conditioned. x then holds the best
// iterate.
bool pl_mg_krylov_float(pl_mg_krylov* krylov, pl_block_mg* mg, const double* b, double* x,
                        double load, const pl_linear_options* options, pl_linear_info* info);

#endif
