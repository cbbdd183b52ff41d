// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "rotation_data.h"
#include "base/memory.h"
#include "base/random.h"

bool rotation_data_create(rotation_data* m) {
    *m = (rotation_data){.F_w = PL_ALLOC(pl_mat3w, BATCH_COUNT),
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

void rotation_data_free(rotation_data* m) {
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

void rotation_data_fill(rotation_data* m, double warm_angle) {
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

ROTATION_WIDE_RUN(rotation_run_newton_2, R = pl_polar_newton_w(&F, &q, 2))
ROTATION_SCALAR_RUN(rotation_run_scalar_newton_2, pl_polar_newton(&m->F[i], &q, 2, &m->R[i]))

double rotation_wide_error(const rotation_data* m) {
    double worst = 0.0;
    for (int i = 0; i < MATRIX_COUNT; i++)
        for (int k = 0; k < 9; k++)
            worst = fmax(worst, fabs(m->R_w[i / PL_LANES].m[k][i % PL_LANES] - m->exact[i].m[k]));
    return worst;
}

double rotation_scalar_error(const rotation_data* m) {
    double worst = 0.0;
    for (int i = 0; i < SCALAR_COUNT; i++)
        worst = fmax(worst, pl_mat3_max_abs(pl_mat3_sub(m->R[i], m->exact[i])));
    return worst;
}

double rotation_rate(bench_run run, rotation_data* m, int repeats) {
    return MATRIX_COUNT / bench_seconds(run, m, repeats) / 1e6;
}

double rotation_scalar_rate(bench_run run, rotation_data* m, int repeats) {
    return rotation_rate(run, m, repeats) / SCALAR_PART;
}

double rotation_ratio(bench_run wide, bench_run scalar, rotation_data* m, int repeats) {
    return SCALAR_PART * bench_ratio(wide, m, scalar, m, repeats);
}
