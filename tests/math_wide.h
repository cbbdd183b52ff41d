// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The tests of wide float code, for the PL_LANES that the including file sets: test_math_w1.c,
// _w4, _w8, _w16.
#include "math/polar.h"
#include "math_reference.h"
#include "test.h"

#include <float.h>

enum { WIDE_COUNT = 128000 };
static const double float_denormal_scale = 1e-39;

// a matrix rounded to float, in one lane and as double
static pl_mat3 put_matrix(pl_mat3 F, pl_mat3w* wide, int lane) {
    for (int i = 0; i < 9; i++) {
        wide->m[i][lane] = (float)F.m[i];
        F.m[i] = wide->m[i][lane];
    }
    return F;
}

static pl_mat3 take_matrix(const pl_mat3w* wide, int lane) {
    pl_mat3 F;
    for (int i = 0; i < 9; i++) F.m[i] = wide->m[i][lane];
    return F;
}

static void check_wide_svd(void) {
    pl_random random = {.state = 10 + PL_LANES};
    double worst = 0.0;
    for (int first = 0; first < WIDE_COUNT; first += PL_LANES) {
        pl_mat3w F_w;
        pl_mat3 F[PL_LANES];
        for (int k = 0; k < PL_LANES; k++)
            F[k] = put_matrix(
                pl_test_matrix(&random, (first + k) % PL_TEST_MATRIX_KINDS, float_denormal_scale),
                &F_w, k);
        pl_svd3w d = pl_svd3_w(F_w);
        for (int k = 0; k < PL_LANES; k++) {
            int kind = (first + k) % PL_TEST_MATRIX_KINDS;
            CHECK(d.valid[k] == (kind == PL_TEST_MATRIX_NOT_FINITE ? 0 : -1));
            pl_mat3 U = take_matrix(&d.U, k), V = take_matrix(&d.V, k);
            double s[3] = {d.s.x[k], d.s.y[k], d.s.z[k]};
            if (!d.valid[k]) F[k] = (pl_mat3){{0}};
            double error = pl_test_svd_error(&F[k], &U, s, &V, FLT_TRUE_MIN);
            if (!(error <= worst)) worst = error;
            if (!(error <= 2e-6))
                pl_test_fail(__FILE__, __LINE__, "kind %d, number %d: error %g", kind, first + k,
                             error);
        }
    }
    printf("svd, %d lanes: worst error %.2g\n", PL_LANES, worst);
}

static void put_quaternion(pl_quat q, pl_quatw* wide, int lane) {
    wide->x[lane] = (float)q.x, wide->y[lane] = (float)q.y;
    wide->z[lane] = (float)q.z, wide->w[lane] = (float)q.w;
}

static void check_wide_polar(void) {
    pl_random random = {.state = 20 + PL_LANES};
    double worst = 0.0;
    for (int first = 0; first < WIDE_COUNT; first += PL_LANES) {
        pl_mat3w F_w, R_w;
        pl_mat3 F[PL_LANES];
        pl_quatw q_w;
        for (int k = 0; k < PL_LANES; k++) {
            int kind = (first + k) % PL_TEST_MATRIX_KINDS;
            F[k] = put_matrix(pl_test_matrix(&random, kind, float_denormal_scale), &F_w, k);
            // warm starts: near, anywhere, not finite
            pl_mat3 R;
            pl_polar(F[k], &R, NULL);
            pl_mat3 turn = pl_test_turn(&random, (first + k) % 3 ? 0.05 : 3.0);
            put_quaternion(pl_quat_from_mat3(pl_mat3_mul(R, turn)), &q_w, k);
            if ((first + k) % 50 == 0) q_w.x[k] = NAN;
        }
        pl_iw valid = pl_polar_w(&F_w, &q_w, &R_w);
        pl_mat3w from_q = pl_quat_to_mat3_w(q_w);
        for (int k = 0; k < PL_LANES; k++) {
            int kind = (first + k) % PL_TEST_MATRIX_KINDS;
            CHECK(valid[k] == (kind == PL_TEST_MATRIX_NOT_FINITE ? 0 : -1));
            pl_mat3 R = take_matrix(&R_w, k), Q = take_matrix(&from_q, k);
            if (!valid[k]) F[k] = (pl_mat3){{0}};
            double error = pl_test_polar_error(&F[k], &R);
            if (!(error <= worst)) worst = error;
            if (!(error <= 2e-6) || !(pl_mat3_norm(pl_mat3_sub(Q, R)) < 2e-6))
                pl_test_fail(__FILE__, __LINE__, "kind %d, number %d: error %g", kind, first + k,
                             error);
        }
    }
    printf("polar, %d lanes: worst error %.2g\n", PL_LANES, worst);
}

// Warm starts of 0.02 and 0.1 rad at stretches within 20 %, after one and two iterations.
static void check_wide_newton(void) {
    static const struct {
        double angle, bound;
        int iterations;
    } cases[] = {{0.02, 4e-6, 1}, {0.1, 5e-4, 1}, {0.02, 1e-6, 2}, {0.1, 1e-6, 2}};
    pl_random random = {.state = 30 + PL_LANES};
    for (int i = 0; i < 4 * 2048; i++) {
        double angle = cases[i % 4].angle, worst = 0.0;
        pl_mat3w F_w;
        pl_quatw q_w;
        pl_mat3 R[PL_LANES];
        for (int k = 0; k < PL_LANES; k++) {
            double a[3];
            for (int j = 0; j < 3; j++) a[j] = pl_random_uniform(&random, 0.8, 1.2);
            pl_mat3 Q = pl_test_rotation(&random), V = pl_test_rotation(&random);
            pl_mat3 S = pl_mat3_mult(pl_mat3_mul(V, pl_mat3_diagonal(a[0], a[1], a[2])), V);
            pl_mat3 F = put_matrix(pl_mat3_mul(Q, S), &F_w, k);
            pl_polar(F, &R[k], NULL);
            pl_mat3 start = pl_mat3_mul(R[k], pl_test_turn(&random, angle));
            put_quaternion(pl_quat_from_mat3(start), &q_w, k);
        }
        pl_mat3w R_w = pl_polar_newton_w(&F_w, &q_w, cases[i % 4].iterations);
        for (int k = 0; k < PL_LANES; k++)
            worst = fmax(worst, pl_mat3_max_abs(pl_mat3_sub(take_matrix(&R_w, k), R[k])));
        CHECK_NEAR(worst, 0.0, cases[i % 4].bound);
    }
}

static void check_lane_functions(void) {
    pl_random random = {.state = 40 + PL_LANES};
    for (int round = 0; round < 2000; round++) {
        pl_fw a, b, c;
        for (int k = 0; k < PL_LANES; k++) {
            a[k] = (float)pl_random_normal(&random);
            b[k] = (float)(pl_random_normal(&random) * pow(10.0, pl_random_int(&random, 60) - 30));
            c[k] = k % 5 ? (float)pl_random_normal(&random) : a[k];
        }
        pl_fw size = pl_abs_w(b), root = pl_sqrt_w(size), inverse_root = pl_rsqrt_w(size);
        pl_fw fused = pl_fma_w(a, b, c), least = pl_min_w(a, c);
        pl_fw most = pl_max_w(a, c), chosen = pl_select_w(a < c, b, c), log = pl_log_w(size);
        pl_fw signs = pl_copysign_w(b, a), inverse_cube_root = pl_rcbrt_w(size);
        double sum = 0.0, total = 0.0;
        unsigned bits = 0;
        for (int k = 0; k < PL_LANES; k++) {
            CHECK(size[k] == fabsf(b[k]) && root[k] == sqrtf(size[k]));
            CHECK_NEAR(inverse_root[k] * sqrt(size[k]), 1.0, 2.5e-7);
            CHECK_NEAR(inverse_cube_root[k] * cbrt(size[k]), 1.0, 3e-7);
            CHECK_NEAR(fused[k], (double)a[k] * b[k] + c[k],
                       2.4e-7 * (fabs((double)a[k] * b[k]) + fabs(c[k])));
            CHECK(least[k] == fminf(a[k], c[k]) && most[k] == fmaxf(a[k], c[k]));
            CHECK(chosen[k] == (a[k] < c[k] ? b[k] : c[k]));
            CHECK(signs[k] == copysignf(b[k], a[k]));
            CHECK_NEAR(pl_atan2_w(a, c)[k], atan2(a[k], c[k]), 4e-7);
            CHECK_NEAR(log[k], logf(size[k]), 3e-7 * fabsf(logf(size[k])) + 1e-7);
            sum += a[k], total += fabs(a[k]);
            bits |= (unsigned)(a[k] < c[k]) << k;
        }
        CHECK_NEAR(pl_sum_w(a), sum, 1e-6 * total);
        CHECK(pl_mask_bits_w(a < c) == bits);
        CHECK(pl_any_w(a < c) == (bits != 0) && pl_all_w(a < c) == (bits == (1u << PL_LANES) - 1));
    }
    pl_fw special = pl_splat_w(-1.0f);
    CHECK(pl_all_w(pl_log_w(pl_splat_w(0.0f)) == -INFINITY) && isnan(pl_log_w(special)[0]));
    CHECK_NEAR(pl_log_w(pl_splat_w(1e-42f))[0], log((double)1e-42f), 1e-5);
    CHECK(pl_log_w(pl_splat_w(1.0f))[0] == 0.0f && pl_log_w(pl_splat_w(INFINITY))[0] == INFINITY);
    CHECK(!pl_any_w(pl_is_finite_w(pl_splat_w(NAN))) && pl_all_w(pl_is_finite_w(special)));
}

// float4 in and out, with repeated indices
static void check_wide_memory(void) {
    enum { ROWS = 37 };
    _Alignas(64) float rows[4 * ROWS], copy[4 * ROWS];
    float sums[4 * ROWS];
    pl_random random = {.state = 50 + PL_LANES};
    for (int round = 0; round < 200; round++) {
        int32_t index[PL_LANES];
        for (int i = 0; i < 4 * ROWS; i++) rows[i] = (float)pl_random_normal(&random);
        for (int k = 0; k < PL_LANES; k++) index[k] = pl_random_int(&random, ROWS);
        pl_float4w a = pl_load4_w(rows, index);
        memcpy(copy, rows, sizeof rows);
        memcpy(sums, rows, sizeof rows);
        pl_add4_w(copy, index, a);
        for (int k = 0; k < PL_LANES; k++) {
            const float* row = rows + 4 * index[k];
            CHECK(a.x[k] == row[0] && a.y[k] == row[1] && a.z[k] == row[2] && a.w[k] == row[3]);
            for (int i = 0; i < 4; i++) sums[4 * index[k] + i] += row[i];
        }
        CHECK(memcmp(copy, sums, sizeof sums) == 0);
        int32_t offset[PL_LANES];
        for (int k = 0; k < PL_LANES; k++) offset[k] = 4 * index[k];
        pl_store4_at_w(copy, offset, a);
        for (int k = 0; k < PL_LANES; k++)
            for (int i = 0; i < 4; i++) CHECK(copy[offset[k] + i] == rows[offset[k] + i]);
        pl_storeu_w(copy + 1, a.y);
        CHECK(pl_all_w(pl_loadu_w(copy + 1) == a.y));
        pl_store_w(copy, a.y);
        CHECK(pl_all_w(pl_load_w(copy) == a.y));
    }
}
