// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Simple approximations of A^-1: the inverse of the diagonal blocks, and a block incomplete
// Cholesky factor.
#ifndef PL_SPARSE_PRECONDITIONER_H
#define PL_SPARSE_PRECONDITIONER_H

#include "sparse/block_matrix.h"

// Inverse diagonal blocks, block * block values per row. A block that cannot be inverted counts as
// the identity.
void pl_invert_diagonal(const pl_block_matrix* A, pl_pool* pool, double* inverse);
// z = D^-1 r
void pl_apply_diagonal(const pl_block_matrix* A, pl_pool* pool, int rhs_count,
                       const double* inverse, const double* r, double* z);

// Incomplete Cholesky without fill, A ~ L L', on the blocks of the lower triangle. L has the layout
// of A; only blocks with column <= row are used, and diagonal blocks hold the inverse of the
// factor's. If a pivot is not positive, the diagonal is raised and factoring starts again. Returns
// the final raise, relative to the diagonal.
double pl_ic_factor(const pl_block_matrix* A, double* L);
// z = (L L')^-1 r
void pl_ic_apply(const pl_block_matrix* A, int rhs_count, const double* L, const double* r,
                 double* z);

#endif
