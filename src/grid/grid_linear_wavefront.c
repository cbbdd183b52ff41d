// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The order of a sweep. Its stages follow one another at a distance of one plane and one row, over
// strips of rows, so that each stage finds the output of the previous one in the cache.
//
// Stage s at a row reads the output of stage s - 1 in the adjacent rows. After that, no earlier
// stage needs the values that it writes. So all orders that respect these dependencies give the
// same bits.
//
// Threads process slabs of planes as far as these are independent; then the remainder at the seams
// between slabs, divided into parts of rows in the same way; then the remainder of that. Because
// the order does not matter, there may be as many slabs as threads, and a single thread has no
// seams.
#include "grid/grid_linear_smooth.h"

enum { MAX_SLABS = 64 };

typedef struct wave {
    pl_grid_linear_level* level;
    const pl_grid_wave* plan;
    int slab_count;
    int slabs[MAX_SLABS + 1]; // first plane of each slab
    int part_count;           // parts of the rows of a seam
} wave;

static void run_rows(const wave* w, int stage, int z, int y_begin, int y_end) {
    if (y_begin < 0) y_begin = 0;
    if (y_end > w->level->layout->size[1]) y_end = w->level->layout->size[1];
    if (y_begin < y_end) w->plan->run(w->level, stage, z, y_begin, y_end, w->plan->user);
}

// The independent part of a slab. Each stage stops one plane earlier than the one before; the first
// stops before the last plane, because stores are whole vectors and the next slab reads that plane.
static void slab_task(int slab_begin, int slab_end, int worker, void* user) {
    (void)worker;
    const wave* w = user;
    const int stages = w->plan->stages, strip = w->plan->strip, *size = w->level->layout->size;
    for (int slab = slab_begin; slab < slab_end; slab++) {
        const int begin = w->slabs[slab], end = w->slabs[slab + 1];
        for (int y = 0; y - stages < size[1]; y += strip)
            for (int z = begin; z < end + stages; z++)
                for (int stage = 0; stage < stages; stage++) {
                    int low = begin == 0 ? 0 : begin + stage + 1;
                    int high = end == size[2] ? end : end - stage - 1;
                    if (z - stage >= low && z - stage < high)
                        run_rows(w, stage, z - stage, y - stage, y - stage + strip);
                }
    }
}

// the first row of a part
static int part_row(const wave* w, int part) {
    return (int)((int64_t)w->level->layout->size[1] * part / w->part_count);
}

// Completes the seam between two slabs, in parts of rows that leave their own ends open.
static void seam_task(int task_begin, int task_end, int worker, void* user) {
    (void)worker;
    const wave* w = user;
    for (int task = task_begin; task < task_end; task++) {
        const int plane = w->slabs[task / w->part_count + 1], part = task % w->part_count;
        const int begin = part_row(w, part), end = part_row(w, part + 1);
        for (int stage = 0; stage < w->plan->stages; stage++)
            for (int z = plane - stage - 1; z < plane + stage + 1; z++)
                run_rows(w, stage, z, part == 0 ? 0 : begin + stage + 1,
                         part == w->part_count - 1 ? end : end - stage - 1);
    }
}

// completes the rows between two parts of a seam
static void cross_task(int task_begin, int task_end, int worker, void* user) {
    (void)worker;
    const wave* w = user;
    for (int task = task_begin; task < task_end; task++) {
        const int plane = w->slabs[task / (w->part_count - 1) + 1];
        const int row = part_row(w, task % (w->part_count - 1) + 1);
        for (int stage = 0; stage < w->plan->stages; stage++)
            for (int z = plane - stage - 1; z < plane + stage + 1; z++)
                run_rows(w, stage, z, row - stage - 1, row + stage + 1);
    }
}

// One slab per thread, of about equal work, with at least `least` planes each.
static void cut_slabs(wave* w, int threads, int least) {
    const int planes = w->level->layout->size[2], rows = w->level->layout->size[1];
    const int* work = w->plan->work;
    int count = planes / least < threads ? planes / least : threads;
    w->slab_count = count < 1 ? 1 : count < MAX_SLABS ? count : MAX_SLABS;
    for (int k = 1; k < w->slab_count; k++) {
        const int64_t goal = (int64_t)work[planes * rows] * k / w->slab_count;
        int z = w->slabs[k - 1] + least, last = planes - (w->slab_count - k) * least;
        while (z < last && work[z * rows] < goal) z++;
        w->slabs[k] = z;
    }
    w->slabs[w->slab_count] = planes;
}

void pl_grid_run_wave(pl_grid_linear_level* level, const pl_grid_wave* plan, pl_pool* pool) {
    // two seams must not meet within a slab, nor two crossings within a part
    const int least = 2 * plan->stages + 2, parts = level->layout->size[1] / least;
    wave w = {level, plan, .part_count = parts > 1 ? parts : 1};
    cut_slabs(&w, pl_pool_thread_count(pool), least);
    const int seams = w.slab_count - 1;
    pl_parallel_for(pool, slab_task, w.slab_count, 1, &w);
    pl_parallel_for(pool, seam_task, seams * w.part_count, 1, &w);
    pl_parallel_for(pool, cross_task, seams * (w.part_count - 1), 1, &w);
}
