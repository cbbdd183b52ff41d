// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What kernels read beside half of a chunk of the band.
#ifndef PL_GRID_BAND_HALF_H
#define PL_GRID_BAND_HALF_H

#include "grid/grid_wide.h"

enum { PL_NO_AXIS = -1 };

// A field at the cells of a half, one further up along one axis and down along another.
PL_WIDE pl_half pl_band_half(const float* field, const pl_grid_band_rates* b, int half, int up,
                             int down) {
    const int row = up == 1   ? (down == 2 ? PL_ROW_Y_HIGH_Z_LOW : PL_ROW_Y_HIGH)
                    : up == 2 ? (down == 1 ? PL_ROW_Y_LOW_Z_HIGH : PL_ROW_Z_HIGH)
                              : (down == 1 ? PL_ROW_Y_LOW : PL_ROW_Z_LOW);
    const float* chunk = field + (up > 0 || down > 0 ? b->rows[row] : b->begin);
    if (up == 0) return pl_above_half(chunk, half);
    return down == 0 ? pl_below_half(chunk, half) : pl_load_half(chunk + half * PL_HALF);
}

// the differences of u across the cells of a half
PL_WIDE pl_half pl_band_difference(const pl_grid_level* l, const pl_grid_band_rates* b, int half,
                                   int a) {
    return pl_band_half(l->u[a], b, half, a, PL_NO_AXIS) -
           pl_load_half(l->u[a] + b->begin + half * PL_HALF);
}

// their sum over the axes among the bits
PL_WIDE pl_half pl_band_divergence(const pl_grid_level* l, const pl_grid_band_rates* b, int half,
                                   int axes) {
    pl_half sum = {0};
#pragma GCC unroll 3
    for (int a = 0; a < 3; a++)
        if (axes >> a & 1) sum += pl_band_difference(l, b, half, a);
    return sum;
}

#endif
