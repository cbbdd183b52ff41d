// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// 3 x 3 algebra on one thread: wide float against scalar double, with the errors that go with the
// speeds, and what the machine could do at best (multiply-adds, reading memory) to read them by.
#include "base/memory.h"
#include "bench.h"
#include "rotation_data.h"

#include <stdio.h>

static ROTATION_WIDE_RUN(run_copy, R = F) static ROTATION_WIDE_RUN(
    run_newton_1,
    R = pl_polar_newton_w(
        &F, &q,
        1)) static ROTATION_WIDE_RUN(run_checked,
                                     pl_polar_w(&F, &q,
                                                &R)) static ROTATION_WIDE_RUN(run_cold,
                                                                              pl_polar_cold_w(&F,
                                                                                              &q,
                                                                                              &R))

    static void run_svd(void* user) {
    rotation_data* m = user;
    for (int i = 0; i < BATCH_COUNT; i++) {
        pl_svd3w d = pl_svd3_w(m->F_w[i]);
        m->R_w[i] = pl_mat3_add_w(d.U, d.V);
        m->q_w[i] = (pl_quatw){d.s.x, d.s.y, d.s.z, d.s.x};
    }
}

static ROTATION_SCALAR_RUN(run_scalar_warm,
                           pl_polar_warm(m->F[i], &q,
                                         &m->R[i])) static ROTATION_SCALAR_RUN(run_scalar_cold,
                                                                               pl_polar(m->F[i],
                                                                                        &m->R[i],
                                                                                        NULL))

    static void run_scalar_svd(void* user) {
    rotation_data* m = user;
    for (int i = 0; i < SCALAR_COUNT; i++) {
        pl_mat3 U, V;
        double s[3];
        pl_svd3(m->F[i], &U, s, &V);
        m->R[i] = pl_mat3_add(U, V);
        m->q[i].x = s[0], m->q[i].y = s[1], m->q[i].z = s[2];
    }
}

static void bench_rotations(bench* b, rotation_data* m, int repeats) {
    bench_result(b, "copy_m", rotation_rate(run_copy, m, repeats), "M/s", NAN);
    rotation_data_fill(m, 0.02);
    run_newton_1(m);
    bench_result(b, "rotation_apd1_error_002", rotation_wide_error(m), "", NAN);
    rotation_data_fill(m, 0.1);
    bench_result(b, "rotation_apd1_m", rotation_rate(run_newton_1, m, repeats), "M/s", NAN);
    bench_result(b, "rotation_apd1_error_01", rotation_wide_error(m), "", NAN);
    bench_result(b, "rotation_apd2_m", rotation_rate(rotation_run_newton_2, m, repeats), "M/s",
                 NAN);
    bench_result(b, "rotation_apd2_error_01", rotation_wide_error(m), "", NAN);
    bench_result(b, "rotation_checked_m", rotation_rate(run_checked, m, repeats), "M/s", NAN);
    bench_result(b, "rotation_cold_m", rotation_rate(run_cold, m, repeats), "M/s", NAN);
    bench_result(b, "rotation_cold_error", rotation_wide_error(m), "", NAN);
    bench_result(b, "polar_scalar_m", rotation_scalar_rate(run_scalar_warm, m, repeats), "M/s",
                 NAN);
    bench_result(b, "polar_scalar_cold_m", rotation_scalar_rate(run_scalar_cold, m, repeats), "M/s",
                 NAN);
    bench_result(b, "rotation_vs_scalar",
                 rotation_ratio(rotation_run_newton_2, rotation_run_scalar_newton_2, m, repeats),
                 "x", NAN);
    bench_result(b, "rotation_vs_scalar_error", rotation_scalar_error(m), "", NAN);
    bench_result(b, "rotation_vs_scalar_converged",
                 rotation_ratio(rotation_run_newton_2, run_scalar_warm, m, repeats), "x", NAN);
    bench_result(b, "rotation_cold_vs_scalar",
                 rotation_ratio(run_cold, run_scalar_cold, m, repeats), "x", NAN);
    bench_result(b, "svd_m", rotation_rate(run_svd, m, repeats), "M/s", NAN);
    bench_result(b, "svd_scalar_m", rotation_scalar_rate(run_scalar_svd, m, repeats), "M/s", NAN);
    bench_result(b, "svd_vs_scalar", rotation_ratio(run_svd, run_scalar_svd, m, repeats), "x", NAN);
}

enum { CHAINS = 12, CHAIN_STEPS = 100000 };

// independent chains of multiply-adds, enough to hide their latency
static void run_fma(void* user) {
    pl_fw* out = user;
    pl_fw sums[CHAINS], factor = out[0], term = out[1];
    for (int k = 0; k < CHAINS; k++) sums[k] = out[k % 2] + (float)k;
    for (int i = 0; i < CHAIN_STEPS; i++)
        for (int k = 0; k < CHAINS; k++) sums[k] = pl_fma_w(sums[k], factor, term);
    for (int k = 1; k < CHAINS; k++) sums[0] += sums[k];
    out[2] = sums[0];
}

typedef struct read_data {
    float* values;
    size_t count;
    int passes;
    float sum;
} read_data;

static void run_read(void* user) {
    read_data* r = user;
    pl_fw sums[8] = {{0}};
    for (int pass = 0; pass < r->passes; pass++)
        for (size_t i = 0; i < r->count; i += 8 * PL_LANES)
            for (int k = 0; k < 8; k++) sums[k] += pl_load_w(r->values + i + k * PL_LANES);
    for (int k = 1; k < 8; k++) sums[0] += sums[k];
    r->sum += pl_sum_w(sums[0]);
}

static bool bench_limits(bench* b, int repeats) {
    pl_fw chain[3] = {pl_splat_w(0.999f), pl_splat_w(0.001f)};
    double seconds = bench_seconds(run_fma, chain, repeats);
    bench_result(b, "lanes", PL_LANES, "", NAN);
    bench_result(b, "fma_peak", 2.0 * PL_LANES * CHAINS * CHAIN_STEPS / seconds / 1e9, "GFLOP/s",
                 NAN);
    static const int megabytes[] = {1, 32, 512};
    for (int i = 0; i < (bench_quick(b) ? 2 : 3); i++) {
        read_data r = {.count = (size_t)megabytes[i] << 18};
        r.passes = megabytes[i] < 64 ? 64 / megabytes[i] : 1;
        r.values = PL_ALLOC(float, r.count);
        if (!r.values) {
            fprintf(stderr, "math: no %d MB to read\n", megabytes[i]);
            return false;
        }
        for (size_t k = 0; k < r.count; k++) r.values[k] = 1.0f;
        seconds = bench_seconds(run_read, &r, repeats < 15 ? repeats : 15);
        char name[32];
        snprintf(name, sizeof name, "read_%dmb", megabytes[i]);
        bench_result(b, name, 4.0 * (double)r.count * r.passes / seconds / 1e9, "GB/s", NAN);
        PL_FREE(r.values, float, r.count);
    }
    return true;
}

bool bench_math(bench* b) {
    rotation_data m;
    bool done = rotation_data_create(&m);
    if (done) {
        rotation_data_fill(&m, 0.1);
        bench_rotations(b, &m, bench_quick(b) ? 15 : 101);
        done = bench_limits(b, bench_quick(b) ? 5 : 31);
    } else fprintf(stderr, "math: out of memory\n");
    rotation_data_free(&m);
    return done;
}
