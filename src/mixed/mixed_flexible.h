// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Solves with B = C + S + D, which eliminates the pressures. For usual strengths of stabilisation,
// the eigenvalues of B over its diagonal are in a narrow interval whose bounds hold in every tet.
// Then Chebyshev iteration in float, refined in double, takes a dozen passes over the matrix,
// shared by threads. Otherwise a factor is used, or conjugate gradients for many vertices.
#ifndef PL_MIXED_FLEXIBLE_H
#define PL_MIXED_FLEXIBLE_H

#include "sparse/block_matrix.h"

typedef struct pl_mixed_flexible pl_mixed_flexible;

// B: block size 1, kept by reference.
pl_status pl_mixed_flexible_create(const pl_block_matrix* B, pl_pool* pool, pl_mixed_flexible** out,
                                   pl_error* error);
void pl_mixed_flexible_destroy(pl_mixed_flexible* f);
// Takes new values of B. least, most: bounds of the eigenvalues of B over its diagonal.
pl_status pl_mixed_flexible_update(pl_mixed_flexible* f, double least, double most,
                                   pl_error* error);
// x = B^-1 b to 1e-12 of |b|. x holds the initial guess, which affects only the last digits of the
// result.
void pl_mixed_flexible_solve(pl_mixed_flexible* f, const double* b, double* x);

#endif
