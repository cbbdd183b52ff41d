// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "sparse/preconditioner.h"

#include <math.h>
#include <string.h>

enum { ROWS_PER_TASK = 1024 };

// Cholesky factor of a b x b block (b <= 3), lower, row-major; false if it is not positive definite
static bool factor_block(int b, const double* a, double* l) {
    memset(l, 0, (size_t)(b * b) * sizeof(double));
    for (int j = 0; j < b; j++)
        for (int i = j; i < b; i++) {
            double sum = a[i * b + j];
            for (int k = 0; k < j; k++) sum -= l[i * b + k] * l[j * b + k];
            if (i > j) l[i * b + j] = sum / l[j * b + j];
            else if (sum > 0.0 && isfinite(sum)) l[j * b + j] = sqrt(sum);
            else return false;
        }
    return true;
}

// inverse of a lower triangular block, in place
static void invert_lower(int b, double* l) {
    for (int j = 0; j < b; j++) {
        l[j * b + j] = 1.0 / l[j * b + j];
        for (int i = j + 1; i < b; i++) {
            double sum = 0.0;
            for (int k = j; k < i; k++) sum += l[i * b + k] * l[k * b + j];
            l[i * b + j] = -sum / l[i * b + i];
        }
    }
}

// A^-1 = L^-T L^-1
static void invert_block(int b, const double* a, double* inverse) {
    double l[9];
    if (!factor_block(b, a, l)) {
        for (int i = 0; i < b * b; i++) inverse[i] = i % (b + 1) == 0 ? 1.0 : 0.0;
        return;
    }
    invert_lower(b, l);
    for (int i = 0; i < b; i++)
        for (int j = 0; j < b; j++) {
            double sum = 0.0;
            for (int k = i > j ? i : j; k < b; k++) sum += l[k * b + i] * l[k * b + j];
            inverse[i * b + j] = sum;
        }
}

typedef struct diagonal_job {
    const pl_block_matrix* A;
    double* inverse;
    const double* applied;
    int rhs_count;
    const double* r;
    double* z;
} diagonal_job;

static void invert_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const diagonal_job* job = user;
    size_t size = (size_t)(job->A->block * job->A->block);
    for (int row = begin; row < end; row++)
        invert_block(job->A->block, job->A->values + (size_t)job->A->diagonal[row] * size,
                     job->inverse + (size_t)row * size);
}

void pl_invert_diagonal(const pl_block_matrix* A, pl_pool* pool, double* inverse) {
    diagonal_job job = {.A = A, .inverse = inverse};
    pl_parallel_for(pool, invert_task, A->row_count, ROWS_PER_TASK, &job);
}

// z = M r for one b x b block and m right-hand sides (m > 1 only with b = 1)
static void apply_block(int b, int m, const double* M, const double* r, double* z) {
    if (b == 1) {
        for (int c = 0; c < m; c++) z[c] = M[0] * r[c];
        return;
    }
    for (int i = 0; i < 3; i++) z[i] = M[3 * i] * r[0] + M[3 * i + 1] * r[1] + M[3 * i + 2] * r[2];
}

static void diagonal_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const diagonal_job* job = user;
    int b = job->A->block, m = job->rhs_count;
    for (int row = begin; row < end; row++) {
        size_t at = (size_t)row * (size_t)(b * m);
        apply_block(b, m, job->applied + (size_t)row * (size_t)(b * b), job->r + at, job->z + at);
    }
}

void pl_apply_diagonal(const pl_block_matrix* A, pl_pool* pool, int rhs_count,
                       const double* inverse, const double* r, double* z) {
    diagonal_job job = {.A = A, .applied = inverse, .rhs_count = rhs_count, .r = r, .z = z};
    pl_parallel_for(pool, diagonal_task, A->row_count, ROWS_PER_TASK, &job);
}

// C -= X Y'
static void subtract_product(int b, const double* X, const double* Y, double* C) {
    for (int i = 0; i < b; i++)
        for (int j = 0; j < b; j++) {
            double sum = 0.0;
            for (int k = 0; k < b; k++) sum += X[i * b + k] * Y[j * b + k];
            C[i * b + j] -= sum;
        }
}

// the block (row, k) of L from those on its left: L_rk = (A_rk - sum_j L_rj L_kj') L_kk^-T
static void factor_entry(const pl_block_matrix* A, int row, int e, double* L) {
    int b = A->block, k = A->columns[e];
    size_t size = (size_t)(b * b);
    double* value = L + (size_t)e * size;
    int p = A->offsets[row], q = A->offsets[k];
    while (p < e && A->columns[q] < k) {
        if (A->columns[p] < A->columns[q]) p++;
        else if (A->columns[p] > A->columns[q]) q++;
        else subtract_product(b, L + (size_t)p++ * size, L + (size_t)q++ * size, value);
    }
    if (k == row) return;
    double scaled[9];
    const double* inverse = L + (size_t)A->diagonal[k] * size; // of the lower factor
    for (int i = 0; i < b; i++)
        for (int j = 0; j < b; j++) {
            double sum = 0.0;
            for (int c = 0; c <= j; c++) sum += value[i * b + c] * inverse[j * b + c];
            scaled[i * b + j] = sum;
        }
    memcpy(value, scaled, size * sizeof(double));
}

static bool try_ic(const pl_block_matrix* A, double raise, double* L) {
    int b = A->block;
    size_t size = (size_t)(b * b);
    memcpy(L, A->values, (size_t)pl_block_matrix_entry_count(A) * size * sizeof(double));
    for (int row = 0; row < A->row_count; row++) {
        double* diagonal = L + (size_t)A->diagonal[row] * size;
        for (int c = 0; c < b; c++) diagonal[c * b + c] *= 1.0 + raise;
        for (int e = A->offsets[row]; e <= A->diagonal[row]; e++) factor_entry(A, row, e, L);
        double factor[9];
        if (!factor_block(b, diagonal, factor)) return false;
        invert_lower(b, factor);
        memcpy(diagonal, factor, size * sizeof(double));
    }
    return true;
}

double pl_ic_factor(const pl_block_matrix* A, double* L) {
    double raise = 0.0;
    while (!try_ic(A, raise, L)) {
        raise = raise == 0.0 ? 1e-3 : 4.0 * raise;
        if (raise > 1e9) return raise; // A is not finite, which the solve will report
    }
    return raise;
}

// z -= M x, or M' x
static void subtract_block(int b, int m, const double* M, bool transposed, const double* x,
                           double* z) {
    for (int i = 0; i < b; i++)
        for (int k = 0; k < b; k++) {
            double value = transposed ? M[k * b + i] : M[i * b + k];
            for (int c = 0; c < m; c++) z[i * m + c] -= value * x[k * m + c];
        }
}

// z = M z for a triangular inverse, lower or its transpose
static void scale_block(int b, int m, const double* M, bool transposed, double* z) {
    double out[9] = {0.0};
    for (int i = 0; i < b; i++)
        for (int k = 0; k < b; k++) {
            double value = transposed ? M[k * b + i] : M[i * b + k];
            for (int c = 0; c < m; c++) out[i * m + c] += value * z[k * m + c];
        }
    memcpy(z, out, (size_t)(b * m) * sizeof(double));
}

void pl_ic_apply(const pl_block_matrix* A, int rhs_count, const double* L, const double* r,
                 double* z) {
    int b = A->block, m = rhs_count, n = A->row_count;
    size_t size = (size_t)(b * b), step = (size_t)(b * m);
    memcpy(z, r, (size_t)n * step * sizeof(double));
    for (int row = 0; row < n; row++) {
        double* own = z + (size_t)row * step;
        for (int e = A->offsets[row]; e < A->diagonal[row]; e++)
            subtract_block(b, m, L + (size_t)e * size, false, z + (size_t)A->columns[e] * step,
                           own);
        scale_block(b, m, L + (size_t)A->diagonal[row] * size, false, own);
    }
    for (int row = n - 1; row >= 0; row--) {
        double* own = z + (size_t)row * step;
        scale_block(b, m, L + (size_t)A->diagonal[row] * size, true, own);
        for (int e = A->offsets[row]; e < A->diagonal[row]; e++)
            subtract_block(b, m, L + (size_t)e * size, true, own, z + (size_t)A->columns[e] * step);
    }
}
