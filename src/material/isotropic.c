// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The double version of isotropic.h.
#include "material/isotropic.h"

pl_invariants pl_invariants_of(int uses, pl_mat3 F, pl_mat3 R) {
    pl_invariants i = {.I2 = pl_mat3_dot(F, F)};
    if (uses & PL_USES_ROTATION) i.I1 = pl_mat3_dot(R, F);
    if (uses & PL_USES_VOLUME) i.J = pl_mat3_det(F);
    if (uses & PL_USES_FOURTH) {
        pl_mat3 C = pl_mat3_tmul(F, F);
        i.I4 = pl_mat3_dot(C, C);
    }
    return i;
}

pl_mat3 pl_isotropic_stress(int uses, const pl_slopes* f, pl_mat3 F, pl_mat3 R) {
    pl_mat3 P = pl_mat3_scale(2.0 * f->f2, F);
    if (uses & PL_USES_ROTATION) P = pl_mat3_madd(P, f->f1, R);
    if (uses & PL_USES_VOLUME) P = pl_mat3_madd(P, f->f3, pl_mat3_cofactor(F));
    if (uses & PL_USES_FOURTH) P = pl_mat3_madd(P, 4.0 * f->f4, pl_mat3_mul(F, pl_mat3_tmul(F, F)));
    return P;
}

// d psi_p / d s_q
static double stretching(const pl_slopes* f, const double s[3], int p, int q) {
    double j[3] = {s[1] * s[2], s[0] * s[2], s[0] * s[1]};
    double p3 = s[p] * s[p] * s[p], q3 = s[q] * s[q] * s[q];
    double a = f->f11 + 4.0 * f->f22 * s[p] * s[q] + f->f33 * j[p] * j[q] +
               2.0 * f->f23 * (s[p] * j[q] + s[q] * j[p]) + 4.0 * f->f34 * (p3 * j[q] + q3 * j[p]);
    return a + (p == q ? 2.0 * f->f2 + 12.0 * f->f4 * s[p] * s[p] : f->f3 * s[3 - p - q]);
}

static void project_stretching(double A[6]) {
    pl_mat3 a = {{A[0], A[3], A[4], A[3], A[1], A[5], A[4], A[5], A[2]}}, V;
    double minor = A[0] * A[1] - A[3] * A[3], values[3];
    if (A[0] > 0.0 && minor > 0.0 && pl_mat3_det(a) > 0.0) return;
    if (!pl_mat3_eigen(a, values, &V)) return;
    pl_mat3 D = pl_mat3_diagonal(fmax(values[0], 0.0), fmax(values[1], 0.0), fmax(values[2], 0.0));
    a = pl_mat3_mult(pl_mat3_mul(V, D), V);
    A[0] = a.m[0], A[1] = a.m[4], A[2] = a.m[8], A[3] = a.m[1], A[4] = a.m[2], A[5] = a.m[5];
}

pl_principal pl_isotropic_principal(const pl_slopes* f, pl_mat3 U, const double s[3], pl_mat3 V,
                                    bool projected) {
    static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    pl_principal out = {.U = U, .V = V};
    for (int k = 0; k < 6; k++) out.A[k] = stretching(f, s, pairs[k][0], pairs[k][1]);
    if (projected) project_stretching(out.A);
    for (int k = 0; k < 3; k++) {
        double a = s[k == 0 ? 1 : 0], b = s[k == 2 ? 1 : 2];
        double shear = 2.0 * f->f2 - f->f3 * s[k] + 4.0 * f->f4 * (a * a + a * b + b * b);
        double twist = 2.0 * f->f2 + f->f3 * s[k] + 4.0 * f->f4 * (a * a - a * b + b * b) +
                       2.0 * f->f1 / fmax(a + b, PL_MIN_STRETCH_SUM);
        // not fmax, which would drop a NaN
        if (projected && shear < 0.0) shear = 0.0;
        if (projected && twist < 0.0) twist = 0.0;
        out.same[k] = 0.5 * (shear + twist);
        out.cross[k] = 0.5 * (shear - twist);
    }
    return out;
}
