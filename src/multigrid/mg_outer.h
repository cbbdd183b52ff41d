// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The iteration around the cycles, in double: the cycles correct a residual of the matrix that was
// given, so what they do in float limits their speed, not the result.
#ifndef PL_MULTIGRID_MG_OUTER_H
#define PL_MULTIGRID_MG_OUTER_H

#include "multigrid/outer_vectors.h"

// Stationary cycles (then conjugate gradients, if `fallback` and they stall), or conjugate
// gradients at once. Fills what the iteration knows into info.
void pl_mg_outer_solve(pl_mg_outer* outer, pl_block_mg* mg, bool conjugate, bool fallback,
                       const pl_linear_options* options, const double* b, double* x,
                       pl_linear_info* info);

#endif
