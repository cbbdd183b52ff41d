// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Small dense blocks in vectors of 4 and 8 floats.
//
//   vertex   4 floats: x y z 0
//   3 x 3    9 floats, column-major; a column is read as 4, of which the last belongs to what comes
//            behind, and is dropped at the end
//   node     16 floats: the columns of its 3 x 4 map, x y z each, then 4 that nobody reads
//   12 x 12  144 floats, column-major
//
// Arrays of blocks are PL_BLOCK_PAD floats longer than their blocks.
#ifndef PL_MULTIGRID_WIDE_BLOCK_H
#define PL_MULTIGRID_WIDE_BLOCK_H

#include "math/simd.h"

enum { PL_BLOCK_PAD = 16, PL_NODE = 16, PL_BLOCK3 = 9, PL_BLOCK12 = 144 };

typedef float pl_f4 __attribute__((vector_size(16)));
typedef int32_t pl_i4 __attribute__((vector_size(16)));
typedef float pl_f8 __attribute__((vector_size(32)));
typedef float pl_f4_loose __attribute__((vector_size(16), aligned(4), may_alias));
typedef float pl_f8_loose __attribute__((vector_size(32), aligned(4), may_alias));

PL_WIDE pl_f4 pl_load4(const float* p) { return *(const pl_f4_loose*)p; }
PL_WIDE void pl_store4(float* p, pl_f4 a) { *(pl_f4_loose*)p = a; }
PL_WIDE pl_f4 pl_splat4(float a) { return (pl_f4){a, a, a, a}; }
PL_WIDE pl_f8 pl_load8(const float* p) { return *(const pl_f8_loose*)p; }
PL_WIDE void pl_store8(float* p, pl_f8 a) { *(pl_f8_loose*)p = a; }
PL_WIDE pl_f8 pl_splat8(float a) { return (pl_f8){a, a, a, a, a, a, a, a}; }
// the fourth becomes zero
PL_WIDE pl_f4 pl_drop_last(pl_f4 a) { return (pl_f4)((pl_i4)a & (pl_i4){-1, -1, -1, 0}); }

// a b + c, rounded once where the machine can
PL_WIDE pl_f4 pl_fma4(pl_f4 a, pl_f4 b, pl_f4 c) {
#if PL_LANES > 1 && defined(__FMA__)
    return (pl_f4)_mm_fmadd_ps((__m128)a, (__m128)b, (__m128)c);
#else
    return a * b + c;
#endif
}
PL_WIDE pl_f8 pl_fma8(pl_f8 a, pl_f8 b, pl_f8 c) {
#if PL_LANES > 1 && defined(__FMA__)
    return (pl_f8)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    return a * b + c;
#endif
}

// Sums of 3 x 3 blocks times vectors, column by column as blocks are: three values of the first
// column, three of the second, two of the third, and its last one apart. A x is the sum of the
// columns.
typedef struct pl_sum3 {
    pl_f8 head;
    pl_f4 last; // its first value
} pl_sum3;

PL_WIDE void pl_block3_add(const float* A, const float* x, pl_sum3* sum) {
#if PL_LANES > 1 && defined(__AVX__)
    // x2 comes out of the register: sweeps wait for loads more than for anything else
    __m256 xx = _mm256_broadcast_ps((const __m128*)x);
    const __m256i from = _mm256_setr_epi32(0, 0, 0, 1, 1, 1, 2, 2);
    pl_f4 x2 = (pl_f4)_mm256_castps256_ps128(xx);
    sum->head = pl_fma8(pl_load8(A), (pl_f8)_mm256_permutevar_ps(xx, from), sum->head);
    sum->last = pl_fma4((pl_f4){A[8]}, __builtin_shufflevector(x2, x2, 2, 2, 2, 2), sum->last);
#else
    pl_f8 spread = {x[0], x[0], x[0], x[1], x[1], x[1], x[2], x[2]};
    sum->head = pl_fma8(pl_load8(A), spread, sum->head);
    sum->last = pl_fma4((pl_f4){A[8]}, (pl_f4){x[2]}, sum->last);
#endif
}
PL_WIDE pl_f4 pl_block3_end(pl_sum3 sum) {
    pl_f8 h = sum.head;
    pl_f4 first = __builtin_shufflevector(h, h, 0, 1, 2, 3);
    pl_f4 second = __builtin_shufflevector(h, h, 3, 4, 5, 6);
    pl_f4 third = __builtin_shufflevector(h, h, 6, 7, 7, 7);
    third = __builtin_shufflevector(third, sum.last, 0, 1, 4, 3);
    return pl_drop_last(first + second + third);
}
PL_WIDE pl_f4 pl_block3_apply(const float* A, pl_f4 x) {
    pl_f4 sum = pl_load4(A) * pl_splat4(x[0]);
    sum = pl_fma4(pl_load4(A + 3), pl_splat4(x[1]), sum);
    return pl_drop_last(pl_fma4(pl_load4(A + 6), pl_splat4(x[2]), sum));
}

// 12 values: a node's, or a column of a 12 x 12 block
typedef struct pl_f12 {
    pl_f8 head;
    pl_f4 tail;
} pl_f12;

PL_WIDE pl_f12 pl_load12(const float* p) { return (pl_f12){pl_load8(p), pl_load4(p + 8)}; }
PL_WIDE void pl_store12(float* p, pl_f12 a) {
    pl_store8(p, a.head);
    pl_store4(p + 8, a.tail);
}
PL_WIDE pl_f12 pl_add12(pl_f12 a, pl_f12 b) { return (pl_f12){a.head + b.head, a.tail + b.tail}; }
PL_WIDE pl_f12 pl_sub12(pl_f12 a, pl_f12 b) { return (pl_f12){a.head - b.head, a.tail - b.tail}; }
PL_WIDE pl_f12 pl_scale12(float s, pl_f12 a) { return (pl_f12){s * a.head, s * a.tail}; }
// a b + c
PL_WIDE pl_f12 pl_fma12(pl_f12 a, pl_f12 b, pl_f12 c) {
    return (pl_f12){pl_fma8(a.head, b.head, c.head), pl_fma4(a.tail, b.tail, c.tail)};
}

// sum += A x for a 12 x 12 block; two sums, so that they do not wait for one another
PL_WIDE void pl_block12_add(const float* A, const float* x, pl_f12 sum[2]) {
#pragma GCC unroll 6
    for (int k = 0; k < 12; k += 2) {
        const float *a = A + 12 * k, *b = a + 12;
        sum[0].head = pl_fma8(pl_load8(a), pl_splat8(x[k]), sum[0].head);
        sum[0].tail = pl_fma4(pl_load4(a + 8), pl_splat4(x[k]), sum[0].tail);
        sum[1].head = pl_fma8(pl_load8(b), pl_splat8(x[k + 1]), sum[1].head);
        sum[1].tail = pl_fma4(pl_load4(b + 8), pl_splat4(x[k + 1]), sum[1].tail);
    }
}
PL_WIDE pl_f12 pl_block12_apply(const float* A, const float* x) {
    pl_f12 sum[2] = {{{0}, {0}}, {{0}, {0}}};
    pl_block12_add(A, x, sum);
    return pl_add12(sum[0], sum[1]);
}

// the coordinates of a point, one for each value of a node's map: 000 111 222 333
PL_WIDE pl_f12 pl_spread_point(const float* X) {
    return (pl_f12){{X[0], X[0], X[0], X[1], X[1], X[1], X[2], X[2]}, {X[2], X[3], X[3], X[3]}};
}
// x y z for each column of a node's map
PL_WIDE pl_f12 pl_spread_columns(pl_f4 x) {
    pl_f4 low = __builtin_shufflevector(x, x, 0, 1, 2, 0);
    pl_f4 high = __builtin_shufflevector(x, x, 1, 2, 0, 1);
    return (pl_f12){__builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7),
                    __builtin_shufflevector(x, x, 2, 0, 1, 2)};
}

#endif
