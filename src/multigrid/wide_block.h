// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Small dense blocks in vectors of 16 floats, whatever the width of the machine's registers (they
// are done in parts where it is less).
//
//   vertex   4 floats: x y z 0
//   3 x 3    9 floats, row-major; read as 16, of which 7 belong to what comes behind and are
//            multiplied by the 0 of the vertex. Arrays of blocks are PL_BLOCK_PAD floats longer.
//   node     16 floats: the columns of its 3 x 4 map, x y z each, then 4 zeros
//   12 x 12  144 floats, column-major, read in the same way
#ifndef PL_MULTIGRID_WIDE_BLOCK_H
#define PL_MULTIGRID_WIDE_BLOCK_H

#include "math/simd.h"

enum { PL_BLOCK_PAD = 16, PL_NODE = 16, PL_BLOCK3 = 9, PL_BLOCK12 = 144 };

typedef float pl_f4 __attribute__((vector_size(16)));
typedef float pl_f16 __attribute__((vector_size(64)));
typedef float pl_f16_loose __attribute__((vector_size(64), aligned(4), may_alias));
typedef float pl_f4_loose __attribute__((vector_size(16), aligned(4), may_alias));

PL_WIDE pl_f4 pl_load4(const float* p) { return *(const pl_f4_loose*)p; }
PL_WIDE void pl_store4(float* p, pl_f4 a) { *(pl_f4_loose*)p = a; }
PL_WIDE pl_f16 pl_load16(const float* p) { return *(const pl_f16_loose*)p; }
PL_WIDE void pl_store16(float* p, pl_f16 a) { *(pl_f16_loose*)p = a; }
PL_WIDE pl_f16 pl_splat16(float a) { return (pl_f16){0} + a; }

// a b + c, rounded once where the machine can
PL_WIDE pl_f16 pl_fma16(pl_f16 a, pl_f16 b, pl_f16 c) {
#if PL_NATIVE_LANES == 16 && PL_LANES == 16
    return (pl_f16)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif PL_LANES > 1 && defined(__FMA__)
    union {
        pl_f16 all;
        __m256 half[2];
    } A = {a}, B = {b}, C = {c};
    C.half[0] = _mm256_fmadd_ps(A.half[0], B.half[0], C.half[0]);
    C.half[1] = _mm256_fmadd_ps(A.half[1], B.half[1], C.half[1]);
    return C.all;
#else
    return a * b + c;
#endif
}

// x y z of a vertex for each row of a 3 x 3 block
PL_WIDE pl_f16 pl_spread_vertex(pl_f4 x) {
    return __builtin_shufflevector(x, x, 0, 1, 2, 0, 1, 2, 0, 1, 2, 3, 3, 3, 3, 3, 3, 3);
}
// the sums of the rows of a 3 x 3 block
PL_WIDE pl_f4 pl_sum_rows(pl_f16 a) {
    return __builtin_shufflevector(a, a, 0, 3, 6, 9) + __builtin_shufflevector(a, a, 1, 4, 7, 10) +
           __builtin_shufflevector(a, a, 2, 5, 8, 11);
}
// y = A x
PL_WIDE pl_f4 pl_block3_apply(const float* A, pl_f4 x) {
    return pl_sum_rows(pl_load16(A) * pl_spread_vertex(x));
}

// the four coordinates of a point, each for a column of a node's map
PL_WIDE pl_f16 pl_spread_point(pl_f4 X) {
    return __builtin_shufflevector(X, X, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3);
}
// x y z for each column of a node's map
PL_WIDE pl_f16 pl_spread_columns(pl_f4 x) {
    return __builtin_shufflevector(x, x, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 3, 3, 3, 3);
}
// the sum of the columns of a node's map
PL_WIDE pl_f4 pl_sum_columns(pl_f16 a) {
    return (__builtin_shufflevector(a, a, 0, 1, 2, 12) +
            __builtin_shufflevector(a, a, 3, 4, 5, 13)) +
           (__builtin_shufflevector(a, a, 6, 7, 8, 14) +
            __builtin_shufflevector(a, a, 9, 10, 11, 15));
}
// the last column of a node's map in place of each
PL_WIDE pl_f16 pl_spread_last_column(pl_f16 a) {
    return __builtin_shufflevector(a, a, 9, 10, 11, 9, 10, 11, 9, 10, 11, 9, 10, 11, 12, 12, 12,
                                   12);
}
// what lies behind a node's 12 values becomes zero
PL_WIDE pl_f16 pl_clear_pad(pl_f16 a) {
    return __builtin_shufflevector(a, (pl_f16){0}, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 16, 16, 16,
                                   16);
}

// sum += A x for a 12 x 12 block; two sums, so that they do not wait for one another
PL_WIDE void pl_block12_add(const float* A, const float* x, pl_f16 sum[2]) {
    for (int k = 0; k < 12; k += 2) {
        sum[0] = pl_fma16(pl_load16(A + 12 * k), pl_splat16(x[k]), sum[0]);
        sum[1] = pl_fma16(pl_load16(A + 12 * k + 12), pl_splat16(x[k + 1]), sum[1]);
    }
}

#endif
