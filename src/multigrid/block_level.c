// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Smoothers (S0 section 4.5). Gauss-Seidel goes forward and backward by turns, and keeps the half
// of the row sums that it just made: a forward half sweep then reads only blocks before the row, a
// backward one only those behind it. That is the same method with half the traffic.
//
//   x_i = D_i^-1 (b_i - lower_i - upper_i)   forward: lower_i is new, upper_i is kept, and lower_i
//                                            is kept for the way back
#include "multigrid/block_level.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum {
    FEW_UNITS = 2, // of nodes, which one thread has done before another would begin
};

static size_t vector_size(const pl_block_level* level) {
    return (size_t)level->node_count * (size_t)level->stride;
}
static size_t blocks_size(const pl_block_level* level, int count) {
    return (size_t)count * (size_t)level->block + PL_BLOCK_PAD;
}

// values and fixed
static size_t stored_size(const pl_block_level* level) {
    return blocks_size(level, level->pattern.entry_count + level->node_count);
}

void pl_block_level_free(pl_block_level* level) {
    PL_FREE(level->values, float, stored_size(level));
    PL_FREE(level->diagonal, float, blocks_size(level, level->node_count));
    PL_FREE(level->inverse, float, blocks_size(level, level->node_count));
    PL_FREE(level->x, float, vector_size(level));
    PL_FREE(level->b, float, vector_size(level));
    PL_FREE(level->half_sum, float, vector_size(level));
    PL_FREE(level->residual, float, vector_size(level));
    pl_mg_pattern_free(&level->pattern);
    *level = (pl_block_level){0};
}

pl_status pl_block_level_setup(pl_block_level* level, pl_mg_pattern* pattern, bool coarse,
                               pl_error* error) {
    *level = (pl_block_level){.node_count = pattern->row_count,
                              .block = coarse ? PL_BLOCK12 : PL_BLOCK3,
                              .stride = coarse ? PL_NODE : 4,
                              .pattern = *pattern,
                              .damping = 1.0f};
    *pattern = (pl_mg_pattern){0};
    level->values = PL_ALLOC(float, stored_size(level));
    if (level->values)
        level->fixed = level->values + (size_t)level->pattern.entry_count * (size_t)level->block;
    level->diagonal = PL_ALLOC(float, blocks_size(level, level->node_count));
    level->inverse = PL_ALLOC(float, blocks_size(level, level->node_count));
    level->x = PL_ALLOC(float, vector_size(level));
    level->b = PL_ALLOC(float, vector_size(level));
    level->half_sum = PL_ALLOC(float, vector_size(level));
    level->residual = PL_ALLOC(float, vector_size(level));
    if (level->values && level->diagonal && level->inverse && level->x && level->b &&
        level->half_sum && level->residual)
        return PL_OK;
    pl_block_level_free(level);
    return pl_fail_memory(error, "a level of multigrid");
}

size_t pl_block_level_bytes(const pl_block_level* level) {
    size_t blocks =
        stored_size(level) + 2 * blocks_size(level, level->node_count) + 4 * vector_size(level);
    return blocks * sizeof(float) +
           ((size_t)level->pattern.entry_count * 2 + (size_t)level->node_count * 4) * sizeof(int);
}

// what a task works on
typedef struct job {
    pl_block_level* level;
    const pl_mg_half* half; // that is read
    const int* units;       // 2 per unit
    int unit_count;
    bool forward;
    bool from_zero;
    bool both_halves; // or the kept sum in place of the other
    bool add;         // to x
} job;

// the sum of the blocks of a half row times x: 3 x 3
PL_WIDE pl_f4 half_sum3(const pl_block_level* level, const pl_mg_half* half, int i) {
    const int* columns = level->pattern.columns;
    pl_sum3 sum = {{0}, {0}};
    for (int e = half->begin[i]; e < half->end[i]; e++)
        pl_block3_add(level->values + PL_BLOCK3 * (size_t)e, level->x + 4 * (size_t)columns[e],
                      &sum);
    return pl_block3_end(sum);
}

// the same, 12 x 12
PL_WIDE pl_f12 half_sum12(const pl_block_level* level, const pl_mg_half* half, int i) {
    pl_f12 sum[2] = {{{0}, {0}}, {{0}, {0}}};
    for (int e = half->begin[i]; e < half->end[i]; e++)
        pl_block12_add(level->values + PL_BLOCK12 * (size_t)e,
                       level->x + PL_NODE * (size_t)level->pattern.columns[e], sum);
    return pl_add12(sum[0], sum[1]);
}

// The same from the last entry on: a sweep backward has just found what the first one needs.
PL_WIDE pl_f4 half_sum3_backward(const pl_block_level* level, const pl_mg_half* half, int i) {
    const int* columns = level->pattern.columns;
    pl_sum3 sum = {{0}, {0}};
    for (int e = half->end[i] - 1; e >= half->begin[i]; e--)
        pl_block3_add(level->values + PL_BLOCK3 * (size_t)e, level->x + 4 * (size_t)columns[e],
                      &sum);
    return pl_block3_end(sum);
}

PL_WIDE void relax3(const job* j, int i) {
    pl_block_level* level = j->level;
    pl_f4 sum = j->forward ? half_sum3(level, j->half, i) : half_sum3_backward(level, j->half, i);
    float* kept = level->half_sum + 4 * (size_t)i;
    pl_f4 rest = pl_load4(level->b + 4 * (size_t)i) - sum;
    if (!j->from_zero) rest -= pl_load4(kept);
    pl_store4(level->x + 4 * (size_t)i,
              pl_block3_apply(level->inverse + PL_BLOCK3 * (size_t)i, rest));
    pl_store4(kept, sum);
}

PL_WIDE void relax12(const job* j, int i) {
    pl_block_level* level = j->level;
    pl_f12 sum = half_sum12(level, j->half, i);
    float rest[12], *kept = level->half_sum + PL_NODE * (size_t)i;
    pl_f12 right = pl_sub12(pl_load12(level->b + PL_NODE * (size_t)i), sum);
    pl_store12(rest, j->from_zero ? right : pl_sub12(right, pl_load12(kept)));
    pl_store12(level->x + PL_NODE * (size_t)i,
               pl_block12_apply(level->inverse + PL_BLOCK12 * (size_t)i, rest));
    pl_store12(kept, sum);
}

static int row_at(const pl_block_level* level, int position) {
    const int* order = level->pattern.schedule.order;
    return order ? order[position] : position;
}

// where a unit begins in the direction of the sweep, and how many rows it has
static int unit_start(const job* j, int unit, int* count) {
    if (unit >= j->unit_count) return *count = 0;
    int low = j->units[2 * unit], high = j->units[2 * unit + 1];
    *count = high - low;
    return j->forward ? low : high - 1;
}

// Two units at a time, row by row in turn: a row mostly waits for the one before it, and units of a
// phase are not coupled, so that the two wait at the same time.
static void relax_pairs3_task(int begin, int end, int worker, void* user) {
    const job* j = user;
    int step = j->forward ? 1 : -1;
    (void)worker;
    for (int pair = begin; pair < end; pair++) {
        int count_a, count_b, a = unit_start(j, 2 * pair, &count_a);
        int b = unit_start(j, 2 * pair + 1, &count_b), both = count_a < count_b ? count_a : count_b;
        for (int k = 0; k < both; k++, a += step, b += step) {
            relax3(j, a);
            relax3(j, b);
        }
        for (int k = both; k < count_a; k++, a += step) relax3(j, a);
        for (int k = both; k < count_b; k++, b += step) relax3(j, b);
    }
}

static void relax_units12_task(int begin, int end, int worker, void* user) {
    const job* j = user;
    const int* order = j->level->pattern.schedule.order;
    (void)worker;
    for (int unit = begin; unit < end; unit++) {
        int count, step = j->forward ? 1 : -1, p = unit_start(j, unit, &count);
        for (int k = 0; k < count; k++, p += step) relax12(j, order[p]);
    }
}

static void half_sweep(pl_block_level* level, pl_pool* pool, bool forward, bool from_zero) {
    const pl_mg_schedule* s = &level->pattern.schedule;
    job j = {.level = level,
             .half = forward ? &level->pattern.lower : &level->pattern.upper,
             .forward = forward,
             .from_zero = from_zero};
    for (int k = 0; k < s->phase_count; k++) {
        int phase = forward ? k : s->phase_count - 1 - k, first = s->phase_offsets[phase];
        j.units = s->unit_offsets + 2 * (size_t)first;
        j.unit_count = s->phase_offsets[phase + 1] - first;
        if (level->block == PL_BLOCK3)
            pl_parallel_for(pool, relax_pairs3_task, (j.unit_count + 1) / 2, 1, &j);
        else
            pl_parallel_for(j.unit_count > FEW_UNITS ? pool : NULL, relax_units12_task,
                            j.unit_count, 1, &j);
    }
}

bool pl_block_level_gauss_seidel(pl_block_level* level, pl_pool* pool, int half_sweeps,
                                 bool first_forward, bool from_zero) {
    bool forward = first_forward;
    // a half sweep from zero reads only what it has set itself
    if (from_zero && half_sweeps == 0) memset(level->x, 0, vector_size(level) * sizeof(float));
    for (int k = 0; k < half_sweeps; k++, forward = !forward)
        half_sweep(level, pool, forward, from_zero && k == 0);
    return !forward;
}

// r = b - sum of both halves - D x
static void residual_row(const job* j, int i) {
    pl_block_level* level = j->level;
    const pl_mg_half* upper = &level->pattern.upper;
    size_t at = (size_t)i * (size_t)level->stride;
    if (level->block == PL_BLOCK3) {
        pl_f4 rest = pl_load4(level->b + at) - half_sum3(level, j->half, i);
        rest -= j->both_halves ? half_sum3(level, upper, i) : pl_load4(level->half_sum + at);
        rest -= pl_block3_apply(level->diagonal + PL_BLOCK3 * (size_t)i, pl_load4(level->x + at));
        pl_store4(level->residual + at, rest);
        return;
    }
    pl_f12 rest = pl_sub12(pl_load12(level->b + at), half_sum12(level, j->half, i));
    rest = pl_sub12(rest,
                    j->both_halves ? half_sum12(level, upper, i) : pl_load12(level->half_sum + at));
    const float* D = level->diagonal + PL_BLOCK12 * (size_t)i;
    pl_store12(level->residual + at, pl_sub12(rest, pl_block12_apply(D, level->x + at)));
}

static void residual_task(int begin, int end, int worker, void* user) {
    const job* j = user;
    (void)worker;
    for (int k = begin; k < end; k++) residual_row(j, row_at(j->level, k));
}

static void for_pieces(const pl_block_level* level, pl_pool* pool, pl_task task, void* user) {
    pl_mg_for_pieces(&level->pattern.schedule, pool, task, user);
}

void pl_block_level_residual_after(pl_block_level* level, pl_pool* pool, bool forward) {
    job j = {.level = level, .half = forward ? &level->pattern.upper : &level->pattern.lower};
    for_pieces(level, pool, residual_task, &j);
}

void pl_block_level_residual(pl_block_level* level, pl_pool* pool) {
    job j = {.level = level, .half = &level->pattern.lower, .both_halves = true};
    for_pieces(level, pool, residual_task, &j);
}

void pl_block_level_product(const pl_block_level* level, bool after_backward, int begin, int end,
                            float* y) {
    for (int i = begin; i < end; i++) {
        size_t at = 4 * (size_t)i;
        pl_f4 sum = half_sum3(level, &level->pattern.lower, i);
        sum += after_backward ? pl_load4(level->half_sum + at)
                              : half_sum3(level, &level->pattern.upper, i);
        const float* D = level->diagonal + PL_BLOCK3 * (size_t)i;
        pl_store4(y + at, sum + pl_block3_apply(D, pl_load4(level->x + at)));
    }
}

static void prepare_task(int begin, int end, int worker, void* user) {
    const job* j = user;
    pl_block_level* level = j->level;
    (void)worker;
    for (int k = begin; k < end; k++) {
        int i = row_at(level, k);
        float* sum = level->half_sum + (size_t)i * (size_t)level->stride;
        if (level->block == PL_BLOCK3) pl_store4(sum, half_sum3(level, j->half, i));
        else pl_store12(sum, half_sum12(level, j->half, i));
    }
}

void pl_block_level_prepare(pl_block_level* level, pl_pool* pool, bool forward) {
    job j = {.level = level, .half = forward ? &level->pattern.upper : &level->pattern.lower};
    for_pieces(level, pool, prepare_task, &j);
}

// x = or += damping D^-1 of the residual, or of b
static void damped_step_task(int begin, int end, int worker, void* user) {
    const job* j = user;
    pl_block_level* level = j->level;
    const float* from = j->from_zero ? level->b : level->residual;
    (void)worker;
    for (int k = begin; k < end; k++) {
        int i = row_at(level, k);
        size_t at = (size_t)i * (size_t)level->stride;
        if (level->block == PL_BLOCK3) {
            const float* inverse = level->inverse + PL_BLOCK3 * (size_t)i;
            pl_f4 step = level->damping * pl_block3_apply(inverse, pl_load4(from + at));
            pl_store4(level->x + at, j->add ? pl_load4(level->x + at) + step : step);
        } else {
            const float* inverse = level->inverse + PL_BLOCK12 * (size_t)i;
            pl_f12 step = pl_scale12(level->damping, pl_block12_apply(inverse, from + at));
            pl_store12(level->x + at, j->add ? pl_add12(pl_load12(level->x + at), step) : step);
        }
    }
}

static void damped_step(pl_block_level* level, pl_pool* pool, bool from_b, bool add) {
    job j = {.level = level, .from_zero = from_b, .add = add};
    for_pieces(level, pool, damped_step_task, &j);
}

void pl_block_level_jacobi(pl_block_level* level, pl_pool* pool, int sweeps, bool from_zero) {
    if (from_zero && sweeps == 0) memset(level->x, 0, vector_size(level) * sizeof(float));
    for (int k = 0; k < sweeps; k++) {
        bool first = from_zero && k == 0;
        if (!first) pl_block_level_residual(level, pool);
        damped_step(level, pool, first, !first);
    }
}

static double norm_part(int begin, int end, void* user) {
    const float* x = user;
    double sum = 0.0;
    for (int i = begin; i < end; i++) sum += (double)x[i] * (double)x[i];
    return sum;
}

void pl_block_level_damp(pl_block_level* level, pl_pool* pool) {
    enum { STEPS = 12 };
    size_t size = vector_size(level);
    int count = (int)size;
    double radius = 1.0;
    // the highest modes change sign from row to row
    for (int i = 0; i < level->node_count; i++)
        for (int c = 0; c < level->stride; c++)
            level->x[(size_t)(i * level->stride + c)] =
                c < (level->stride == 4 ? 3 : 12) ? ((i * 7 + c) % 5 < 2 ? 1.0f : -0.8f) : 0.0f;
    memset(level->b, 0, size * sizeof(float));
    level->damping = 1.0f;
    for (int step = 0; step < STEPS; step++) {
        double before = sqrt(pl_parallel_sum(pool, norm_part, count, 4096, level->x));
        if (!(before > 0.0)) break;
        pl_block_level_residual(level, pool); // -A x
        damped_step(level, pool, false, false);
        double after = sqrt(pl_parallel_sum(pool, norm_part, count, 4096, level->x));
        radius = after / before;
        if (!(after > 0.0)) break;
        float scale = (float)(-1.0 / after);
        for (int i = 0; i < count; i++) level->x[i] *= scale;
    }
    // a few steps find somewhat less than the radius
    radius *= 1.1;
    level->damping = radius > 4.0 / 3.0 ? (float)(4.0 / (3.0 * radius)) : 1.0f;
}
