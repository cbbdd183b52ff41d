// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Values of the coarse levels (S0 section 4.3): A_{l+1} = U' A_l U, and what belongs to the
// diagonal.
#ifndef PL_MULTIGRID_BLOCK_GALERKIN_H
#define PL_MULTIGRID_BLOCK_GALERKIN_H

#include "multigrid/block_level.h"
#include "multigrid/galerkin_pairs.h"

// How a level gets its values from the one below.
typedef struct pl_block_product {
    pl_mg_pairs pairs;
    int* targets; // 2 per pair: the entries (row, column) and (column, row); -1 for the diagonal
    int* columns; // per entry of the pairs, its column on the finer level
    int* order;   // pairs by where their rows lie, so that neighbours find them in the cache
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

// D += (X X') (x) S: what a block S of so many unknowns at a point X adds to its node's diagonal
// block.
void pl_block_add_point(int unknowns, float* D, const float* X, const float* S);

// Which affine maps of the nodes of a level do nothing to an unknown of their vertices: projectors
// as those of pl_mg_transfer.
typedef struct pl_unseen {
    const float* projectors;
    int of_node, of_unknown; // floats from one node, and from one unknown, to the next
} pl_unseen;

// Inverts the diagonal blocks of the nodes in a list (NULL: of all). The mean of a block's diagonal
// stands in where a node's maps do nothing; level 0 has no such maps.
void pl_block_level_invert(pl_block_level* level, pl_unseen unseen, const int* nodes, int count,
                           pl_pool* pool);

// The diagonal block of a node of 12 or 16 unknowns with its unseen directions filled in.
void pl_block_fill_unseen(const pl_block_level* level, pl_unseen unseen, int node, float* out);

#endif
