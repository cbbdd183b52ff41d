// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What the kernels of the lattice share: lanes of a chunk, masks, neighbours.
#ifndef PL_GRID_WIDE_H
#define PL_GRID_WIDE_H

#include "grid/grid_level.h"
#include "math/simd.h"

// A mask of PL_LANES cells, from the bits of a chunk; lane is a multiple of PL_LANES.
PL_WIDE pl_iw pl_lanes_w(uint16_t bits, int lane) {
#if PL_LANES == 1
    const pl_iw bit = {1};
#elif PL_LANES == 4
    const pl_iw bit = {1, 2, 4, 8};
#elif PL_LANES == 8
    const pl_iw bit = {1, 2, 4, 8, 16, 32, 64, 128};
#else
    const pl_iw bit = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
#endif
    return (pl_splat_iw(bits >> lane) & bit) != 0;
}

// value where the bits are set, else 0
PL_WIDE pl_fw pl_keep_w(uint16_t bits, int lane, pl_fw value) {
    return (pl_fw)((pl_iw)value & pl_lanes_w(bits, lane));
}

// cells of one colour in a row: colour 0 has even x + y + z
static inline uint16_t pl_colour_bits(int y, int z, int colour) {
    return (y + z + colour) & 1 ? 0xaaaa : 0x5555;
}

#endif
