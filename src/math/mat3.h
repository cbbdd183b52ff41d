// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// 3 x 3 matrices and quaternions of doubles, by value.
#ifndef PL_MATH_MAT3_H
#define PL_MATH_MAT3_H

#include "math/vec3.h"

#include <stdbool.h>

// Row-major: row i, column j at m[3 i + j].
typedef struct pl_mat3 {
    double m[9];
} pl_mat3;

// x y z is the vector part; unit quaternions are rotations, q and -q the same one.
typedef struct pl_quat {
    double x, y, z, w;
} pl_quat;

static inline pl_mat3 pl_mat3_diagonal(double a, double b, double c) {
    return (pl_mat3){{a, 0.0, 0.0, 0.0, b, 0.0, 0.0, 0.0, c}};
}
static inline pl_mat3 pl_mat3_identity(void) { return pl_mat3_diagonal(1.0, 1.0, 1.0); }
static inline pl_vec3 pl_mat3_column(const pl_mat3* a, int j) {
    return (pl_vec3){a->m[j], a->m[3 + j], a->m[6 + j]};
}
static inline pl_mat3 pl_mat3_from_columns(pl_vec3 a, pl_vec3 b, pl_vec3 c) {
    return (pl_mat3){{a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z}};
}
static inline pl_mat3 pl_mat3_transpose(pl_mat3 a) {
    const double* m = a.m;
    return (pl_mat3){{m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]}};
}
static inline pl_mat3 pl_mat3_add(pl_mat3 a, pl_mat3 b) {
    for (int i = 0; i < 9; i++) a.m[i] += b.m[i];
    return a;
}
static inline pl_mat3 pl_mat3_sub(pl_mat3 a, pl_mat3 b) {
    for (int i = 0; i < 9; i++) a.m[i] -= b.m[i];
    return a;
}
static inline pl_mat3 pl_mat3_scale(double s, pl_mat3 a) {
    for (int i = 0; i < 9; i++) a.m[i] *= s;
    return a;
}
// a + s b
static inline pl_mat3 pl_mat3_madd(pl_mat3 a, double s, pl_mat3 b) {
    for (int i = 0; i < 9; i++) a.m[i] += s * b.m[i];
    return a;
}
// a b
static inline pl_mat3 pl_mat3_mul(pl_mat3 a, pl_mat3 b) {
    pl_mat3 c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c.m[3 * i + j] =
                a.m[3 * i] * b.m[j] + a.m[3 * i + 1] * b.m[3 + j] + a.m[3 * i + 2] * b.m[6 + j];
    return c;
}
// a' b
static inline pl_mat3 pl_mat3_tmul(pl_mat3 a, pl_mat3 b) {
    return pl_mat3_mul(pl_mat3_transpose(a), b);
}
// a b'
static inline pl_mat3 pl_mat3_mult(pl_mat3 a, pl_mat3 b) {
    return pl_mat3_mul(a, pl_mat3_transpose(b));
}
static inline pl_vec3 pl_mat3_apply(const pl_mat3* a, pl_vec3 x) {
    const double* m = a->m;
    return (pl_vec3){m[0] * x.x + m[1] * x.y + m[2] * x.z, m[3] * x.x + m[4] * x.y + m[5] * x.z,
                     m[6] * x.x + m[7] * x.y + m[8] * x.z};
}
// a b'
static inline pl_mat3 pl_outer(pl_vec3 a, pl_vec3 b) {
    return (pl_mat3){{a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y, a.y * b.z, a.z * b.x,
                      a.z * b.y, a.z * b.z}};
}
static inline double pl_mat3_trace(pl_mat3 a) { return a.m[0] + a.m[4] + a.m[8]; }
// the sum of the products of the entries
static inline double pl_mat3_dot(pl_mat3 a, pl_mat3 b) {
    double sum = 0.0;
    for (int i = 0; i < 9; i++) sum += a.m[i] * b.m[i];
    return sum;
}
static inline double pl_mat3_norm(pl_mat3 a) { return sqrt(pl_mat3_dot(a, a)); }
static inline double pl_mat3_max_abs(pl_mat3 a) {
    double best = 0.0;
    for (int i = 0; i < 9; i++) best = fmax(best, fabs(a.m[i]));
    return best;
}
static inline bool pl_mat3_is_finite(pl_mat3 a) {
    bool finite = true;
    for (int i = 0; i < 9; i++) finite = finite && isfinite(a.m[i]);
    return finite;
}
// The cofactors: the gradient of the determinant, det(a) a^-T.
static inline pl_mat3 pl_mat3_cofactor(pl_mat3 a) {
    const double* m = a.m;
    return (pl_mat3){
        {m[4] * m[8] - m[5] * m[7], m[5] * m[6] - m[3] * m[8], m[3] * m[7] - m[4] * m[6],
         m[2] * m[7] - m[1] * m[8], m[0] * m[8] - m[2] * m[6], m[1] * m[6] - m[0] * m[7],
         m[1] * m[5] - m[2] * m[4], m[2] * m[3] - m[0] * m[5], m[0] * m[4] - m[1] * m[3]}};
}
static inline double pl_mat3_det(pl_mat3 a) {
    pl_mat3 c = pl_mat3_cofactor(a);
    return a.m[0] * c.m[0] + a.m[1] * c.m[1] + a.m[2] * c.m[2];
}
// False, and *inverse unchanged, if the determinant is zero or not finite, or if its reciprocal is
// not finite.
static inline bool pl_mat3_inverse(pl_mat3 a, pl_mat3* inverse) {
    pl_mat3 c = pl_mat3_cofactor(a);
    double reciprocal = 1.0 / (a.m[0] * c.m[0] + a.m[1] * c.m[1] + a.m[2] * c.m[2]);
    if (!isfinite(reciprocal) || reciprocal == 0.0) return false;
    *inverse = pl_mat3_scale(reciprocal, pl_mat3_transpose(c));
    return true;
}
// The rotation of a unit quaternion.
static inline pl_mat3 pl_quat_to_mat3(pl_quat q) {
    double x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
    double xx = q.x * x2, yy = q.y * y2, zz = q.z * z2, xy = q.x * y2, xz = q.x * z2;
    double yz = q.y * z2, wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
    return (pl_mat3){{1.0 - yy - zz, xy - wz, xz + wy, xy + wz, 1.0 - xx - zz, yz - wx, xz - wy,
                      yz + wx, 1.0 - xx - yy}};
}

// A unit quaternion of a rotation matrix, w >= 0; exact to round-off also for turns by pi.
pl_quat pl_quat_from_mat3(pl_mat3 rotation);

// a = V diag(values) V' for symmetric a (the lower triangle is read): values descending, V a
// rotation with the eigenvectors as columns. Error at most a few round-offs of |a|, at any scale.
// False for input that is not finite: then values are zero and V the identity.
bool pl_mat3_eigen(pl_mat3 a, double values[3], pl_mat3* V);

#endif
