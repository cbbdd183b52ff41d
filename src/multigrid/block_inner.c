// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "multigrid/block_inner.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { FLOATS_PER_TASK = 4096 };
// Iterations end when the residual is at most this fraction of the right-hand side. A body of one
// material takes two or three iterations; one with a thin stiff shell takes all of them. With 0.3,
// stiff lumps take 20 cycles in place of 11 (s3-contrast).
static const double ENOUGH = 0.1;

void pl_block_inner_free(pl_block_inner* inner) {
    for (int k = 0; k < PL_INNER_STEPS; k++) {
        PL_FREE(inner->step[k], float, inner->size);
        PL_FREE(inner->product[k], float, inner->size);
    }
    PL_FREE(inner->sum, float, inner->size);
    *inner = (pl_block_inner){0};
}

pl_status pl_block_inner_setup(pl_block_inner* inner, const pl_block_level* level,
                               pl_error* error) {
    *inner = (pl_block_inner){.size = (size_t)level->stride * (size_t)level->node_count};
    bool ok = (inner->sum = PL_ALLOC(float, inner->size)) != NULL;
    for (int k = 0; k < PL_INNER_STEPS; k++) {
        ok = (inner->step[k] = PL_ALLOC(float, inner->size)) && ok;
        ok = (inner->product[k] = PL_ALLOC(float, inner->size)) && ok;
    }
    if (ok) return PL_OK;
    pl_block_inner_free(inner);
    return pl_fail_memory(error, "multigrid");
}

size_t pl_block_inner_bytes(const pl_block_inner* inner) {
    return (2 * PL_INNER_STEPS + 1) * inner->size * sizeof(float);
}

typedef struct vector_job {
    float* to;
    const float *a, *b;
    float factor;
} vector_job;

// to += factor a
static void add_task(int begin, int end, int worker, void* user) {
    const vector_job* job = user;
    (void)worker;
    for (int i = begin; i < end; i++) job->to[i] += job->factor * job->a[i];
}

// to = a - b
static void subtract_task(int begin, int end, int worker, void* user) {
    const vector_job* job = user;
    (void)worker;
    for (int i = begin; i < end; i++) job->to[i] = job->a[i] - job->b[i];
}

static double dot_part(int begin, int end, void* user) {
    const vector_job* job = user;
    double sum = 0.0;
    for (int i = begin; i < end; i++) sum += (double)job->a[i] * (double)job->b[i];
    return sum;
}

static double dot(const pl_block_inner* inner, pl_pool* pool, const float* a, const float* b) {
    vector_job job = {.a = a, .b = b};
    return pl_parallel_sum(pool, dot_part, (int)inner->size, FLOATS_PER_TASK, &job);
}

static void add(const pl_block_inner* inner, pl_pool* pool, double factor, const float* a,
                float* to) {
    vector_job job = {.to = to, .a = a, .factor = (float)factor};
    pl_parallel_for(pool, add_task, (int)inner->size, FLOATS_PER_TASK, &job);
}

void pl_block_inner_begin(pl_block_inner* inner) {
    memset(inner->sum, 0, inner->size * sizeof(float));
}

bool pl_block_inner_take(pl_block_inner* inner, int k, pl_block_level* level, pl_pool* pool) {
    float *step = inner->step[k], *product = inner->product[k];
    if (k == 0) inner->first = inner->left = dot(inner, pool, level->b, level->b);
    vector_job job = {.to = product, .a = level->b, .b = level->residual};
    pl_parallel_for(pool, subtract_task, (int)inner->size, FLOATS_PER_TASK, &job);
    memcpy(step, level->x, inner->size * sizeof(float));
    for (int j = 0; j < k; j++) {
        double part = dot(inner, pool, product, inner->product[j]) / inner->square[j];
        add(inner, pool, -part, inner->step[j], step);
        add(inner, pool, -part, inner->product[j], product);
    }
    inner->square[k] = dot(inner, pool, product, product);
    double factor = dot(inner, pool, product, level->b) / inner->square[k];
    if (!isfinite(factor)) return false;
    add(inner, pool, factor, step, inner->sum);
    add(inner, pool, -factor, product, level->b);
    inner->left -= factor * factor * inner->square[k];
    return inner->left > ENOUGH * ENOUGH * inner->first;
}

void pl_block_inner_end(const pl_block_inner* inner, pl_block_level* level) {
    memcpy(level->x, inner->sum, inner->size * sizeof(float));
}
