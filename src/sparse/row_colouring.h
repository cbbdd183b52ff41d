// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Colours the rows of a matrix so that no two rows of one colour are coupled, and sweeps them by
// Gauss-Seidel: the rows of a colour in parallel, with the same result for any number of threads.
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

// One Gauss-Seidel sweep on A x = b, with the colours in order or backwards.
void pl_row_colours_sweep(const pl_row_colours* colours, const pl_block_matrix* A, pl_pool* pool,
                          int rhs_count, const double* inverse_diagonal, const double* b, double* x,
                          bool backward);

#endif
