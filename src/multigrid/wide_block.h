// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Small dense blocks in vectors of 4 and 8 floats, for vertices with N = 3 or 4 unknowns and nodes
// with N = 12 or 16. Blocks are N x N, column-major.
//
//   N    unknowns in memory
//   3    x y z 0
//   4    x y z p
//   12   the columns of a 3 x 4 map, x y z each, then 4 unused floats
//   16   the columns of a 4 x 4 map, x y z p each
//   4x3  the columns of a 3 x 4 map, x y z 0 each, where coordinates are not coupled: one 4 x 4
//        block for all three
//
// A column of a 3 x 3 block is read as 4 floats; the last one belongs to the next column and is
// dropped at the end. Arrays of blocks are PL_BLOCK_PAD floats longer than their blocks.
//
// Each N has the same operations, so that code included once for each N can use them:
//
//   pl_vN        the values of a vertex or node: load, store, add, sub, scale; for the columns of
//                blocks also splat, fma and what spreads a point over the values of a map
//   pl_vN_apply  A x, pl_vN_apply_at the same for x in memory
//   pl_sumN      a sum of A x over several blocks: add, end
#ifndef PL_MULTIGRID_WIDE_BLOCK_H
#define PL_MULTIGRID_WIDE_BLOCK_H

#include "math/float8.h"

typedef int32_t pl_i4 __attribute__((vector_size(16)));

// sets the fourth to zero
PL_WIDE pl_f4 pl_drop_last(pl_f4 a) { return (pl_f4)((pl_i4)a & (pl_i4){-1, -1, -1, 0}); }

// ---------------------------------------------------------------- 3 and 4

typedef pl_f4 pl_v3;
typedef pl_f4 pl_v4;

PL_WIDE pl_v3 pl_v3_load(const float* p) { return pl_load4(p); }
PL_WIDE void pl_v3_store(float* p, pl_v3 a) { pl_store4(p, a); }
PL_WIDE pl_v3 pl_v3_add(pl_v3 a, pl_v3 b) { return a + b; }
PL_WIDE pl_v3 pl_v3_sub(pl_v3 a, pl_v3 b) { return a - b; }
PL_WIDE pl_v3 pl_v3_scale(float s, pl_v3 a) { return s * a; }
PL_WIDE pl_v4 pl_v4_load(const float* p) { return pl_load4(p); }
PL_WIDE void pl_v4_store(float* p, pl_v4 a) { pl_store4(p, a); }
PL_WIDE pl_v4 pl_v4_add(pl_v4 a, pl_v4 b) { return a + b; }
PL_WIDE pl_v4 pl_v4_sub(pl_v4 a, pl_v4 b) { return a - b; }
PL_WIDE pl_v4 pl_v4_scale(float s, pl_v4 a) { return s * a; }

// Column by column, like blocks: three values of the first column, three of the second, two of the
// third, and its last value separately. A x is the sum of the columns.
typedef struct pl_sum3 {
    pl_f8 head;
    pl_f4 last; // its first value
} pl_sum3;

PL_WIDE void pl_sum3_add(const float* A, const float* x, pl_sum3* sum) {
#if PL_LANES > 1 && defined(__AVX__)
    // Takes x2 from the register: sweeps are limited by loads.
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
PL_WIDE pl_v3 pl_sum3_end(pl_sum3 sum) {
    pl_f8 h = sum.head;
    pl_f4 first = __builtin_shufflevector(h, h, 0, 1, 2, 3);
    pl_f4 second = __builtin_shufflevector(h, h, 3, 4, 5, 6);
    pl_f4 third = __builtin_shufflevector(h, h, 6, 7, 7, 7);
    third = __builtin_shufflevector(third, sum.last, 0, 1, 4, 3);
    return pl_drop_last(first + second + third);
}
PL_WIDE pl_v3 pl_v3_apply(const float* A, pl_v3 x) {
    pl_f4 sum = pl_load4(A) * pl_splat4(x[0]);
    sum = pl_fma4(pl_load4(A + 3), pl_splat4(x[1]), sum);
    return pl_drop_last(pl_fma4(pl_load4(A + 6), pl_splat4(x[2]), sum));
}
PL_WIDE pl_v3 pl_v3_apply_at(const float* A, const float* x) { return pl_v3_apply(A, pl_load4(x)); }

// Two columns in each vector.
typedef struct pl_sum4 {
    pl_f8 first, second;
} pl_sum4;

PL_WIDE void pl_sum4_add(const float* A, const float* x, pl_sum4* sum) {
    pl_f8 x01, x23;
    pl_spread_four(x, &x01, &x23);
    sum->first = pl_fma8(pl_load8(A), x01, sum->first);
    sum->second = pl_fma8(pl_load8(A + 8), x23, sum->second);
}
PL_WIDE pl_v4 pl_sum4_end(pl_sum4 sum) {
    pl_f8 both = sum.first + sum.second;
    return pl_low4(both) + pl_high4(both);
}
PL_WIDE pl_v4 pl_v4_apply(const float* A, pl_v4 x) {
    pl_f4 sum = pl_load4(A) * pl_splat4(x[0]);
    for (int k = 1; k < 4; k++) sum = pl_fma4(pl_load4(A + 4 * k), pl_splat4(x[k]), sum);
    return sum;
}
PL_WIDE pl_v4 pl_v4_apply_at(const float* A, const float* x) { return pl_v4_apply(A, pl_load4(x)); }

PL_WIDE pl_v4 pl_v4_splat(float s) { return pl_splat4(s); }
// a b + c
PL_WIDE pl_v4 pl_v4_fma(pl_v4 a, pl_v4 b, pl_v4 c) { return pl_fma4(a, b, c); }
// spreads a point over the values of a map, whose columns are single values
PL_WIDE pl_v4 pl_v4_spread_point(const float* X) { return pl_load4(X); }
PL_WIDE pl_v4 pl_v4_spread_last(const float* p) { return pl_splat4(p[3]); }

// ---------------------------------------------------------------- 4x3

typedef struct pl_v4x3 {
    pl_f4 column[4];
} pl_v4x3;

PL_WIDE pl_v4x3 pl_v4x3_load(const float* p) {
    return (pl_v4x3){{pl_load4(p), pl_load4(p + 4), pl_load4(p + 8), pl_load4(p + 12)}};
}
PL_WIDE void pl_v4x3_store(float* p, pl_v4x3 a) {
    for (int k = 0; k < 4; k++) pl_store4(p + 4 * k, a.column[k]);
}
PL_WIDE pl_v4x3 pl_v4x3_add(pl_v4x3 a, pl_v4x3 b) {
    for (int k = 0; k < 4; k++) a.column[k] += b.column[k];
    return a;
}
PL_WIDE pl_v4x3 pl_v4x3_sub(pl_v4x3 a, pl_v4x3 b) {
    for (int k = 0; k < 4; k++) a.column[k] -= b.column[k];
    return a;
}
PL_WIDE pl_v4x3 pl_v4x3_scale(float s, pl_v4x3 a) {
    for (int k = 0; k < 4; k++) a.column[k] *= s;
    return a;
}

// Two columns side by side, with separate sums for even and odd columns of blocks; one sum would
// make each product wait for the previous one.
typedef struct pl_sum4x3 {
    pl_f8 first[2], second[2];
} pl_sum4x3;

// column k of a block times row k of x
PL_WIDE void pl_sum4x3_column(const float* column, pl_f8 twice, int k, pl_sum4x3* sum) {
    pl_f8 c01, c23;
    pl_spread_four(column, &c01, &c23);
    sum->first[k % 2] = pl_fma8(c01, twice, sum->first[k % 2]);
    sum->second[k % 2] = pl_fma8(c23, twice, sum->second[k % 2]);
}
PL_WIDE pl_f8 pl_twice4(pl_f4 a) { return pl_pair4(a, a); }
PL_WIDE void pl_sum4x3_add(const float* A, const float* x, pl_sum4x3* sum) {
    for (int k = 0; k < 4; k++) pl_sum4x3_column(A + 4 * k, pl_twice4(pl_load4(x + 4 * k)), k, sum);
}
PL_WIDE pl_v4x3 pl_sum4x3_end(pl_sum4x3 sum) {
    pl_f8 a = sum.first[0] + sum.first[1], b = sum.second[0] + sum.second[1];
    return (pl_v4x3){{pl_low4(a), pl_high4(a), pl_low4(b), pl_high4(b)}};
}
PL_WIDE pl_v4x3 pl_v4x3_apply(const float* A, pl_v4x3 x) {
    pl_sum4x3 sum = {0};
    for (int k = 0; k < 4; k++) pl_sum4x3_column(A + 4 * k, pl_twice4(x.column[k]), k, &sum);
    return pl_sum4x3_end(sum);
}

// ---------------------------------------------------------------- 12

typedef struct pl_v12 {
    pl_f8 head;
    pl_f4 tail;
} pl_v12;

PL_WIDE pl_v12 pl_v12_load(const float* p) { return (pl_v12){pl_load8(p), pl_load4(p + 8)}; }
PL_WIDE void pl_v12_store(float* p, pl_v12 a) {
    pl_store8(p, a.head);
    pl_store4(p + 8, a.tail);
}
PL_WIDE pl_v12 pl_v12_add(pl_v12 a, pl_v12 b) { return (pl_v12){a.head + b.head, a.tail + b.tail}; }
PL_WIDE pl_v12 pl_v12_sub(pl_v12 a, pl_v12 b) { return (pl_v12){a.head - b.head, a.tail - b.tail}; }
PL_WIDE pl_v12 pl_v12_scale(float s, pl_v12 a) { return (pl_v12){s * a.head, s * a.tail}; }
PL_WIDE pl_v12 pl_v12_splat(float s) { return (pl_v12){pl_splat8(s), pl_splat4(s)}; }
// a b + c
PL_WIDE pl_v12 pl_v12_fma(pl_v12 a, pl_v12 b, pl_v12 c) {
    return (pl_v12){pl_fma8(a.head, b.head, c.head), pl_fma4(a.tail, b.tail, c.tail)};
}

// two sums, so that they do not wait for each other
typedef struct pl_sum12 {
    pl_v12 even, odd;
} pl_sum12;

PL_WIDE void pl_sum12_add(const float* A, const float* x, pl_sum12* sum) {
#pragma GCC unroll 6
    for (int k = 0; k < 12; k += 2) {
        const float *a = A + 12 * k, *b = a + 12;
        sum->even.head = pl_fma8(pl_load8(a), pl_splat8(x[k]), sum->even.head);
        sum->even.tail = pl_fma4(pl_load4(a + 8), pl_splat4(x[k]), sum->even.tail);
        sum->odd.head = pl_fma8(pl_load8(b), pl_splat8(x[k + 1]), sum->odd.head);
        sum->odd.tail = pl_fma4(pl_load4(b + 8), pl_splat4(x[k + 1]), sum->odd.tail);
    }
}
PL_WIDE pl_v12 pl_sum12_end(pl_sum12 sum) { return pl_v12_add(sum.even, sum.odd); }
PL_WIDE pl_v12 pl_v12_apply_at(const float* A, const float* x) {
    pl_sum12 sum = {0};
    pl_sum12_add(A, x, &sum);
    return pl_sum12_end(sum);
}
PL_WIDE pl_v12 pl_v12_apply(const float* A, pl_v12 x) {
    float values[12];
    pl_v12_store(values, x);
    return pl_v12_apply_at(A, values);
}

// the coordinates of a point, spread over the values of a node's map: 000 111 222 333
PL_WIDE pl_v12 pl_v12_spread_point(const float* X) {
    return (pl_v12){{X[0], X[0], X[0], X[1], X[1], X[1], X[2], X[2]}, {X[2], X[3], X[3], X[3]}};
}
// the last column of a node's map in place of every column; p: the whole map
PL_WIDE pl_v12 pl_v12_spread_last(const float* p) {
    // read from one float earlier
    pl_f4 x = pl_load4(p + 8);
    x = __builtin_shufflevector(x, x, 1, 2, 3, 3);
    pl_f4 low = __builtin_shufflevector(x, x, 0, 1, 2, 0);
    pl_f4 high = __builtin_shufflevector(x, x, 1, 2, 0, 1);
    return (pl_v12){__builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7),
                    __builtin_shufflevector(x, x, 2, 0, 1, 2)};
}

// the same for a map in the layout of 4x3
PL_WIDE pl_v4x3 pl_v12_apply_map(const float* A, pl_v4x3 x) {
    float packed[16];
    for (int k = 0; k < 4; k++) pl_store4(packed + 3 * k, x.column[k]); // in order
    pl_v12_store(packed, pl_v12_apply_at(A, packed));
    for (int k = 0; k < 4; k++) x.column[k] = pl_drop_last(pl_load4(packed + 3 * k));
    return x;
}

// ---------------------------------------------------------------- 16

typedef struct pl_v16 {
    pl_f8 head, tail;
} pl_v16;

PL_WIDE pl_v16 pl_v16_load(const float* p) { return (pl_v16){pl_load8(p), pl_load8(p + 8)}; }
PL_WIDE void pl_v16_store(float* p, pl_v16 a) {
    pl_store8(p, a.head);
    pl_store8(p + 8, a.tail);
}
PL_WIDE pl_v16 pl_v16_add(pl_v16 a, pl_v16 b) { return (pl_v16){a.head + b.head, a.tail + b.tail}; }
PL_WIDE pl_v16 pl_v16_sub(pl_v16 a, pl_v16 b) { return (pl_v16){a.head - b.head, a.tail - b.tail}; }
PL_WIDE pl_v16 pl_v16_scale(float s, pl_v16 a) { return (pl_v16){s * a.head, s * a.tail}; }
PL_WIDE pl_v16 pl_v16_splat(float s) { return (pl_v16){pl_splat8(s), pl_splat8(s)}; }
PL_WIDE pl_v16 pl_v16_fma(pl_v16 a, pl_v16 b, pl_v16 c) {
    return (pl_v16){pl_fma8(a.head, b.head, c.head), pl_fma8(a.tail, b.tail, c.tail)};
}

typedef struct pl_sum16 {
    pl_v16 even, odd;
} pl_sum16;

PL_WIDE void pl_sum16_add(const float* A, const float* x, pl_sum16* sum) {
#pragma GCC unroll 8
    for (int k = 0; k < 16; k += 2) {
        sum->even = pl_v16_fma(pl_v16_load(A + 16 * k), pl_v16_splat(x[k]), sum->even);
        sum->odd = pl_v16_fma(pl_v16_load(A + 16 * k + 16), pl_v16_splat(x[k + 1]), sum->odd);
    }
}
PL_WIDE pl_v16 pl_sum16_end(pl_sum16 sum) { return pl_v16_add(sum.even, sum.odd); }
PL_WIDE pl_v16 pl_v16_apply_at(const float* A, const float* x) {
    pl_sum16 sum = {0};
    pl_sum16_add(A, x, &sum);
    return pl_sum16_end(sum);
}
PL_WIDE pl_v16 pl_v16_apply(const float* A, pl_v16 x) {
    float values[16];
    pl_v16_store(values, x);
    return pl_v16_apply_at(A, values);
}

PL_WIDE pl_v16 pl_v16_spread_point(const float* X) {
    return (pl_v16){{X[0], X[0], X[0], X[0], X[1], X[1], X[1], X[1]},
                    {X[2], X[2], X[2], X[2], X[3], X[3], X[3], X[3]}};
}
PL_WIDE pl_v16 pl_v16_spread_last(const float* p) {
    pl_f4 x = pl_load4(p + 12);
    pl_f8 twice = __builtin_shufflevector(x, x, 0, 1, 2, 3, 0, 1, 2, 3);
    return (pl_v16){twice, twice};
}

#endif
