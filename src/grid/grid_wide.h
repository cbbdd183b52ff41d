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

// A byte for each of PL_LANES cells.
typedef uint8_t pl_bytes_loose __attribute__((vector_size(PL_LANES), aligned(1), may_alias));
PL_WIDE pl_iw pl_load_bytes_w(const uint8_t* p) {
    return __builtin_convertvector(*(const pl_bytes_loose*)p, pl_iw);
}
// where a bit of such bytes is set
PL_WIDE pl_iw pl_flag_w(pl_iw bytes, int bit) { return (bytes & 1 << bit) == 1 << bit; }
PL_WIDE pl_fw pl_keep_flag_w(pl_iw bytes, int bit, pl_fw value) {
    return (pl_fw)((pl_iw)value & pl_flag_w(bytes, bit));
}

// the lanes of a, one further down, followed by the first one of b
PL_WIDE pl_fw pl_next_lanes_w(pl_fw a, pl_fw b) {
#if PL_LANES == 1
    (void)a;
    return b;
#elif PL_LANES == 4
    return __builtin_shufflevector(a, b, 1, 2, 3, 4);
#elif PL_LANES == 8
    return __builtin_shufflevector(a, b, 1, 2, 3, 4, 5, 6, 7, 8);
#else
    return __builtin_shufflevector(a, b, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
#endif
}

// Half a chunk, which is what a chunk is on the next coarser level; eight floats on every machine.
enum { PL_HALF = PL_GRID_CHUNK / 2 };
typedef float pl_half __attribute__((vector_size(4 * PL_HALF)));
typedef float pl_half_loose __attribute__((vector_size(4 * PL_HALF), aligned(4), may_alias));
PL_WIDE pl_half pl_load_half(const float* p) { return *(const pl_half_loose*)p; }
PL_WIDE void pl_store_half(float* p, pl_half a) { *(pl_half_loose*)p = a; }

// even and odd ones of sixteen values
PL_WIDE void pl_split_halves(pl_half a, pl_half b, pl_half* even, pl_half* odd) {
    *even = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
    *odd = __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
}
// sixteen values from even and odd ones
PL_WIDE void pl_merge_half(pl_half even, pl_half odd, pl_half out[2]) {
    out[0] = __builtin_shufflevector(even, odd, 0, 8, 1, 9, 2, 10, 3, 11);
    out[1] = __builtin_shufflevector(even, odd, 4, 12, 5, 13, 6, 14, 7, 15);
}
// the last one of those before, followed by all but the last
PL_WIDE pl_half pl_shift_half(pl_half before, pl_half a) {
    return __builtin_shufflevector(before, a, 7, 8, 9, 10, 11, 12, 13, 14);
}
// value where the bits are set, else 0
PL_WIDE pl_half pl_keep_half(unsigned bits, pl_half value) {
    typedef int32_t half_i __attribute__((vector_size(4 * PL_HALF)));
    const half_i bit = {1, 2, 4, 8, 16, 32, 64, 128};
    return (pl_half)((half_i)value & ((((half_i){0} + (int32_t)bits) & bit) != 0));
}

// cells of one colour in a row: colour 0 has even x + y + z
static inline uint16_t pl_colour_bits(int y, int z, int colour) {
    return (y + z + colour) & 1 ? 0xaaaa : 0x5555;
}

#endif
