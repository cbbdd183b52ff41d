// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Two float4 side by side, each with a factor of its own: two rows of a matrix with several
// right-hand sides at a time. Rounds as two float4 do.
#ifndef PL_MATH_FLOAT8_H
#define PL_MATH_FLOAT8_H

#include "math/float4.h"

#if defined(__AVX__)

typedef __m256 pl_f8;

PL_WIDE pl_f8 pl_zero8(void) { return _mm256_setzero_ps(); }
PL_WIDE pl_f8 pl_load8(const float* p) { return _mm256_loadu_ps(p); }
PL_WIDE void pl_store8(float* p, pl_f8 a) { _mm256_storeu_ps(p, a); }
// the float4 at two places
PL_WIDE pl_f8 pl_load_pair(const float* low, const float* high) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(low)), _mm_load_ps(high), 1);
}
PL_WIDE pl_f8 pl_pair4(pl_f4 low, pl_f4 high) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256((__m128)low), (__m128)high, 1);
}
// v[0] four times and v[1] four times
PL_WIDE pl_f8 pl_spread_pair(const float* v) {
    double both;
    memcpy(&both, v, sizeof both);
    __m256 pairs = _mm256_castpd_ps(_mm256_set1_pd(both));
    return _mm256_permutevar_ps(pairs, _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1));
}
// v[0] and v[1], v[2] and v[3], each four times: one load, where two of the above are two
PL_WIDE void pl_spread_four(const float* v, pl_f8* first, pl_f8* second) {
    __m256 twice = _mm256_broadcast_ps((const __m128*)v);
    *first = _mm256_permutevar_ps(twice, _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1));
    *second = _mm256_permutevar_ps(twice, _mm256_setr_epi32(2, 2, 2, 2, 3, 3, 3, 3));
}
PL_WIDE pl_f8 pl_add8(pl_f8 a, pl_f8 b) { return _mm256_add_ps(a, b); }
PL_WIDE pl_f8 pl_sub8(pl_f8 a, pl_f8 b) { return _mm256_sub_ps(a, b); }
PL_WIDE pl_f8 pl_mul8(pl_f8 a, pl_f8 b) { return _mm256_mul_ps(a, b); }
PL_WIDE pl_f8 pl_fma8(pl_f8 a, pl_f8 b, pl_f8 c) {
#if defined(__FMA__)
    return _mm256_fmadd_ps(a, b, c);
#else
    return _mm256_add_ps(_mm256_mul_ps(a, b), c);
#endif
}
PL_WIDE pl_f4 pl_low4(pl_f8 a) { return (pl_f4)_mm256_castps256_ps128(a); }
PL_WIDE pl_f4 pl_high4(pl_f8 a) { return (pl_f4)_mm256_extractf128_ps(a, 1); }

#else

typedef struct pl_f8 {
    pl_f4 low, high;
} pl_f8;

PL_WIDE pl_f8 pl_zero8(void) { return (pl_f8){{0}, {0}}; }
PL_WIDE pl_f8 pl_load8(const float* p) { return (pl_f8){pl_load4(p), pl_load4(p + 4)}; }
PL_WIDE void pl_store8(float* p, pl_f8 a) {
    pl_store4(p, a.low);
    pl_store4(p + 4, a.high);
}
PL_WIDE pl_f8 pl_load_pair(const float* low, const float* high) {
    return (pl_f8){pl_load4(low), pl_load4(high)};
}
PL_WIDE pl_f8 pl_pair4(pl_f4 low, pl_f4 high) { return (pl_f8){low, high}; }
PL_WIDE pl_f8 pl_spread_pair(const float* v) { return (pl_f8){pl_splat4(v[0]), pl_splat4(v[1])}; }
PL_WIDE void pl_spread_four(const float* v, pl_f8* first, pl_f8* second) {
    *first = pl_spread_pair(v);
    *second = pl_spread_pair(v + 2);
}
PL_WIDE pl_f8 pl_add8(pl_f8 a, pl_f8 b) { return (pl_f8){a.low + b.low, a.high + b.high}; }
PL_WIDE pl_f8 pl_sub8(pl_f8 a, pl_f8 b) { return (pl_f8){a.low - b.low, a.high - b.high}; }
PL_WIDE pl_f8 pl_mul8(pl_f8 a, pl_f8 b) { return (pl_f8){a.low * b.low, a.high * b.high}; }
PL_WIDE pl_f8 pl_fma8(pl_f8 a, pl_f8 b, pl_f8 c) {
    return (pl_f8){pl_fma44(a.low, b.low, c.low), pl_fma44(a.high, b.high, c.high)};
}
PL_WIDE pl_f4 pl_low4(pl_f8 a) { return a.low; }
PL_WIDE pl_f4 pl_high4(pl_f8 a) { return a.high; }

#endif

#endif
