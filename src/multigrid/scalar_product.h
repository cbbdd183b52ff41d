// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The Galerkin product of Projective Dynamics from the vertices, with one value per pair, to level
// 1, with one 4 x 4 block per pair of nodes for all coordinates (PL_BLOCKS_4X3).
#ifndef PL_MULTIGRID_SCALAR_PRODUCT_H
#define PL_MULTIGRID_SCALAR_PRODUCT_H

#include "multigrid/block_level.h"
#include "sparse/block_matrix.h"

typedef struct pl_scalar_product {
    int node_count;
    // coarse blocks above the diagonal and on it
    int block_count;
    int *block_offsets, *block_columns; // by row: node_count + 1; columns > row, ascending
    int* entries; // 2 per block: its entries (row, column) and (column, row) in the level's pattern
    double *blocks, *diagonal; // 16 each, by rows
    // entries of the vertices' matrix, by vertex; entries with the same target follow one another
    int row_count;
    int* term_offsets; // row_count + 1
    int term_count;
    int* terms;   // entries of the matrix
    int* targets; // the block of each term, -1 for the diagonal
} pl_scalar_product;

// Builds the lists and the sparsity pattern of level 1.
pl_status pl_scalar_product_setup(pl_scalar_product* out, const pl_block_matrix* A,
                                  const pl_mg_transfer* transfer, pl_mg_pattern* pattern,
                                  pl_pool* pool, pl_error* error);
void pl_scalar_product_free(pl_scalar_product* product);
// Computes the entries and the fixed diagonal of level 1.
void pl_scalar_product_update(pl_scalar_product* product, const pl_block_matrix* A,
                              const pl_mg_transfer* transfer, pl_block_level* level, pl_pool* pool);

#endif
