// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#define _POSIX_C_SOURCE 200809L
#include "machine_limits.h"
#include "base/memory.h"
#include "base/timer.h"
#include "math/simd.h"

#include <math.h>
#include <time.h>

enum { PARTS = 64, TRIES = 15, WINDOWS = 4000, STEPS = 4000 };
static const size_t at_least = (size_t)64 << 20; // bytes that a try reads

typedef struct read_job {
    const float* buffer;
    size_t count; // floats
    double sums[PARTS];
} read_job;

static void read_task(int begin, int end, int worker, void* user) {
    (void)worker;
    read_job* job = user;
    for (int part = begin; part < end; part++) {
        size_t first = job->count / PARTS * (size_t)part;
        size_t last = job->count / PARTS * (size_t)(part + 1);
        pl_fw sum[4] = {{0}};
        for (size_t k = first; k + 4 * PL_LANES <= last; k += 4 * PL_LANES)
            for (size_t i = 0; i < 4; i++) sum[i] += pl_loadu_w(job->buffer + k + i * PL_LANES);
        job->sums[part] = (double)pl_sum_w((sum[0] + sum[1]) + (sum[2] + sum[3]));
    }
}

double machine_read(pl_pool* pool, const float* buffer, size_t count) {
    read_job job = {.buffer = buffer, .count = count};
    double sum = 0.0;
    pl_parallel_for(pool, read_task, PARTS, 1, &job);
    for (int part = 0; part < PARTS; part++) sum += job.sums[part];
    return sum;
}

double machine_read_speed(pl_pool* pool, size_t bytes) {
    size_t count = bytes / sizeof(float), passes = at_least / bytes + 1;
    float* buffer = PL_ALLOC(float, count);
    if (!buffer) return 0.0;
    double best = INFINITY;
    volatile double sink = 0.0; // the sums are wanted
    for (int k = 0; k < TRIES; k++) {
        double start = pl_seconds();
        for (size_t pass = 0; pass < passes; pass++)
            sink = sink + machine_read(pool, buffer, count);
        best = fmin(best, pl_seconds() - start);
    }
    PL_FREE(buffer, float, count);
    return 1e-9 * (double)(passes * bytes) / best;
}

static double thread_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// as many sums as the machine adds up at a time, none of which waits for another
static double arithmetic_seconds(void) {
    pl_fw sums[10];
    for (int k = 0; k < 10; k++) sums[k] = pl_splat_w((float)k);
    pl_fw a = pl_splat_w(0.999f), b = pl_splat_w(0.001f);
    double start = thread_seconds();
    for (int step = 0; step < STEPS; step++)
        for (int k = 0; k < 10; k++) sums[k] = pl_fma_w(sums[k], a, b);
    double seconds = thread_seconds() - start;
    volatile float sink = 0.0f;
    for (int k = 0; k < 10; k++) sink = sink + pl_sum_w(sums[k]);
    return seconds;
}

double machine_shared_part(void) {
    static double seconds[WINDOWS];
    double best = INFINITY, slow = 0.0, all = 0.0;
    for (int k = 0; k < WINDOWS; k++) {
        seconds[k] = arithmetic_seconds();
        best = fmin(best, seconds[k]);
    }
    for (int k = 0; k < WINDOWS; k++) {
        all += seconds[k];
        if (0.75 * seconds[k] > best) slow += seconds[k];
    }
    return slow / all;
}
