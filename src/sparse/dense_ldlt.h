// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Dense kernels of the direct solver: factors a panel and computes the symmetric update that
// follows. Column-major.
#ifndef PL_SPARSE_DENSE_LDLT_H
#define PL_SPARSE_DENSE_LDLT_H

#include "base/pool.h"

// Counts pivots that elimination has made smaller than `tiny` times their initial value. Their
// unknowns become zero.
typedef struct pl_pivots {
    double tiny;
    int tiny_count;
    int negative_count;
} pl_pivots;

// Number of doubles of scratch that the calls below need for such a panel.
size_t pl_dense_scratch_size(int rows, int cols);

// P (rows x cols, leading dimension rows, cols <= rows, lower part given) becomes unit lower L. D
// holds the diagonal before any elimination and gets the pivots, 0 for tiny ones.
void pl_dense_factor_panel(double* P, int rows, int cols, double* D, pl_pivots* pivots,
                           double* scratch, pl_pool* pool);

// The lower part of C (n x n, leading dimension n) -= L2 diag(D) L2', where L2 is rows cols..rows
// of the panel and n = rows - cols.
void pl_dense_update(const double* P, int rows, int cols, const double* D, double* C,
                     double* scratch, pl_pool* pool);

#endif
