// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Deformations that the tests of material laws go through, and tangents as 9 x 9 matrices.
#ifndef PL_TESTS_MATERIAL_STATES_H
#define PL_TESTS_MATERIAL_STATES_H

#include "material/principal.h"
#include "math_reference.h"

enum {
    PL_TEST_STATE_SMALL,
    PL_TEST_STATE_RANDOM,
    PL_TEST_STATE_ROTATED,
    PL_TEST_STATE_COMPRESSED,
    PL_TEST_STATE_STRETCHED,
    PL_TEST_STATE_INVERTED,
    PL_TEST_STATE_FLAT,
    PL_TEST_STATE_LINE,
    PL_TEST_STATE_POINT,
    PL_TEST_STATE_KINDS
};

static inline pl_mat3 pl_test_stretched(pl_random* random, double low, double high, double last) {
    double a = pl_random_uniform(random, low, high), b = pl_random_uniform(random, low, high);
    pl_mat3 D = pl_mat3_diagonal(a, b, last);
    return pl_mat3_mult(pl_mat3_mul(pl_test_rotation(random), D), pl_test_rotation(random));
}

static inline pl_mat3 pl_test_state(pl_random* random, int kind) {
    pl_mat3 F = pl_mat3_identity();
    double size = kind == PL_TEST_STATE_SMALL ? 1e-3 : 0.3;
    switch (kind) {
    case PL_TEST_STATE_ROTATED:
        return pl_test_stretched(random, 0.9, 1.1, pl_random_uniform(random, 0.9, 1.1));
    case PL_TEST_STATE_COMPRESSED:
        return pl_test_stretched(random, 0.3, 0.8, pl_random_uniform(random, 0.3, 0.8));
    case PL_TEST_STATE_STRETCHED:
        return pl_test_stretched(random, 1.2, 2.5, pl_random_uniform(random, 0.8, 2.5));
    case PL_TEST_STATE_INVERTED:
        return pl_test_stretched(random, 0.6, 1.5, pl_random_uniform(random, -0.5, -0.1));
    case PL_TEST_STATE_FLAT: return pl_test_stretched(random, 0.6, 1.5, 0.0);
    case PL_TEST_STATE_LINE:
        return pl_mat3_scale(pl_random_uniform(random, 0.5, 2.0),
                             pl_outer(pl_normalize((pl_vec3){1.0, pl_random_normal(random), 0.3}),
                                      pl_normalize((pl_vec3){pl_random_normal(random), 1.0, 0.2})));
    case PL_TEST_STATE_POINT: return (pl_mat3){{0}};
    default:
        for (int i = 0; i < 9; i++) F.m[i] += pl_random_uniform(random, -size, size);
        return F;
    }
}

// The sum of the two smaller stretches: 0 where the nearest rotation is not unique.
static inline double pl_test_rotation_gap(pl_mat3 F) {
    pl_mat3 C = pl_mat3_tmul(F, F), V;
    double values[3];
    pl_mat3_eigen(C, values, &V);
    double s2 = sqrt(fmax(values[2], 0.0));
    return sqrt(fmax(values[1], 0.0)) + (pl_mat3_det(F) < 0.0 ? -s2 : s2);
}

// dP for a dF
static inline pl_mat3 pl_test_stress_change(const pl_principal* p, pl_mat3 dF) {
    const pl_mat3 dG = pl_mat3_mul(pl_mat3_tmul(p->U, dF), p->V);
    const double *g = dG.m, *A = p->A, *same = p->same, *cross = p->cross;
    pl_mat3 dQ = {{A[0] * g[0] + A[3] * g[4] + A[4] * g[8], same[2] * g[1] + cross[2] * g[3],
                   same[1] * g[2] + cross[1] * g[6], same[2] * g[3] + cross[2] * g[1],
                   A[3] * g[0] + A[1] * g[4] + A[5] * g[8], same[0] * g[5] + cross[0] * g[7],
                   same[1] * g[6] + cross[1] * g[2], same[0] * g[7] + cross[0] * g[5],
                   A[4] * g[0] + A[5] * g[4] + A[2] * g[8]}};
    return pl_mat3_mult(pl_mat3_mul(p->U, dQ), p->V);
}

// tangent[9 * i + j] = dP_i/dF_j, both flattened row-major
static inline void pl_test_dense_tangent(const pl_principal* p, double tangent[81]) {
    for (int j = 0; j < 9; j++) {
        pl_mat3 dF = {{0}};
        dF.m[j] = 1.0;
        pl_mat3 dP = pl_test_stress_change(p, dF);
        for (int i = 0; i < 9; i++) tangent[9 * i + j] = dP.m[i];
    }
}

#endif
