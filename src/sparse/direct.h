// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Direct solution of sparse symmetric systems: our own multifrontal LDL^T (Duff and Reid 1983) on a
// minimum degree ordering. For small or stiff systems, and as the reference for iterative solvers.
#ifndef PL_SPARSE_DIRECT_H
#define PL_SPARSE_DIRECT_H

#include "sparse/block_matrix.h"

typedef struct pl_direct pl_direct;

typedef struct pl_direct_info {
    int64_t factor_value_count; // stored values of L
    double flops;               // of one update
    int tiny_pivot_count;     // unknowns without stiffness: rigid modes of free bodies, unattached
                              // vertices
    int negative_pivot_count; // 0 for a positive definite matrix
} pl_direct_info;

// Orders a pattern and analyses its factor; values are not read. The info then has the size of the
// factor, which pl_direct_reserve or the first update allocates.
pl_status pl_direct_analyse(const pl_block_matrix* A, pl_direct** out, pl_error* error);
pl_status pl_direct_reserve(pl_direct* direct, pl_error* error);
// Analyses and reserves.
pl_status pl_direct_setup(const pl_block_matrix* A, pl_direct** out, pl_error* error);
// Pivots below this fraction of the diagonal value before elimination count as vanished: 1e-12
// unless set.
void pl_direct_set_tiny_pivot(pl_direct* direct, double fraction);
// The numeric factor. A singular or indefinite matrix is not an error: the info reports it, and
// unknowns whose pivot almost vanished become zero.
pl_status pl_direct_update(pl_direct* direct, const pl_block_matrix* A, pl_pool* pool,
                           pl_error* error);
// x = A^-1 b for up to PL_DIRECT_MAX_RHS right-hand sides. The values of an unknown for all
// right-hand sides are adjacent. x may be b.
enum { PL_DIRECT_MAX_RHS = 4 };
void pl_direct_solve(pl_direct* direct, int rhs_count, const double* b, double* x);
void pl_direct_destroy(pl_direct* direct);
pl_direct_info pl_direct_get_info(const pl_direct* direct);

#endif
