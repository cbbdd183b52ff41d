// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Square sparse matrices of small dense blocks, in double. The direct solver factors them, and
// faster layouts are tested against them. block = 1 (Projective Dynamics, one value per vertex
// pair), 3 (elasticity) or 4 (elasticity with a pressure).
//
// The structure is built once, values change. Rows store all blocks of both triangles, with
// ascending columns.
#ifndef PL_SPARSE_BLOCK_MATRIX_H
#define PL_SPARSE_BLOCK_MATRIX_H

#include "base/pool.h"

#include <stdbool.h>

typedef struct pl_block_matrix {
    int row_count; // in blocks
    int block;     // 1, 3 or 4
    int* offsets;  // row_count + 1
    int* columns;
    int* diagonal;  // position of the diagonal block of each row
    double* values; // block * block per entry, row-major
} pl_block_matrix;

// Zero matrix whose pattern is the given neighbour lists (CSR; each row ascending, symmetric,
// without the row itself) plus the diagonal.
pl_status pl_block_matrix_setup(pl_block_matrix* A, int row_count, int block,
                                const int* neighbour_offsets, const int* neighbours,
                                pl_error* error);
void pl_block_matrix_free(pl_block_matrix* A);

int pl_block_matrix_entry_count(const pl_block_matrix* A);
// Position of the block (row, column), or -1.
int pl_block_matrix_find(const pl_block_matrix* A, int row, int column);
void pl_block_matrix_zero(pl_block_matrix* A);
// y = A x. With block 1, x and y may have rhs_count values per row.
void pl_block_matrix_apply(const pl_block_matrix* A, pl_pool* pool, int rhs_count, const double* x,
                           double* y);

#endif
