// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "sparse/vector.h"

#include <math.h>

enum { BLOCK = 4096 };

typedef struct vectors {
    const double* a;
    const double* b;
    double* y;
    double s, t;
} vectors;

static double dot_part(int begin, int end, void* user) {
    const vectors* v = user;
    // four partial sums, so that additions do not wait for one another
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    int i = begin;
    for (; i + 4 <= end; i += 4)
        for (int c = 0; c < 4; c++) sum[c] += v->a[i + c] * v->b[i + c];
    for (; i < end; i++) sum[0] += v->a[i] * v->b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

double pl_vector_dot(pl_pool* pool, int count, const double* a, const double* b) {
    vectors v = {.a = a, .b = b};
    return pl_parallel_sum(pool, dot_part, count, BLOCK, &v);
}

double pl_vector_norm(pl_pool* pool, int count, const double* a) {
    return sqrt(pl_vector_dot(pool, count, a, a));
}

double pl_vector_max_abs(int count, const double* a) {
    double largest = 0.0;
    for (int i = 0; i < count; i++) {
        double value = fabs(a[i]);
        if (!(value <= largest)) largest = value; // true also for NaN
        if (isnan(value)) return value;
    }
    return largest;
}

static void axpy_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const vectors* v = user;
    for (int i = begin; i < end; i++) v->y[i] += v->s * v->a[i];
}

void pl_vector_axpy(pl_pool* pool, int count, double s, const double* x, double* y) {
    vectors v = {.a = x, .y = y, .s = s};
    pl_parallel_for(pool, axpy_task, count, BLOCK, &v);
}

static void xpay_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const vectors* v = user;
    for (int i = begin; i < end; i++) v->y[i] = v->a[i] + v->s * v->y[i];
}

void pl_vector_xpay(pl_pool* pool, int count, const double* x, double s, double* y) {
    vectors v = {.a = x, .y = y, .s = s};
    pl_parallel_for(pool, xpay_task, count, BLOCK, &v);
}

static void combine_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const vectors* v = user;
    if (v->t == 0.0)
        for (int i = begin; i < end; i++) v->y[i] = v->s * v->a[i];
    else
        for (int i = begin; i < end; i++) v->y[i] = v->s * v->a[i] + v->t * v->y[i];
}

void pl_vector_combine(pl_pool* pool, int count, double s, const double* x, double t, double* y) {
    vectors v = {.a = x, .y = y, .s = s, .t = t};
    pl_parallel_for(pool, combine_task, count, BLOCK, &v);
}
