// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "math_reference.h"

#include <string.h>

typedef long double real;

pl_mat3 pl_test_turn(pl_random* random, double angle) {
    pl_vec3 axis;
    do {
        axis =
            (pl_vec3){pl_random_normal(random), pl_random_normal(random), pl_random_normal(random)};
    } while (pl_norm(axis) < 1e-3);
    axis = pl_scale(sin(0.5 * angle), pl_normalize(axis));
    return pl_quat_to_mat3((pl_quat){axis.x, axis.y, axis.z, cos(0.5 * angle)});
}

pl_mat3 pl_test_rotation(pl_random* random) {
    double q[4], norm2 = 0.0;
    for (int i = 0; i < 4; i++) norm2 += (q[i] = pl_random_normal(random), q[i] * q[i]);
    double s = 1.0 / sqrt(norm2 + 1e-300);
    return pl_quat_to_mat3((pl_quat){s * q[0], s * q[1], s * q[2], s * q[3]});
}

static pl_mat3 with_stretches(pl_random* random, double a, double b, double c) {
    pl_mat3 U = pl_test_rotation(random), V = pl_test_rotation(random);
    return pl_mat3_mult(pl_mat3_mul(U, pl_mat3_diagonal(a, b, c)), V);
}

static pl_mat3 random_matrix(pl_random* random) {
    pl_mat3 F;
    for (int i = 0; i < 9; i++) F.m[i] = pl_random_normal(random);
    return F;
}

static double power_of_ten(pl_random* random, double low, double high) {
    return pow(10.0, pl_random_uniform(random, low, high));
}

// turns by exactly pi and by right angles about the axes, and by about pi about others
static pl_mat3 half_turn(pl_random* random) {
    static const double signs[4][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    if (pl_random_int(random, 2)) return pl_test_turn(random, 3.14159265358979323846);
    const double* s = signs[pl_random_int(random, 4)];
    pl_mat3 R = {{0}};
    int first = pl_random_int(random, 3);
    for (int i = 0; i < 3; i++) R.m[3 * i + (i + first) % 3] = s[i];
    return R;
}

pl_mat3 pl_test_matrix(pl_random* random, int kind, double denormal_scale) {
    double a = pl_random_uniform(random, 0.5, 2.0), b = pl_random_uniform(random, 0.5, 2.0);
    double sign = pl_random_int(random, 2) ? 1.0 : -1.0;
    pl_mat3 F;
    switch (kind) {
    case PL_TEST_MATRIX_NEAR_REST:
        return with_stretches(random, 1.0, pl_random_uniform(random, 0.9, 1.1), 1.0);
    case PL_TEST_MATRIX_NEAR_SINGULAR:
        return with_stretches(random, a, b, sign * power_of_ten(random, -20.0, -1.0));
    case PL_TEST_MATRIX_REPEATED:
        return pl_random_int(random, 2) ? with_stretches(random, a, a, sign * a)
                                        : with_stretches(random, a, b, sign * b);
    case PL_TEST_MATRIX_INVERTED: return with_stretches(random, a, b, -a * b);
    case PL_TEST_MATRIX_RANK_2: return with_stretches(random, a, b, 0.0);
    case PL_TEST_MATRIX_RANK_1: return with_stretches(random, a, 0.0, 0.0);
    case PL_TEST_MATRIX_ZERO: return (pl_mat3){{0}};
    case PL_TEST_MATRIX_SCALED:
        return pl_mat3_scale(power_of_ten(random, -30.0, 30.0), random_matrix(random));
    case PL_TEST_MATRIX_DENORMAL:
        return pl_mat3_scale(denormal_scale * power_of_ten(random, -4.0, 0.0),
                             random_matrix(random));
    case PL_TEST_MATRIX_HALF_TURN: return half_turn(random);
    case PL_TEST_MATRIX_GRADED:
        return with_stretches(random, 1.0, power_of_ten(random, -12.0, 0.0),
                              sign * power_of_ten(random, -24.0, 0.0));
    case PL_TEST_MATRIX_INTEGERS:
        for (int i = 0; i < 9; i++) F.m[i] = pl_random_int(random, 5) - 2;
        return F;
    case PL_TEST_MATRIX_NOT_FINITE:
        F = random_matrix(random);
        F.m[pl_random_int(random, 9)] = sign * (pl_random_int(random, 2) ? INFINITY : NAN);
        return F;
    default: return random_matrix(random);
    }
}

// F = B V' with orthogonal columns of B, sorted by length
typedef struct reference {
    real B[3][3], V[3][3], s[3], norm;
} reference;

static real column_dot(real a[3][3], int i, int j) {
    return a[0][i] * a[0][j] + a[1][i] * a[1][j] + a[2][i] * a[2][j];
}

static void turn_columns(real a[3][3], int p, int q, real c, real s) {
    for (int i = 0; i < 3; i++) {
        real x = a[i][p], y = a[i][q];
        a[i][p] = c * x - s * y;
        a[i][q] = s * x + c * y;
    }
}

static bool orthogonalise(reference* r, int p, int q) {
    real alpha = column_dot(r->B, p, p), beta = column_dot(r->B, q, q);
    real gamma = column_dot(r->B, p, q);
    if (fabsl(gamma) <= 1e-19L * sqrtl(alpha * beta)) return false;
    real zeta = (beta - alpha) / (2.0L * gamma);
    real t = (zeta >= 0.0L ? 1.0L : -1.0L) / (fabsl(zeta) + sqrtl(1.0L + zeta * zeta));
    real c = 1.0L / sqrtl(1.0L + t * t);
    turn_columns(r->B, p, q, c, c * t);
    turn_columns(r->V, p, q, c, c * t);
    return true;
}

static void order(reference* r, int p, int q) {
    if (column_dot(r->B, p, p) >= column_dot(r->B, q, q)) return;
    turn_columns(r->B, p, q, 0.0L, 1.0L);
    turn_columns(r->V, p, q, 0.0L, 1.0L);
}

static real det3(real a[3][3]) {
    return a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) -
           a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
           a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
}

static reference decompose(const pl_mat3* F) {
    reference r = {.V = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int i = 0; i < 9; i++) r.B[i / 3][i % 3] = F->m[i];
    bool turned = true;
    for (int sweep = 0; sweep < 30 && turned; sweep++) {
        turned = orthogonalise(&r, 0, 1);
        turned |= orthogonalise(&r, 0, 2);
        turned |= orthogonalise(&r, 1, 2);
    }
    order(&r, 0, 1);
    order(&r, 1, 2);
    order(&r, 0, 1);
    for (int i = 0; i < 3; i++) r.s[i] = sqrtl(column_dot(r.B, i, i));
    r.norm = sqrtl(r.s[0] * r.s[0] + r.s[1] * r.s[1] + r.s[2] * r.s[2]);
    if (det3(r.B) < 0.0L) r.s[2] = -r.s[2];
    return r;
}

// the distance of a from a rotation; infinite for a reflection
static real rotation_error(const pl_mat3* a) {
    real m[3][3], worst = 0.0L;
    for (int i = 0; i < 9; i++) m[i / 3][i % 3] = a->m[i];
    for (int i = 0; i < 9; i++) {
        real error = fabsl(column_dot(m, i / 3, i % 3) - (i % 4 == 0));
        worst = error > worst ? error : worst;
    }
    return det3(m) > 0.5L ? worst : INFINITY;
}

static void take_worse(real* worst, real error) {
    if (!(error <= *worst)) *worst = error;
}

double pl_test_svd_error(const pl_mat3* F, const pl_mat3* U, const double s[3], const pl_mat3* V,
                         double quantum) {
    reference r = decompose(F);
    if (!(s[0] >= s[1] && s[1] >= fabs(s[2]))) return INFINITY;
    real worst = rotation_error(U);
    take_worse(&worst, rotation_error(V));
    real norm = r.norm > 0.0L ? r.norm : 1.0L, residual2 = 0.0L;
    for (int i = 0; i < 3; i++) {
        real error = fabsl(s[i] - r.s[i]);
        take_worse(&worst, error <= quantum ? 0.0L : error / norm);
    }
    for (int i = 0; i < 9; i++) {
        real sum = F->m[i];
        for (int k = 0; k < 3; k++) sum -= (real)U->m[i / 3 * 3 + k] * s[k] * V->m[i % 3 * 3 + k];
        residual2 += fabsl(sum) <= 3.0 * quantum ? 0.0L : sum / norm * (sum / norm);
    }
    take_worse(&worst, sqrtl(residual2));
    return (double)worst;
}

double pl_test_polar_error(const pl_mat3* F, const pl_mat3* R) {
    reference r = decompose(F);
    real worst = rotation_error(R), trace = 0.0L, gap = r.s[1] + r.s[2], distance2 = 0.0L;
    if (r.norm == 0.0L) return (double)worst;
    for (int i = 0; i < 9; i++) trace += (real)R->m[i] * F->m[i];
    take_worse(&worst, fabsl(r.s[0] + r.s[1] + r.s[2] - trace) / r.norm);
    if (gap < 1e-9L * r.norm) return (double)worst;
    // U from B, its last column by the cross product: R = U V'
    real U[3][3];
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++) U[i][k] = r.B[i][k] / r.s[k];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, l = (i + 2) % 3;
        U[i][2] = U[j][0] * U[l][1] - U[l][0] * U[j][1];
    }
    for (int i = 0; i < 9; i++) {
        real difference = R->m[i];
        for (int k = 0; k < 3; k++) difference -= U[i / 3][k] * r.V[i % 3][k];
        distance2 += difference * difference;
    }
    take_worse(&worst, sqrtl(distance2) * gap / r.norm);
    return (double)worst;
}
