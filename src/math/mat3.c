// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "math/mat3.h"
#include "math/symmetric.h"

pl_quat pl_quat_from_mat3(pl_mat3 rotation) {
    const double* m = rotation.m;
    // four times the squares of x, y, z, w; the largest is at least 1
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

static void swap_columns(double values[3], pl_mat3* V, int p, int q) {
    double value = values[p];
    values[p] = values[q];
    values[q] = value;
    // one column changes sign, so that V remains a rotation
    for (int i = 0; i < 9; i += 3) {
        double v = V->m[i + p];
        V->m[i + p] = V->m[i + q];
        V->m[i + q] = -v;
    }
}

bool pl_mat3_eigen(pl_mat3 a, double values[3], pl_mat3* V) {
    values[0] = values[1] = values[2] = 0.0;
    *V = pl_mat3_identity();
    if (!pl_mat3_is_finite(a)) return false;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++) a.m[3 * j + i] = a.m[3 * i + j];
    pl_symmetric_eigen(3, a.m, values, V->m);
    if (values[0] < values[1]) swap_columns(values, V, 0, 1);
    if (values[1] < values[2]) swap_columns(values, V, 1, 2);
    if (values[0] < values[1]) swap_columns(values, V, 0, 1);
    return true;
}
