// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Deformation gradients with stretches within 20 % and warm starts that are off by a given angle;
// and the comparison that two benches make: two Newton iterations, wide float against scalar
// double, on one thread.
#ifndef PL_BENCH_ROTATION_DATA_H
#define PL_BENCH_ROTATION_DATA_H

#include "bench.h"
#include "math/polar.h"

// The scalar side does a part of the matrices, so that both sides take about as long: on a busy
// machine the longer of two runs is interrupted more often, which would flatter the shorter.
enum { MATRIX_COUNT = 1 << 14, BATCH_COUNT = MATRIX_COUNT / PL_LANES };
enum { SCALAR_PART = 16, SCALAR_COUNT = MATRIX_COUNT / SCALAR_PART };

typedef struct rotation_data {
    pl_mat3w *F_w, *R_w;
    pl_quatw *q_w, *start_w;
    pl_mat3 *F, *R, *exact;
    pl_quat *q, *start;
} rotation_data;

// False when memory is out; free it then too.
bool rotation_data_create(rotation_data* m);
void rotation_data_free(rotation_data* m);
void rotation_data_fill(rotation_data* m, double warm_angle);

// The largest difference of an entry of R from the exact rotation.
double rotation_wide_error(const rotation_data* m);
double rotation_scalar_error(const rotation_data* m);

// Millions of matrices per second of a run over all of them, and over the scalar part.
double rotation_rate(bench_run run, rotation_data* m, int repeats);
double rotation_scalar_rate(bench_run run, rotation_data* m, int repeats);
// A wide run over all against a scalar run over its part.
double rotation_ratio(bench_run wide, bench_run scalar, rotation_data* m, int repeats);

#define ROTATION_WIDE_RUN(name, call)                                                              \
    void name(void* user) {                                                                        \
        rotation_data* m = user;                                                                   \
        for (int i = 0; i < BATCH_COUNT; i++) {                                                    \
            pl_mat3w F = m->F_w[i], R;                                                             \
            pl_quatw q = m->start_w[i];                                                            \
            call;                                                                                  \
            m->R_w[i] = R;                                                                         \
            m->q_w[i] = q;                                                                         \
        }                                                                                          \
    }
#define ROTATION_SCALAR_RUN(name, call)                                                            \
    void name(void* user) {                                                                        \
        rotation_data* m = user;                                                                   \
        for (int i = 0; i < SCALAR_COUNT; i++) {                                                   \
            pl_quat q = m->start[i];                                                               \
            call;                                                                                  \
            m->q[i] = q;                                                                           \
        }                                                                                          \
    }

// two iterations on both sides: the strictest comparison
void rotation_run_newton_2(void* user);
void rotation_run_scalar_newton_2(void* user);

#endif
