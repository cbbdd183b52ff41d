// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A sparse factor of a coarsest level in double, for more nodes than a dense one pays for.
#ifndef PL_MULTIGRID_SPARSE_BOTTOM_H
#define PL_MULTIGRID_SPARSE_BOTTOM_H

#include "multigrid/block_bottom.h"
#include "sparse/direct.h"

typedef struct pl_sparse_bottom {
    pl_block_matrix A; // a row per node
    pl_direct* direct;
    double* x;
    double shift; // of the diagonal, relative to it
} pl_sparse_bottom;

// Its user is a pl_sparse_bottom.
extern const pl_mg_bottom_operations pl_sparse_bottom_operations;
void pl_sparse_bottom_free(pl_sparse_bottom* bottom);

// The structure for so many unknowns a node; reserve takes the memory of the factor.
pl_status pl_sparse_bottom_analyse(pl_sparse_bottom* bottom, const pl_block_level* level, int block,
                                   pl_error* error);
pl_status pl_sparse_bottom_reserve(pl_sparse_bottom* bottom, pl_error* error);
// True if it is cheaper than a dense factor in float with so many operations.
bool pl_sparse_bottom_pays(const pl_sparse_bottom* bottom, double dense);
// The block (J, K), column by column, and (K, J). The user is a pl_sparse_bottom.
void pl_sparse_bottom_put(void* user, int J, int K, const float* block);
// False if values are not finite, or pivots are not positive where they are to be.
bool pl_sparse_bottom_factor(pl_sparse_bottom* bottom, bool definite, pl_pool* pool);

#endif
