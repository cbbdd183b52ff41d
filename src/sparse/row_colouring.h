// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Rows of a matrix in colours, no two of one colour coupled, and Gauss-Seidel over them: a fixed
// order whose rows run in parallel within a colour.
#ifndef PL_SPARSE_ROW_COLOURING_H
#define PL_SPARSE_ROW_COLOURING_H

#include "sparse/block_matrix.h"

typedef struct pl_row_colours {
    int row_count;
    int colour_count;
    int* offsets; // colour_count + 1
    int* rows;    // by colour
} pl_row_colours;

pl_status pl_row_colours_setup(pl_row_colours* colours, const pl_block_matrix* A, pl_error* error);
void pl_row_colours_free(pl_row_colours* colours);

// One sweep over x in A x = b, colours in order or backwards.
void pl_row_colours_sweep(const pl_row_colours* colours, const pl_block_matrix* A, pl_pool* pool,
                          int rhs_count, const double* inverse_diagonal, const double* b, double* x,
                          bool backward);

#endif
