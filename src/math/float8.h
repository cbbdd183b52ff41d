// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Eight floats as one value: two float4 side by side, each with a factor of its own, or two columns
// of a small matrix. Rounds as two float4 do.
#ifndef PL_MATH_FLOAT8_H
#define PL_MATH_FLOAT8_H

#include "math/float4.h"

typedef float pl_f8_loose __attribute__((vector_size(32), aligned(4), may_alias));

PL_WIDE pl_f8 pl_load8(const float* p) { return *(const pl_f8_loose*)p; }
PL_WIDE void pl_store8(float* p, pl_f8 a) { *(pl_f8_loose*)p = a; }
PL_WIDE pl_f8 pl_splat8(float a) { return (pl_f8){a, a, a, a, a, a, a, a}; }
PL_WIDE pl_f8 pl_pair4(pl_f4 low, pl_f4 high) {
#if defined(__AVX__)
    return (pl_f8)_mm256_insertf128_ps(_mm256_castps128_ps256((__m128)low), (__m128)high, 1);
#else
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
#endif
}
PL_WIDE pl_f4 pl_low4(pl_f8 a) {
#if defined(__AVX__)
    return (pl_f4)_mm256_castps256_ps128((__m256)a);
#else
    return __builtin_shufflevector(a, a, 0, 1, 2, 3);
#endif
}
PL_WIDE pl_f4 pl_high4(pl_f8 a) {
#if defined(__AVX__)
    return (pl_f4)_mm256_extractf128_ps((__m256)a, 1);
#else
    return __builtin_shufflevector(a, a, 4, 5, 6, 7);
#endif
}
// the float4 at two places
PL_WIDE pl_f8 pl_load_pair(const float* low, const float* high) {
    return pl_pair4(pl_load4(low), pl_load4(high));
}

// a b + c, rounded once where the machine can
PL_WIDE pl_f8 pl_fma8(pl_f8 a, pl_f8 b, pl_f8 c) {
#if defined(__FMA__)
    return (pl_f8)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    return pl_pair4(pl_fma4(pl_low4(a), pl_low4(b), pl_low4(c)),
                    pl_fma4(pl_high4(a), pl_high4(b), pl_high4(c)));
#endif
}

// v[0] four times and v[1] four times
PL_WIDE pl_f8 pl_spread_pair(const float* v) {
#if defined(__AVX__)
    double both;
    memcpy(&both, v, sizeof both);
    __m256 pairs = _mm256_castpd_ps(_mm256_set1_pd(both));
    return (pl_f8)_mm256_permutevar_ps(pairs, _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1));
#else
    return pl_pair4(pl_splat4(v[0]), pl_splat4(v[1]));
#endif
}
// v[0] and v[1], v[2] and v[3], each four times: one load, where two of the above are two
PL_WIDE void pl_spread_four(const float* v, pl_f8* first, pl_f8* second) {
#if defined(__AVX__)
    __m256 twice = _mm256_broadcast_ps((const __m128*)v);
    *first = (pl_f8)_mm256_permutevar_ps(twice, _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1));
    *second = (pl_f8)_mm256_permutevar_ps(twice, _mm256_setr_epi32(2, 2, 2, 2, 3, 3, 3, 3));
#else
    *first = pl_spread_pair(v);
    *second = pl_spread_pair(v + 2);
#endif
}

#endif
