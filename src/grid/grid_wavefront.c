// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The order of a sweep. Its stages run one plane and one row behind the other over strips of rows,
// so that what one stage has written the next ones find in the cache.
//
// Stage s at a row reads what stage s - 1 made of the rows around it, and what it writes no earlier
// stage still needs once that is done: so all orders that respect this give the same bits.
#include "grid/grid_wavefront.h"

enum { SLAB = 32 }; // planes

typedef struct wave {
    pl_grid_level* level;
    const pl_grid_wave* plan;
    int slab_count;
} wave;

static void run_rows(const wave* w, int stage, int z, int y_begin, int y_end) {
    if (y_begin < 0) y_begin = 0;
    if (y_end > w->level->size[1]) y_end = w->level->size[1];
    if (y_begin < y_end) w->plan->run(w->level, stage, z, y_begin, y_end, w->plan->user);
}

// the first and the last plane but one of a slab; slabs depend on the lattice only
static void slab_planes(const wave* w, int slab, int* begin, int* end) {
    *begin = (int)((int64_t)w->level->size[2] * slab / w->slab_count);
    *end = (int)((int64_t)w->level->size[2] * (slab + 1) / w->slab_count);
}

// A slab as far as it does not depend on its neighbours: each stage stops one plane earlier, the
// first one before the last plane, as stores are of whole vectors and the next slab reads that
// plane.
static void slab_task(int slab_begin, int slab_end, int worker, void* user) {
    (void)worker;
    const wave* w = user;
    const int stages = w->plan->stages, strip = w->plan->strip, *size = w->level->size;
    for (int slab = slab_begin; slab < slab_end; slab++) {
        int begin, end;
        slab_planes(w, slab, &begin, &end);
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

// what slabs left open at the plane between two of them
static void seam_task(int seam_begin, int seam_end, int worker, void* user) {
    (void)worker;
    const wave* w = user;
    for (int seam = seam_begin; seam < seam_end; seam++) {
        int begin, end;
        slab_planes(w, seam, &begin, &end);
        for (int stage = 0; stage < w->plan->stages; stage++)
            for (int z = end - stage - 1; z < end + stage + 1; z++)
                run_rows(w, stage, z, 0, w->level->size[1]);
    }
}

void pl_grid_run_wave(pl_grid_level* level, const pl_grid_wave* plan, pl_pool* pool) {
    // two seams must not meet within a slab
    int planes = 2 * plan->stages + 2 > SLAB ? 2 * plan->stages + 2 : SLAB;
    wave w = {level, plan, level->size[2] / planes > 1 ? level->size[2] / planes : 1};
    pl_parallel_for(pool, slab_task, w.slab_count, 1, &w);
    pl_parallel_for(pool, seam_task, w.slab_count - 1, 1, &w);
}
