// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Solves the coarsest level by a sparse factor in double, for levels too large for a dense factor.
#ifndef PL_MULTIGRID_SPARSE_BOTTOM_H
#define PL_MULTIGRID_SPARSE_BOTTOM_H

#include "multigrid/block_bottom.h"
#include "sparse/direct.h"

typedef struct pl_sparse_bottom {
    pl_block_matrix A; // a row per node
    pl_direct* direct;
    double* x;
    double shift; // of the diagonal, relative
} pl_sparse_bottom;

// The user of these operations is a pl_sparse_bottom.
extern const pl_mg_bottom_operations pl_sparse_bottom_operations;
void pl_sparse_bottom_free(pl_sparse_bottom* bottom);

// analyse: the structure, with `block` unknowns per node. reserve: allocates the factor.
pl_status pl_sparse_bottom_analyse(pl_sparse_bottom* bottom, const pl_block_level* level, int block,
                                   pl_error* error);
pl_status pl_sparse_bottom_reserve(pl_sparse_bottom* bottom, pl_error* error);
// True if it is cheaper than a dense factor in float that takes `dense` operations.
bool pl_sparse_bottom_pays(const pl_sparse_bottom* bottom, double dense);
// Stores the block (J, K), given by columns, and (K, J), its transpose. The user is a
// pl_sparse_bottom.
void pl_sparse_bottom_put(void* user, int J, int K, const float* block);
// Returns false if values are not finite, or if `definite` and a pivot is not positive.
bool pl_sparse_bottom_factor(pl_sparse_bottom* bottom, bool definite, pl_pool* pool);

#endif
