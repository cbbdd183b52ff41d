// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Solves with the flexibility of pressures, B = C + S + D. For the usual strengths of stabilisation
// its eigenvalues over its diagonal lie close together, between bounds that hold in every tet: then
// Chebyshev's iteration in float, refined in double, takes a dozen passes over the matrix, which
// threads share. Else by a factor, or conjugate gradients for many vertices.
#ifndef PL_MIXED_FLEXIBLE_H
#define PL_MIXED_FLEXIBLE_H

#include "sparse/block_matrix.h"

typedef struct pl_mixed_flexible pl_mixed_flexible;

// B: block 1, kept by reference.
pl_status pl_mixed_flexible_create(const pl_block_matrix* B, pl_pool* pool, pl_mixed_flexible** out,
                                   pl_error* error);
void pl_mixed_flexible_destroy(pl_mixed_flexible* f);
// B has new values. least, most: bounds of the eigenvalues of B over its diagonal.
pl_status pl_mixed_flexible_update(pl_mixed_flexible* f, double least, double most,
                                   pl_error* error);
// x = B^-1 b to 1e-12 of |b|. x: a guess, on which no more than the last digits of the result
// depend.
void pl_mixed_flexible_solve(pl_mixed_flexible* f, const double* b, double* x);

#endif
