// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Polar decomposition F = R S: R is the rotation nearest to F (the one that makes tr(R' F)
// largest), S is symmetric. R is always a proper rotation, so an inverted F has an S with a
// negative eigenvalue, the smallest in size. Where the nearest rotation is not unique (rank below
// 2, or a reflection with two equal smallest stretches) it is one of the nearest.
//
// The fast way is Newton's method on the rotation group, from a quaternion kept from the last step:
// with M = R' F, the turn w that improves R solves (tr(M) I - sym M) w = axial(M), as in the
// analytic polar decomposition of Kugelstadt, Koschier and Bender 2018 (section 3). It converges
// quadratically: from 0.02 rad one iteration, from 0.1 rad two reach float accuracy at stretches
// around 1. A local maximum of tr(R' F) over rotations is the global one, so a small gradient with
// a positive definite matrix proves the result; where that fails, the robust way is U V' from svd3.
#ifndef PL_MATH_POLAR_H
#define PL_MATH_POLAR_H

#include "math/svd3.h"

// Double, one matrix, no start needed. S may be NULL. |R S - F| and the distance of R from a
// rotation are at most 4e-15 (relative to |F|). False if F is not finite: then R = S = I.
bool pl_polar(pl_mat3 F, pl_mat3* R, pl_mat3* S);

// The same rotation, starting from the unit quaternion q, which is updated. Every q gives the same
// result up to round-off, even one that is far off or not finite. Faster than pl_polar if q is
// near.
bool pl_polar_warm(pl_mat3 F, pl_quat* q, pl_mat3* R);

// A number of Newton iterations from q, with no check at all.
void pl_polar_newton(const pl_mat3* F, pl_quat* q, int iterations, pl_mat3* R);

// A unit quaternion of the rotation in each lane.
PL_WIDE pl_quatw pl_quat_from_mat3_w(const pl_mat3w* rotation) {
    const pl_fw* m = rotation->m;
    pl_fw xx = 1.0f + m[0] - m[4] - m[8], yy = 1.0f - m[0] + m[4] - m[8];
    pl_fw zz = 1.0f - m[0] - m[4] + m[8], ww = 1.0f + m[0] + m[4] + m[8];
    pl_fw xy = m[3] + m[1], xz = m[2] + m[6], yz = m[7] + m[5];
    pl_fw wx = m[7] - m[5], wy = m[2] - m[6], wz = m[3] - m[1];
    // each row is a multiple of the quaternion: take the one with the largest square
    pl_iw by_x = xx > yy, by_z = zz > ww;
    pl_fw larger_xy = pl_select_w(by_x, xx, yy), larger_zw = pl_select_w(by_z, zz, ww);
    pl_iw by_xy = larger_xy > larger_zw;
    pl_quatw q;
    q.x = pl_select_w(by_xy, pl_select_w(by_x, xx, xy), pl_select_w(by_z, xz, wx));
    q.y = pl_select_w(by_xy, pl_select_w(by_x, xy, yy), pl_select_w(by_z, yz, wy));
    q.z = pl_select_w(by_xy, pl_select_w(by_x, xz, yz), pl_select_w(by_z, zz, wz));
    q.w = pl_select_w(by_xy, pl_select_w(by_x, wx, wy), pl_select_w(by_z, wz, ww));
    pl_fw norm2 = pl_fma_w(q.x, q.x, pl_fma_w(q.y, q.y, pl_fma_w(q.z, q.z, q.w * q.w)));
    pl_fw scale = 1.0f / pl_sqrt_w(norm2);
    return (pl_quatw){scale * q.x, scale * q.y, scale * q.z, scale * q.w};
}

// One Newton iteration, R being the rotation of q. Keeps q a unit quaternion to 4e-7.
PL_WIDE pl_quatw pl_polar_step_w(const pl_mat3w* F, pl_mat3w R, pl_quatw q) {
    const pl_mat3w M = pl_mat3_tmul_w(R, *F);
    const pl_fw* m = M.m;
    // H w = g, where g is twice the axial vector of M and H = tr(M) I - sym(M)
    pl_fw g0 = m[7] - m[5], g1 = m[2] - m[6], g2 = m[3] - m[1];
    pl_fw h00 = m[4] + m[8], h11 = m[0] + m[8], h22 = m[0] + m[4];
    pl_fw h01 = -0.5f * (m[1] + m[3]), h02 = -0.5f * (m[2] + m[6]), h12 = -0.5f * (m[5] + m[7]);
    pl_fw c00 = pl_fma_w(h11, h22, -(h12 * h12)), c01 = pl_fma_w(h02, h12, -(h01 * h22));
    pl_fw c02 = pl_fma_w(h01, h12, -(h02 * h11)), c11 = pl_fma_w(h00, h22, -(h02 * h02));
    pl_fw c12 = pl_fma_w(h01, h02, -(h00 * h12)), c22 = pl_fma_w(h00, h11, -(h01 * h01));
    pl_fw det = pl_fma_w(h00, c00, pl_fma_w(h01, c01, h02 * c02));
    pl_fw trace = h00 + h11 + h22;
    // half the turn, by Cramer's rule where H is definite enough, else along the gradient; entries
    // are clamped to one half, about one radian
    pl_iw definite = (det > 1e-4f * (trace * trace * trace)) & (trace > 0.0f);
    pl_fw w0 = pl_select_w(definite, pl_fma_w(c00, g0, pl_fma_w(c01, g1, c02 * g2)), g0);
    pl_fw w1 = pl_select_w(definite, pl_fma_w(c01, g0, pl_fma_w(c11, g1, c12 * g2)), g1);
    pl_fw w2 = pl_select_w(definite, pl_fma_w(c02, g0, pl_fma_w(c12, g1, c22 * g2)), g2);
    pl_fw size = pl_max_w(pl_max_w(pl_abs_w(w0), pl_abs_w(w1)), pl_abs_w(w2));
    pl_fw scale = 0.5f / pl_max_w(pl_select_w(definite, det, 1.0f + pl_abs_w(trace)), size);
    w0 *= scale, w1 *= scale, w2 *= scale;
    // q (1 + w): the turn is on the right since M = R' F. The length is |q| sqrt(1 + w w); both
    // factors are known before the product is. |q| is near 1.
    pl_fw length2 = pl_fma_w(q.x, q.x, pl_fma_w(q.y, q.y, pl_fma_w(q.z, q.z, q.w * q.w)));
    pl_fw growth2 = pl_fma_w(w0, w0, pl_fma_w(w1, w1, pl_fma_w(w2, w2, pl_splat_w(1.0f))));
    scale = pl_rsqrt_w(growth2) * pl_fnma_w(pl_splat_w(0.5f), length2, pl_splat_w(1.5f));
    pl_quatw r = {pl_fma_w(q.w, w0, pl_fma_w(q.y, w2, pl_fnma_w(q.z, w1, q.x))),
                  pl_fma_w(q.w, w1, pl_fma_w(q.z, w0, pl_fnma_w(q.x, w2, q.y))),
                  pl_fma_w(q.w, w2, pl_fma_w(q.x, w1, pl_fnma_w(q.y, w0, q.z))),
                  pl_fnma_w(q.x, w0, pl_fnma_w(q.y, w1, pl_fnma_w(q.z, w2, q.w)))};
    return (pl_quatw){scale * r.x, scale * r.y, scale * r.z, scale * r.w};
}

// Newton iterations from the unit quaternion q, which is updated; returns R. For F of size around 1
// (0.01 to 100); the result is not checked.
PL_WIDE pl_mat3w pl_polar_newton_w(const pl_mat3w* F, pl_quatw* q, int iterations) {
    pl_mat3w R = pl_quat_to_mat3_w(*q);
    for (int i = 0; i < iterations; i++) {
        *q = pl_polar_step_w(F, R, *q);
        R = pl_quat_to_mat3_w(*q);
    }
    return R;
}

// Lanes where R is proved to be the nearest rotation, to about 1e-6 rad.
PL_WIDE pl_iw pl_polar_check_w(const pl_mat3w* F, const pl_mat3w* R) {
    const pl_mat3w M = pl_mat3_tmul_w(*R, *F);
    const pl_fw* m = M.m;
    pl_fw g0 = m[7] - m[5], g1 = m[2] - m[6], g2 = m[3] - m[1];
    pl_fw h00 = m[4] + m[8], h11 = m[0] + m[8], h22 = m[0] + m[4], trace = h00 + h11 + h22;
    pl_fw h01 = -0.5f * (m[1] + m[3]), h02 = -0.5f * (m[2] + m[6]), h12 = -0.5f * (m[5] + m[7]);
    pl_fw c00 = pl_fma_w(h11, h22, -(h12 * h12)), c22 = pl_fma_w(h00, h11, -(h01 * h01));
    pl_fw c01 = pl_fma_w(h02, h12, -(h01 * h22)), c02 = pl_fma_w(h01, h12, -(h02 * h11));
    pl_fw det = pl_fma_w(h00, c00, pl_fma_w(h01, c01, h02 * c02));
    pl_fw g = pl_fma_w(g0, g0, pl_fma_w(g1, g1, g2 * g2));
    pl_fw trace3 = trace * trace * trace;
    return (g < 4e-13f * (trace * trace)) & (det > 1e-3f * trace3) & (det < 1e30f) & (c22 > 0.0f) &
           (h00 > 0.0f) & (trace3 > 1e-30f);
}

// R from the singular value decomposition: for any F, without a start. Returns a mask of the lanes
// with finite input; the others get the identity.
PL_WIDE pl_iw pl_polar_cold_w(const pl_mat3w* F, pl_quatw* q, pl_mat3w* R) {
    pl_svd3w d = pl_svd3_w(*F);
    *R = pl_mat3_mult_w(d.U, d.V);
    *q = pl_quat_from_mat3_w(R);
    return d.valid;
}

static __attribute__((noinline, unused)) pl_iw pl_polar_repair_w(pl_iw good, const pl_mat3w* F,
                                                                 pl_quatw* q, pl_mat3w* R) {
    pl_mat3w cold;
    pl_quatw p;
    pl_iw valid = pl_polar_cold_w(F, &p, &cold);
    *R = pl_mat3_select_w(good, *R, cold);
    q->x = pl_select_w(good, q->x, p.x);
    q->y = pl_select_w(good, q->y, p.y);
    q->z = pl_select_w(good, q->z, p.z);
    q->w = pl_select_w(good, q->w, p.w);
    return valid;
}

// Both fast and robust: two Newton iterations from q, which is updated and may be anything. Lanes
// that do not converge are computed again from scratch. Error of R: 2e-6 |F| / (s1 + s2), where s1
// + s2 is the sum of the two smaller (signed) stretches. Returns a mask of the lanes with finite
// input; the others get the identity.
PL_WIDE pl_iw pl_polar_w(const pl_mat3w* F, pl_quatw* q, pl_mat3w* R) {
    *R = pl_polar_newton_w(F, q, 2);
    pl_iw good = pl_polar_check_w(F, R);
    if (pl_all_w(good)) return good;
    return pl_polar_repair_w(good, F, q, R);
}

#endif
