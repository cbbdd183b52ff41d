// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What the tests of 3 x 3 algebra compare with: adversarial matrices and a decomposition in long
// double.
#ifndef PL_TESTS_MATH_REFERENCE_H
#define PL_TESTS_MATH_REFERENCE_H

#include "base/random.h"
#include "math/mat3.h"

// The kinds that pl_test_matrix makes in turn.
enum {
    PL_TEST_MATRIX_RANDOM,
    PL_TEST_MATRIX_NEAR_REST,
    PL_TEST_MATRIX_NEAR_SINGULAR,
    PL_TEST_MATRIX_REPEATED,
    PL_TEST_MATRIX_INVERTED,
    PL_TEST_MATRIX_RANK_2,
    PL_TEST_MATRIX_RANK_1,
    PL_TEST_MATRIX_ZERO,
    PL_TEST_MATRIX_SCALED,
    PL_TEST_MATRIX_DENORMAL,
    PL_TEST_MATRIX_HALF_TURN,
    PL_TEST_MATRIX_GRADED,
    PL_TEST_MATRIX_INTEGERS,
    PL_TEST_MATRIX_NOT_FINITE,
    PL_TEST_MATRIX_KINDS
};
// denormal_scale: what makes numbers around 1 denormal.
pl_mat3 pl_test_matrix(pl_random* random, int kind, double denormal_scale);
pl_mat3 pl_test_rotation(pl_random* random);
// A turn by angle around a random axis.
pl_mat3 pl_test_turn(pl_random* random, double angle);

// The worst of: |F - U s V'| / |F|, |s - reference| / |F|, |U'U - I|, |V'V - I|; infinite where U
// or V is not a rotation or s is out of order. quantum: the smallest number of the type of s.
double pl_test_svd_error(const pl_mat3* F, const pl_mat3* U, const double s[3], const pl_mat3* V,
                         double quantum);
// The worst of: |R - reference| (s1 + s2) / |F|, what tr(R'F) misses to its maximum / |F|, |R'R -
// I|; infinite where R is not a rotation.
double pl_test_polar_error(const pl_mat3* F, const pl_mat3* R);

#endif
