// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What iterations around the cycles work with: the matrix that was given, and vectors in double.
#ifndef PL_MULTIGRID_OUTER_VECTORS_H
#define PL_MULTIGRID_OUTER_VECTORS_H

#include "multigrid/block_multigrid.h"
#include "sparse/linear_info.h"

typedef struct pl_mg_outer {
    pl_mg_blocks A;              // without values: the matrix is that of `levels`
    const pl_block_mg* levels;   // borrowed
    const pl_mg_diagonal* added; // borrowed
    int added_count;
    bool residual_unread;     // nobody asks what the last cycle leaves
    double *r, *z, *p, *q;    // 3 per row
    float *float_p, *float_q; // 4 per row, in the order of the finest level
} pl_mg_outer;

pl_status pl_mg_outer_setup(pl_mg_outer* outer, const pl_mg_blocks* A, pl_error* error);
void pl_mg_outer_free(pl_mg_outer* outer);

// y = A x, with the added blocks
void pl_mg_outer_apply(const pl_mg_outer* outer, pl_pool* pool, const double* x, double* y);

#endif
