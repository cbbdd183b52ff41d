// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Almost all work is C -= A B', done in tiles of 8 x 4 whose sums stay in registers; B' is packed
// in strips of four columns, so that the inner loop reads both operands in order. Threads get tiles
// of a fixed size, so results have the same bits for any number of threads.
#include "sparse/dense_ldlt.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { STRIP = 4, TILE_ROWS = 8, PANEL = 48, TASK_COLUMNS = 16 * STRIP, PARALLEL_ROWS = 192 };

typedef double vec4 __attribute__((vector_size(32), aligned(8)));

static inline vec4 load4(const double* p) { return *(const vec4*)p; }

size_t pl_dense_scratch_size(int rows, int cols) { return (size_t)(rows + STRIP) * (size_t)cols; }

// packed[strip][p][0..3] = D[p] * L[j][p] for rows j of L (leading dimension ld, columns p <
// depth); rows past the end are zero
static void pack_scaled(const double* L, int ld, int row_count, int depth, const double* D,
                        double* packed) {
    for (int j0 = 0; j0 < row_count; j0 += STRIP) {
        int width = row_count - j0 < STRIP ? row_count - j0 : STRIP;
        for (int p = 0; p < depth; p++, packed += STRIP) {
            const double* column = L + (size_t)p * (size_t)ld + j0;
            for (int c = 0; c < STRIP; c++) packed[c] = c < width ? D[p] * column[c] : 0.0;
        }
    }
}

typedef struct update_job {
    const double* A; // rows x depth, leading dimension lda
    int lda;
    int rows;
    int depth;
    const double* packed; // columns x depth, in strips
    int columns;
    double* C; // rows x columns, leading dimension ldc; only rows j and below are used of column j
    int ldc;
} update_job;

// updates an 8 x 4 tile of C at rows i.., with all four columns present
static void update_tile(const update_job* job, int i, const double* packed, double* C) {
    vec4 sum[4][2] = {{{0}}};
    const double* a = job->A + i;
    for (int p = 0; p < job->depth; p++, a += job->lda, packed += STRIP) {
        vec4 a0 = load4(a), a1 = load4(a + 4);
        for (int c = 0; c < 4; c++) {
            vec4 b = {packed[c], packed[c], packed[c], packed[c]};
            sum[c][0] += a0 * b;
            sum[c][1] += a1 * b;
        }
    }
    for (int c = 0; c < 4; c++) {
        vec4* out = (vec4*)(C + (size_t)c * (size_t)job->ldc + i);
        out[0] -= sum[c][0];
        out[1] -= sum[c][1];
    }
}

// the same for the incomplete tiles at the edges
static void update_edge(const update_job* job, int i, int row_end, const double* packed, double* C,
                        int width) {
    for (; i < row_end; i++) {
        double sum[STRIP] = {0.0};
        const double* a = job->A + i;
        for (int p = 0; p < job->depth; p++)
            for (int c = 0; c < STRIP; c++)
                sum[c] += a[(size_t)p * (size_t)job->lda] * packed[(size_t)p * STRIP + (size_t)c];
        for (int c = 0; c < width; c++) C[(size_t)c * (size_t)job->ldc + (size_t)i] -= sum[c];
    }
}

static void update_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const update_job* job = user;
    for (int j = begin; j < end; j += STRIP) {
        const double* packed = job->packed + (size_t)j * (size_t)job->depth;
        double* C = job->C + (size_t)j * (size_t)job->ldc;
        int width = job->columns - j < STRIP ? job->columns - j : STRIP;
        int i = j;
        if (width == STRIP)
            for (; i + TILE_ROWS <= job->rows; i += TILE_ROWS) update_tile(job, i, packed, C);
        update_edge(job, i, job->rows, packed, C, width);
    }
}

static void run_update(const update_job* job, pl_pool* pool) {
    pl_parallel_for(job->rows >= PARALLEL_ROWS ? pool : NULL, update_task, job->columns,
                    TASK_COLUMNS, (void*)(uintptr_t)job);
}

static double settle_pivot(double pivot, double before, pl_pivots* pivots) {
    if (fabs(pivot) > pivots->tiny * fabs(before)) {
        if (pivot < 0.0) pivots->negative_count++;
        return pivot;
    }
    pivots->tiny_count++;
    return 0.0;
}

// factors columns [first, last) of the panel, already updated by those before
static void factor_columns(double* P, int rows, int first, int last, double* D, pl_pivots* pivots) {
    for (int j = first; j < last; j++) {
        double* column = P + (size_t)j * (size_t)rows;
        for (int p = first; p < j; p++) {
            const double* other = P + (size_t)p * (size_t)rows;
            double factor = D[p] * other[j];
            for (int i = j; i < rows; i++) column[i] -= factor * other[i];
        }
        D[j] = settle_pivot(column[j], D[j], pivots);
        double inverse = D[j] != 0.0 ? 1.0 / D[j] : 0.0;
        column[j] = 1.0;
        for (int i = j + 1; i < rows; i++) column[i] *= inverse;
    }
}

void pl_dense_factor_panel(double* P, int rows, int cols, double* D, pl_pivots* pivots,
                           double* scratch, pl_pool* pool) {
    for (int first = 0; first < cols; first += PANEL) {
        int last = cols - first < PANEL ? cols : first + PANEL;
        factor_columns(P, rows, first, last, D, pivots);
        if (last == cols) break;
        const double* L = P + (size_t)first * (size_t)rows + last;
        pack_scaled(L, rows, cols - last, last - first, D + first, scratch);
        update_job job = {L,
                          rows,
                          rows - last,
                          last - first,
                          scratch,
                          cols - last,
                          P + (size_t)last * (size_t)rows + last,
                          rows};
        run_update(&job, pool);
    }
}

void pl_dense_update(const double* P, int rows, int cols, const double* D, double* C,
                     double* scratch, pl_pool* pool) {
    int n = rows - cols;
    if (n == 0) return;
    pack_scaled(P + cols, rows, n, cols, D, scratch);
    update_job job = {P + cols, rows, n, cols, scratch, n, C, n};
    run_update(&job, pool);
}
