// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "s4_sparse.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/timer.h"

#include <math.h>
#include <string.h>

pl_status s4_sparse_create(int row_count, int capacity, s4_sparse* out, pl_error* error) {
    *out = (s4_sparse){.row_count = row_count, .capacity = capacity};
    out->offsets = PL_ALLOC(int, row_count + 1);
    out->columns = PL_ALLOC(int, capacity);
    out->values = PL_ALLOC(double, capacity);
    if (out->offsets && out->columns && out->values) return PL_OK;
    s4_sparse_free(out);
    return pl_fail_memory(error, "a matrix");
}

void s4_sparse_free(s4_sparse* A) {
    PL_FREE(A->offsets, int, A->row_count + 1);
    PL_FREE(A->columns, int, A->capacity);
    PL_FREE(A->values, double, A->capacity);
    *A = (s4_sparse){0};
}

void s4_sparse_add(s4_sparse* A, int row, int column, double value) {
    int end = A->offsets[row + 1];
    if (end < A->offsets[row]) end = A->offsets[row];
    for (int e = A->offsets[row]; e < end; e++)
        if (A->columns[e] == column) {
            A->values[e] += value;
            return;
        }
    A->columns[end] = column, A->values[end] = value;
    A->offsets[row + 1] = end + 1;
}

void s4_sparse_end_row(s4_sparse* A, int row) {
    if (A->offsets[row + 1] < A->offsets[row]) A->offsets[row + 1] = A->offsets[row];
    if (row + 1 < A->row_count) A->offsets[row + 2] = A->offsets[row + 1];
}

void s4_sparse_apply(const s4_sparse* A, const double* x, double* y) {
    for (int i = 0; i < A->row_count; i++) {
        double sum = 0.0;
        for (int e = A->offsets[i]; e < A->offsets[i + 1]; e++)
            sum += A->values[e] * x[A->columns[e]];
        y[i] = sum;
    }
}

pl_status s4_sparse_transpose(const s4_sparse* A, int column_count, s4_sparse* out,
                              pl_error* error) {
    int count = A->offsets[A->row_count];
    pl_status status = s4_sparse_create(column_count, count, out, error);
    if (status != PL_OK) return status;
    for (int e = 0; e < count; e++) out->offsets[A->columns[e] + 1]++;
    for (int i = 0; i < column_count; i++) out->offsets[i + 1] += out->offsets[i];
    for (int i = 0; i < A->row_count; i++)
        for (int e = A->offsets[i]; e < A->offsets[i + 1]; e++) {
            int to = out->offsets[A->columns[e]]++;
            out->columns[to] = i, out->values[to] = A->values[e];
        }
    for (int i = column_count; i > 0; i--) out->offsets[i] = out->offsets[i - 1];
    out->offsets[0] = 0;
    return PL_OK;
}

pl_status s4_hierarchy_allocate(s4_hierarchy* h, pl_error* error) {
    for (int l = 0; l < h->level_count; l++) {
        int count = h->A[l].row_count;
        h->x[l] = PL_ALLOC(double, count);
        h->b[l] = PL_ALLOC(double, count);
        h->r[l] = PL_ALLOC(double, count);
        if (!h->x[l] || !h->b[l] || !h->r[l]) return pl_fail_memory(error, "levels");
    }
    return PL_OK;
}

void s4_hierarchy_free(s4_hierarchy* h) {
    for (int l = 0; l < S4_LEVELS; l++) {
        PL_FREE(h->x[l], double, h->A[l].row_count);
        PL_FREE(h->b[l], double, h->A[l].row_count);
        PL_FREE(h->r[l], double, h->A[l].row_count);
        s4_sparse_free(&h->A[l]);
        s4_sparse_free(&h->P[l]);
        s4_sparse_free(&h->R[l]);
    }
    *h = (s4_hierarchy){0};
}

// lexicographic Gauss-Seidel
static void sweep(const s4_sparse* A, const double* b, double* x) {
    for (int i = 0; i < A->row_count; i++) {
        double sum = b[i], diagonal = 0.0;
        for (int e = A->offsets[i]; e < A->offsets[i + 1]; e++)
            if (A->columns[e] == i) diagonal = A->values[e];
            else sum -= A->values[e] * x[A->columns[e]];
        if (diagonal > 0.0) x[i] = sum / diagonal;
    }
}

static double find_residual(const s4_sparse* A, const double* b, const double* x, double* r) {
    double sum = 0.0;
    s4_sparse_apply(A, x, r);
    for (int i = 0; i < A->row_count; i++) {
        r[i] = b[i] - r[i];
        sum += r[i] * r[i];
    }
    return sqrt(sum);
}

static void cycle(s4_hierarchy* h, int l) {
    enum { BOTTOM_SWEEPS = 400 };
    if (l + 1 >= h->level_count || l + 1 >= S4_LEVELS) {
        for (int k = 0; k < BOTTOM_SWEEPS; k++) sweep(&h->A[l], h->b[l], h->x[l]);
        return;
    }
    sweep(&h->A[l], h->b[l], h->x[l]);
    find_residual(&h->A[l], h->b[l], h->x[l], h->r[l]);
    s4_sparse_apply(&h->R[l], h->r[l], h->b[l + 1]);
    memset(h->x[l + 1], 0, (size_t)h->A[l + 1].row_count * sizeof(double));
    cycle(h, l + 1);
    s4_sparse_apply(&h->P[l], h->x[l + 1], h->r[l]);
    for (int i = 0; i < h->A[l].row_count; i++) h->x[l][i] += h->r[l][i];
    sweep(&h->A[l], h->b[l], h->x[l]);
}

double s4_hierarchy_rate(s4_hierarchy* h, int cycles) {
    pl_random random = {7};
    for (int i = 0; i < h->A[0].row_count; i++) {
        h->x[0][i] = pl_random_uniform(&random, -0.5, 0.5);
        h->b[0][i] = 0.0;
    }
    double middle = 0.0, after = 0.0;
    for (int k = 0; k < cycles; k++) {
        cycle(h, 0);
        after = find_residual(&h->A[0], h->b[0], h->x[0], h->r[0]);
        if (k == cycles - 6) middle = after;
    }
    return pow(after / middle, 1.0 / 5.0);
}

static double dot(const double* x, const double* y, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) sum += x[i] * y[i];
    return sum;
}

static int iterate(s4_apply apply, const void* matrix, int count, double* x, double* r, double* p,
                   double* q, int iterations, double norm, double* residuals, double* seconds) {
    double rr = dot(r, r, count), start = pl_seconds();
    residuals[0] = 1.0, seconds[0] = 0.0;
    int k = 0;
    while (k < iterations && rr > 0.0) {
        apply(matrix, p, q);
        double step = rr / dot(p, q, count);
        for (int i = 0; i < count; i++) {
            x[i] += step * p[i];
            r[i] -= step * q[i];
        }
        double next = dot(r, r, count);
        for (int i = 0; i < count; i++) p[i] = r[i] + next / rr * p[i];
        rr = next;
        k++;
        residuals[k] = sqrt(rr) / norm, seconds[k] = pl_seconds() - start;
    }
    return k;
}

pl_status s4_conjugate_gradients(s4_apply apply, const void* matrix, int count, const double* b,
                                 double* x, int iterations, double* residuals, double* seconds,
                                 pl_error* error) {
    double *r = PL_ALLOC(double, count), *p = PL_ALLOC(double, count), *q = PL_ALLOC(double, count);
    pl_status status = r && p && q ? PL_OK : pl_fail_memory(error, "conjugate gradients");
    if (status == PL_OK) {
        memset(x, 0, (size_t)count * sizeof(double));
        memcpy(r, b, (size_t)count * sizeof(double));
        memcpy(p, b, (size_t)count * sizeof(double));
        int done = iterate(apply, matrix, count, x, r, p, q, iterations, sqrt(dot(b, b, count)),
                           residuals, seconds);
        for (int k = done + 1; k <= iterations; k++)
            residuals[k] = residuals[done], seconds[k] = seconds[done];
    }
    PL_FREE(r, double, count);
    PL_FREE(p, double, count);
    PL_FREE(q, double, count);
    return status;
}
