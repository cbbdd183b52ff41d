// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The passes of pl_krylov_cg for the vectors of the finest level, which are floats in the order of
// its rows. The matrix in double, with twice the bytes, is read only to compute the true residual:
// when the recurrence's residual is small enough, or much smaller than at the last time.
//
// Cycles sweep the finest level only after the coarse correction (one-sided cycles). An iteration
// then takes 4 half passes over the matrix, the product included, instead of 7. A one-sided cycle
// is not symmetric, but flexible conjugate gradients need only a tenth more iterations with it
// (Bouwmeester, Dougherty and Knyazev 2015). Jacobi gains too little from this, because its first
// sweep costs nothing.
//
// clang-format off
//   r          b of the finest level
//   z, az=A z  x and residual of the finest level. The last sweep of the cycle has computed half of A z, so
//              this product costs half a pass over the matrix
//   p, q=A p   vectors of pl_mg_krylov. q is updated by the same recurrence as p, without a product
//   y          sum of alpha p, in double. x += y * x_scale, which undoes the scale of r and of the matrix
// clang-format on
#include "multigrid/mg_krylov_float.h"
#include "base/timer.h"
#include "base/tuned.h"
#include "multigrid/wide_block.h"
#include "sparse/krylov.h"
#include "sparse/linear_fallback.h"
#include "sparse/vector.h"

#include <math.h>

enum { ROWS_PER_TASK = 2048 };
// The true residual is computed when the recurrence's residual is this fraction of the last true
// one.
static const double LOOK_RATIO = 1e-3;
// Float is not precise enough if round-off is a larger fraction of the residual than MAX_ROUNDOFF,
// or if the true residual is DRIFT times that of the recurrence. Slow convergence is a third sign:
// directions are no longer conjugate.
static const double MAX_ROUNDOFF = 1e-3, DRIFT = 1.5;

typedef double d4 __attribute__((vector_size(32)));

typedef struct float_cg float_cg;
struct float_cg {
    pl_mg_krylov* krylov;
    pl_block_mg* mg;
    const double* b;
    double* x;
    double b_norm;
    const pl_linear_info* info;
    double r_scale; // r in float = r * r_scale
    double x_scale; // see the head of the file
    double alpha, beta;
    double zaz;       // z'A z
    double rp_before; // r'p of the last p; zero unless r was replaced by the true residual
    bool first;
    bool one_sided; // cycles; false once they have proved slow
    int watched;    // iterations since the residual was `watched_from`
    double watched_from;
    void (*rows)(const float_cg* c, int begin, int end, d4 sums[3]); // of sum_rows
    int block;                                                       // pieces per task
    double partials[PL_REDUCE_BLOCKS][3];                            // sums of each task
};

PL_WIDE d4 widen(pl_f4 a) { return __builtin_convertvector(a, d4); }

static const pl_mg_schedule* schedule(const float_cg* c) {
    return &c->mg->levels[0].pattern.schedule;
}

static void sum_task(int begin, int end, int worker, void* user) {
    float_cg* c = user;
    const int* pieces = schedule(c)->pieces;
    d4 sums[3] = {{0}, {0}, {0}};
    (void)worker;
    for (int k = begin; k < end; k++) c->rows(c, pieces[2 * k], pieces[2 * k + 1], sums);
    for (int i = 0; i < 3; i++)
        c->partials[begin / c->block][i] = sums[i][0] + sums[i][1] + sums[i][2];
}

// Runs `rows` over all rows of the level and adds up its sums. Blocks of rows do not depend on the
// number of threads.
static void sum_rows(float_cg* c, void (*rows)(const float_cg*, int, int, d4*), double sums[3]) {
    int count = schedule(c)->piece_count;
    c->rows = rows;
    c->block = (count + PL_REDUCE_BLOCKS - 1) / PL_REDUCE_BLOCKS;
    pl_parallel_for(c->mg->pool, sum_task, count, c->block, c);
    sums[0] = sums[1] = sums[2] = 0.0;
    for (int k = 0; k * c->block < count; k++)
        for (int i = 0; i < 3; i++) sums[i] += c->partials[k][i];
}

// az = A z; sums r'z, z'q and z'az
static void multiply_rows(const float_cg* c, int begin, int end, d4 sums[3]) {
    const pl_block_level* fine = &c->mg->levels[0];
    pl_block_mg_product(c->mg, begin, end, fine->residual);
    for (size_t i = 4 * (size_t)begin; i < 4 * (size_t)end; i += 4) {
        d4 z = widen(pl_load4(fine->x + i));
        sums[0] += widen(pl_load4(fine->b + i)) * z;
        if (!c->first) sums[1] += z * widen(pl_load4(c->krylov->float_q + i));
        sums[2] += z * widen(pl_load4(fine->residual + i));
    }
}

static void load_residual_task(int begin, int end, int worker, void* user) {
    const float_cg* c = user;
    (void)worker;
    for (int i = begin; i < end; i++) {
        const double* r = c->krylov->r + 3 * (size_t)c->mg->old_of_new[i];
        float* b = c->mg->levels[0].b + 4 * (size_t)i;
        for (int k = 0; k < 3; k++) b[k] = (float)(r[k] * c->r_scale);
        b[3] = 0.0f;
    }
}

static void add_solution_task(int begin, int end, int worker, void* user) {
    const float_cg* c = user;
    (void)worker;
    for (int i = begin; i < end; i++) {
        double *x = c->x + 3 * (size_t)c->mg->old_of_new[i], *y = c->krylov->z + 3 * (size_t)i;
        for (int k = 0; k < 3; k++) {
            x[k] += y[k] * c->x_scale;
            y[k] = 0.0;
        }
    }
}

static void dot_rp_rows(const float_cg* c, int begin, int end, d4 sums[3]) {
    for (size_t i = 4 * (size_t)begin; i < 4 * (size_t)end; i += 4)
        sums[0] +=
            widen(pl_load4(c->mg->levels[0].b + i)) * widen(pl_load4(c->krylov->float_p + i));
}

// p = z + beta p, q = az + beta q, y += alpha p, r -= alpha q; sums r'r
static void step_rows(const float_cg* c, int begin, int end, d4 sums[3]) {
    const pl_block_level* fine = &c->mg->levels[0];
    pl_f4 beta = pl_splat4((float)c->beta), minus = pl_splat4((float)-c->alpha);
    for (size_t i = (size_t)begin; i < (size_t)end; i++) {
        float *to_p = c->krylov->float_p + 4 * i, *to_q = c->krylov->float_q + 4 * i;
        float* to_r = fine->b + 4 * i;
        double* y = c->krylov->z + 3 * i;
        pl_f4 p = pl_load4(fine->x + 4 * i), q = pl_load4(fine->residual + 4 * i);
        if (!c->first) {
            p = pl_fma4(beta, pl_load4(to_p), p);
            q = pl_fma4(beta, pl_load4(to_q), q);
        }
        pl_store4(to_p, p);
        pl_store4(to_q, q);
        // y and r take the same alpha, rounded to float
        d4 gain = widen(minus) * widen(p);
        for (int k = 0; k < 3; k++) y[k] = (c->first ? 0.0 : y[k]) - gain[k];
        pl_f4 r = pl_fma4(minus, q, pl_load4(to_r));
        pl_store4(to_r, r);
        sums[0] += widen(r) * widen(r);
    }
}

static void for_rows(const float_cg* c, pl_task task) {
    pl_mg_for_pieces(schedule(c), c->mg->pool, task, (void*)(uintptr_t)c);
}

// Adds y to x and replaces r by the true residual; returns |r|.
static double replace_residual(pl_krylov* k) {
    float_cg* c = k->user;
    double sums[3];
    int count = 3 * c->mg->row_count;
    for_rows(c, add_solution_task);
    pl_mg_krylov_apply(c->krylov, c->mg->pool, c->x, c->krylov->r);
    pl_vector_xpay(c->mg->pool, count, c->b, -1.0, c->krylov->r);
    for_rows(c, load_residual_task);
    sum_rows(c, dot_rp_rows, sums);
    c->rp_before = sums[0];
    return pl_vector_norm(c->mg->pool, count, c->krylov->r);
}

static double diagonal_norm_part(int begin, int end, void* user) {
    const float_cg* c = user;
    double sum = 0.0;
    for (int i = begin; i < end; i++) {
        pl_f4 z = pl_load4(c->mg->levels[0].x + 4 * (size_t)i);
        pl_f4 f = pl_v3_apply(c->mg->levels[0].diagonal + 9 * (size_t)i, z);
        sum +=
            (double)f[0] * (double)f[0] + (double)f[1] * (double)f[1] + (double)f[2] * (double)f[2];
    }
    return sum;
}

// Estimates the round-off error in A x after the first step, relative to the residual before it. It
// is large where stiff parts move as a whole, because large forces cancel there.
static double relative_roundoff(const float_cg* c) {
    double sum = pl_parallel_sum(c->mg->pool, diagonal_norm_part, c->mg->row_count, ROWS_PER_TASK,
                                 (void*)(uintptr_t)c);
    return 0x1p-24 * c->alpha * sqrt(sum) / (c->info->residual * c->b_norm * c->r_scale);
}

static void precondition(pl_krylov* k, pl_cg_sums* s) {
    float_cg* c = k->user;
    double sums[3];
    c->first = s->first;
    pl_block_mg_cycle(c->mg, c->one_sided);
    double start = pl_seconds();
    sum_rows(c, multiply_rows, sums);
    c->mg->times.smooth_fine += pl_seconds() - start;
    s->rz = sums[0];
    s->zq = sums[1];
    c->zaz = sums[2];
}

// p'q and r'p of the new p and q, without another pass. The other terms of p'q cancel, because beta
// makes the new p conjugate to the old one.
static void set_direction(pl_krylov* k, double beta, pl_cg_sums* s) {
    float_cg* c = k->user;
    c->beta = beta;
    s->pq = c->zaz + beta * s->zq;
    s->rp = s->rz + beta * c->rp_before;
    c->alpha = s->rp / s->pq;
    c->rp_before = 0.0;
    if (s->first && !(relative_roundoff(c) < MAX_ROUNDOFF))
        s->pq = NAN; // pl_krylov_cg ends here; x is unchanged
}

static void watch(float_cg* c, double residual) {
    if (++c->watched < pl_tuned.watched_cycles) return;
    if (residual > pow(pl_tuned.sluggish_cycle, pl_tuned.watched_cycles) * c->watched_from)
        c->one_sided = false;
    c->watched = 0;
    c->watched_from = residual;
}

static double advance(pl_krylov* k, double alpha) {
    float_cg* c = k->user;
    double sums[3];
    c->alpha = alpha;
    sum_rows(c, step_rows, sums);
    double norm = sqrt(sums[0]) / c->r_scale;
    watch(c, norm / c->b_norm);
    return norm;
}

static void start(float_cg* c) {
    size_t count = (size_t)c->mg->row_count;
    int exponent = 0;
    frexp(c->info->residual * c->b_norm / sqrt((double)count), &exponent);
    c->r_scale = ldexp(1.0, -exponent);
    c->x_scale = ldexp((double)c->mg->scale, exponent);
    for_rows(c, load_residual_task);
}

bool pl_mg_krylov_float(pl_mg_krylov* krylov, pl_block_mg* mg, const double* b, double* x,
                        double b_norm, const pl_linear_options* options, pl_linear_info* info) {
    static const pl_cg_passes passes = {precondition, set_direction, advance};
    float_cg c = {.krylov = krylov,
                  .mg = mg,
                  .b = b,
                  .x = x,
                  .b_norm = b_norm,
                  .info = info,
                  .one_sided = mg->settings.smoother != PL_SMOOTHER_JACOBI,
                  .watched_from = info->residual};
    pl_krylov k = {.user = &c,
                   .scale = b_norm,
                   .flexible = true,
                   .passes = &passes,
                   .look = replace_residual,
                   .watch = {.period = pl_tuned.watched_gradients,
                             .slow = pl_tuned.slow_gradients,
                             .look_ratio = LOOK_RATIO,
                             .drift = DRIFT}};
    start(&c);
    pl_krylov_end end = pl_krylov_cg(&k, options, info);
    return end == PL_KRYLOV_CONVERGED || end == PL_KRYLOV_ITERATIONS;
}
