// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "multigrid/scalar_jacobi.h"
#include "base/random.h"
#include "multigrid/scalar_rows.h"

#include <math.h>

enum { POWER_STEPS = 10 };

typedef struct jacobi_work {
    pl_scalar_fine* f;
    const float* x;
    bool from_zero;
    bool bare; // computes D^-1 A x
} jacobi_work;

// D^-1 r of a row
PL_WIDE pl_f4 row_step(const pl_scalar_fine* f, int place, pl_f4 r, int* block) {
    if (*block < f->block_count && f->blocks[*block].place == place)
        return apply3(f->blocks[(*block)++].inverse, r);
    return f->inverse[place] * r;
}

static void fine_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const jacobi_work* w = user;
    pl_scalar_fine* f = w->f;
    int block = block_at(f, CHUNK * begin), block_again = block;
    for (int c = begin; c < end; c++) {
        chunk_sums low = half_sums(&f->lower, c, f->x), high = half_sums(&f->upper, c, f->x);
        for (int q = 0; q < CHUNK; q++) {
            int p = CHUNK * c + q;
            size_t at = 4 * (size_t)p;
            pl_f4 x = pl_load4(f->x + at);
            pl_f4 Ax = row_sum(&low, q) + row_sum(&high, q) + diagonal_times(f, p, x, &block);
            pl_f4 r = w->bare ? Ax : (pl_f4)(pl_load4(f->b + at) - Ax);
            pl_f4 step = row_step(f, p, r, &block_again);
            pl_store4(f->u + at, w->bare ? step : pl_scale_add4(f->damping, step, x));
        }
    }
}

static void fine_start_task(int begin, int end, int worker, void* user) {
    (void)worker;
    pl_scalar_fine* f = ((const jacobi_work*)user)->f;
    int block = block_at(f, begin);
    for (int p = begin; p < end; p++) {
        size_t at = 4 * (size_t)p;
        pl_store4(f->u + at, f->damping * row_step(f, p, pl_load4(f->b + at), &block));
    }
}

static void swap(float** a, float** b) {
    float* kept = *a;
    *a = *b;
    *b = kept;
}

static void fine_sweep(pl_scalar_fine* f, pl_pool* pool, bool from_zero, bool bare) {
    jacobi_work w = {.f = f, .bare = bare};
    if (from_zero) pl_parallel_for(pool, fine_start_task, f->order.place_count, CHUNK * GROUP, &w);
    else pl_parallel_for(pool, fine_task, f->order.chunk_count, GROUP, &w);
    swap(&f->x, &f->u);
    f->u_is_known = false;
}

void pl_scalar_fine_jacobi(pl_scalar_fine* f, pl_pool* pool, bool from_zero) {
    fine_sweep(f, pool, from_zero, false);
}

static double square_part(int begin, int end, void* user) {
    const float* x = ((const jacobi_work*)user)->x;
    double sum = 0.0;
    for (size_t k = 4 * (size_t)begin; k < 4 * (size_t)end; k++) sum += (double)x[k] * (double)x[k];
    return sum;
}

static double norm_of(pl_pool* pool, const float* x, int count) {
    jacobi_work w = {.x = x};
    return sqrt(pl_parallel_sum(pool, square_part, count, 4096, &w));
}

static float damping_of(double radius) {
    radius *= 1.1; // a few power steps underestimate it
    return radius > 4.0 / 3.0 ? (float)(4.0 / (3.0 * radius)) : 1.0f;
}

static void fill_random(float* x, int count) {
    pl_random random = {11};
    for (int k = 0; k < 4 * count; k++)
        x[k] = k % 4 == 3 ? 0.0f : (float)pl_random_uniform(&random, -1.0, 1.0);
}

// The radius is below the largest number of entries in a row, so ten steps cannot overflow.
void pl_scalar_fine_damp(pl_scalar_fine* f, pl_pool* pool) {
    int count = f->order.place_count;
    double radius = 1.0;
    fill_random(f->x, count);
    for (int p = 0; p < count; p++) // held vertices stay at 0
        if (f->inverse[p] == 0.0f) pl_store4(f->x + 4 * (size_t)p, (pl_f4){0});
    for (int k = 0; k < POWER_STEPS; k++) {
        double before = norm_of(pool, f->x, count);
        fine_sweep(f, pool, false, true);
        if (before > 0.0) radius = norm_of(pool, f->x, count) / before;
    }
    f->damping = damping_of(radius);
}
