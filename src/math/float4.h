// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Four floats as one value: a vertex with its three coordinates (the fourth is free), or a column
// of a small matrix. In memory it may have any alignment.
#ifndef PL_MATH_FLOAT4_H
#define PL_MATH_FLOAT4_H

#include "math/vec3.h"
#include "math/vec3w.h"

typedef float pl_f4_loose __attribute__((vector_size(16), aligned(4), may_alias));

PL_WIDE pl_f4 pl_load4(const float* p) { return *(const pl_f4_loose*)p; }
PL_WIDE void pl_store4(float* p, pl_f4 a) { *(pl_f4_loose*)p = a; }
PL_WIDE pl_f4 pl_splat4(float a) { return (pl_f4){a, a, a, a}; }
// for memory that is read (written) soon, where the processor cannot predict it
PL_WIDE void pl_prefetch(const void* p) { __builtin_prefetch(p); }
PL_WIDE void pl_prefetch_write(const void* p) { __builtin_prefetch(p, 1); }

// a b + c, rounded once where the machine can
PL_WIDE pl_f4 pl_fma4(pl_f4 a, pl_f4 b, pl_f4 c) {
#if defined(__FMA__)
    return (pl_f4)_mm_fmadd_ps((__m128)a, (__m128)b, (__m128)c);
#elif defined(__ARM_NEON) && defined(__ARM_FEATURE_FMA)
    return (pl_f4)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
    return a * b + c;
#endif
}
// the same for a number s
PL_WIDE pl_f4 pl_scale_add4(float s, pl_f4 b, pl_f4 c) { return pl_fma4(pl_splat4(s), b, c); }
PL_WIDE pl_f4 pl_float4_of(pl_vec3 a) { return (pl_f4){(float)a.x, (float)a.y, (float)a.z, 0.0f}; }

#endif
