// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Four floats as one value: a vertex with its three coordinates (the fourth is free), aligned to 16
// bytes.
#ifndef PL_MATH_FLOAT4_H
#define PL_MATH_FLOAT4_H

#include "math/vec3w.h"

PL_WIDE pl_f4 pl_load4(const float* p) { return *(const pl_f4*)p; }
PL_WIDE void pl_store4(float* p, pl_f4 a) { *(pl_f4*)p = a; }
// memory that is read (written) soon, where the machine cannot guess it
PL_WIDE void pl_prefetch(const void* p) { __builtin_prefetch(p); }
PL_WIDE void pl_prefetch_write(const void* p) { __builtin_prefetch(p, 1); }
PL_WIDE pl_f4 pl_splat4(float a) { return (pl_f4){a, a, a, a}; }
// s b + c, rounded once where the machine can
PL_WIDE pl_f4 pl_fma4(float s, pl_f4 b, pl_f4 c) {
#if defined(__FMA__)
    return (pl_f4)_mm_fmadd_ps(_mm_set1_ps(s), (__m128)b, (__m128)c);
#elif defined(__ARM_NEON) && defined(__ARM_FEATURE_FMA)
    return (pl_f4)vfmaq_n_f32((float32x4_t)c, (float32x4_t)b, s);
#else
    return pl_splat4(s) * b + c;
#endif
}
// a b + c, value by value
PL_WIDE pl_f4 pl_fma44(pl_f4 a, pl_f4 b, pl_f4 c) {
#if defined(__FMA__)
    return (pl_f4)_mm_fmadd_ps((__m128)a, (__m128)b, (__m128)c);
#elif defined(__ARM_NEON) && defined(__ARM_FEATURE_FMA)
    return (pl_f4)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
    return a * b + c;
#endif
}

#endif
