// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Laws as functions of invariants of F, and what follows from them. With the principal stretches s
// (F = U diag(s) V', rotations U and V):
//     I1 = sum s = tr S,  I2 = sum s^2 = |F|^2,  J = s0 s1 s2 = det F,  I4 = sum s^4 = |F'F|^2.
// A law gives an energy and its derivatives f1 f2 f3 f4 (by I1 I2 J I4) and f11 f22 f33 f23 f34;
// the others are zero for all laws here. Then
//     P = f1 R + 2 f2 F + f3 cof F + 4 f4 F F'F,
// and with psi_i = f1 + 2 f2 s_i + f3 J/s_i + 4 f4 s_i^3 the tangent in the principal frame is
//     A_ij = d psi_i / d s_j,  shear_k = (psi_i - psi_j) / (s_i - s_j),
//     twist_k = (psi_i + psi_j) / (s_i + s_j),
// the eigensystem of Smith, de Goes and Kim 2019 (sections 4 and 5; "flip" is shear here), in which
// the quotients are divided out by hand: only f1 leaves a denominator, s_i + s_j, where the nearest
// rotation is not unique and the law has a kink; it is taken as at least PL_MIN_STRETCH_SUM.
// Projection sets negative eigenvalues of A, shear and twist to zero.
#ifndef PL_MATERIAL_ISOTROPIC_H
#define PL_MATERIAL_ISOTROPIC_H

#include "material/principal.h"
#include "math/svd3.h"

#define PL_MIN_STRETCH_SUM 1e-3

typedef struct pl_invariants {
    double I1, I2, J, I4;
} pl_invariants;

typedef struct pl_slopes {
    double f1, f2, f3, f4, f11, f22, f33, f23, f34;
} pl_slopes;

typedef struct pl_invariants_w {
    pl_fw I1, I2, J, I4;
} pl_invariants_w;

typedef struct pl_slopes_w {
    pl_fw f1, f2, f3, f4, f11, f22, f33, f23, f34;
} pl_slopes_w;

// Which derivatives a law has, and where it exists. A compile-time constant for each law, so that
// unused terms cost nothing.
enum {
    PL_USES_ROTATION = 1,
    PL_USES_VOLUME = 2,
    PL_USES_FOURTH = 4,
    PL_NEEDS_VOLUME = 8, // exists for det F > 0 only
    PL_HAS_NO_SPLIT = 16 // no volume term, so that it cannot be incompressible
};

// slopes of d + c v, c being a function of Phi with c = value and dc/dPhi = rate
static inline pl_slopes pl_slopes_add(pl_slopes d, double value, double rate, pl_slopes v) {
    return (pl_slopes){.f1 = d.f1 + value * v.f1,
                       .f2 = d.f2 + value * v.f2,
                       .f3 = d.f3 + value * v.f3,
                       .f4 = d.f4 + value * v.f4,
                       .f11 = d.f11 + value * v.f11 + rate * v.f1 * v.f1,
                       .f22 = d.f22 + value * v.f22 + rate * v.f2 * v.f2,
                       .f33 = d.f33 + value * v.f33 + rate * v.f3 * v.f3,
                       .f23 = d.f23,
                       .f34 = d.f34};
}
PL_WIDE pl_slopes_w pl_slopes_add_w(pl_slopes_w d, pl_fw value, pl_fw rate, pl_slopes_w v) {
    return (pl_slopes_w){.f1 = pl_fma_w(value, v.f1, d.f1),
                         .f2 = pl_fma_w(value, v.f2, d.f2),
                         .f3 = pl_fma_w(value, v.f3, d.f3),
                         .f4 = pl_fma_w(value, v.f4, d.f4),
                         .f11 = pl_fma_w(rate * v.f1, v.f1, pl_fma_w(value, v.f11, d.f11)),
                         .f22 = pl_fma_w(rate * v.f2, v.f2, pl_fma_w(value, v.f22, d.f22)),
                         .f33 = pl_fma_w(rate * v.f3, v.f3, pl_fma_w(value, v.f33, d.f33)),
                         .f23 = d.f23,
                         .f34 = d.f34};
}

// The invariants of F that a law uses; R is its rotation, read where uses has PL_USES_ROTATION.
pl_invariants pl_invariants_of(int uses, pl_mat3 F, pl_mat3 R);
pl_mat3 pl_isotropic_stress(int uses, const pl_slopes* f, pl_mat3 F, pl_mat3 R);
// U, V and s from pl_svd3.
pl_principal pl_isotropic_principal(const pl_slopes* f, pl_mat3 U, const double s[3], pl_mat3 V,
                                    bool projected);

PL_WIDE pl_invariants_w pl_invariants_of_w(int uses, const pl_mat3w* F, const pl_mat3w* R) {
    pl_invariants_w i = {.I2 = pl_mat3_dot_w(*F, *F)};
    // tr S - 3 without cancellation
    if (uses & PL_USES_ROTATION) i.I1 = pl_mat3_dot_w(*R, pl_mat3_sub_w(*F, *R)) + 3.0f;
    if (uses & PL_USES_VOLUME) i.J = pl_mat3_det_w(*F);
    if (uses & PL_USES_FOURTH) {
        pl_mat3w C = pl_mat3_tmul_w(*F, *F);
        i.I4 = pl_mat3_dot_w(C, C);
    }
    return i;
}

PL_WIDE pl_mat3w pl_isotropic_stress_w(int uses, const pl_slopes_w* f, const pl_mat3w* F,
                                       const pl_mat3w* R) {
    pl_mat3w P = pl_mat3_scale_w(2.0f * f->f2, *F);
    if (uses & PL_USES_ROTATION) P = pl_mat3_madd_w(P, f->f1, *R);
    if (uses & PL_USES_VOLUME) P = pl_mat3_madd_w(P, f->f3, pl_mat3_cofactor_w(*F));
    if (uses & PL_USES_FOURTH)
        P = pl_mat3_madd_w(P, 4.0f * f->f4, pl_mat3_mul_w(*F, pl_mat3_tmul_w(*F, *F)));
    return P;
}

// Row-wise upper triangle of A; see the opening comment.
PL_WIDE pl_sym3w pl_isotropic_stretching_w(int uses, const pl_slopes_w* f, const pl_fw s[3]) {
    static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    pl_fw j[3] = {s[1] * s[2], s[0] * s[2], s[0] * s[1]}, cubes[3];
    for (int i = 0; i < 3; i++) cubes[i] = s[i] * s[i] * s[i];
    pl_sym3w A;
    for (int k = 0; k < 6; k++) {
        int p = pairs[k][0], q = pairs[k][1];
        pl_fw a = 4.0f * f->f22 * (s[p] * s[q]);
        if (uses & PL_USES_ROTATION) a += f->f11;
        if (uses & PL_USES_VOLUME) a = pl_fma_w(f->f33, j[p] * j[q], a);
        if ((uses & PL_USES_FOURTH) && (uses & PL_USES_VOLUME)) {
            a = pl_fma_w(2.0f * f->f23, pl_fma_w(s[p], j[q], s[q] * j[p]), a);
            a = pl_fma_w(4.0f * f->f34, pl_fma_w(cubes[p], j[q], cubes[q] * j[p]), a);
        }
        if (p == q) a = pl_fma_w(pl_splat_w(2.0f), f->f2, a);
        if (p == q && (uses & PL_USES_FOURTH)) a = pl_fma_w(12.0f * f->f4, s[p] * s[p], a);
        if (p != q && (uses & PL_USES_VOLUME)) a = pl_fma_w(f->f3, s[3 - p - q], a);
        A.m[k] = a;
    }
    return A;
}

PL_WIDE void pl_project_stretching_w(pl_sym3w* A, float part) {
    if (part <= 0.0f) return;
    const pl_sym3w raw = *A;
    pl_sym3_project_w(A);
    for (int k = 0; part < 1.0f && k < 6; k++)
        A->m[k] = pl_fma_w(pl_splat_w(part), A->m[k] - raw.m[k], raw.m[k]);
}

// The rotation-free part of shear and twist for the pair that leaves out k, and the twist of f1.
PL_WIDE void pl_isotropic_pair_w(int uses, const pl_slopes_w* f, const pl_fw s[3], int k,
                                 float projected, pl_principal_w* out) {
    pl_fw a = s[k == 0 ? 1 : 0], b = s[k == 2 ? 1 : 2];
    pl_fw shear = 2.0f * f->f2, twist = shear;
    if (uses & PL_USES_VOLUME) {
        shear = pl_fnma_w(f->f3, s[k], shear);
        twist = pl_fma_w(f->f3, s[k], twist);
    }
    if (uses & PL_USES_FOURTH) {
        pl_fw squares = pl_fma_w(a, a, b * b), product = a * b, four = 4.0f * f->f4;
        shear = pl_fma_w(four, squares + product, shear);
        twist = pl_fma_w(four, squares - product, twist);
    }
    if (uses & PL_USES_ROTATION)
        twist += 2.0f * f->f1 / pl_max_w(a + b, pl_splat_w((float)PL_MIN_STRETCH_SUM));
    shear = pl_project_w(shear, projected);
    twist = pl_project_w(twist, projected);
    out->same[k] = 0.5f * (shear + twist);
    out->cross[k] = 0.5f * (shear - twist);
}

PL_WIDE void pl_isotropic_principal_w(int uses, const pl_slopes_w* f, const pl_svd3w* d,
                                      float projected, pl_principal_w* out) {
    const pl_fw s[3] = {d->s.x, d->s.y, d->s.z};
    out->U = d->U;
    out->V = d->V;
    out->A = pl_isotropic_stretching_w(uses, f, s);
    pl_project_stretching_w(&out->A, projected);
    for (int k = 0; k < 3; k++) pl_isotropic_pair_w(uses, f, s, k, projected, out);
}

#endif
