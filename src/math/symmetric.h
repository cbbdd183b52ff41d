// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Eigenvalues of small dense symmetric matrices by cyclic Jacobi rotations, which find small
// eigenvalues of definite matrices as well as large ones.
#ifndef PL_MATH_SYMMETRIC_H
#define PL_MATH_SYMMETRIC_H

#include "math/vec3w.h"

enum { PL_SYMMETRIC_MAX = 12 };

// A = V diag(values) V' for symmetric A, n x n, n <= PL_SYMMETRIC_MAX, row-major. values in no
// order; the eigenvectors are the columns of V (n x n), NULL if not wanted. False if A is not
// finite.
bool pl_symmetric_eigen(int n, const double* A, double* values, double* V);

// A = the nearest positive semi-definite matrix in the Frobenius norm: negative eigenvalues become
// zero. If it has none, A keeps its bits. False, and A unchanged, if it is not finite.
bool pl_symmetric_project(int n, double* A);

// A symmetric 3 x 3 matrix in each lane: 00 11 22 01 02 12.
typedef struct pl_sym3w {
    pl_fw m[6];
} pl_sym3w;

// One Jacobi rotation in the plane p q; r is the third index.
PL_WIDE void pl_sym3_rotate_w(pl_fw a[3][3], pl_mat3w* V, int p, int q, int r) {
    pl_fw difference = a[q][q] - a[p][p], twice = a[p][q] + a[p][q];
    pl_fw root = pl_sqrt_w(pl_fma_w(difference, difference, twice * twice));
    pl_fw bottom = pl_abs_w(difference) + root;
    pl_fw t = twice / pl_select_w(bottom > 0.0f, bottom, pl_splat_w(1.0f));
    t = pl_select_w(difference < 0.0f, -t, t);
    pl_fw c = 1.0f / pl_sqrt_w(pl_fma_w(t, t, pl_splat_w(1.0f))), s = c * t;
    pl_fw pr = a[p][r], qr = a[q][r];
    a[p][p] = pl_fnma_w(t, a[p][q], a[p][p]);
    a[q][q] = pl_fma_w(t, a[p][q], a[q][q]);
    a[p][q] = a[q][p] = (pl_fw){0};
    a[p][r] = a[r][p] = pl_fma_w(c, pr, -(s * qr));
    a[q][r] = a[r][q] = pl_fma_w(s, pr, c * qr);
    for (int i = 0; i < 9; i += 3) {
        pl_fw vp = V->m[i + p], vq = V->m[i + q];
        V->m[i + p] = pl_fma_w(c, vp, -(s * vq));
        V->m[i + q] = pl_fma_w(s, vp, c * vq);
    }
}

// Eigenvalues in no order, eigenvectors as the columns of V. For entries between 1e-15 and 1e15 in
// size; error 1e-6 of the largest.
PL_WIDE pl_vec3w pl_sym3_eigen_w(const pl_sym3w* A, pl_mat3w* V) {
    enum { SWEEPS = 5 };
    const pl_fw* m = A->m;
    pl_fw a[3][3] = {{m[0], m[3], m[4]}, {m[3], m[1], m[5]}, {m[4], m[5], m[2]}};
    *V = pl_mat3_identity_w();
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        pl_sym3_rotate_w(a, V, 0, 1, 2);
        pl_sym3_rotate_w(a, V, 0, 2, 1);
        pl_sym3_rotate_w(a, V, 1, 2, 0);
    }
    return (pl_vec3w){a[0][0], a[1][1], a[2][2]};
}

// Lanes where A is positive definite, by the signs of its leading minors.
PL_WIDE pl_iw pl_sym3_is_definite_w(const pl_sym3w* A) {
    const pl_fw* m = A->m;
    pl_fw minor = pl_fma_w(m[0], m[1], -(m[3] * m[3]));
    pl_fw c02 = pl_fma_w(m[3], m[5], -(m[4] * m[1])), c12 = pl_fma_w(m[3], m[4], -(m[0] * m[5]));
    pl_fw det = pl_fma_w(m[2], minor, pl_fma_w(m[5], c12, m[4] * c02));
    return (m[0] > 0.0f) & (minor > 0.0f) & (det > 0.0f);
}

static __attribute__((noinline, unused)) void pl_sym3_clamp_w(pl_iw keep, pl_sym3w* A) {
    pl_mat3w V;
    pl_vec3w values = pl_sym3_eigen_w(A, &V);
    const pl_fw* v = V.m;
    // this order of arguments lets NaN through
    pl_fw zero = {0}, x = pl_max_w(zero, values.x), y = pl_max_w(zero, values.y);
    pl_fw z = pl_max_w(zero, values.z);
    static const int rows[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    for (int k = 0; k < 6; k++) {
        const pl_fw *a = v + 3 * rows[k][0], *b = v + 3 * rows[k][1];
        pl_fw value = pl_fma_w(x * a[0], b[0], pl_fma_w(y * a[1], b[1], z * a[2] * b[2]));
        A->m[k] = pl_select_w(keep, A->m[k], value);
    }
}

// Negative eigenvalues become zero; definite lanes keep their bits.
PL_WIDE void pl_sym3_project_w(pl_sym3w* A) {
    pl_iw definite = pl_sym3_is_definite_w(A);
    if (!pl_all_w(definite)) pl_sym3_clamp_w(definite, A);
}

// An eigenvalue, partly projected: part = 0 leaves it as it is, 1 sets a negative one to zero. This
// order of arguments lets NaN through.
PL_WIDE pl_fw pl_project_w(pl_fw value, float part) {
    if (part <= 0.0f) return value;
    const pl_fw projected = pl_max_w((pl_fw){0}, value);
    return part >= 1.0f ? projected : pl_fma_w(pl_splat_w(part), projected - value, value);
}

#endif
