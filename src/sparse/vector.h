// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Long vectors of doubles; sums have the same bits for any pool.
#ifndef PL_SPARSE_VECTOR_H
#define PL_SPARSE_VECTOR_H

#include "base/pool.h"

double pl_vector_dot(pl_pool* pool, int count, const double* a, const double* b);
double pl_vector_norm(pl_pool* pool, int count, const double* a);
// The largest |a_i|; NaN if one is.
double pl_vector_max_abs(int count, const double* a);
// y += s x
void pl_vector_axpy(pl_pool* pool, int count, double s, const double* x, double* y);
// y = x + s y
void pl_vector_xpay(pl_pool* pool, int count, const double* x, double s, double* y);
// y = s x + t y; t = 0: y is not read
void pl_vector_combine(pl_pool* pool, int count, double s, const double* x, double t, double* y);

#endif
