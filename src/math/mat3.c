// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "math/mat3.h"

pl_quat pl_quat_from_mat3(pl_mat3 rotation) {
    const double* m = rotation.m;
    // four times the squares of x, y, z, w: start from the largest, which is at least 1
    double squares[4] = {1.0 + m[0] - m[4] - m[8], 1.0 - m[0] + m[4] - m[8],
                         1.0 - m[0] - m[4] + m[8], 1.0 + m[0] + m[4] + m[8]};
    int largest = 3;
    for (int i = 0; i < 3; i++)
        if (squares[i] > squares[largest]) largest = i;
    double xy = m[3] + m[1], xz = m[2] + m[6], yz = m[7] + m[5];
    double wx = m[7] - m[5], wy = m[2] - m[6], wz = m[3] - m[1];
    const double rows[4][4] = {{squares[0], xy, xz, wx},
                               {xy, squares[1], yz, wy},
                               {xz, yz, squares[2], wz},
                               {wx, wy, wz, squares[3]}};
    const double* r = rows[largest];
    double norm2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3];
    double scale = copysign(1.0 / sqrt(norm2), r[3]);
    return (pl_quat){scale * r[0], scale * r[1], scale * r[2], scale * r[3]};
}

// One Jacobi rotation in the plane p q of the symmetric a, also on the columns of V.
static void rotate_plane(double a[3][3], double V[3][3], int p, int q) {
    // entries are below 1: what is this small is zero, and its square would be
    if (fabs(a[p][q]) < 1e-150) return;
    double difference = a[q][q] - a[p][p], twice = 2.0 * a[p][q];
    double t = twice / (fabs(difference) + sqrt(difference * difference + twice * twice));
    if (difference < 0.0) t = -t;
    double c = 1.0 / sqrt(1.0 + t * t), s = c * t;
    int r = 3 - p - q;
    double pr = a[p][r], qr = a[q][r];
    a[p][p] -= t * a[p][q];
    a[q][q] += t * a[p][q];
    a[p][q] = a[q][p] = 0.0;
    a[p][r] = a[r][p] = c * pr - s * qr;
    a[q][r] = a[r][q] = s * pr + c * qr;
    for (int i = 0; i < 3; i++) {
        double vp = V[i][p], vq = V[i][q];
        V[i][p] = c * vp - s * vq;
        V[i][q] = s * vp + c * vq;
    }
}

static void swap_columns(double values[3], double V[3][3], int p, int q) {
    double value = values[p];
    values[p] = values[q];
    values[q] = value;
    // one column changes sign, so that V stays a rotation
    for (int i = 0; i < 3; i++) {
        double v = V[i][p];
        V[i][p] = V[i][q];
        V[i][q] = -v;
    }
}

bool pl_mat3_eigen(pl_mat3 input, double values[3], pl_mat3* V) {
    enum { MAX_SWEEPS = 12 };
    double v[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    double a[3][3];
    values[0] = values[1] = values[2] = 0.0;
    *V = pl_mat3_identity();
    if (!pl_mat3_is_finite(input)) return false;
    // a power of two brings the entries near 1, where squares neither overflow nor vanish
    int exponent;
    frexp(pl_mat3_max_abs(input), &exponent);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) a[i][j] = a[j][i] = ldexp(input.m[3 * i + j], -exponent);
    for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
        double rest = a[0][1] * a[0][1] + a[0][2] * a[0][2] + a[1][2] * a[1][2];
        if (rest < 1e-36) break;
        rotate_plane(a, v, 0, 1);
        rotate_plane(a, v, 0, 2);
        rotate_plane(a, v, 1, 2);
    }
    for (int i = 0; i < 3; i++) values[i] = ldexp(a[i][i], exponent);
    if (values[0] < values[1]) swap_columns(values, v, 0, 1);
    if (values[1] < values[2]) swap_columns(values, v, 1, 2);
    if (values[0] < values[1]) swap_columns(values, v, 0, 1);
    for (int i = 0; i < 9; i++) V->m[i] = v[i / 3][i % 3];
    return true;
}
