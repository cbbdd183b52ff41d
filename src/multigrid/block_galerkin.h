// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Values of the coarse levels (S0 section 4.3): A_{l+1} = U' A_l U, and the diagonal blocks.
#ifndef PL_MULTIGRID_BLOCK_GALERKIN_H
#define PL_MULTIGRID_BLOCK_GALERKIN_H

#include "multigrid/block_level.h"
#include "multigrid/galerkin_pairs.h"

// Plan to compute the values of a level from those of the finer one.
typedef struct pl_block_product {
    pl_mg_pairs pairs;
    int* targets; // 2 per pair: the entries (row, column) and (column, row); -1 for the diagonal
    int* columns; // of each entry of the pairs, on the finer level
    int* order;   // order of pairs that keeps rows close in memory, for the cache
} pl_block_product;

// Makes the pattern of the next level.
pl_status pl_block_product_setup(pl_block_product* out, const pl_block_level* fine,
                                 const pl_mg_transfer* transfer, pl_mg_pattern* pattern,
                                 pl_error* error);
void pl_block_product_free(pl_block_product* product);
size_t pl_block_product_bytes(const pl_block_product* product);

// Entries and fixed diagonal of `coarse` from those of `fine`.
void pl_block_product_update(const pl_block_product* product, const pl_block_level* fine,
                             const pl_mg_transfer* transfer, pl_block_level* coarse, pl_pool* pool);

// b = U' r, for the next coarser level; x of the fine level = U x, or += if `add`.
void pl_block_restrict(const pl_block_level* fine, const float* r, const pl_mg_transfer* transfer,
                       float* b, pl_pool* pool);
void pl_block_prolong(const pl_block_level* fine, const pl_mg_transfer* transfer, const float* x,
                      bool add, pl_pool* pool);

// D += (X X') (x) S: adds the contribution of a block S at a point X to the diagonal block of its
// node. S has `unknowns` rows.
void pl_block_add_point(int unknowns, float* D, const float* X, const float* S);

// Projectors, as in pl_mg_transfer, onto the affine maps of a node that do not move a given unknown
// of its vertices.
typedef struct pl_unseen {
    const float* projectors;
    int of_node, of_unknown; // distance in floats between nodes, and between unknowns
} pl_unseen;

// Inverts the diagonal blocks of the listed nodes (NULL: all). In directions where a node's maps
// have no effect, the mean of the block's diagonal is filled in; level 0 has no such directions.
void pl_block_level_invert(pl_block_level* level, pl_unseen unseen, const int* nodes, int count,
                           pl_pool* pool);

// The diagonal block of a node with 12 or 16 unknowns, with its unseen directions filled in.
void pl_block_fill_unseen(const pl_block_level* level, pl_unseen unseen, int node, float* out);

#endif
