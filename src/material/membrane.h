// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Elastic triangles in space: laws of the 3 x 2 deformation gradient F, energy per rest area. With
// the stretches s0, s1 >= 0 and I1 = s0 + s1, I2 = s0^2 + s1^2, I4 = s0^4 + s1^4:
//     StVK       mu/4 (I4 - 2 I2 + 2) + lambda/8 (I2 - 2)^2   (Green strain, as for solids)
//     ARAP       mu (I2 - 2 I1 + 2) = mu |F - R|^2            (R: the nearest orthonormal frame)
//     corotated  ARAP + lambda/2 (I1 - 2)^2
// The tangent has a principal form as in principal.h, with two more eigenvalues psi_i / s_i for
// motion out of the plane. These are negative under compression, which makes cloth buckle.
#ifndef PL_MATERIAL_MEMBRANE_H
#define PL_MATERIAL_MEMBRANE_H

#include "base/fail.h"
#include "math/svd3.h"
#include "math/symmetric.h"

// Smallest stretch in the denominators of ARAP and corotated, whose energy has a kink at 0.
#define PL_MEMBRANE_MIN_STRETCH 1e-3

typedef enum pl_membrane_kind {
    PL_MEMBRANE_STVK,
    PL_MEMBRANE_ARAP,
    PL_MEMBRANE_COROTATED,
    PL_MEMBRANE_COUNT
} pl_membrane_kind;

typedef struct pl_membrane {
    pl_membrane_kind kind;
    double mu, lambda; // [N/m]
} pl_membrane;

// The two columns of a 3 x 2 matrix.
typedef struct pl_mat32 {
    pl_vec3 x, y;
} pl_mat32;

// In the frame U (third column: the normal) and V = (c -s; s c):
// dQ_00 = A[0] dG_00 + A[2] dG_11, dQ_11 = A[2] dG_00 + A[1] dG_11, dQ_01 = same dG_01 + cross
// dG_10 and the other way round, dQ_2j = out[j] dG_2j.
typedef struct pl_membrane_tangent {
    pl_mat3 U;
    double c, s;
    double A[3], same, cross, out[2];
} pl_membrane_tangent;

double pl_membrane_energy(const pl_membrane* membrane, pl_mat32 F);
pl_mat32 pl_membrane_stress(const pl_membrane* membrane, pl_mat32 F);
pl_membrane_tangent pl_membrane_principal(const pl_membrane* membrane, pl_mat32 F, bool projected);
// The stiffness between two vertices with rest gradients (ax, ay) and (bx, by), per rest area.
pl_mat3 pl_membrane_block(const pl_membrane_tangent* t, double ax, double ay, double bx, double by);

// The same in float for PL_LANES triangles of one kind.
typedef struct pl_membrane_w {
    pl_fw mu, lambda;
} pl_membrane_w;

typedef struct pl_mat32w {
    pl_vec3w x, y;
} pl_mat32w;

typedef struct pl_membrane_tangent_w {
    pl_mat3w U;
    pl_fw c, s;
    pl_fw A[3], same, cross, out[2];
} pl_membrane_tangent_w;

// F = U diag(s0, s1) V', both stretches at least 0: one rotation makes two columns orthogonal.
typedef struct pl_membrane_svd_w {
    pl_mat3w U;
    pl_fw c, s, s0, s1;
} pl_membrane_svd_w;

typedef struct pl_membrane_slopes_w {
    pl_fw f1, f2, f4, f11, f22;
} pl_membrane_slopes_w;

PL_WIDE pl_membrane_svd_w pl_membrane_decompose_w(const pl_mat32w* F) {
    pl_fw xx = pl_dot_w(F->x, F->x), yy = pl_dot_w(F->y, F->y), xy = pl_dot_w(F->x, F->y);
    pl_fw difference = xx - yy, twice = xy + xy, zero = {0}, one = zero + 1.0f;
    pl_fw r = pl_sqrt_w(pl_fma_w(difference, difference, twice * twice));
    pl_iw keeps_order = difference >= 0.0f;
    pl_fw sum = pl_abs_w(difference) + r;
    pl_fw c = pl_select_w(keeps_order, sum, pl_abs_w(twice));
    pl_fw s = pl_select_w(keeps_order, twice, pl_copysign_w(sum, xy));
    pl_fw norm2 = pl_fma_w(c, c, s * s);
    pl_iw usable = norm2 > 1e-35f;
    pl_fw scale = 1.0f / pl_sqrt_w(pl_select_w(usable, norm2, one));
    pl_membrane_svd_w d = {.c = pl_select_w(usable, c * scale, one),
                           .s = pl_select_w(usable, s * scale, zero)};
    pl_vec3w b0 = pl_madd_w(pl_scale_w(d.c, F->x), d.s, F->y);
    pl_vec3w b1 = pl_madd_w(pl_scale_w(d.c, F->y), -d.s, F->x);
    d.U = pl_svd3_frame_w(b0, b1);
    d.s0 = pl_max_w(pl_dot_w(pl_mat3_column_w(&d.U, 0), b0), zero);
    d.s1 = pl_max_w(pl_dot_w(pl_mat3_column_w(&d.U, 1), b1), zero);
    return d;
}

PL_WIDE pl_fw pl_membrane_evaluate_w(pl_membrane_kind kind, const pl_membrane_w* m, pl_fw s0,
                                     pl_fw s1, pl_membrane_slopes_w* f) {
    pl_fw I2 = pl_fma_w(s0, s0, s1 * s1);
    if (kind == PL_MEMBRANE_STVK) {
        pl_fw e0 = 0.5f * pl_fma_w(s0, s0, pl_splat_w(-1.0f));
        pl_fw e1 = 0.5f * pl_fma_w(s1, s1, pl_splat_w(-1.0f)), trace = e0 + e1;
        *f = (pl_membrane_slopes_w){.f2 = 0.25f * m->lambda * (I2 - 2.0f) - 0.5f * m->mu,
                                    .f4 = 0.25f * m->mu,
                                    .f22 = 0.25f * m->lambda};
        return m->mu * pl_fma_w(e0, e0, e1 * e1) + 0.5f * m->lambda * (trace * trace);
    }
    pl_fw e0 = s0 - 1.0f, e1 = s1 - 1.0f, trace = e0 + e1;
    pl_fw energy = m->mu * pl_fma_w(e0, e0, e1 * e1);
    *f = (pl_membrane_slopes_w){.f1 = -2.0f * m->mu, .f2 = m->mu};
    if (kind == PL_MEMBRANE_COROTATED) {
        f->f1 = pl_fma_w(m->lambda, trace, f->f1);
        f->f11 = m->lambda;
        energy = pl_fma_w(0.5f * m->lambda * trace, trace, energy);
    }
    return energy;
}

// The stress and, where wanted, the projected tangent.
PL_WIDE pl_mat32w pl_membrane_stress_w(pl_membrane_kind kind, const pl_membrane_w* m,
                                       const pl_mat32w* F, float projected,
                                       pl_membrane_tangent_w* tangent) {
    pl_membrane_svd_w d = pl_membrane_decompose_w(F);
    pl_membrane_slopes_w f;
    pl_membrane_evaluate_w(kind, m, d.s0, d.s1, &f);
    // psi_i in the frame, then rotated back
    pl_fw four = 4.0f * f.f4, two = 2.0f * f.f2;
    pl_fw q0 = pl_fma_w(pl_fma_w(four * d.s0, d.s0, two), d.s0, f.f1);
    pl_fw q1 = pl_fma_w(pl_fma_w(four * d.s1, d.s1, two), d.s1, f.f1);
    pl_vec3w u0 = pl_scale_w(q0, pl_mat3_column_w(&d.U, 0));
    pl_vec3w u1 = pl_scale_w(q1, pl_mat3_column_w(&d.U, 1));
    pl_mat32w P = {pl_madd_w(pl_scale_w(d.c, u0), -d.s, u1),
                   pl_madd_w(pl_scale_w(d.s, u0), d.c, u1)};
    if (!tangent) return P;
    pl_fw ss = pl_fma_w(d.s0, d.s0, d.s1 * d.s1), product = d.s0 * d.s1;
    pl_fw least = pl_splat_w((float)PL_MEMBRANE_MIN_STRETCH);
    pl_fw shear = pl_fma_w(four, ss + product, two), twist = pl_fma_w(four, ss - product, two);
    twist += 2.0f * f.f1 / pl_max_w(d.s0 + d.s1, least);
    shear = pl_project_w(shear, projected), twist = pl_project_w(twist, projected);
    *tangent = (pl_membrane_tangent_w){.U = d.U, .c = d.c, .s = d.s};
    tangent->same = 0.5f * (shear + twist);
    tangent->cross = 0.5f * (shear - twist);
    pl_fw out0 = pl_fma_w(four * d.s0, d.s0, two) + f.f1 / pl_max_w(d.s0, least);
    pl_fw out1 = pl_fma_w(four * d.s1, d.s1, two) + f.f1 / pl_max_w(d.s1, least);
    tangent->out[0] = pl_project_w(out0, projected);
    tangent->out[1] = pl_project_w(out1, projected);
    // A, its two eigenvalues projected: A = mean I + (half, off; off, -half)
    pl_fw three = 12.0f * f.f4, curve = 4.0f * f.f22;
    pl_fw a0 = two + f.f11 + (three + curve) * (d.s0 * d.s0);
    pl_fw a1 = two + f.f11 + (three + curve) * (d.s1 * d.s1);
    pl_fw off = pl_fma_w(curve, product, f.f11);
    pl_fw mean = 0.5f * (a0 + a1), half = 0.5f * (a0 - a1);
    pl_fw radius = pl_sqrt_w(pl_fma_w(half, half, off * off));
    pl_fw high = pl_project_w(mean + radius, projected);
    pl_fw low = pl_project_w(mean - radius, projected);
    pl_fw new_mean = 0.5f * (high + low);
    pl_iw negative = mean < radius;
    pl_fw ratio = 0.5f * (high - low) / pl_select_w(radius > 0.0f, radius, pl_splat_w(1.0f));
    tangent->A[0] = pl_select_w(negative, pl_fma_w(ratio, half, new_mean), a0);
    tangent->A[1] = pl_select_w(negative, pl_fnma_w(ratio, half, new_mean), a1);
    tangent->A[2] = pl_select_w(negative, ratio * off, off);
    return P;
}

// As pl_membrane_block.
PL_WIDE pl_mat3w pl_membrane_block_w(const pl_membrane_tangent_w* t, pl_fw ax, pl_fw ay, pl_fw bx,
                                     pl_fw by) {
    pl_fw a0 = pl_fma_w(t->c, ax, t->s * ay), a1 = pl_fma_w(t->c, ay, -(t->s * ax));
    pl_fw b0 = pl_fma_w(t->c, bx, t->s * by), b1 = pl_fma_w(t->c, by, -(t->s * bx));
    pl_fw p00 = a0 * b0, p11 = a1 * b1, p01 = a0 * b1, p10 = a1 * b0, zero = {0};
    pl_mat3w K = {{pl_fma_w(t->A[0], p00, t->same * p11), pl_fma_w(t->A[2], p01, t->cross * p10),
                   zero, pl_fma_w(t->A[2], p10, t->cross * p01),
                   pl_fma_w(t->A[1], p11, t->same * p00), zero, zero, zero,
                   pl_fma_w(t->out[0], p00, t->out[1] * p11)}};
    return pl_mat3_mult_w(pl_mat3_mul_w(t->U, K), t->U);
}

#endif
