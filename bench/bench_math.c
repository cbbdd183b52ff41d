// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// 3 x 3 algebra on one thread: wide float against scalar double, with the errors that go with the
// speeds, and what the machine could do at best (multiply-adds, reading memory) to read them by.
#include "base/memory.h"
#include "base/random.h"
#include "bench.h"
#include "math/polar.h"

#include <stdio.h>

// The scalar side does a part of the matrices, so that both sides take about as long: on a busy
// machine the longer of two runs is interrupted more often, which would flatter the shorter.
enum { MATRIX_COUNT = 1 << 14, BATCH_COUNT = MATRIX_COUNT / PL_LANES };
enum { SCALAR_PART = 16, SCALAR_COUNT = MATRIX_COUNT / SCALAR_PART };

// deformation gradients with stretches within 20 % and warm starts that are off by a given angle
typedef struct matrices {
    pl_mat3w *F_w, *R_w;
    pl_quatw *q_w, *start_w;
    pl_mat3 *F, *R, *exact;
    pl_quat *q, *start;
} matrices;

static bool create_matrices(matrices* m) {
    *m = (matrices){.F_w = PL_ALLOC(pl_mat3w, BATCH_COUNT),
                    .R_w = PL_ALLOC(pl_mat3w, BATCH_COUNT),
                    .q_w = PL_ALLOC(pl_quatw, BATCH_COUNT),
                    .start_w = PL_ALLOC(pl_quatw, BATCH_COUNT),
                    .F = PL_ALLOC(pl_mat3, MATRIX_COUNT),
                    .R = PL_ALLOC(pl_mat3, MATRIX_COUNT),
                    .exact = PL_ALLOC(pl_mat3, MATRIX_COUNT),
                    .q = PL_ALLOC(pl_quat, MATRIX_COUNT),
                    .start = PL_ALLOC(pl_quat, MATRIX_COUNT)};
    return m->F_w && m->R_w && m->q_w && m->start_w && m->F && m->R && m->exact && m->q && m->start;
}

static void destroy_matrices(matrices* m) {
    PL_FREE(m->F_w, pl_mat3w, BATCH_COUNT);
    PL_FREE(m->R_w, pl_mat3w, BATCH_COUNT);
    PL_FREE(m->q_w, pl_quatw, BATCH_COUNT);
    PL_FREE(m->start_w, pl_quatw, BATCH_COUNT);
    PL_FREE(m->F, pl_mat3, MATRIX_COUNT);
    PL_FREE(m->R, pl_mat3, MATRIX_COUNT);
    PL_FREE(m->exact, pl_mat3, MATRIX_COUNT);
    PL_FREE(m->q, pl_quat, MATRIX_COUNT);
    PL_FREE(m->start, pl_quat, MATRIX_COUNT);
}

static pl_mat3 random_turn(pl_random* random, double angle) {
    pl_vec3 axis = {pl_random_normal(random), pl_random_normal(random), pl_random_normal(random)};
    axis = pl_scale(sin(0.5 * angle), pl_normalize(axis));
    return pl_quat_to_mat3((pl_quat){axis.x, axis.y, axis.z, cos(0.5 * angle)});
}

static void fill_matrices(matrices* m, double warm_angle) {
    pl_random random = {.state = 7};
    for (int i = 0; i < MATRIX_COUNT; i++) {
        double s[3];
        for (int k = 0; k < 3; k++) s[k] = pl_random_uniform(&random, 0.8, 1.2);
        pl_mat3 R = random_turn(&random, pl_random_uniform(&random, -3.1, 3.1));
        pl_mat3 V = random_turn(&random, pl_random_uniform(&random, -3.1, 3.1));
        pl_mat3 S = pl_mat3_mult(pl_mat3_mul(V, pl_mat3_diagonal(s[0], s[1], s[2])), V);
        pl_mat3 F = pl_mat3_mul(R, S);
        for (int k = 0; k < 9; k++) {
            m->F_w[i / PL_LANES].m[k][i % PL_LANES] = (float)F.m[k];
            m->F[i].m[k] = (float)F.m[k];
        }
        pl_polar(m->F[i], &m->exact[i], NULL);
        pl_mat3 off = pl_mat3_mul(m->exact[i], random_turn(&random, warm_angle));
        pl_quat q = m->start[i] = pl_quat_from_mat3(off);
        pl_quatw* q_w = &m->start_w[i / PL_LANES];
        q_w->x[i % PL_LANES] = (float)q.x, q_w->y[i % PL_LANES] = (float)q.y;
        q_w->z[i % PL_LANES] = (float)q.z, q_w->w[i % PL_LANES] = (float)q.w;
    }
}

#define WIDE_RUN(name, call)                                                                       \
    static void name(void* user) {                                                                 \
        matrices* m = user;                                                                        \
        for (int i = 0; i < BATCH_COUNT; i++) {                                                    \
            pl_mat3w F = m->F_w[i], R;                                                             \
            pl_quatw q = m->start_w[i];                                                            \
            call;                                                                                  \
            m->R_w[i] = R;                                                                         \
            m->q_w[i] = q;                                                                         \
        }                                                                                          \
    }
WIDE_RUN(run_copy, R = F)
WIDE_RUN(run_newton_1, R = pl_polar_newton_w(&F, &q, 1))
WIDE_RUN(run_newton_2, R = pl_polar_newton_w(&F, &q, 2))
WIDE_RUN(run_checked, pl_polar_w(&F, &q, &R))
WIDE_RUN(run_cold, pl_polar_cold_w(&F, &q, &R))

static void run_svd(void* user) {
    matrices* m = user;
    for (int i = 0; i < BATCH_COUNT; i++) {
        pl_svd3w d = pl_svd3_w(m->F_w[i]);
        m->R_w[i] = pl_mat3_add_w(d.U, d.V);
        m->q_w[i] = (pl_quatw){d.s.x, d.s.y, d.s.z, d.s.x};
    }
}

#define SCALAR_RUN(name, call)                                                                     \
    static void name(void* user) {                                                                 \
        matrices* m = user;                                                                        \
        for (int i = 0; i < SCALAR_COUNT; i++) {                                                   \
            pl_quat q = m->start[i];                                                               \
            call;                                                                                  \
            m->q[i] = q;                                                                           \
        }                                                                                          \
    }
SCALAR_RUN(run_scalar_newton_2, pl_polar_newton(&m->F[i], &q, 2, &m->R[i]))
SCALAR_RUN(run_scalar_warm, pl_polar_warm(m->F[i], &q, &m->R[i]))
SCALAR_RUN(run_scalar_cold, pl_polar(m->F[i], &m->R[i], NULL))

static void run_scalar_svd(void* user) {
    matrices* m = user;
    for (int i = 0; i < SCALAR_COUNT; i++) {
        pl_mat3 U, V;
        double s[3];
        pl_svd3(m->F[i], &U, s, &V);
        m->R[i] = pl_mat3_add(U, V);
        m->q[i].x = s[0], m->q[i].y = s[1], m->q[i].z = s[2];
    }
}

// the largest difference of an entry of R from the exact rotation
static double wide_error(const matrices* m) {
    double worst = 0.0;
    for (int i = 0; i < MATRIX_COUNT; i++)
        for (int k = 0; k < 9; k++)
            worst = fmax(worst, fabs(m->R_w[i / PL_LANES].m[k][i % PL_LANES] - m->exact[i].m[k]));
    return worst;
}

static double scalar_error(const matrices* m) {
    double worst = 0.0;
    for (int i = 0; i < SCALAR_COUNT; i++)
        worst = fmax(worst, pl_mat3_max_abs(pl_mat3_sub(m->R[i], m->exact[i])));
    return worst;
}

static double rate(bench_run run, matrices* m, int repeats) {
    return MATRIX_COUNT / bench_seconds(run, m, repeats) / 1e6;
}

static double scalar_rate(bench_run run, matrices* m, int repeats) {
    return rate(run, m, repeats) / SCALAR_PART;
}

static double ratio(bench_run wide, bench_run scalar, matrices* m, int repeats) {
    return SCALAR_PART * bench_ratio(wide, m, scalar, m, repeats);
}

static void bench_rotations(bench* b, matrices* m, int repeats) {
    bench_result(b, "copy_m", rate(run_copy, m, repeats), "M/s", NAN);
    fill_matrices(m, 0.02);
    run_newton_1(m);
    bench_result(b, "rotation_apd1_error_002", wide_error(m), "", NAN);
    fill_matrices(m, 0.1);
    bench_result(b, "rotation_apd1_m", rate(run_newton_1, m, repeats), "M/s", NAN);
    bench_result(b, "rotation_apd1_error_01", wide_error(m), "", NAN);
    bench_result(b, "rotation_apd2_m", rate(run_newton_2, m, repeats), "M/s", NAN);
    bench_result(b, "rotation_apd2_error_01", wide_error(m), "", NAN);
    bench_result(b, "rotation_checked_m", rate(run_checked, m, repeats), "M/s", NAN);
    bench_result(b, "rotation_cold_m", rate(run_cold, m, repeats), "M/s", NAN);
    bench_result(b, "rotation_cold_error", wide_error(m), "", NAN);
    bench_result(b, "polar_scalar_m", scalar_rate(run_scalar_warm, m, repeats), "M/s", NAN);
    bench_result(b, "polar_scalar_cold_m", scalar_rate(run_scalar_cold, m, repeats), "M/s", NAN);
    // the same two iterations on both sides: the strictest comparison
    bench_result(b, "rotation_vs_scalar", ratio(run_newton_2, run_scalar_newton_2, m, repeats), "x",
                 NAN);
    bench_result(b, "rotation_vs_scalar_error", scalar_error(m), "", NAN);
    bench_result(b, "rotation_vs_scalar_converged",
                 ratio(run_newton_2, run_scalar_warm, m, repeats), "x", NAN);
    bench_result(b, "rotation_cold_vs_scalar", ratio(run_cold, run_scalar_cold, m, repeats), "x",
                 NAN);
    bench_result(b, "svd_m", rate(run_svd, m, repeats), "M/s", NAN);
    bench_result(b, "svd_scalar_m", scalar_rate(run_scalar_svd, m, repeats), "M/s", NAN);
    bench_result(b, "svd_vs_scalar", ratio(run_svd, run_scalar_svd, m, repeats), "x", NAN);
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
    matrices m;
    bool done = create_matrices(&m);
    if (done) {
        fill_matrices(&m, 0.1);
        bench_rotations(b, &m, bench_quick(b) ? 15 : 101);
        done = bench_limits(b, bench_quick(b) ? 5 : 31);
    } else fprintf(stderr, "math: out of memory\n");
    destroy_matrices(&m);
    return done;
}
