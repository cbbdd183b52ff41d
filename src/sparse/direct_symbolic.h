// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The structure of a multifrontal factor: which columns are eliminated together, and which rows
// they touch.
#ifndef PL_SPARSE_DIRECT_SYMBOLIC_H
#define PL_SPARSE_DIRECT_SYMBOLIC_H

#include "sparse/block_matrix.h"

// All in blocks and in the new numbering. Front f eliminates columns column_offsets[f] .. [f + 1]
// and has the rows row_offsets[f] .. [f + 1] of `rows` below them, ascending. Children come before
// their parents.
typedef struct pl_fronts {
    int row_count;
    int* order;    // new -> old
    int* position; // old -> new
    int count;
    int* column_offsets;  // count + 1
    int* parent;          // front, or -1
    int* first_child;     // the last of a front's children in the numbering, or -1
    int* next_sibling;    // the previous child of the same parent
    int64_t* row_offsets; // count + 1
    int* rows;
} pl_fronts;

pl_status pl_fronts_setup(pl_fronts* fronts, const pl_block_matrix* A, pl_error* error);
void pl_fronts_free(pl_fronts* fronts);

#endif
