// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// PL_LANES vectors and matrices at a time, one in each lane. They are loaded from and stored to
// arrays of float4 (x y z and a fourth value) by 128-bit accesses and register transposes, which
// are up to twice as fast as gathers.
#ifndef PL_MATH_VEC3W_H
#define PL_MATH_VEC3W_H

#include "math/simd.h"

typedef struct pl_vec3w {
    pl_fw x, y, z;
} pl_vec3w;

// Row-major: row i, column j at m[3 i + j].
typedef struct pl_mat3w {
    pl_fw m[9];
} pl_mat3w;

// x y z is the vector part.
typedef struct pl_quatw {
    pl_fw x, y, z, w;
} pl_quatw;

typedef struct pl_float4w {
    pl_fw x, y, z, w;
} pl_float4w;

typedef float pl_f4 __attribute__((vector_size(16), aligned(16), may_alias));
typedef float pl_f8 __attribute__((vector_size(32), may_alias));

PL_WIDE pl_vec3w pl_splat_vec3_w(float x, float y, float z) {
    return (pl_vec3w){pl_splat_w(x), pl_splat_w(y), pl_splat_w(z)};
}
PL_WIDE pl_vec3w pl_add_w(pl_vec3w a, pl_vec3w b) {
    return (pl_vec3w){a.x + b.x, a.y + b.y, a.z + b.z};
}
PL_WIDE pl_vec3w pl_sub_w(pl_vec3w a, pl_vec3w b) {
    return (pl_vec3w){a.x - b.x, a.y - b.y, a.z - b.z};
}
PL_WIDE pl_vec3w pl_scale_w(pl_fw s, pl_vec3w a) { return (pl_vec3w){s * a.x, s * a.y, s * a.z}; }
// a + s b
PL_WIDE pl_vec3w pl_madd_w(pl_vec3w a, pl_fw s, pl_vec3w b) {
    return (pl_vec3w){pl_fma_w(s, b.x, a.x), pl_fma_w(s, b.y, a.y), pl_fma_w(s, b.z, a.z)};
}
PL_WIDE pl_fw pl_dot_w(pl_vec3w a, pl_vec3w b) {
    return pl_fma_w(a.x, b.x, pl_fma_w(a.y, b.y, a.z * b.z));
}
PL_WIDE pl_vec3w pl_cross_w(pl_vec3w a, pl_vec3w b) {
    return (pl_vec3w){pl_fma_w(a.y, b.z, -(a.z * b.y)), pl_fma_w(a.z, b.x, -(a.x * b.z)),
                      pl_fma_w(a.x, b.y, -(a.y * b.x))};
}
PL_WIDE pl_vec3w pl_select_vec3_w(pl_iw mask, pl_vec3w a, pl_vec3w b) {
    return (pl_vec3w){pl_select_w(mask, a.x, b.x), pl_select_w(mask, a.y, b.y),
                      pl_select_w(mask, a.z, b.z)};
}

PL_WIDE pl_mat3w pl_mat3_identity_w(void) {
    pl_fw zero = {0}, one = zero + 1.0f;
    return (pl_mat3w){{one, zero, zero, zero, one, zero, zero, zero, one}};
}
PL_WIDE pl_vec3w pl_mat3_column_w(const pl_mat3w* a, int j) {
    return (pl_vec3w){a->m[j], a->m[3 + j], a->m[6 + j]};
}
PL_WIDE pl_mat3w pl_mat3_from_columns_w(pl_vec3w a, pl_vec3w b, pl_vec3w c) {
    return (pl_mat3w){{a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z}};
}
PL_WIDE pl_mat3w pl_mat3_transpose_w(pl_mat3w a) {
    const pl_fw* m = a.m;
    return (pl_mat3w){{m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]}};
}
PL_WIDE pl_mat3w pl_mat3_add_w(pl_mat3w a, pl_mat3w b) {
    for (int i = 0; i < 9; i++) a.m[i] += b.m[i];
    return a;
}
PL_WIDE pl_mat3w pl_mat3_sub_w(pl_mat3w a, pl_mat3w b) {
    for (int i = 0; i < 9; i++) a.m[i] -= b.m[i];
    return a;
}
PL_WIDE pl_mat3w pl_mat3_scale_w(pl_fw s, pl_mat3w a) {
    for (int i = 0; i < 9; i++) a.m[i] *= s;
    return a;
}
// a + s b
PL_WIDE pl_mat3w pl_mat3_madd_w(pl_mat3w a, pl_fw s, pl_mat3w b) {
    for (int i = 0; i < 9; i++) a.m[i] = pl_fma_w(s, b.m[i], a.m[i]);
    return a;
}
PL_WIDE pl_mat3w pl_mat3_select_w(pl_iw mask, pl_mat3w a, pl_mat3w b) {
    for (int i = 0; i < 9; i++) a.m[i] = pl_select_w(mask, a.m[i], b.m[i]);
    return a;
}
// a b
PL_WIDE pl_mat3w pl_mat3_mul_w(pl_mat3w a, pl_mat3w b) {
    pl_mat3w c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c.m[3 * i + j] =
                pl_fma_w(a.m[3 * i], b.m[j],
                         pl_fma_w(a.m[3 * i + 1], b.m[3 + j], a.m[3 * i + 2] * b.m[6 + j]));
    return c;
}
// a' b
PL_WIDE pl_mat3w pl_mat3_tmul_w(pl_mat3w a, pl_mat3w b) {
    pl_mat3w c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c.m[3 * i + j] =
                pl_fma_w(a.m[i], b.m[j], pl_fma_w(a.m[3 + i], b.m[3 + j], a.m[6 + i] * b.m[6 + j]));
    return c;
}
// a b'
PL_WIDE pl_mat3w pl_mat3_mult_w(pl_mat3w a, pl_mat3w b) {
    return pl_mat3_mul_w(a, pl_mat3_transpose_w(b));
}
PL_WIDE pl_vec3w pl_mat3_apply_w(const pl_mat3w* a, pl_vec3w x) {
    const pl_fw* m = a->m;
    return (pl_vec3w){pl_fma_w(m[0], x.x, pl_fma_w(m[1], x.y, m[2] * x.z)),
                      pl_fma_w(m[3], x.x, pl_fma_w(m[4], x.y, m[5] * x.z)),
                      pl_fma_w(m[6], x.x, pl_fma_w(m[7], x.y, m[8] * x.z))};
}
// the sum of the products of the entries
PL_WIDE pl_fw pl_mat3_dot_w(pl_mat3w a, pl_mat3w b) {
    pl_fw sum = a.m[0] * b.m[0];
    for (int i = 1; i < 9; i++) sum = pl_fma_w(a.m[i], b.m[i], sum);
    return sum;
}
// The cofactors: the gradient of the determinant, det(a) a^-T.
PL_WIDE pl_mat3w pl_mat3_cofactor_w(pl_mat3w a) {
    const pl_fw* m = a.m;
    return (pl_mat3w){{
        pl_fma_w(m[4], m[8], -(m[5] * m[7])),
        pl_fma_w(m[5], m[6], -(m[3] * m[8])),
        pl_fma_w(m[3], m[7], -(m[4] * m[6])),
        pl_fma_w(m[2], m[7], -(m[1] * m[8])),
        pl_fma_w(m[0], m[8], -(m[2] * m[6])),
        pl_fma_w(m[1], m[6], -(m[0] * m[7])),
        pl_fma_w(m[1], m[5], -(m[2] * m[4])),
        pl_fma_w(m[2], m[3], -(m[0] * m[5])),
        pl_fma_w(m[0], m[4], -(m[1] * m[3])),
    }};
}
PL_WIDE pl_fw pl_mat3_det_w(pl_mat3w a) {
    pl_mat3w c = pl_mat3_cofactor_w(a);
    return pl_fma_w(a.m[0], c.m[0], pl_fma_w(a.m[1], c.m[1], a.m[2] * c.m[2]));
}
PL_WIDE pl_fw pl_mat3_max_abs_w(const pl_mat3w* a) {
    pl_fw best = pl_abs_w(a->m[0]);
    for (int i = 1; i < 9; i++) best = pl_max_w(best, pl_abs_w(a->m[i]));
    return best;
}

// The rotation of a unit quaternion.
PL_WIDE pl_mat3w pl_quat_to_mat3_w(pl_quatw q) {
    pl_fw x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
    pl_fw wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
    pl_fw one = pl_splat_w(1.0f);
    pl_fw not_z = pl_fnma_w(z2, q.z, one), not_x = pl_fnma_w(x2, q.x, one);
    return (pl_mat3w){{pl_fnma_w(y2, q.y, not_z), pl_fma_w(x2, q.y, -wz), pl_fma_w(x2, q.z, wy),
                       pl_fma_w(x2, q.y, wz), pl_fnma_w(x2, q.x, not_z), pl_fma_w(y2, q.z, -wx),
                       pl_fma_w(x2, q.z, -wy), pl_fma_w(y2, q.z, wx), pl_fnma_w(y2, q.y, not_x)}};
}

// In each group of four lanes: lanes i, j of a, then k, l of b.
#if PL_LANES == 4
#define PL_SHUFFLE_W(a, b, i, j, k, l)                                                             \
    __builtin_shufflevector(a, b, i, j, (k) + PL_LANES, (l) + PL_LANES)
#elif PL_LANES == 8
#define PL_SHUFFLE_W(a, b, i, j, k, l)                                                             \
    __builtin_shufflevector(a, b, i, j, (k) + PL_LANES, (l) + PL_LANES, (i) + 4, (j) + 4,          \
                            (k) + 4 + PL_LANES, (l) + 4 + PL_LANES)
#elif PL_LANES == 16
#define PL_SHUFFLE_W(a, b, i, j, k, l)                                                             \
    __builtin_shufflevector(a, b, i, j, (k) + PL_LANES, (l) + PL_LANES, (i) + 4, (j) + 4,          \
                            (k) + 4 + PL_LANES, (l) + 4 + PL_LANES, (i) + 8, (j) + 8,              \
                            (k) + 8 + PL_LANES, (l) + 8 + PL_LANES, (i) + 12, (j) + 12,            \
                            (k) + 12 + PL_LANES, (l) + 12 + PL_LANES)
#endif

#if PL_LANES > 1
// Transposes the 4 x 4 block in each group of four lanes of a, b, c, d.
PL_WIDE pl_float4w pl_transpose4_w(pl_fw a, pl_fw b, pl_fw c, pl_fw d) {
    pl_fw ab_low = PL_SHUFFLE_W(a, b, 0, 1, 0, 1), ab_high = PL_SHUFFLE_W(a, b, 2, 3, 2, 3);
    pl_fw cd_low = PL_SHUFFLE_W(c, d, 0, 1, 0, 1), cd_high = PL_SHUFFLE_W(c, d, 2, 3, 2, 3);
    return (pl_float4w){
        PL_SHUFFLE_W(ab_low, cd_low, 0, 2, 0, 2), PL_SHUFFLE_W(ab_low, cd_low, 1, 3, 1, 3),
        PL_SHUFFLE_W(ab_high, cd_high, 0, 2, 0, 2), PL_SHUFFLE_W(ab_high, cd_high, 1, 3, 1, 3)};
}
// Splits a wide value into parts and joins them, by shuffles. Through memory it would be narrow
// stores followed by a wide load of the same bytes, which stalls.
#if PL_LANES == 4
PL_WIDE pl_fw pl_join4_w(const pl_f4 parts[1]) { return (pl_fw)parts[0]; }
PL_WIDE void pl_split4_w(pl_fw a, pl_f4 parts[1]) { parts[0] = (pl_f4)a; }
#elif PL_LANES == 8
#if PL_PART_LANES == 8
// intrinsics, since GCC turns shuffles into two instructions here and does not fold loads into them
PL_WIDE pl_fw pl_join4_w(const pl_f4 parts[2]) {
    return (pl_fw)_mm256_insertf128_ps(_mm256_castps128_ps256((__m128)parts[0]), (__m128)parts[1],
                                       1);
}
PL_WIDE void pl_split4_w(pl_fw a, pl_f4 parts[2]) {
    parts[0] = (pl_f4)_mm256_castps256_ps128((__m256)a);
    parts[1] = (pl_f4)_mm256_extractf128_ps((__m256)a, 1);
}
#else
PL_WIDE pl_fw pl_join4_w(const pl_f4 parts[2]) {
    return (pl_fw)__builtin_shufflevector(parts[0], parts[1], 0, 1, 2, 3, 4, 5, 6, 7);
}
PL_WIDE void pl_split4_w(pl_fw a, pl_f4 parts[2]) {
    parts[0] = (pl_f4)__builtin_shufflevector(a, a, 0, 1, 2, 3);
    parts[1] = (pl_f4)__builtin_shufflevector(a, a, 4, 5, 6, 7);
}
#endif
#else
PL_WIDE pl_fw pl_join4_w(const pl_f4 parts[4]) {
    pl_f8 low = __builtin_shufflevector(parts[0], parts[1], 0, 1, 2, 3, 4, 5, 6, 7);
    pl_f8 high = __builtin_shufflevector(parts[2], parts[3], 0, 1, 2, 3, 4, 5, 6, 7);
    return (pl_fw)__builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
                                          14, 15);
}
PL_WIDE void pl_split4_w(pl_fw a, pl_f4 parts[4]) {
    parts[0] = (pl_f4)__builtin_shufflevector(a, a, 0, 1, 2, 3);
    parts[1] = (pl_f4)__builtin_shufflevector(a, a, 4, 5, 6, 7);
    parts[2] = (pl_f4)__builtin_shufflevector(a, a, 8, 9, 10, 11);
    parts[3] = (pl_f4)__builtin_shufflevector(a, a, 12, 13, 14, 15);
}
#endif
// the float4 at index[first], index[first + 4], ... times `unit` floats side by side
PL_WIDE pl_fw pl_load_every4_w(const float* base, const int32_t* index, int first, int unit) {
    pl_f4 rows[PL_LANES / 4];
    for (int i = 0; i < PL_LANES / 4; i++)
        rows[i] = *(const pl_f4*)(base + unit * (int64_t)index[first + 4 * i]);
    return pl_join4_w(rows);
}
#endif

PL_WIDE pl_float4w pl_load4_unit_w(const float* base, const int32_t* index, int unit) {
#if PL_LANES == 1
    const float* p = base + unit * (int64_t)index[0];
    return (pl_float4w){pl_splat_w(p[0]), pl_splat_w(p[1]), pl_splat_w(p[2]), pl_splat_w(p[3])};
#else
    return pl_transpose4_w(
        pl_load_every4_w(base, index, 0, unit), pl_load_every4_w(base, index, 1, unit),
        pl_load_every4_w(base, index, 2, unit), pl_load_every4_w(base, index, 3, unit));
#endif
}
// Lane i gets the float4 number index[i] of base, which is aligned to 16 bytes.
PL_WIDE pl_float4w pl_load4_w(const float* base, const int32_t* index) {
    return pl_load4_unit_w(base, index, 4);
}
// Lane i gets the float4 that begins at base[offset[i]]; forming this address needs no shift.
PL_WIDE pl_float4w pl_load4_at_w(const float* base, const int32_t* offset) {
    return pl_load4_unit_w(base, offset, 1);
}
// The lanes as float4 rows, in lane order.
PL_WIDE void pl_rows4_w(pl_float4w a, pl_f4 rows[PL_LANES]) {
#if PL_LANES == 1
    rows[0] = (pl_f4){a.x[0], a.y[0], a.z[0], a.w[0]};
#else
    pl_float4w t = pl_transpose4_w(a.x, a.y, a.z, a.w);
    const pl_fw columns[4] = {t.x, t.y, t.z, t.w};
    for (int k = 0; k < 4; k++) {
        pl_f4 parts[PL_LANES / 4];
        pl_split4_w(columns[k], parts);
        for (int i = 0; i < PL_LANES / 4; i++) rows[4 * i + k] = parts[i];
    }
#endif
}
// Lane i goes to the float4 that begins at base[offset[i]]; of lanes with the same offset the last
// one wins.
PL_WIDE void pl_store4_at_w(float* base, const int32_t* offset, pl_float4w a) {
    pl_f4 rows[PL_LANES];
    pl_rows4_w(a, rows);
    for (int i = 0; i < PL_LANES; i++) *(pl_f4*)(base + offset[i]) = rows[i];
}
// Float4 number index[i] of base += lane i, in lane order; indices may repeat.
PL_WIDE void pl_add4_w(float* base, const int32_t* index, pl_float4w a) {
    pl_f4 rows[PL_LANES];
    pl_rows4_w(a, rows);
    for (int i = 0; i < PL_LANES; i++) {
        pl_f4* p = (pl_f4*)(base + 4 * (int64_t)index[i]);
        *p += rows[i];
    }
}
PL_WIDE pl_vec3w pl_load_vec3_w(const float* base, const int32_t* index) {
    pl_float4w a = pl_load4_w(base, index);
    return (pl_vec3w){a.x, a.y, a.z};
}

#endif
