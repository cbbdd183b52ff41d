// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What the kernels over runs share: a field along a run and beside it, and the residual of a chunk.
#ifndef PL_GRID_ROWS_H
#define PL_GRID_ROWS_H

#include "grid/grid_wide.h"

// the record of a chunk next to Dirichlet cells, or NULL
PL_WIDE const pl_grid_wall_chunk* wall_of(const pl_grid_level* l, const pl_grid_run* g, int n) {
    int k = l->wall_index[(unsigned)(g->begin + n) / PL_GRID_CHUNK];
    return k < 0 ? NULL : &l->walls[k];
}
PL_WIDE const pl_grid_masks* masks_of(const pl_grid_level* l, const pl_grid_run* g, int n) {
    return &l->masks[(unsigned)(g->begin + n) / PL_GRID_CHUNK];
}

// A field along a run and in the four rows beside it; kept in registers, since stores through wide
// pointers make the compiler read the run again.
typedef struct lines {
    const float *own, *y_low, *y_high, *z_low, *z_high;
} lines;
PL_WIDE lines lines_of(const float* a, const pl_grid_run* g) {
    return (lines){a + g->begin, a + g->rows[PL_ROW_Y_LOW], a + g->rows[PL_ROW_Y_HIGH],
                   a + g->rows[PL_ROW_Z_LOW], a + g->rows[PL_ROW_Z_HIGH]};
}
// the sum of the neighbours in other rows
PL_WIDE pl_fw beside_w(lines a, int n) {
    return (pl_loadu_w(a.y_low + n) + pl_loadu_w(a.y_high + n)) +
           (pl_loadu_w(a.z_low + n) + pl_loadu_w(a.z_high + n));
}
// the sum of the six neighbours
PL_WIDE pl_fw neighbours_w(lines a, int n) {
    return pl_loadu_w(a.own + n - 1) + pl_loadu_w(a.own + n + 1) + beside_w(a, n);
}

// the index of the cell below along an axis
static inline int below(const pl_grid_run* g, int a) {
    return a == 0 ? g->begin - 1 : g->rows[a == 1 ? PL_ROW_Y_LOW : PL_ROW_Z_LOW];
}
static inline int above(const pl_grid_run* g, int a) {
    return a == 0 ? g->begin + 1 : g->rows[a == 1 ? PL_ROW_Y_HIGH : PL_ROW_Z_HIGH];
}

// The faces of the cells of a run.
typedef struct sides {
    const float *low[3], *high[3];
} sides;
PL_WIDE sides sides_of(const pl_grid_level* l, const pl_grid_run* g) {
    return (sides){{l->u[0] + g->begin, l->u[1] + g->begin, l->u[2] + g->begin},
                   {l->u[0] + above(g, 0), l->u[1] + above(g, 1), l->u[2] + above(g, 2)}};
}
// the sum of differences of u over a cell
PL_WIDE pl_fw divergence_w(sides s, int n) {
    return (pl_loadu_w(s.high[0] + n) - pl_loadu_w(s.low[0] + n)) +
           (pl_loadu_w(s.high[1] + n) - pl_loadu_w(s.low[1] + n)) +
           (pl_loadu_w(s.high[2] + n) - pl_loadu_w(s.low[2] + n));
}

// r = f - L u on the inner faces of a chunk and g - div(u) - eps p in its core cells, 0 elsewhere.
PL_WIDE void residual_chunk(const pl_grid_level* l, const pl_grid_run* g, int first, bool dense,
                            float out[4][PL_GRID_CHUNK]) {
    const pl_grid_masks* m = masks_of(l, g, first);
    const pl_grid_wall_chunk* wall = dense || !l->has_stiff_walls ? NULL : wall_of(l, g, first);
    const pl_fw centre = pl_splat_w(6.0f + l->inertia), eps = pl_splat_w(l->compressibility);
    const float* c = l->c + g->begin;
    for (int a = 0; a < 3; a++) {
        const lines u = lines_of(l->u[a], g);
        const float *f = l->f[a] + g->begin, *c_low = l->c + below(g, a);
        for (int i = 0; i < PL_GRID_CHUNK; i += PL_LANES) {
            const int n = first + i;
            pl_fw own = pl_loadu_w(u.own + n);
            pl_fw s = pl_fnma_w(centre, own, neighbours_w(u, n)) +
                      (pl_loadu_w(c + n) - pl_loadu_w(c_low + n));
            if (wall) s -= pl_loadu_w(wall->stiffness[a] + i) * own;
            pl_fw r = pl_loadu_w(f + n) - s;
            pl_storeu_w(out[a] + i, dense ? r : pl_keep_w(m->inner[a], i, r));
        }
    }
    const sides faces = sides_of(l, g);
    const float* given = l->g + g->begin;
    for (int i = 0; i < PL_GRID_CHUNK; i += PL_LANES) {
        const int n = first + i;
        pl_fw r = pl_fnma_w(1.0f + eps, divergence_w(faces, n), pl_loadu_w(given + n)) +
                  eps * pl_loadu_w(c + n);
        pl_storeu_w(out[3] + i, dense ? r : pl_keep_w(m->core, i, r));
    }
}

#endif
