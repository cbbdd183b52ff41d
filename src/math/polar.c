// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The double version of polar.h.
#include "math/polar.h"

bool pl_polar(pl_mat3 F, pl_mat3* R, pl_mat3* S) {
    pl_mat3 U, V;
    double s[3];
    bool valid = pl_svd3(F, &U, s, &V);
    *R = pl_mat3_mult(U, V);
    if (!S) return valid;
    if (!valid) s[0] = s[1] = s[2] = 1.0;
    *S = pl_mat3_mult(pl_mat3_mul(V, pl_mat3_diagonal(s[0], s[1], s[2])), V);
    S->m[3] = S->m[1], S->m[6] = S->m[2], S->m[7] = S->m[5];
    return valid;
}

// H = tr(M) I - sym(M) and g, twice the axial vector of M: the Newton system of one turn.
typedef struct turn_system {
    double h00, h11, h22, h01, h02, h12, g0, g1, g2;
    double c00, c01, c02, c11, c12, c22, det, trace;
} turn_system;

static turn_system make_turn_system(const pl_mat3* F, const pl_mat3* R) {
    const pl_mat3 M = pl_mat3_tmul(*R, *F);
    const double* m = M.m;
    turn_system t = {.g0 = m[7] - m[5], .g1 = m[2] - m[6], .g2 = m[3] - m[1]};
    t.h00 = m[4] + m[8], t.h11 = m[0] + m[8], t.h22 = m[0] + m[4];
    t.h01 = -0.5 * (m[1] + m[3]), t.h02 = -0.5 * (m[2] + m[6]), t.h12 = -0.5 * (m[5] + m[7]);
    t.c00 = t.h11 * t.h22 - t.h12 * t.h12, t.c01 = t.h02 * t.h12 - t.h01 * t.h22;
    t.c02 = t.h01 * t.h12 - t.h02 * t.h11, t.c11 = t.h00 * t.h22 - t.h02 * t.h02;
    t.c12 = t.h01 * t.h02 - t.h00 * t.h12, t.c22 = t.h00 * t.h11 - t.h01 * t.h01;
    t.det = t.h00 * t.c00 + t.h01 * t.c01 + t.h02 * t.c02;
    t.trace = t.h00 + t.h11 + t.h22;
    return t;
}

// q (1 + w), normalised, w being half the turn that solves the system
static pl_quat turn(const turn_system* t, pl_quat q) {
    bool definite = t->trace > 0.0 && t->det > 1e-4 * (t->trace * t->trace * t->trace);
    double scale = definite ? 0.5 / t->det : 0.5 / (1.0 + fabs(t->trace));
    double w0 = definite ? t->c00 * t->g0 + t->c01 * t->g1 + t->c02 * t->g2 : t->g0;
    double w1 = definite ? t->c01 * t->g0 + t->c11 * t->g1 + t->c12 * t->g2 : t->g1;
    double w2 = definite ? t->c02 * t->g0 + t->c12 * t->g1 + t->c22 * t->g2 : t->g2;
    double norm2 = scale * scale * (w0 * w0 + w1 * w1 + w2 * w2);
    if (norm2 > 0.25) scale *= 0.5 / sqrt(norm2);
    w0 *= scale, w1 *= scale, w2 *= scale;
    pl_quat r = {q.x + q.w * w0 + q.y * w2 - q.z * w1, q.y + q.w * w1 + q.z * w0 - q.x * w2,
                 q.z + q.w * w2 + q.x * w1 - q.y * w0, q.w - q.x * w0 - q.y * w1 - q.z * w2};
    scale = 1.0 / sqrt(r.x * r.x + r.y * r.y + r.z * r.z + r.w * r.w);
    return (pl_quat){scale * r.x, scale * r.y, scale * r.z, scale * r.w};
}

void pl_polar_newton(const pl_mat3* F, pl_quat* q, int iterations, pl_mat3* R) {
    *R = pl_quat_to_mat3(*q);
    for (int i = 0; i < iterations; i++) {
        turn_system system = make_turn_system(F, R);
        *q = turn(&system, *q);
        *R = pl_quat_to_mat3(*q);
    }
}

bool pl_polar_warm(pl_mat3 F, pl_quat* q, pl_mat3* R) {
    enum { MAX_ITERATIONS = 6 };
    *R = pl_quat_to_mat3(*q);
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        turn_system t = make_turn_system(&F, R);
        double g2 = t.g0 * t.g0 + t.g1 * t.g1 + t.g2 * t.g2, trace2 = t.trace * t.trace;
        bool proved = t.h00 > 0.0 && t.c22 > 0.0 && t.det > 1e-3 * t.trace * trace2 &&
                      trace2 > 1e-60 && t.det < 1e200;
        *q = turn(&t, *q);
        *R = pl_quat_to_mat3(*q);
        // an error of g before the step leaves its square after it: below round-off
        if (proved && g2 < 1e-20 * trace2) return true;
    }
    bool valid = pl_polar(F, R, NULL);
    *q = pl_quat_from_mat3(*R);
    return valid;
}
