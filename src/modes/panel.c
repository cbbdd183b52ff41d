// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "modes/panel.h"
#include "base/fail.h"

#include <string.h>

// Rows of a chunk. A chunk of 60 vectors takes 120 kB, part of a second-level cache.
enum { CHUNK = 256, BLOCKS = 64, TILE = 4 };

typedef struct panel_job {
    int count, v_count, r_count, stride, rows;
    const double *V, *W, *Y;
    double sign, *result;
    bool add;
} panel_job;

// ---------------------------------------------------------------- products

typedef double lanes __attribute__((vector_size(32), aligned(8)));

static double sum_of(lanes s) { return (s[0] + s[1]) + (s[2] + s[3]); }

// sums[j] = V_j . w for TILE vectors V_j; four partial sums each
static void tile_dots(int rows, size_t count, const double* V, const double* w, double sums[TILE]) {
    lanes s[TILE] = {{0.0}};
    int i = 0;
    for (; i + 4 <= rows; i += 4) {
        lanes x = *(const lanes*)(w + i);
        for (int j = 0; j < TILE; j++) s[j] += *(const lanes*)(V + (size_t)j * count + i) * x;
    }
    for (int j = 0; j < TILE; j++) {
        sums[j] = sum_of(s[j]);
        for (int k = i; k < rows; k++) sums[j] += V[(size_t)j * count + k] * w[k];
    }
}

static double single_dot(int rows, const double* v, const double* w) {
    lanes s = {0.0};
    int i = 0;
    for (; i + 4 <= rows; i += 4) s += *(const lanes*)(v + i) * *(const lanes*)(w + i);
    double sum = sum_of(s);
    for (; i < rows; i++) sum += v[i] * w[i];
    return sum;
}

static void add_chunk_dots(const panel_job* p, int begin, int rows, double* G) {
    size_t count = (size_t)p->count;
    for (int k = 0; k < p->r_count; k++) {
        const double* w = p->W + (size_t)k * count + begin;
        int j = 0;
        for (; j + TILE <= p->v_count; j += TILE) {
            double sums[TILE];
            tile_dots(rows, count, p->V + (size_t)j * count + begin, w, sums);
            for (int t = 0; t < TILE; t++) G[(j + t) * p->r_count + k] += sums[t];
        }
        for (; j < p->v_count; j++)
            G[j * p->r_count + k] += single_dot(rows, p->V + (size_t)j * count + begin, w);
    }
}

// an item is a block of rows, with its own partial sums
static void dots_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const panel_job* p = user;
    size_t size = (size_t)p->v_count * (size_t)p->r_count;
    for (int block = begin; block < end; block++) {
        double* G = p->result + (size_t)block * size;
        memset(G, 0, size * sizeof(double));
        int last = (block + 1) * p->rows < p->count ? (block + 1) * p->rows : p->count;
        for (int i = block * p->rows; i < last; i += CHUNK)
            add_chunk_dots(p, i, last - i < CHUNK ? last - i : CHUNK, G);
    }
}

size_t pl_panel_partials(int v_count, int w_count) {
    return (size_t)BLOCKS * (size_t)v_count * (size_t)w_count;
}

void pl_panel_dots(pl_pool* pool, int count, int v_count, const double* V, int w_count,
                   const double* W, double* partials, double* G) {
    int chunks = (count + CHUNK - 1) / CHUNK, rows = (chunks + BLOCKS - 1) / BLOCKS * CHUNK;
    panel_job p = {.count = count,
                   .v_count = v_count,
                   .r_count = w_count,
                   .rows = rows,
                   .V = V,
                   .W = W,
                   .result = partials};
    int blocks = rows > 0 ? (count + rows - 1) / rows : 0;
    size_t size = (size_t)v_count * (size_t)w_count;
    pl_parallel_for(pool, dots_task, blocks, 1, &p);
    memset(G, 0, size * sizeof(double));
    for (int block = 0; block < blocks; block++)
        for (size_t i = 0; i < size; i++) G[i] += partials[(size_t)block * size + i];
}

// ---------------------------------------------------------------- sums

// to += sum of factor * Y[j, k] V_j over j, for `rows` rows
static void add_column(const panel_job* p, const double* V, size_t stride_V, int rows, int k,
                       double* restrict to) {
    const double* Y = p->Y + k;
    int j = 0;
    for (; j + TILE <= p->v_count; j += TILE) {
        const double *a = V + (size_t)j * stride_V, *b = a + stride_V, *c = b + stride_V,
                     *d = c + stride_V;
        double y0 = p->sign * Y[(size_t)j * p->stride],
               y1 = p->sign * Y[(size_t)(j + 1) * p->stride],
               y2 = p->sign * Y[(size_t)(j + 2) * p->stride],
               y3 = p->sign * Y[(size_t)(j + 3) * p->stride];
        for (int i = 0; i < rows; i++) to[i] += (y0 * a[i] + y1 * b[i]) + (y2 * c[i] + y3 * d[i]);
    }
    for (; j < p->v_count; j++) {
        const double* a = V + (size_t)j * stride_V;
        double y = p->sign * Y[(size_t)j * p->stride];
        for (int i = 0; i < rows; i++) to[i] += y * a[i];
    }
}

static void combine_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const panel_job* p = user;
    size_t count = (size_t)p->count;
    for (int i = begin; i < end; i += CHUNK) {
        int rows = end - i < CHUNK ? end - i : CHUNK;
        for (int k = 0; k < p->r_count; k++) {
            double* to = p->result + (size_t)k * count + i;
            if (!p->add) memset(to, 0, (size_t)rows * sizeof(double));
            add_column(p, p->V + i, count, rows, k, to);
        }
    }
}

void pl_panel_combine(pl_pool* pool, int count, int v_count, const double* V, int r_count,
                      const double* Y, int stride, double sign, bool add, double* result) {
    panel_job p = {.count = count,
                   .v_count = v_count,
                   .r_count = r_count,
                   .stride = stride,
                   .V = V,
                   .Y = Y,
                   .sign = sign,
                   .result = result,
                   .add = add};
    pl_parallel_for(pool, combine_task, count, 4 * CHUNK, &p);
}

static void rotate_task(int begin, int end, int worker, void* user) {
    (void)worker;
    enum { ROWS = 32 };
    const panel_job* p = user;
    size_t count = (size_t)p->count;
    double copy[PL_PANEL_MAX_ROTATED * ROWS];
    for (int i = begin; i < end; i += ROWS) {
        int rows = end - i < ROWS ? end - i : ROWS;
        for (int j = 0; j < p->v_count; j++)
            memcpy(copy + (size_t)j * ROWS, p->V + (size_t)j * count + i,
                   (size_t)rows * sizeof(double));
        for (int k = 0; k < p->r_count; k++) {
            double* to = p->result + (size_t)k * count + i;
            memset(to, 0, (size_t)rows * sizeof(double));
            add_column(p, copy, ROWS, rows, k, to);
        }
    }
}

void pl_panel_rotate(pl_pool* pool, int count, int v_count, double* V, int r_count, const double* Y,
                     int stride) {
    panel_job p = {.count = count,
                   .v_count = v_count,
                   .r_count = r_count,
                   .stride = stride,
                   .V = V,
                   .Y = Y,
                   .sign = 1.0,
                   .result = V};
    pl_parallel_for(pool, rotate_task, count, 4 * CHUNK, &p);
}

// ---------------------------------------------------------------- products with a matrix

typedef struct apply_job {
    const pl_block_matrix* A;
    int vectors;     // at most PL_PANEL_APPLY
    const double* X; // vectors of 3 row_count numbers
    double *work, *Y;
} apply_job;

// Stores the numbers of an unknown for all vectors side by side; pads with zeros if there are fewer
// vectors.
static void interleave_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const apply_job* job = user;
    size_t count = 3 * (size_t)job->A->row_count;
    for (size_t i = 3 * (size_t)begin; i < 3 * (size_t)end; i++)
        for (int k = 0; k < PL_PANEL_APPLY; k++)
            job->work[PL_PANEL_APPLY * i + (size_t)k] =
                k < job->vectors ? job->X[(size_t)k * count + i] : 0.0;
}

static void apply_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const apply_job* job = user;
    const pl_block_matrix* A = job->A;
    size_t count = 3 * (size_t)A->row_count;
    for (int row = begin; row < end; row++) {
        lanes sum[3] = {{0.0}};
        for (int e = A->offsets[row]; e < A->offsets[row + 1]; e++) {
            const double* a = A->values + 9 * (size_t)e;
            const lanes* x = (const lanes*)(job->work + 3 * PL_PANEL_APPLY * (size_t)A->columns[e]);
            for (int r = 0; r < 3; r++)
                sum[r] += a[3 * r] * x[0] + a[3 * r + 1] * x[1] + a[3 * r + 2] * x[2];
        }
        for (int k = 0; k < job->vectors; k++)
            for (size_t r = 0; r < 3; r++)
                job->Y[(size_t)k * count + 3 * (size_t)row + r] = sum[r][k];
    }
}

void pl_panel_apply(pl_pool* pool, const pl_block_matrix* A, int vectors, const double* X,
                    double* work, double* Y) {
    size_t count = 3 * (size_t)A->row_count;
    PL_ASSERT(A->block == 3);
    for (int k = 0; k < vectors; k += PL_PANEL_APPLY) {
        apply_job job = {A, vectors - k < PL_PANEL_APPLY ? vectors - k : PL_PANEL_APPLY,
                         X + (size_t)k * count, work, Y + (size_t)k * count};
        pl_parallel_for(pool, interleave_task, A->row_count, 2 * CHUNK, &job);
        pl_parallel_for(pool, apply_task, A->row_count, CHUNK, &job);
    }
}
