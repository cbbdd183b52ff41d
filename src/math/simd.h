// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// PL_LANES floats at a time. pl_fw and pl_iw are GCC/clang vector types, so + - * / and comparisons
// are plain operators (a number beside a pl_fw is spread over the lanes); this header adds what
// operators cannot say. A comparison gives a pl_iw mask: -1 in lanes where it holds, else 0.
//
// PL_LANES follows the instruction set: 16 with AVX-512, 8 with AVX, 4 with SSE or NEON, else 1.
// -DPL_LANES=N forces 1, 4, 8 or 16 on any machine; values wider than the registers are processed
// in parts. With one lane no approximate instruction is used, so results are the same on every
// machine with the same flags.
#ifndef PL_MATH_SIMD_H
#define PL_MATH_SIMD_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

// lanes of the widest register
#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define PL_NATIVE_LANES 16
#elif defined(__AVX__)
#define PL_NATIVE_LANES 8
#elif defined(__SSE2__) || defined(__ARM_NEON)
#define PL_NATIVE_LANES 4
#else
#define PL_NATIVE_LANES 1
#endif

#ifndef PL_LANES
#define PL_LANES PL_NATIVE_LANES
#endif
#if PL_LANES != 1 && PL_LANES != 4 && PL_LANES != 8 && PL_LANES != 16
#error "PL_LANES must be 1, 4, 8 or 16"
#endif

// always inlined: a call would pass the lanes through memory
#define PL_WIDE static inline __attribute__((always_inline))

typedef float pl_fw __attribute__((vector_size(4 * PL_LANES)));
typedef int32_t pl_iw __attribute__((vector_size(4 * PL_LANES)));

// the same in memory, of any alignment
typedef float pl_fw_loose __attribute__((vector_size(4 * PL_LANES), aligned(4), may_alias));

// a - 0 is a even where a is -0, so compilers drop the subtraction
PL_WIDE pl_fw pl_splat_w(float a) { return a - (pl_fw){0}; }
PL_WIDE pl_iw pl_splat_iw(int32_t a) { return (pl_iw){0} + a; }
// Aligned: p is a multiple of 4 * PL_LANES bytes.
PL_WIDE pl_fw pl_load_w(const float* p) {
    return *(const pl_fw*)__builtin_assume_aligned(p, 4 * PL_LANES);
}
PL_WIDE void pl_store_w(float* p, pl_fw a) {
    *(pl_fw*)__builtin_assume_aligned(p, 4 * PL_LANES) = a;
}
PL_WIDE pl_fw pl_loadu_w(const float* p) { return *(const pl_fw_loose*)p; }
PL_WIDE void pl_storeu_w(float* p, pl_fw a) { *(pl_fw_loose*)p = a; }

PL_WIDE pl_iw pl_bits_w(pl_fw a) { return (pl_iw)a; }
PL_WIDE pl_fw pl_from_bits_w(pl_iw a) { return (pl_fw)a; }
PL_WIDE pl_fw pl_to_float_w(pl_iw a) { return __builtin_convertvector(a, pl_fw); }

// Parts: the wide value as native registers, one part unless PL_LANES was forced.
#if PL_LANES == 1 || PL_NATIVE_LANES == 1
#define PL_PART_LANES 1
typedef float pl_part __attribute__((vector_size(4)));
typedef int32_t pl_part_i __attribute__((vector_size(4)));
#elif PL_LANES == 4 || PL_NATIVE_LANES == 4
#define PL_PART_LANES 4
#ifdef __SSE2__
typedef __m128 pl_part;
typedef __m128i pl_part_i;
#else
typedef float32x4_t pl_part;
typedef int32x4_t pl_part_i;
#endif
#elif PL_LANES == 8 || PL_NATIVE_LANES == 8
#define PL_PART_LANES 8
typedef __m256 pl_part;
typedef __m256i pl_part_i;
#else
#define PL_PART_LANES 16
typedef __m512 pl_part;
typedef __m512i pl_part_i;
#endif
#define PL_PARTS (PL_LANES / PL_PART_LANES)

// The same value, kept in a register. Without this, compilers load a value again for each of its
// uses and wait for the loads.
PL_WIDE pl_fw pl_in_register_w(pl_fw a) {
#if defined(__SSE2__) && PL_LANES > 1 && PL_LANES == PL_PART_LANES
    __asm__("" : "+x"(a));
#endif
    return a;
}

#if PL_PART_LANES == 1
PL_WIDE pl_part pl_part_sqrt(pl_part a) { return (pl_part){sqrtf(a[0])}; }
PL_WIDE pl_part pl_part_min(pl_part a, pl_part b) { return a[0] < b[0] ? a : b; }
PL_WIDE pl_part pl_part_max(pl_part a, pl_part b) { return a[0] > b[0] ? a : b; }
#ifdef __FP_FAST_FMAF
PL_WIDE pl_part pl_part_fma(pl_part a, pl_part b, pl_part c) {
    return (pl_part){__builtin_fmaf(a[0], b[0], c[0])};
}
#else
PL_WIDE pl_part pl_part_fma(pl_part a, pl_part b, pl_part c) { return a * b + c; }
#endif
PL_WIDE pl_part pl_part_select(pl_part_i m, pl_part a, pl_part b) { return m[0] ? a : b; }
PL_WIDE int pl_part_mask(pl_part_i m) { return m[0] & 1; }
PL_WIDE pl_part pl_part_rsqrt(pl_part a) { return (pl_part){1.0f / sqrtf(a[0])}; }
#elif PL_PART_LANES == 4 && defined(__SSE2__)
PL_WIDE pl_part pl_part_sqrt(pl_part a) { return _mm_sqrt_ps(a); }
PL_WIDE pl_part pl_part_min(pl_part a, pl_part b) { return _mm_min_ps(a, b); }
PL_WIDE pl_part pl_part_max(pl_part a, pl_part b) { return _mm_max_ps(a, b); }
#ifdef __FMA__
PL_WIDE pl_part pl_part_fma(pl_part a, pl_part b, pl_part c) { return _mm_fmadd_ps(a, b, c); }
#else
PL_WIDE pl_part pl_part_fma(pl_part a, pl_part b, pl_part c) { return a * b + c; }
#endif
PL_WIDE pl_part pl_part_select(pl_part_i m, pl_part a, pl_part b) {
#ifdef __SSE4_1__
    return _mm_blendv_ps(b, a, (__m128)m);
#else
    return _mm_or_ps(_mm_and_ps((__m128)m, a), _mm_andnot_ps((__m128)m, b));
#endif
}
PL_WIDE int pl_part_mask(pl_part_i m) { return _mm_movemask_ps((__m128)m); }
PL_WIDE pl_part pl_part_rsqrt(pl_part a) { return _mm_rsqrt_ps(a); }
#elif PL_PART_LANES == 4
PL_WIDE pl_part pl_part_select(pl_part_i m, pl_part a, pl_part b) {
    return vbslq_f32(vreinterpretq_u32_s32(m), a, b);
}
PL_WIDE pl_part pl_part_sqrt(pl_part a) {
#ifdef __aarch64__
    return vsqrtq_f32(a);
#else
    return (pl_part){sqrtf(a[0]), sqrtf(a[1]), sqrtf(a[2]), sqrtf(a[3])};
#endif
}
PL_WIDE pl_part pl_part_min(pl_part a, pl_part b) { return vbslq_f32(vcltq_f32(a, b), a, b); }
PL_WIDE pl_part pl_part_max(pl_part a, pl_part b) { return vbslq_f32(vcgtq_f32(a, b), a, b); }
#ifdef __ARM_FEATURE_FMA
PL_WIDE pl_part pl_part_fma(pl_part a, pl_part b, pl_part c) { return vfmaq_f32(c, a, b); }
#else
PL_WIDE pl_part pl_part_fma(pl_part a, pl_part b, pl_part c) { return a * b + c; }
#endif
PL_WIDE int pl_part_mask(pl_part_i m) { return (m[0] & 1) | (m[1] & 2) | (m[2] & 4) | (m[3] & 8); }
PL_WIDE pl_part pl_part_rsqrt(pl_part a) {
    pl_part y = vrsqrteq_f32(a);
    return vmulq_f32(y, vrsqrtsq_f32(vmulq_f32(a, y), y));
}
#elif PL_PART_LANES == 8
PL_WIDE pl_part pl_part_sqrt(pl_part a) { return _mm256_sqrt_ps(a); }
PL_WIDE pl_part pl_part_min(pl_part a, pl_part b) { return _mm256_min_ps(a, b); }
PL_WIDE pl_part pl_part_max(pl_part a, pl_part b) { return _mm256_max_ps(a, b); }
#ifdef __FMA__
PL_WIDE pl_part pl_part_fma(pl_part a, pl_part b, pl_part c) { return _mm256_fmadd_ps(a, b, c); }
#else
PL_WIDE pl_part pl_part_fma(pl_part a, pl_part b, pl_part c) { return a * b + c; }
#endif
PL_WIDE pl_part pl_part_select(pl_part_i m, pl_part a, pl_part b) {
    return _mm256_blendv_ps(b, a, (__m256)m);
}
PL_WIDE int pl_part_mask(pl_part_i m) { return _mm256_movemask_ps((__m256)m); }
PL_WIDE pl_part pl_part_rsqrt(pl_part a) { return _mm256_rsqrt_ps(a); }
#else
PL_WIDE pl_part pl_part_sqrt(pl_part a) { return _mm512_sqrt_ps(a); }
PL_WIDE pl_part pl_part_min(pl_part a, pl_part b) { return _mm512_min_ps(a, b); }
PL_WIDE pl_part pl_part_max(pl_part a, pl_part b) { return _mm512_max_ps(a, b); }
PL_WIDE pl_part pl_part_fma(pl_part a, pl_part b, pl_part c) { return _mm512_fmadd_ps(a, b, c); }
PL_WIDE pl_part pl_part_select(pl_part_i m, pl_part a, pl_part b) {
    return _mm512_mask_blend_ps(_mm512_movepi32_mask(m), b, a);
}
PL_WIDE int pl_part_mask(pl_part_i m) { return (int)_mm512_movepi32_mask(m); }
PL_WIDE pl_part pl_part_rsqrt(pl_part a) { return _mm512_rsqrt14_ps(a); }
#endif

// Applies a function of parts to wide values.
#if PL_PARTS == 1
#define PL_MAP1_W(f, a) return (pl_fw)f((pl_part)(a))
#define PL_MAP2_W(f, a, b) return (pl_fw)f((pl_part)(a), (pl_part)(b))
#define PL_MAP3_W(f, first, a, b, c) return (pl_fw)f((first)(a), (pl_part)(b), (pl_part)(c))
#else
#define PL_PARTS_LOOP for (int part_ = 0; part_ < PL_PARTS; part_++)
#define PL_MAP_W(copies, call)                                                                     \
    pl_part out_[PL_PARTS];                                                                        \
    copies PL_PARTS_LOOP out_[part_] = call;                                                       \
    pl_fw result_;                                                                                 \
    memcpy(&result_, out_, sizeof result_);                                                        \
    return result_
#define PL_COPY_W(type, name, a)                                                                   \
    type name[PL_PARTS];                                                                           \
    memcpy(name, &(a), sizeof name);
#define PL_MAP1_W(f, a) PL_MAP_W(PL_COPY_W(pl_part, a_, a), f(a_[part_]))
#define PL_MAP2_W(f, a, b)                                                                         \
    PL_MAP_W(PL_COPY_W(pl_part, a_, a) PL_COPY_W(pl_part, b_, b), f(a_[part_], b_[part_]))
#define PL_MAP3_W(f, first, a, b, c)                                                               \
    PL_MAP_W(PL_COPY_W(first, a_, a) PL_COPY_W(pl_part, b_, b) PL_COPY_W(pl_part, c_, c),          \
             f(a_[part_], b_[part_], c_[part_]))
#endif

// Correctly rounded.
PL_WIDE pl_fw pl_sqrt_w(pl_fw a) { PL_MAP1_W(pl_part_sqrt, a); }
// a < b ? a : b, so b if either is NaN.
PL_WIDE pl_fw pl_min_w(pl_fw a, pl_fw b) { PL_MAP2_W(pl_part_min, a, b); }
// a > b ? a : b
PL_WIDE pl_fw pl_max_w(pl_fw a, pl_fw b) { PL_MAP2_W(pl_part_max, a, b); }
// a b + c, rounded once where the machine can (FMA), twice elsewhere.
PL_WIDE pl_fw pl_fma_w(pl_fw a, pl_fw b, pl_fw c) { PL_MAP3_W(pl_part_fma, pl_part, a, b, c); }
// c - a b
PL_WIDE pl_fw pl_fnma_w(pl_fw a, pl_fw b, pl_fw c) { return pl_fma_w(-a, b, c); }
// mask ? a : b in each lane
PL_WIDE pl_fw pl_select_w(pl_iw mask, pl_fw a, pl_fw b) {
    PL_MAP3_W(pl_part_select, pl_part_i, mask, a, b);
}
PL_WIDE pl_fw pl_abs_w(pl_fw a) { return (pl_fw)((pl_iw)a & 0x7fffffff); }
// |a| with the sign of b, a zero's too
PL_WIDE pl_fw pl_copysign_w(pl_fw a, pl_fw b) {
    return (pl_fw)(((pl_iw)a & 0x7fffffff) | ((pl_iw)b & INT32_MIN));
}
// lanes that are neither infinite nor NaN
PL_WIDE pl_iw pl_is_finite_w(pl_fw a) { return pl_bits_w(pl_abs_w(a)) < 0x7f800000; }

// 1 / sqrt(a) with a relative error of at most 2.5e-7, for a from 1.2e-38 to 1e38; 0 and infinity
// give NaN. The processor's estimate, good to 3.7e-4 or better, and one step of third order: a
// Newton step alone would leave an error of up to 2e-7, which shows in rotations by quaternions.
PL_WIDE pl_fw pl_estimate_rsqrt_w(pl_fw a) { PL_MAP1_W(pl_part_rsqrt, a); }
PL_WIDE pl_fw pl_rsqrt_w(pl_fw a) {
    pl_fw y = pl_estimate_rsqrt_w(a);
#if PL_LANES > 1
    pl_fw rest = pl_fnma_w(a * y, y, pl_splat_w(1.0f));
    y = pl_fma_w(y * rest, pl_fma_w(pl_splat_w(0.375f), rest, pl_splat_w(0.5f)), y);
#endif
    return y;
}

// One bit per lane, lane 0 lowest.
PL_WIDE unsigned pl_mask_bits_w(pl_iw mask) {
    pl_part_i parts[PL_PARTS];
    memcpy(parts, &mask, sizeof mask);
    unsigned bits = 0;
    for (int i = 0; i < PL_PARTS; i++)
        bits |= (unsigned)pl_part_mask(parts[i]) << (i * PL_PART_LANES);
    return bits;
}
PL_WIDE bool pl_any_w(pl_iw mask) { return pl_mask_bits_w(mask) != 0; }
PL_WIDE bool pl_all_w(pl_iw mask) { return pl_mask_bits_w(mask) == (1u << PL_LANES) - 1u; }

// Sum of the lanes, always in the same order: halves onto halves.
PL_WIDE float pl_sum_w(pl_fw a) {
    float lanes[PL_LANES];
    memcpy(lanes, &a, sizeof a);
    for (int half = PL_LANES / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++) lanes[i] += lanes[i + half];
    return lanes[0];
}

// a^(-1/3) with a relative error of at most 3e-7, for a from 1.2e-38 to 1e38; the result is
// meaningless for other values. A guess from the exponent, then Newton steps.
PL_WIDE pl_fw pl_rcbrt_w(pl_fw a) {
    pl_fw third = pl_to_float_w(pl_bits_w(a)) * (-1.0f / 3.0f) + 1.41988608e9f;
    pl_fw y = pl_from_bits_w(__builtin_convertvector(third, pl_iw));
    for (int i = 0; i < 4; i++) {
        pl_fw rest = pl_fnma_w(a * y, y * y, pl_splat_w(1.0f));
        y = pl_fma_w(y * (1.0f / 3.0f), rest, y);
    }
    return y;
}

// The natural logarithm, relative error at most 3e-7 (absolute 1e-7 near a = 1); 0 gives -inf,
// negative values NaN. a = 2^e m with m in [sqrt(1/2), sqrt(2)), log m = 2 atanh((m - 1)/(m + 1)).
PL_WIDE pl_fw pl_log_w(pl_fw a) {
    pl_iw tiny = a < 1.17549435e-38f;
    pl_fw x = pl_select_w(tiny, a * 33554432.0f, a); // 2^25 lifts denormals
    pl_iw shifted = pl_bits_w(x) - 0x3f3504f3;       // bits of sqrt(1/2)
    pl_iw exponent = shifted >> 23;
    pl_fw m = pl_from_bits_w((shifted & 0x7fffff) + 0x3f3504f3);
    pl_fw e = pl_to_float_w(exponent - (tiny & 25));
    pl_fw f = (m - 1.0f) / (m + 1.0f), g = f * f;
    pl_fw p = pl_fma_w(g, pl_splat_w(2.0f / 9.0f), pl_splat_w(2.0f / 7.0f));
    p = pl_fma_w(g, p, pl_splat_w(2.0f / 5.0f));
    p = pl_fma_w(g, p, pl_splat_w(2.0f / 3.0f));
    pl_fw log_m = pl_fma_w(f * g, p, 2.0f * f);
    // ln 2 in two parts, so that e times the first is exact
    pl_fw y = pl_fma_w(e, pl_splat_w(0.693145752f), pl_fma_w(e, pl_splat_w(1.42860677e-6f), log_m));
    y = pl_select_w(pl_is_finite_w(a), y, a);
    y = pl_select_w(a == 0.0f, pl_splat_w(-INFINITY), y);
    return pl_select_w(a < 0.0f, pl_splat_w(NAN), y);
}

// The angle of the point (x, y) in [-pi, pi], error at most 4e-7; 0 for (0, 0). The quotient is
// reduced to at most tan(pi/8), where a polynomial fits the arc tangent to 3e-8.
PL_WIDE pl_fw pl_atan2_w(pl_fw y, pl_fw x) {
    pl_fw ax = pl_abs_w(x), ay = pl_abs_w(y), one = pl_splat_w(1.0f);
    pl_fw large = pl_max_w(ax, ay), small = pl_min_w(ax, ay);
    pl_iw beyond = small > 0.414213562f * large;
    pl_fw top = pl_select_w(beyond, small - large, small);
    pl_fw bottom = pl_select_w(beyond, small + large, large);
    pl_fw t = top / pl_select_w(bottom > 0.0f, bottom, one), g = t * t;
    pl_fw p = pl_fma_w(g, pl_splat_w(0.0852049204f), pl_splat_w(-0.140241428f));
    p = pl_fma_w(g, p, pl_splat_w(0.199912377f));
    p = pl_fma_w(g, p, pl_splat_w(-0.333332866f));
    pl_fw angle = pl_fma_w(t * g, p, t) + pl_select_w(beyond, 0.785398163f * one, 0.0f * one);
    angle = pl_select_w(ay > ax, 1.57079633f - angle, angle);
    angle = pl_select_w(x < 0.0f, 3.14159265f - angle, angle);
    return pl_copysign_w(angle, y);
}

#endif
