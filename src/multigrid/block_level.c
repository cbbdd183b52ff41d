// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Smoothers (S0 section 4.5). Gauss-Seidel alternates forward and backward half sweeps, and keeps
// the half of the row sums that it just computed: a forward half sweep then reads only blocks
// before the diagonal, a backward one only blocks after it. The result is that of plain
// Gauss-Seidel at half the memory traffic.
//
//   x_i = D_i^-1 (b_i - lower_i - upper_i)   forward: lower_i is new, upper_i is kept, and lower_i
//                                            is kept for the way back
//
// The indefinite matrices of 4 unknowns need relaxation (S3 section 5.2, where this smoother is
// called vertex Vanka): x_i moves by omega times the step.
#include "multigrid/block_level.h"
#include "base/memory.h"
#include "multigrid/block_size.h"

#include <math.h>
#include <string.h>

enum {
    FEW_UNITS = 2, // units of nodes that one thread finishes before a second one would start
};

static size_t vector_size(const pl_block_level* level) {
    return (size_t)level->node_count * (size_t)level->stride;
}
static size_t blocks_size(const pl_block_level* level, int count) {
    return (size_t)count * (size_t)level->block + PL_BLOCK_PAD;
}

// floats of `values` and `fixed`
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
    PL_FREE(level->mixed_slot, int, level->node_count);
    pl_mg_pattern_free(&level->pattern);
    *level = (pl_block_level){0};
}

pl_status pl_block_level_setup(pl_block_level* level, pl_mg_pattern* pattern, pl_block_kind kind,
                               pl_error* error) {
    static const int rows[] = {[PL_BLOCKS_3] = 3,
                               [PL_BLOCKS_4] = 4,
                               [PL_BLOCKS_12] = 12,
                               [PL_BLOCKS_16] = 16,
                               [PL_BLOCKS_4X3] = 4};
    bool vertices = kind == PL_BLOCKS_3 || kind == PL_BLOCKS_4;
    *level = (pl_block_level){.node_count = pattern->row_count,
                              .kind = kind,
                              .unknowns = rows[kind],
                              .block = rows[kind] * rows[kind],
                              .stride = vertices ? PL_VERTEX : PL_NODE,
                              .pattern = *pattern,
                              .omega = 1.0f,
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
    bool slots = true;
    if (kind == PL_BLOCKS_4X3) {
        level->mixed_slot = PL_ALLOC(int, level->node_count);
        slots = level->mixed_slot != NULL;
        for (int i = 0; slots && i < level->node_count; i++) level->mixed_slot[i] = -1;
    }
    if (slots && level->values && level->diagonal && level->inverse && level->x && level->b &&
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

// arguments of a task
typedef struct job {
    pl_block_level* level;
    const pl_mg_half* half; // the half that is read
    const int* units;       // 2 per unit
    int unit_count;
    bool forward;
    bool from_zero;
    bool both_halves; // reads both halves, not the kept sum of the other
    bool add;         // adds to x
} job;

static int row_at(const pl_block_level* level, int position) {
    const int* order = level->pattern.schedule.order;
    return order ? order[position] : position;
}

// First row of a unit in the direction of the sweep; *count is its number of rows.
static int unit_start(const job* j, int unit, int* count) {
    if (unit >= j->unit_count) return *count = 0;
    int low = j->units[2 * unit], high = j->units[2 * unit + 1];
    *count = high - low;
    return j->forward ? low : high - 1;
}

// The passes over rows for one size of blocks.
typedef struct passes {
    pl_task relax, residual, prepare, step;
    void (*product)(const pl_block_level* level, bool after_backward, int begin, int end, float* y);
} passes;

#define KIND 3
#define N 3
#define STRIDE 4
#include "multigrid/block_sweeps.h"
#define KIND 4
#define N 4
#define STRIDE 4
#include "multigrid/block_sweeps.h"
#define KIND 12
#define N 12
#define STRIDE 16
#include "multigrid/block_sweeps.h"
#define KIND 16
#define N 16
#define STRIDE 16
#include "multigrid/block_sweeps.h"
#define KIND 4x3
#define N 4
#define STRIDE 16
#include "multigrid/block_sweeps.h"

static const passes* passes_of(const pl_block_level* level) {
    static const passes* const all[] = {[PL_BLOCKS_3] = &passes3,
                                        [PL_BLOCKS_4] = &passes4,
                                        [PL_BLOCKS_12] = &passes12,
                                        [PL_BLOCKS_16] = &passes16,
                                        [PL_BLOCKS_4X3] = &passes4x3};
    return all[level->kind];
}

static void half_sweep(pl_block_level* level, pl_pool* pool, bool forward, bool from_zero) {
    const pl_mg_schedule* s = &level->pattern.schedule;
    job j = {.level = level,
             .half = forward ? &level->pattern.lower : &level->pattern.upper,
             .forward = forward,
             .from_zero = from_zero};
    pl_task relax = passes_of(level)->relax;
    for (int k = 0; k < s->phase_count; k++) {
        int phase = forward ? k : s->phase_count - 1 - k, first = s->phase_offsets[phase];
        j.units = s->unit_offsets + 2 * (size_t)first;
        j.unit_count = s->phase_offsets[phase + 1] - first;
        if (level->stride == PL_VERTEX) pl_parallel_for(pool, relax, (j.unit_count + 1) / 2, 1, &j);
        else pl_parallel_for(j.unit_count > FEW_UNITS ? pool : NULL, relax, j.unit_count, 1, &j);
    }
}

bool pl_block_level_gauss_seidel(pl_block_level* level, pl_pool* pool, int half_sweeps,
                                 bool first_forward, bool from_zero) {
    bool forward = first_forward;
    // A half sweep from zero reads only values that it has set itself.
    if (from_zero && half_sweeps == 0) memset(level->x, 0, vector_size(level) * sizeof(float));
    for (int k = 0; k < half_sweeps; k++, forward = !forward)
        half_sweep(level, pool, forward, from_zero && k == 0);
    return !forward;
}

static void for_pieces(const pl_block_level* level, pl_pool* pool, pl_task task, void* user) {
    pl_mg_for_pieces(&level->pattern.schedule, pool, task, user);
}

void pl_block_level_residual_after(pl_block_level* level, pl_pool* pool, bool forward) {
    job j = {.level = level, .half = forward ? &level->pattern.upper : &level->pattern.lower};
    for_pieces(level, pool, passes_of(level)->residual, &j);
}

void pl_block_level_residual(pl_block_level* level, pl_pool* pool) {
    job j = {.level = level, .half = &level->pattern.lower, .both_halves = true};
    for_pieces(level, pool, passes_of(level)->residual, &j);
}

void pl_block_level_product(const pl_block_level* level, bool after_backward, int begin, int end,
                            float* y) {
    passes_of(level)->product(level, after_backward, begin, end, y);
}

void pl_block_level_prepare(pl_block_level* level, pl_pool* pool, bool forward) {
    job j = {.level = level, .half = forward ? &level->pattern.upper : &level->pattern.lower};
    for_pieces(level, pool, passes_of(level)->prepare, &j);
}

static void damped_step(pl_block_level* level, pl_pool* pool, bool from_b, bool add) {
    job j = {.level = level, .from_zero = from_b, .add = add};
    for_pieces(level, pool, passes_of(level)->step, &j);
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

// true if float c of a row in a vector is an unknown, not padding
static bool is_value(const pl_block_level* level, int c) {
    return level->kind == PL_BLOCKS_4X3 ? c % 4 < 3 : c < level->unknowns;
}

// b = 0, and x a mix of the highest modes, which change sign from row to row
static void start_rough(pl_block_level* level) {
    for (int i = 0; i < level->node_count; i++)
        for (int c = 0; c < level->stride; c++)
            level->x[(size_t)(i * level->stride + c)] =
                is_value(level, c) ? ((i * 7 + c) % 5 < 2 ? 1.0f : -0.8f) : 0.0f;
    memset(level->b, 0, vector_size(level) * sizeof(float));
}

static double change_part(int begin, int end, void* user) {
    const pl_block_level* level = user;
    double sum = 0.0;
    for (int i = begin; i < end; i++) {
        double change = (double)level->x[i] - (double)level->residual[i];
        sum += change * change;
    }
    return sum;
}

// Whether sweeps on A x = 0 converge from a rough x. Measures the change per sweep, not the error:
// most of the error is slow smooth modes, which coarser levels reduce.
static bool sweeps_converge(pl_block_level* level, pl_pool* pool) {
    enum { SWEEPS = 10, LAST = 4 };
    static const double LARGEST = 0.95; // factor per sweep: slow growth takes many sweeps to show
    double before = INFINITY, change = 0.0;
    size_t size = vector_size(level);
    start_rough(level);
    pl_block_level_prepare(level, pool, true);
    for (int k = 0; k < SWEEPS; k++) {
        memcpy(level->residual, level->x, size * sizeof(float));
        pl_block_level_gauss_seidel(level, pool, 2, true, false);
        change = sqrt(pl_parallel_sum(pool, change_part, (int)size, 4096, level));
        if (k + 1 == SWEEPS - LAST) before = change;
    }
    return change < pow(LARGEST, LAST) * before;
}

void pl_block_level_relax(pl_block_level* level, pl_pool* pool) {
    enum { HALVINGS = 4 };
    static const float LEAST = 0.25f, MARGIN = 0.92f;
    float low = LEAST, high = level->omega = 1.0f;
    if (sweeps_converge(level, pool)) low = high;
    for (int k = 0; k < HALVINGS && low < high; k++) {
        level->omega = 0.5f * (low + high);
        *(sweeps_converge(level, pool) ? &low : &high) = level->omega;
    }
    level->omega = MARGIN * low;
}

void pl_block_level_damp(pl_block_level* level, pl_pool* pool) {
    enum { STEPS = 12 };
    size_t size = vector_size(level);
    int count = (int)size;
    double radius = 1.0;
    start_rough(level);
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
