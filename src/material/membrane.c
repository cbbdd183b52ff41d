// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The double version of membrane.h; energy and stress directly from F where the law allows.
#include "material/membrane.h"

typedef struct membrane_svd {
    pl_mat3 U;
    double c, s, s0, s1;
} membrane_svd;

typedef struct membrane_slopes {
    double f1, f2, f4, f11, f22;
} membrane_slopes;

// F = U diag(s0, s1) V'
static membrane_svd decompose(pl_mat32 F) {
    double difference = pl_norm2(F.x) - pl_norm2(F.y), twice = 2.0 * pl_dot(F.x, F.y);
    double angle = 0.5 * atan2(twice, difference);
    membrane_svd d = {.c = cos(angle), .s = sin(angle)};
    pl_vec3 b0 = pl_madd(pl_scale(d.c, F.x), d.s, F.y);
    pl_vec3 b1 = pl_madd(pl_scale(d.c, F.y), -d.s, F.x);
    d.U = pl_svd3_frame(b0, b1);
    d.s0 = fmax(pl_dot(pl_mat3_column(&d.U, 0), b0), 0.0);
    d.s1 = fmax(pl_dot(pl_mat3_column(&d.U, 1), b1), 0.0);
    return d;
}

static double evaluate(const pl_membrane* m, const membrane_svd* d, membrane_slopes* f) {
    double s0 = d->s0, s1 = d->s1, I1 = s0 + s1, I2 = s0 * s0 + s1 * s1;
    double I4 = s0 * s0 * s0 * s0 + s1 * s1 * s1 * s1;
    if (m->kind == PL_MEMBRANE_STVK) {
        *f = (membrane_slopes){.f2 = 0.25 * m->lambda * (I2 - 2.0) - 0.5 * m->mu,
                               .f4 = 0.25 * m->mu,
                               .f22 = 0.25 * m->lambda};
        return 0.25 * m->mu * (I4 - 2.0 * I2 + 2.0) + 0.125 * m->lambda * (I2 - 2.0) * (I2 - 2.0);
    }
    double lambda = m->kind == PL_MEMBRANE_COROTATED ? m->lambda : 0.0;
    *f = (membrane_slopes){.f1 = lambda * (I1 - 2.0) - 2.0 * m->mu, .f2 = m->mu, .f11 = lambda};
    return m->mu * (I2 - 2.0 * I1 + 2.0) + 0.5 * lambda * (I1 - 2.0) * (I1 - 2.0);
}

double pl_membrane_energy(const pl_membrane* membrane, pl_mat32 F) {
    membrane_svd d = decompose(F);
    membrane_slopes f;
    return evaluate(membrane, &d, &f);
}

pl_mat32 pl_membrane_stress(const pl_membrane* membrane, pl_mat32 F) {
    membrane_svd d = decompose(F);
    membrane_slopes f;
    evaluate(membrane, &d, &f);
    double q0 = f.f1 + 2.0 * f.f2 * d.s0 + 4.0 * f.f4 * d.s0 * d.s0 * d.s0;
    double q1 = f.f1 + 2.0 * f.f2 * d.s1 + 4.0 * f.f4 * d.s1 * d.s1 * d.s1;
    pl_vec3 u0 = pl_scale(q0, pl_mat3_column(&d.U, 0)), u1 = pl_scale(q1, pl_mat3_column(&d.U, 1));
    return (pl_mat32){pl_madd(pl_scale(d.c, u0), -d.s, u1), pl_madd(pl_scale(d.s, u0), d.c, u1)};
}

static void project(pl_membrane_tangent* t) {
    double A[4] = {t->A[0], t->A[2], t->A[2], t->A[1]};
    double shear = t->same + t->cross, twist = t->same - t->cross;
    if (pl_symmetric_project(2, A)) t->A[0] = A[0], t->A[1] = A[3], t->A[2] = A[1];
    if (shear < 0.0) shear = 0.0;
    if (twist < 0.0) twist = 0.0;
    t->same = 0.5 * (shear + twist);
    t->cross = 0.5 * (shear - twist);
    for (int i = 0; i < 2; i++)
        if (t->out[i] < 0.0) t->out[i] = 0.0;
}

pl_membrane_tangent pl_membrane_principal(const pl_membrane* membrane, pl_mat32 F, bool projected) {
    membrane_svd d = decompose(F);
    membrane_slopes f;
    evaluate(membrane, &d, &f);
    double a = d.s0, b = d.s1, least = PL_MEMBRANE_MIN_STRETCH;
    double shear = 2.0 * f.f2 + 4.0 * f.f4 * (a * a + a * b + b * b);
    double twist =
        2.0 * f.f2 + 4.0 * f.f4 * (a * a - a * b + b * b) + 2.0 * f.f1 / fmax(a + b, least);
    pl_membrane_tangent t = {.U = d.U,
                             .c = d.c,
                             .s = d.s,
                             .A = {2.0 * f.f2 + f.f11 + (12.0 * f.f4 + 4.0 * f.f22) * a * a,
                                   2.0 * f.f2 + f.f11 + (12.0 * f.f4 + 4.0 * f.f22) * b * b,
                                   f.f11 + 4.0 * f.f22 * a * b},
                             .same = 0.5 * (shear + twist),
                             .cross = 0.5 * (shear - twist),
                             .out = {2.0 * f.f2 + 4.0 * f.f4 * a * a + f.f1 / fmax(a, least),
                                     2.0 * f.f2 + 4.0 * f.f4 * b * b + f.f1 / fmax(b, least)}};
    if (projected) project(&t);
    return t;
}

pl_mat3 pl_membrane_block(const pl_membrane_tangent* t, double ax, double ay, double bx,
                          double by) {
    double a0 = t->c * ax + t->s * ay, a1 = t->c * ay - t->s * ax;
    double b0 = t->c * bx + t->s * by, b1 = t->c * by - t->s * bx;
    pl_mat3 K = {{t->A[0] * a0 * b0 + t->same * a1 * b1, t->A[2] * a0 * b1 + t->cross * a1 * b0,
                  0.0, t->A[2] * a1 * b0 + t->cross * a0 * b1,
                  t->A[1] * a1 * b1 + t->same * a0 * b0, 0.0, 0.0, 0.0,
                  t->out[0] * a0 * b0 + t->out[1] * a1 * b1}};
    return pl_mat3_mult(pl_mat3_mul(t->U, K), t->U);
}
