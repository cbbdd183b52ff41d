// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Conjugate gradients around the cycle, in float, with the true residual in double.
#ifndef PL_MULTIGRID_MG_FLOAT_H
#define PL_MULTIGRID_MG_FLOAT_H

#include "multigrid/outer_vectors.h"

// From x, whose residual is in outer->r and, relative to the load |b|, in info. True when it is
// over: converged, or no iterations are left. False where float is not enough: the matrix is not
// definite, or too far from well-conditioned; x is then what was gained.
bool pl_mg_float_gradients(pl_mg_outer* outer, pl_block_mg* mg, const double* b, double* x,
                           double load, const pl_linear_options* options, pl_linear_info* info);

#endif
