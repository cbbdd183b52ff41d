// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Iterations in double, preconditioned by multigrid cycles in float: conjugate gradients, or cycles
// alone. The residual is evaluated in double with the given matrix, so the precision of the cycles
// affects the speed of convergence but not the result.
#ifndef PL_MULTIGRID_MG_KRYLOV_H
#define PL_MULTIGRID_MG_KRYLOV_H

#include "multigrid/mg_krylov_vectors.h"

// conjugate: conjugate gradients; otherwise cycles alone, and conjugate gradients take over if
// cycles stall and `fallback` is true. Sets iterations, residuals and failures in info.
void pl_mg_krylov_solve(pl_mg_krylov* krylov, pl_block_mg* mg, bool conjugate, bool fallback,
                        const pl_linear_options* options, const double* b, double* x,
                        pl_linear_info* info);

#endif
