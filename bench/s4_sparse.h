// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What method grid is compared with (Zhu 2010, Fig. 10 and 11): the textbook V(1,1) cycle with
// lexicographic Gauss-Seidel and conjugate gradients, on sparse matrices in double.
#ifndef PL_BENCH_S4_SPARSE_H
#define PL_BENCH_S4_SPARSE_H

#include "base/fail.h"

#include <stddef.h>

typedef struct s4_sparse {
    int row_count;
    int* offsets; // row_count + 1
    int* columns;
    double* values;
    int capacity; // of columns and values
} s4_sparse;

// An empty matrix for so many rows, to which rows are added in order.
pl_status s4_sparse_create(int row_count, int capacity, s4_sparse* out, pl_error* error);
void s4_sparse_free(s4_sparse* A);
// Adds to the entry of the row that is being built.
void s4_sparse_add(s4_sparse* A, int row, int column, double value);
void s4_sparse_end_row(s4_sparse* A, int row);
// y = A x
void s4_sparse_apply(const s4_sparse* A, const double* x, double* y);
// The transpose, for `column_count` columns.
pl_status s4_sparse_transpose(const s4_sparse* A, int column_count, s4_sparse* out,
                              pl_error* error);

enum { S4_LEVELS = 8 };

// Finest first; P[l] goes from level l + 1 to l, R[l] the other way.
typedef struct s4_hierarchy {
    int level_count;
    s4_sparse A[S4_LEVELS], P[S4_LEVELS], R[S4_LEVELS];
    double *x[S4_LEVELS], *b[S4_LEVELS], *r[S4_LEVELS];
} s4_hierarchy;

// Vectors of the levels whose matrices are set.
pl_status s4_hierarchy_allocate(s4_hierarchy* h, pl_error* error);
void s4_hierarchy_free(s4_hierarchy* h);
// The factor by which late cycles reduce the residual, from a random x and b = 0.
double s4_hierarchy_rate(s4_hierarchy* h, int cycles);

typedef void (*s4_apply)(const void* matrix, const double* x, double* y);
// Conjugate gradients from zero; residuals[k] = |b - A x| / |b| after k iterations, seconds[k]
// when.
pl_status s4_conjugate_gradients(s4_apply apply, const void* matrix, int count, const double* b,
                                 double* x, int iterations, double* residuals, double* seconds,
                                 pl_error* error);

#endif
