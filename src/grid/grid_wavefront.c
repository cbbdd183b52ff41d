// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The order of a distributive sweep. Its stages run one plane and one row behind the other over
// strips of rows, so that what one stage has written the next ones find in the cache.
//
// Stage s at a row reads what stage s - 1 made of the rows around it, and what it writes no earlier
// stage still needs once that is done: so all orders that respect this give the same bits.
#include "grid/grid_smooth.h"

enum {
    SLAB = 32,         // planes
    STRIP_CELLS = 2048 // of one plane, so that the planes in flight fit in 512 KB
};

static void run_rows(pl_grid_level* l, int stage, int z, int y_begin, int y_end) {
    if (y_begin < 0) y_begin = 0;
    if (y_end > l->size[1]) y_end = l->size[1];
    if (y_begin >= y_end) return;
    pl_grid_sweep_stage(l, stage, z * l->size[1] + y_begin, z * l->size[1] + y_end);
}

static int slab_count(const pl_grid_level* l) {
    return l->size[2] / SLAB > 1 ? l->size[2] / SLAB : 1;
}

// the first and the last plane but one of a slab; slabs depend on the lattice only
static void slab_planes(const pl_grid_level* l, int slab, int* begin, int* end) {
    *begin = (int)((int64_t)l->size[2] * slab / slab_count(l));
    *end = (int)((int64_t)l->size[2] * (slab + 1) / slab_count(l));
}

// A slab as far as it does not depend on its neighbours: each stage stops one plane earlier, the
// first one before the last plane, as stores are of whole vectors and the next slab reads that
// plane.
static void slab_task(int slab_begin, int slab_end, int worker, void* user) {
    (void)worker;
    pl_grid_level* l = user;
    int strip = STRIP_CELLS / l->size[0] > 4 ? STRIP_CELLS / l->size[0] : 4;
    for (int slab = slab_begin; slab < slab_end; slab++) {
        int begin, end;
        slab_planes(l, slab, &begin, &end);
        for (int y = 0; y - PL_GRID_STAGES < l->size[1]; y += strip)
            for (int z = begin; z < end + PL_GRID_STAGES; z++)
                for (int stage = 0; stage < PL_GRID_STAGES; stage++) {
                    int low = begin == 0 ? 0 : begin + stage + 1;
                    int high = end == l->size[2] ? end : end - stage - 1;
                    if (z - stage >= low && z - stage < high)
                        run_rows(l, stage, z - stage, y - stage, y - stage + strip);
                }
    }
}

// what slabs left open at the plane between two of them
static void seam_task(int seam_begin, int seam_end, int worker, void* user) {
    (void)worker;
    pl_grid_level* l = user;
    for (int seam = seam_begin; seam < seam_end; seam++) {
        int begin, end;
        slab_planes(l, seam, &begin, &end);
        for (int stage = 0; stage < PL_GRID_STAGES; stage++)
            for (int z = end - stage - 1; z < end + stage + 1; z++)
                run_rows(l, stage, z, 0, l->size[1]);
    }
}

void pl_grid_smooth_interior(pl_grid_level* level, pl_pool* pool) {
    pl_parallel_for(pool, slab_task, slab_count(level), 1, level);
    pl_parallel_for(pool, seam_task, slab_count(level) - 1, 1, level);
}
