// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Dense kernels of the direct solver: factoring of a panel and the symmetric update behind it.
// Column-major.
#ifndef PL_SPARSE_DENSE_LDLT_H
#define PL_SPARSE_DENSE_LDLT_H

#include "base/pool.h"

// A pivot that elimination made smaller than `tiny` times what it was is counted, and its unknown
// becomes zero.
typedef struct pl_pivots {
    double tiny;
    int tiny_count;
    int negative_count;
} pl_pivots;

// Doubles of scratch that the calls below need for such a panel.
size_t pl_dense_scratch_size(int rows, int cols);

// P (rows x cols, leading dimension rows, cols <= rows, lower part given) becomes unit lower L. D
// holds the diagonal before any elimination and gets the pivots, 0 for tiny ones.
void pl_dense_factor_panel(double* P, int rows, int cols, double* D, pl_pivots* pivots,
                           double* scratch, pl_pool* pool);

// lower part of C (n x n, leading dimension n) -= L2 diag(D) L2', where L2 is rows cols..rows of
// the panel, n = rows - cols.
void pl_dense_update(const double* P, int rows, int cols, const double* D, double* C,
                     double* scratch, pl_pool* pool);

#endif
