// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// 3 x 3 algebra in double against long double, on half a million random and adversarial matrices.
#include "math/polar.h"
#include "math_reference.h"
#include "test.h"

#include <float.h>

enum { DOUBLE_COUNT = 250000 };
static const double denormal_scale = 1e-309;

LONG_TEST(math_svd_double)
{
    pl_random random = {.state = 1};
    double worst = 0.0;
    for (int i = 0; i < DOUBLE_COUNT; i++) {
        int kind = i % PL_TEST_MATRIX_KINDS;
        pl_mat3 F = pl_test_matrix(&random, kind, denormal_scale), U, V;
        double s[3];
        bool valid = pl_svd3(F, &U, s, &V);
        CHECK(valid == (kind != PL_TEST_MATRIX_NOT_FINITE));
        if (!valid) {
            CHECK(pl_mat3_norm(pl_mat3_sub(U, pl_mat3_identity())) == 0.0 && s[0] == 0.0);
            continue;
        }
        double error = pl_test_svd_error(&F, &U, s, &V, DBL_TRUE_MIN);
        if (!(error <= worst)) worst = error;
        if (!(error <= 4e-15))
            pl_test_fail(__FILE__, __LINE__, "kind %d, number %d: error %g", kind, i, error);
    }
    printf("svd, double: worst error %.2g\n", worst);
}

LONG_TEST(math_polar_double)
{
    pl_random random = {.state = 2};
    double worst = 0.0;
    for (int i = 0; i < DOUBLE_COUNT; i++) {
        int kind = i % PL_TEST_MATRIX_KINDS;
        pl_mat3 F = pl_test_matrix(&random, kind, denormal_scale), R, S, warm;
        bool valid = pl_polar(F, &R, &S);
        // a warm start that is near, far, or no quaternion at all, gives the same
        pl_mat3 turn = pl_test_turn(&random, i % 3 ? 0.05 : 3.0);
        pl_quat q = pl_quat_from_mat3(pl_mat3_mul(R, turn));
        if (i % 50 == 0) q.x = NAN;
        CHECK(valid == (kind != PL_TEST_MATRIX_NOT_FINITE));
        CHECK(pl_polar_warm(F, &q, &warm) == valid);
        if (!valid) {
            CHECK(pl_mat3_norm(pl_mat3_sub(R, pl_mat3_identity())) == 0.0);
            CHECK(pl_mat3_norm(pl_mat3_sub(warm, pl_mat3_identity())) == 0.0);
            continue;
        }
        double error = fmax(pl_test_polar_error(&F, &R), pl_test_polar_error(&F, &warm));
        if (!(error <= worst)) worst = error;
        if (!(error <= 4e-15))
            pl_test_fail(__FILE__, __LINE__, "kind %d, number %d: error %g", kind, i, error);
        double norm = pl_mat3_norm(F), rest = pl_mat3_norm(pl_mat3_sub(pl_mat3_mul(R, S), F));
        CHECK(rest <= 4e-15 * norm || norm < 1e-150);
        CHECK(S.m[1] == S.m[3] && S.m[2] == S.m[6] && S.m[5] == S.m[7]);
    }
    printf("polar, double: worst error %.2g\n", worst);
}

TEST(math_eigen_double)
{
    pl_random random = {.state = 3};
    for (int i = 0; i < 50000; i++) {
        int kind = i % PL_TEST_MATRIX_KINDS;
        pl_mat3 F = pl_test_matrix(&random, kind, denormal_scale), V;
        pl_mat3 A = pl_mat3_scale(0.5, pl_mat3_add(F, pl_mat3_transpose(F)));
        double values[3];
        bool valid = pl_mat3_eigen(A, values, &V);
        CHECK(valid == (kind != PL_TEST_MATRIX_NOT_FINITE));
        if (!valid || kind == PL_TEST_MATRIX_DENORMAL) continue;
        CHECK(values[0] >= values[1] && values[1] >= values[2]);
        double norm = pl_mat3_norm(A);
        pl_mat3 D = pl_mat3_diagonal(values[0], values[1], values[2]);
        pl_mat3 rest = pl_mat3_sub(pl_mat3_mult(pl_mat3_mul(V, D), V), A);
        CHECK(pl_mat3_norm(rest) <= 4e-15 * norm);
        pl_mat3 unity = pl_mat3_sub(pl_mat3_tmul(V, V), pl_mat3_identity());
        CHECK(pl_mat3_norm(unity) <= 4e-15 && pl_mat3_det(V) > 0.0);
    }
}

TEST(math_quaternion_and_matrix)
{
    pl_random random = {.state = 4};
    for (int i = 0; i < 20000; i++) {
        pl_mat3 R = i % 2 ? pl_test_rotation(&random)
                          : pl_test_matrix(&random, PL_TEST_MATRIX_HALF_TURN, 1.0);
        pl_quat q = pl_quat_from_mat3(R);
        CHECK(q.w >= 0.0);
        CHECK_NEAR(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w, 1.0, 1e-15);
        CHECK(pl_mat3_norm(pl_mat3_sub(pl_quat_to_mat3(q), R)) < 4e-15);
    }
}

TEST(math_mat3_algebra)
{
    pl_random random = {.state = 5};
    for (int i = 0; i < 1000; i++) {
        pl_mat3 A = pl_test_matrix(&random, PL_TEST_MATRIX_RANDOM, 1.0), inverse;
        pl_mat3 B = pl_test_matrix(&random, PL_TEST_MATRIX_RANDOM, 1.0);
        CHECK_NEAR(pl_mat3_det(pl_mat3_mul(A, B)), pl_mat3_det(A) * pl_mat3_det(B), 1e-12);
        CHECK(pl_mat3_inverse(A, &inverse));
        pl_mat3 unity = pl_mat3_sub(pl_mat3_mul(A, inverse), pl_mat3_identity());
        CHECK(pl_mat3_norm(unity) < 1e-14 * pl_mat3_norm(A) * pl_mat3_norm(inverse));
        // A (x y') B = (A x)(B' y)'
        pl_vec3 x = pl_mat3_column(&A, 0), y = pl_mat3_column(&B, 1);
        pl_mat3 left = pl_mat3_mul(pl_mat3_mul(A, pl_outer(x, y)), B), Bt = pl_mat3_transpose(B);
        pl_mat3 right = pl_outer(pl_mat3_apply(&A, x), pl_mat3_apply(&Bt, y));
        CHECK(pl_mat3_norm(pl_mat3_sub(left, right)) < 1e-13 * (1.0 + pl_mat3_norm(left)));
        CHECK_NEAR(pl_mat3_dot(A, pl_mat3_cofactor(A)), 3.0 * pl_mat3_det(A), 1e-12);
    }
    pl_mat3 singular = {{1, 2, 3, 2, 4, 6, 1, 1, 1}}, untouched = pl_mat3_identity();
    CHECK(!pl_mat3_inverse(singular, &untouched));
    CHECK(untouched.m[0] == 1.0 && untouched.m[1] == 0.0);
}
