// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Four doubles at a time, as GCC/clang vector types: operators are plain, and comparisons give
// masks (pl_i4: -1 in lanes where they hold, else 0).
#ifndef PL_MATH_DOUBLE4_H
#define PL_MATH_DOUBLE4_H

#include "math/simd.h"

enum { PL_FOUR = 4 };
typedef double pl_d4 __attribute__((vector_size(8 * PL_FOUR)));
typedef int64_t pl_i4 __attribute__((vector_size(8 * PL_FOUR)));
// the same in memory, of any alignment
typedef double pl_d4_loose __attribute__((vector_size(8 * PL_FOUR), aligned(8), may_alias));

PL_WIDE pl_d4 pl_splat_d4(double a) { return a - (pl_d4){0}; }
PL_WIDE pl_d4 pl_load_d4(const double* p) { return *(const pl_d4_loose*)p; }
PL_WIDE void pl_store_d4(double* p, pl_d4 a) { *(pl_d4_loose*)p = a; }
// a where the mask holds, else 0
PL_WIDE pl_d4 pl_where_d4(pl_i4 mask, pl_d4 a) { return (pl_d4)((pl_i4)a & mask); }
PL_WIDE pl_d4 pl_select_d4(pl_i4 mask, pl_d4 a, pl_d4 b) {
    return (pl_d4)(((pl_i4)a & mask) | ((pl_i4)b & ~mask));
}
#if PL_LANES > 1 && defined(__AVX__)
PL_WIDE pl_d4 pl_min_d4(pl_d4 a, pl_d4 b) { return (pl_d4)_mm256_min_pd((__m256d)a, (__m256d)b); }
PL_WIDE pl_d4 pl_max_d4(pl_d4 a, pl_d4 b) { return (pl_d4)_mm256_max_pd((__m256d)a, (__m256d)b); }
#else
PL_WIDE pl_d4 pl_min_d4(pl_d4 a, pl_d4 b) { return pl_select_d4(a < b, a, b); }
PL_WIDE pl_d4 pl_max_d4(pl_d4 a, pl_d4 b) { return pl_select_d4(a > b, a, b); }
#endif
PL_WIDE bool pl_any_d4(pl_i4 mask) { return mask[0] | mask[1] | mask[2] | mask[3]; }
PL_WIDE pl_d4 pl_sqrt_d4(pl_d4 a) {
#if PL_LANES > 1 && defined(__AVX__)
    return (pl_d4)_mm256_sqrt_pd((__m256d)a);
#else
    for (int i = 0; i < PL_FOUR; i++) a[i] = sqrt(a[i]);
    return a;
#endif
}

// whether x, y and z of a mask hold
PL_WIDE bool pl_all_xyz_d4(pl_i4 mask) { return (mask[0] & mask[1] & mask[2]) != 0; }

// x y z of a vertex and an arbitrary fourth value; nothing is read beyond the last vertex
PL_WIDE pl_d4 pl_load_point_d4(const double* x, int v, int last) {
    const double* at = x + 3 * (size_t)v;
    return v < last ? pl_load_d4(at) : (pl_d4){at[0], at[1], at[2], 0.0};
}
// the x of four vertices, their y, and their z
PL_WIDE void pl_load_points_d4(const double* x, const int32_t v[4], int last, pl_d4 out[3]) {
    pl_d4 a = pl_load_point_d4(x, v[0], last), b = pl_load_point_d4(x, v[1], last);
    pl_d4 c = pl_load_point_d4(x, v[2], last), d = pl_load_point_d4(x, v[3], last);
    pl_d4 ab = __builtin_shufflevector(a, b, 0, 4, 2, 6);
    pl_d4 cd = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    out[0] = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    out[2] = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    ab = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    cd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    out[1] = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
}

#endif
