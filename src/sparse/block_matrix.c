// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "sparse/block_matrix.h"
#include "base/fail.h"
#include "base/memory.h"

#include <limits.h>
#include <string.h>

enum { ROWS_PER_TASK = 512 };

static void fill_row(pl_block_matrix* A, int row, const int* neighbours, int count) {
    int* out = A->columns + A->offsets[row];
    int k = 0;
    for (; k < count && neighbours[k] < row; k++) out[k] = neighbours[k];
    A->diagonal[row] = A->offsets[row] + k;
    out[k] = row;
    for (; k < count; k++) out[k + 1] = neighbours[k];
}

pl_status pl_block_matrix_setup(pl_block_matrix* A, int row_count, int block,
                                const int* neighbour_offsets, const int* neighbours,
                                pl_error* error) {
    *A = (pl_block_matrix){.row_count = row_count, .block = block};
    int64_t entry_count = (int64_t)neighbour_offsets[row_count] + row_count;
    if (entry_count > INT_MAX)
        return pl_fail(error, PL_ERROR_LIMIT, "a matrix of %lld blocks; at most %d are handled",
                       (long long)entry_count, INT_MAX);
    A->offsets = PL_ALLOC(int, row_count + 1);
    if (!A->offsets) return pl_fail_memory(error, "a matrix");
    A->offsets[row_count] = (int)entry_count; // needed by pl_block_matrix_free
    A->columns = PL_ALLOC(int, entry_count);
    A->diagonal = PL_ALLOC(int, row_count);
    A->values = PL_ALLOC(double, (size_t)entry_count*(size_t)(block * block));
    if (entry_count > 0 && (!A->columns || !A->diagonal || !A->values)) {
        pl_block_matrix_free(A);
        return pl_fail_memory(error, "a matrix");
    }
    for (int row = 0; row < row_count; row++) {
        A->offsets[row] = neighbour_offsets[row] + row;
        fill_row(A, row, neighbours + neighbour_offsets[row],
                 neighbour_offsets[row + 1] - neighbour_offsets[row]);
    }
    return PL_OK;
}

int pl_block_matrix_entry_count(const pl_block_matrix* A) {
    return A->offsets ? A->offsets[A->row_count] : 0;
}

void pl_block_matrix_free(pl_block_matrix* A) {
    size_t entry_count = (size_t)pl_block_matrix_entry_count(A);
    PL_FREE(A->columns, int, entry_count);
    PL_FREE(A->values, double, entry_count*(size_t)(A->block * A->block));
    PL_FREE(A->diagonal, int, A->row_count);
    if (A->offsets) PL_FREE(A->offsets, int, A->row_count + 1);
    *A = (pl_block_matrix){0};
}

int pl_block_matrix_find(const pl_block_matrix* A, int row, int column) {
    int low = A->offsets[row], high = A->offsets[row + 1] - 1;
    while (low <= high) {
        int middle = low + (high - low) / 2;
        if (A->columns[middle] == column) return middle;
        if (A->columns[middle] < column) low = middle + 1;
        else high = middle - 1;
    }
    return -1;
}

void pl_block_matrix_zero(pl_block_matrix* A) {
    size_t count = (size_t)pl_block_matrix_entry_count(A) * (size_t)(A->block * A->block);
    memset(A->values, 0, count * sizeof(double));
}

typedef struct apply_job {
    const pl_block_matrix* A;
    int rhs_count;
    const double* x;
    double* y;
} apply_job;

static void apply_single_row(const apply_job* job, int row) {
    const pl_block_matrix* A = job->A;
    double sum = 0.0;
    for (int k = A->offsets[row]; k < A->offsets[row + 1]; k++)
        sum += A->values[k] * job->x[A->columns[k]];
    job->y[row] = sum;
}

// one value per entry, rhs_count values per row
static void apply_scalar_row(const apply_job* job, int row) {
    const pl_block_matrix* A = job->A;
    int m = job->rhs_count;
    double* y = job->y + (size_t)row * (size_t)m;
    for (int c = 0; c < m; c++) y[c] = 0.0;
    for (int k = A->offsets[row]; k < A->offsets[row + 1]; k++) {
        const double* x = job->x + (size_t)A->columns[k] * (size_t)m;
        for (int c = 0; c < m; c++) y[c] += A->values[k] * x[c];
    }
}

static void apply_block3_row(const apply_job* job, int row) {
    const pl_block_matrix* A = job->A;
    double y0 = 0.0, y1 = 0.0, y2 = 0.0;
    for (int k = A->offsets[row]; k < A->offsets[row + 1]; k++) {
        const double* a = A->values + 9 * (size_t)k;
        const double* x = job->x + 3 * (size_t)A->columns[k];
        y0 += a[0] * x[0] + a[1] * x[1] + a[2] * x[2];
        y1 += a[3] * x[0] + a[4] * x[1] + a[5] * x[2];
        y2 += a[6] * x[0] + a[7] * x[1] + a[8] * x[2];
    }
    double* y = job->y + 3 * (size_t)row;
    y[0] = y0, y[1] = y1, y[2] = y2;
}

static void apply_block4_row(const apply_job* job, int row) {
    const pl_block_matrix* A = job->A;
    double sum[4] = {0.0};
    for (int k = A->offsets[row]; k < A->offsets[row + 1]; k++) {
        const double* a = A->values + 16 * (size_t)k;
        const double* x = job->x + 4 * (size_t)A->columns[k];
        for (int r = 0; r < 4; r++)
            sum[r] +=
                a[4 * r] * x[0] + a[4 * r + 1] * x[1] + a[4 * r + 2] * x[2] + a[4 * r + 3] * x[3];
    }
    for (int r = 0; r < 4; r++) job->y[4 * (size_t)row + (size_t)r] = sum[r];
}

static void apply_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const apply_job* job = user;
    for (int row = begin; row < end; row++) {
        if (job->A->block == 3) apply_block3_row(job, row);
        else if (job->A->block == 4) apply_block4_row(job, row);
        else if (job->rhs_count == 1) apply_single_row(job, row);
        else apply_scalar_row(job, row);
    }
}

void pl_block_matrix_apply(const pl_block_matrix* A, pl_pool* pool, int rhs_count, const double* x,
                           double* y) {
    PL_ASSERT(A->block == 1 || rhs_count == 1);
    apply_job job = {A, rhs_count, x, y};
    pl_parallel_for(pool, apply_task, A->row_count, ROWS_PER_TASK, &job);
}
