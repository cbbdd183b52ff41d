// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Singular value decomposition F = U diag(s) V' of 3 x 3 matrices in the form that elasticity
// needs: U and V are rotations, s[0] >= s[1] >= |s[2]|, and s[2] carries the sign of det F. For
// every finite F: inverted, rank-deficient, zero, huge, denormal.
//
// One-sided Jacobi (Hestenes 1958): V is turned until the columns of F V are orthogonal; F' F is
// never formed, so nothing is squared away. The rotation of each pair is chosen to put the longer
// column first (de Rijk 1989), which sorts on the way and speeds up graded matrices.
#ifndef PL_MATH_SVD3_H
#define PL_MATH_SVD3_H

#include "math/mat3.h"
#include "math/vec3w.h"

// Double, one matrix. |F - U diag(s) V'| <= 4e-15 |F|. False if F is not finite: then U = V = I, s
// = 0.
bool pl_svd3(pl_mat3 F, pl_mat3* U, double s[3], pl_mat3* V);

// The rotation whose first two columns are nearest to a and b; any that fits where these vanish.
pl_mat3 pl_svd3_frame(pl_vec3 a, pl_vec3 b);

typedef struct pl_svd3w {
    pl_mat3w U;
    pl_vec3w s;
    pl_mat3w V;
    pl_iw valid; // lanes whose input was finite; the others have U = V = I and s = 0
} pl_svd3w;

// Rotates columns p and q of B and V, p < q, so that those of B become orthogonal, the longer one
// first. Returns a mask of the lanes where they were not so already, to round-off. A mere exchange
// counts too, since it changes the pairs before this one.
PL_WIDE pl_iw pl_svd3_rotate_w(pl_mat3w* B, pl_mat3w* V, int p, int q) {
    pl_vec3w bp = pl_mat3_column_w(B, p), bq = pl_mat3_column_w(B, q);
    pl_fw alpha = pl_dot_w(bp, bp), beta = pl_dot_w(bq, bq), gamma = pl_dot_w(bp, bq);
    pl_fw difference = alpha - beta, twice = gamma + gamma;
    pl_fw r = pl_sqrt_w(pl_fma_w(difference, difference, twice * twice));
    // tan of the angle is y / x; columns too short to matter are only put in order
    pl_iw keeps_order = difference >= 0.0f;
    pl_iw matters = r > 1e-16f;
    pl_fw sum = pl_abs_w(difference) + r;
    pl_fw x = pl_select_w(keeps_order, sum, pl_abs_w(twice));
    pl_fw y = pl_select_w(keeps_order, twice, pl_copysign_w(sum, gamma));
    pl_fw zero = {0}, one = zero + 1.0f;
    x = pl_select_w(matters, x, pl_select_w(keeps_order, one, zero));
    y = pl_select_w(matters, y, pl_select_w(keeps_order, zero, one));
    pl_fw scale = 1.0f / pl_sqrt_w(pl_fma_w(x, x, y * y));
    pl_fw c = x * scale, s = y * scale;
    for (int i = 0; i < 9; i += 3) {
        pl_fw b = B->m[i + p], v = V->m[i + p];
        B->m[i + p] = pl_fma_w(c, b, s * B->m[i + q]);
        B->m[i + q] = pl_fma_w(c, B->m[i + q], -(s * b));
        V->m[i + p] = pl_fma_w(c, v, s * V->m[i + q]);
        V->m[i + q] = pl_fma_w(c, V->m[i + q], -(s * v));
    }
    return matters & (~keeps_order | (gamma * gamma > 1e-13f * (alpha * beta)));
}

// a / |a|, or fallback where the square of |a| is below least
PL_WIDE pl_vec3w pl_svd3_direction_w(pl_vec3w a, float least, pl_vec3w fallback) {
    pl_fw norm2 = pl_dot_w(a, a);
    pl_iw usable = norm2 > least;
    pl_fw scale = 1.0f / pl_sqrt_w(pl_select_w(usable, norm2, pl_splat_w(1.0f)));
    return pl_select_vec3_w(usable, pl_scale_w(scale, a), fallback);
}

// A unit vector orthogonal to the unit vector a: its cross product with the axis it is farthest
// from.
PL_WIDE pl_vec3w pl_svd3_orthogonal_w(pl_vec3w a) {
    pl_fw x = pl_abs_w(a.x), y = pl_abs_w(a.y), z = pl_abs_w(a.z), zero = {0};
    pl_vec3w with_x = {zero, a.z, -a.y}, with_y = {-a.z, zero, a.x}, with_z = {a.y, -a.x, zero};
    pl_vec3w c = pl_select_vec3_w(y < z, with_y, with_z);
    c = pl_select_vec3_w(x < pl_min_w(y, z), with_x, c);
    return pl_scale_w(1.0f / pl_sqrt_w(pl_dot_w(c, c)), c);
}

// The rotation whose first two columns are nearest to a and b; any that fits where these vanish.
PL_WIDE pl_mat3w pl_svd3_frame_w(pl_vec3w a, pl_vec3w b) {
    pl_vec3w u0 = pl_svd3_direction_w(a, 1e-30f, pl_splat_vec3_w(1.0f, 0.0f, 0.0f));
    pl_vec3w any = pl_svd3_orthogonal_w(u0);
    // twice: if the first subtraction left nothing but round-off, the second one removes it
    pl_vec3w u1 = pl_svd3_direction_w(pl_madd_w(b, -pl_dot_w(u0, b), u0), 1e-30f, any);
    u1 = pl_svd3_direction_w(pl_madd_w(u1, -pl_dot_w(u0, u1), u0), 0.5f, any);
    return pl_mat3_from_columns_w(u0, u1, pl_cross_w(u0, u1));
}

// Two powers of two whose product brings the largest entry to [1, 2); their inverses.
typedef struct pl_svd3_scale_w {
    pl_fw first, second, inverse_first, inverse_second;
} pl_svd3_scale_w;

PL_WIDE pl_svd3_scale_w pl_svd3_scaling_w(pl_fw largest) {
    pl_fw one = pl_splat_w(1.0f), up = pl_splat_w(0x1p80f), down = pl_splat_w(0x1p-80f);
    pl_iw small = largest<0x1p-60f, large = largest> 0x1p60f;
    pl_svd3_scale_w s;
    s.first = pl_select_w(small, up, pl_select_w(large, down, one));
    s.inverse_first = pl_select_w(small, down, pl_select_w(large, up, one));
    pl_fw middle = pl_select_w(largest > 0.0f, largest * s.first, one);
    pl_iw exponent = pl_bits_w(middle) & 0x7f800000;
    s.inverse_second = pl_from_bits_w(exponent);
    s.second = pl_from_bits_w((254 << 23) - exponent);
    return s;
}

// Float, one matrix in each lane. |F - U diag(s) V'| <= 2e-6 |F|.
PL_WIDE pl_svd3w pl_svd3_w(pl_mat3w F) {
    enum { MAX_SWEEPS = 8 };
    pl_svd3w d;
    pl_fw zero = {0};
    d.valid = pl_is_finite_w(F.m[0]);
    for (int i = 1; i < 9; i++) d.valid &= pl_is_finite_w(F.m[i]);
    for (int i = 0; i < 9; i++) F.m[i] = pl_select_w(d.valid, F.m[i], zero);
    pl_svd3_scale_w scale = pl_svd3_scaling_w(pl_mat3_max_abs_w(&F));
    for (int i = 0; i < 9; i++) F.m[i] = F.m[i] * scale.first * scale.second;

    pl_mat3w B = F, V = pl_mat3_identity_w();
    for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
        pl_iw turned = pl_svd3_rotate_w(&B, &V, 0, 1);
        turned |= pl_svd3_rotate_w(&B, &V, 0, 2);
        turned |= pl_svd3_rotate_w(&B, &V, 1, 2);
        if (!pl_any_w(turned)) break;
    }
    // removes accumulated round-off from V, then computes B from V again
    d.V = pl_svd3_frame_w(pl_mat3_column_w(&V, 0), pl_mat3_column_w(&V, 1));
    B = pl_mat3_mul_w(F, d.V);
    pl_vec3w b0 = pl_mat3_column_w(&B, 0), b1 = pl_mat3_column_w(&B, 1);
    d.U = pl_svd3_frame_w(b0, b1);
    pl_fw s0 = pl_dot_w(pl_mat3_column_w(&d.U, 0), b0);
    pl_fw s1 = pl_dot_w(pl_mat3_column_w(&d.U, 1), b1);
    pl_fw s2 = pl_dot_w(pl_mat3_column_w(&d.U, 2), pl_mat3_column_w(&B, 2));
    // round-off may have swapped equal ones
    s1 = pl_max_w(s1, pl_abs_w(s2));
    s0 = pl_max_w(s0, s1);
    pl_fw first = scale.inverse_first, second = scale.inverse_second;
    d.s = (pl_vec3w){s0 * second * first, s1 * second * first, s2 * second * first};
    return d;
}

#endif
