// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Shared by the kernels of the linear lattice. These process half a chunk at a time, along a run of
// chunks or in the boundary band.
#ifndef PL_GRID_LINEAR_KERNELS_H
#define PL_GRID_LINEAR_KERNELS_H

#include "grid/grid_lanes.h"
#include "grid/grid_linear_level.h"

// ------------------------------------------------------------------ runs

// Per-run data of kernels other than fields. Kept in registers, like the pointers below: after a
// store through a wide pointer the compiler would reload structures.
typedef struct chunks {
    const uint8_t* full;
    const pl_grid_masks* masks;
    const int *wall_index, *band_index;
    const pl_grid_wall_chunk* walls;
    float (*wall_q)[2][PL_GRID_CHUNK];
} chunks;
PL_WIDE chunks chunks_of(const pl_grid_linear_level* l, const pl_grid_run* g) {
    const int first = g->begin / PL_GRID_CHUNK;
    return (chunks){l->full + first,       l->split + first, l->wall_index + first,
                    l->band_index + first, l->walls,         l->wall_q};
}
// wall record of a chunk next to Dirichlet cells, or NULL
PL_WIDE const pl_grid_wall_chunk* wall_of(const chunks* c, int n) {
    int k = c->wall_index[n];
    return k < 0 ? NULL : &c->walls[k];
}
// its number of prescribed faces and the inverse diagonal of q
PL_WIDE const float (*wall_q_of(const chunks* c, int n))[PL_GRID_CHUNK] {
    int k = c->wall_index[n];
    return k < 0 ? NULL : (const float(*)[PL_GRID_CHUNK])c->wall_q[k];
}

// A field along a run and in its four neighbour rows.
typedef struct lines {
    const float *own, *y_low, *y_high, *z_low, *z_high;
} lines;
PL_WIDE lines lines_of(const float* a, const pl_grid_run* g) {
    return (lines){a + g->begin, a + g->rows[PL_ROW_Y_LOW], a + g->rows[PL_ROW_Y_HIGH],
                   a + g->rows[PL_ROW_Z_LOW], a + g->rows[PL_ROW_Z_HIGH]};
}
// sum of the neighbours in other rows; n: offset of the half chunk along the run
PL_WIDE pl_half beside_half(const lines* a, int n) {
    return (pl_load_half(a->y_low + n) + pl_load_half(a->y_high + n)) +
           (pl_load_half(a->z_low + n) + pl_load_half(a->z_high + n));
}

// Sum of the neighbours along x of one half of the chunk at n. They are all in its other half and
// in that of one adjacent chunk. carry: values read before.
PL_WIDE pl_half carry_at(const float* row, int n, int half) {
    return pl_load_half(row + n - (half ? 0 : PL_HALF));
}
PL_WIDE pl_half along_half(const float* row, int n, int half, pl_half* carry) {
    const pl_half next = pl_load_half(row + n + (half ? PL_GRID_CHUNK : PL_HALF));
    const pl_half sum =
        half ? *carry + pl_unshift_half(*carry, next) : pl_shift_half(*carry, next) + next;
    *carry = next;
    return sum;
}

// Prefetches the part of a field that later rows read first. There are more streams than the
// hardware prefetcher tracks.
PL_WIDE void fetch(const float* at, int ahead) {
    // may be beyond the field, which is harmless
    __builtin_prefetch((const void*)((uintptr_t)at + (uintptr_t)((intptr_t)ahead * 4)));
}
// two rows ahead
PL_WIDE int rows_ahead(const pl_grid_run* g) { return 2 * (g->rows[PL_ROW_Y_HIGH] - g->begin); }

// divergence of u in the cells of a chunk, for even and for odd x
typedef struct sides {
    const float *x, *y, *y_high, *z, *z_high;
} sides;
PL_WIDE sides sides_of(const pl_grid_linear_level* l, const pl_grid_run* g) {
    return (sides){l->u[0] + g->begin, l->u[1] + g->begin, l->u[1] + g->rows[PL_ROW_Y_HIGH],
                   l->u[2] + g->begin, l->u[2] + g->rows[PL_ROW_Z_HIGH]};
}
PL_WIDE void divergence_chunk(const sides* s, int n, pl_half out[2]) {
    const pl_half even = pl_load_half(s->x + n), odd = pl_load_half(s->x + n + PL_HALF);
    const pl_half after = pl_unshift_half(even, pl_load_half(s->x + n + PL_GRID_CHUNK));
    const pl_half x[2] = {odd - even, after - odd};
    for (int h = 0; h < 2; h++) {
        const int at = n + h * PL_HALF;
        out[h] = x[h] + (pl_load_half(s->y_high + at) - pl_load_half(s->y + at)) +
                 (pl_load_half(s->z_high + at) - pl_load_half(s->z + at));
    }
}

// ------------------------------------------------------------------ the band

enum { PL_NO_AXIS = -1 };

// A field at the cells of a half, shifted up along one axis and down along another.
PL_WIDE pl_half pl_band_half(const float* field, const pl_grid_band_chunk* b, int half, int up,
                             int down) {
    const int row = up == 1   ? (down == 2 ? PL_ROW_Y_HIGH_Z_LOW : PL_ROW_Y_HIGH)
                    : up == 2 ? (down == 1 ? PL_ROW_Y_LOW_Z_HIGH : PL_ROW_Z_HIGH)
                              : (down == 1 ? PL_ROW_Y_LOW : PL_ROW_Z_LOW);
    const float* chunk = field + (up > 0 || down > 0 ? b->rows[row] : b->begin);
    if (up == 0) return pl_above_half(chunk, half);
    return down == 0 ? pl_below_half(chunk, half) : pl_load_half(chunk + half * PL_HALF);
}

// differences of u across the cells of a half
PL_WIDE pl_half pl_band_difference(const pl_grid_linear_level* l, const pl_grid_band_chunk* b,
                                   int half, int a) {
    return pl_band_half(l->u[a], b, half, a, PL_NO_AXIS) -
           pl_load_half(l->u[a] + b->begin + half * PL_HALF);
}

// their sum over the axes whose bits are set
PL_WIDE pl_half pl_band_divergence(const pl_grid_linear_level* l, const pl_grid_band_chunk* b,
                                   int half, int axes) {
    pl_half sum = {0};
#pragma GCC unroll 3
    for (int a = 0; a < 3; a++)
        if (axes >> a & 1) sum += pl_band_difference(l, b, half, a);
    return sum;
}

#endif
