// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Krylov and stationary iterations in double, preconditioned by multigrid cycles in float. The
// residual is that of the given matrix in double, so the precision of the cycles limits the speed
// of convergence but not the result.
#ifndef PL_MULTIGRID_MG_KRYLOV_H
#define PL_MULTIGRID_MG_KRYLOV_H

#include "multigrid/mg_krylov_vectors.h"

// conjugate: conjugate gradients; else cycles alone, and conjugate gradients if `fallback` is set
// and the cycles stall. Fills in iterations, residuals and failures of info.
void pl_mg_krylov_solve(pl_mg_krylov* krylov, pl_block_mg* mg, bool conjugate, bool fallback,
                        const pl_linear_options* options, const double* b, double* x,
                        pl_linear_info* info);

#endif
