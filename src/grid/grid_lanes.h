// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Vectors of PL_LANES cells and of half a chunk, and their masks.
#ifndef PL_GRID_LANES_H
#define PL_GRID_LANES_H

#include "grid/grid_lattice.h"
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

// lanes of a shifted down by one, followed by the first lane of b
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

// last lane of a, followed by all lanes of b but the last
PL_WIDE pl_fw pl_last_lanes_w(pl_fw a, pl_fw b) {
#if PL_LANES == 1
    (void)b;
    return a;
#elif PL_LANES == 4
    return __builtin_shufflevector(a, b, 3, 4, 5, 6);
#elif PL_LANES == 8
    return __builtin_shufflevector(a, b, 7, 8, 9, 10, 11, 12, 13, 14);
#else
    return __builtin_shufflevector(a, b, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
                                   30);
#endif
}

// Half a chunk: eight floats on every machine. In fields split by colour it holds the cells of one
// colour of a chunk. It is also the number of cells that a chunk has on the next coarser level.
enum { PL_HALF = PL_GRID_CHUNK / 2 };
typedef float pl_half __attribute__((vector_size(4 * PL_HALF)));
typedef int32_t pl_half_i __attribute__((vector_size(4 * PL_HALF)));
typedef float pl_half_loose __attribute__((vector_size(4 * PL_HALF), aligned(4), may_alias));
PL_WIDE pl_half pl_load_half(const float* p) { return *(const pl_half_loose*)p; }
PL_WIDE void pl_store_half(float* p, pl_half a) { *(pl_half_loose*)p = a; }
PL_WIDE pl_half pl_splat_half(float a) { return a - (pl_half){0}; }
// a b + c, and c - a b
PL_WIDE pl_half pl_fma_half(pl_half a, pl_half b, pl_half c) {
#if defined(__FMA__) && defined(__AVX__)
    return (pl_half)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    return a * b + c;
#endif
}
PL_WIDE pl_half pl_fnma_half(pl_half a, pl_half b, pl_half c) { return pl_fma_half(-a, b, c); }

// shift up by one: last lane of `before`, then all lanes but the last
PL_WIDE pl_half pl_shift_half(pl_half before, pl_half a) {
    return __builtin_shufflevector(before, a, 7, 8, 9, 10, 11, 12, 13, 14);
}
// shift down by one: all lanes but the first, then the first lane of `after`
PL_WIDE pl_half pl_unshift_half(pl_half a, pl_half after) {
    return __builtin_shufflevector(a, after, 1, 2, 3, 4, 5, 6, 7, 8);
}

// interleaves the values of even and of odd x into sixteen in x order
PL_WIDE void pl_merge_half(pl_half even, pl_half odd, pl_half out[2]) {
    out[0] = __builtin_shufflevector(even, odd, 0, 8, 1, 9, 2, 10, 3, 11);
    out[1] = __builtin_shufflevector(even, odd, 4, 12, 5, 13, 6, 14, 7, 15);
}

// A mask of half a chunk, from eight bits.
PL_WIDE pl_half_i pl_mask_half(unsigned bits) {
    const pl_half_i bit = {1, 2, 4, 8, 16, 32, 64, 128};
    return (((pl_half_i){0} + (int32_t)bits) & bit) != 0;
}
// value where the bits are set, else 0
PL_WIDE pl_half pl_keep_half(unsigned bits, pl_half value) {
    return (pl_half)((pl_half_i)value & pl_mask_half(bits));
}
// a where the mask is set, else b
PL_WIDE pl_half pl_select_half(pl_half_i mask, pl_half a, pl_half b) {
    return (pl_half)(((pl_half_i)a & mask) | ((pl_half_i)b & ~mask));
}
// the bits of half 0 or 1 of a chunk
PL_WIDE unsigned pl_bits_of_half(uint16_t bits, int half) {
    return bits >> (half * PL_HALF) & 0xffu;
}

// One byte for each of eight cells.
typedef uint8_t pl_bytes_half __attribute__((vector_size(PL_HALF), aligned(1), may_alias));
PL_WIDE pl_half_i pl_load_bytes_half(const uint8_t* p) {
    return __builtin_convertvector(*(const pl_bytes_half*)p, pl_half_i);
}
// mask of the cells whose byte has a bit set
PL_WIDE pl_half_i pl_flag_half(pl_half_i bytes, int bit) { return (bytes & 1 << bit) == 1 << bit; }
PL_WIDE pl_half pl_keep_flag_half(pl_half_i bytes, int bit, pl_half value) {
    return (pl_half)((pl_half_i)value & pl_flag_half(bytes, bit));
}

// The neighbours along x of the cells of a half. chunk: start of the chunk in a field split by
// colour.
PL_WIDE pl_half pl_below_half(const float* chunk, int half) {
    if (half) return pl_load_half(chunk);
    return pl_shift_half(pl_load_half(chunk - PL_HALF), pl_load_half(chunk + PL_HALF));
}
PL_WIDE pl_half pl_above_half(const float* chunk, int half) {
    if (!half) return pl_load_half(chunk + PL_HALF);
    return pl_unshift_half(pl_load_half(chunk), pl_load_half(chunk + PL_GRID_CHUNK));
}

#endif
