// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// S3 Fig. 7: six smoothers alone on the linear system of a frame, for a cube (nu = 0.4999), an
// octopus (0.499) and a body like an armadillo (0.49). Each takes the relaxation, of a list, that
// reduces the residual most in 20 sweeps. `seconds_per_digit_*` is the processor time for a tenth
// of the residual, measured until it is a hundredth or 200 sweeps are done; infinite where no
// relaxation converges. `lead_*` is that of a smoother over that of vertex Vanka, the smallest of
// the three bodies, and `lead_smoother` the smallest of Uzawa, Kaczmarz and additive Vanka.
// --quick: a fifth of the vertices.
#include "base/memory.h"
#include "bench_meshes.h"
#include "s3_smoothers.h"
#include "s3_world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char NAME[] = "s3-smoothers";
enum { BODIES = 3, MAX_SWEEPS = 200, TUNING_SWEEPS = 20 };
static const double OMEGAS[] = {0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2};
enum { OMEGA_COUNT = sizeof OMEGAS / sizeof OMEGAS[0] };
// density / (mu h^2) at E = 1e6 Pa, h = 1/60 s
static const double INERTIA = 1000.0 * 3600.0 / (1e6 / 3.0);

static double residual(const s3_system* s, const double* u, double* r) {
    pl_block_matrix_apply(&s->A, NULL, 1, u, r);
    double sum = 0.0;
    for (int i = 0; i < 4 * s->vertex_count; i++) sum += (s->b[i] - r[i]) * (s->b[i] - r[i]);
    return sqrt(sum);
}

typedef struct race {
    const s3_system* s;
    double *u, *r;
    double start; // residual
} race;

static double best_omega(race* a, s3_smoother* m) {
    double best = INFINITY, omega = OMEGAS[0];
    for (int k = 0; k < OMEGA_COUNT; k++) {
        memset(a->u, 0, 4 * (size_t)a->s->vertex_count * sizeof(double));
        for (int i = 0; i < TUNING_SWEEPS; i++) s3_smoother_sweep(m, OMEGAS[k], a->u);
        double left = residual(a->s, a->u, a->r);
        if (left < best) best = left, omega = OMEGAS[k];
    }
    return omega;
}

static double seconds_per_digit(race* a, s3_smoother* m, double omega, int* sweeps) {
    double seconds = 0.0, left = a->start;
    memset(a->u, 0, 4 * (size_t)a->s->vertex_count * sizeof(double));
    for (*sweeps = 0; *sweeps < MAX_SWEEPS && left > 0.01 * a->start; *sweeps += 5) {
        double begin = s3_cpu_seconds();
        for (int i = 0; i < 5; i++) s3_smoother_sweep(m, omega, a->u);
        seconds += s3_cpu_seconds() - begin;
        left = residual(a->s, a->u, a->r);
    }
    return left < a->start ? seconds / log10(a->start / left) : INFINITY;
}

static bool run_body(bench* b, const char* body, const s3_system* s, const pl_mesh* mesh,
                     double leads[S3_SMOOTHER_COUNT]) {
    size_t count = 4 * (size_t)s->vertex_count;
    race a = {.s = s, .u = PL_ALLOC(double, count), .r = PL_ALLOC(double, count)};
    bool ok = a.u && a.r;
    double ours = NAN;
    if (ok) a.start = residual(s, a.u, a.r);
    for (int kind = 0; ok && kind < S3_SMOOTHER_COUNT; kind++) {
        s3_smoother* m = s3_smoother_create(kind, s, mesh);
        ok = m != NULL;
        if (!ok) break;
        int sweeps;
        double omega = best_omega(&a, m), seconds = seconds_per_digit(&a, m, omega, &sweeps);
        if (kind == S3_VERTEX_VANKA) ours = seconds;
        leads[kind] = fmin(leads[kind], seconds / ours);
        printf("  %s, %d vertices: %s, omega %g, %d sweeps\n", body, s->vertex_count,
               s3_smoother_name(kind), omega, sweeps);
        char name[80];
        snprintf(name, sizeof name, "seconds_per_digit_%s_%s", body, s3_smoother_name(kind));
        bench_result(b, name, seconds, "s", NAN);
        s3_smoother_destroy(m);
    }
    PL_FREE(a.u, double, count);
    PL_FREE(a.r, double, count);
    return ok;
}

static pl_status make_mesh(bench* b, int body, int vertices, pl_mesh** out, pl_error* error) {
    static const char* const files[BODIES] = {NULL, "octopus.msh", "armadillo.msh"};
    if (files[body]) return bench_solid_mesh(b, files[body], vertices, out, error);
    pl_generate_options options;
    pl_status status = pl_generate_defaults("box", &options, error);
    options.edge = 1.0 / cbrt(0.45 * vertices);
    return status == PL_OK ? pl_generate("box", &options, out, error) : status;
}

bool bench_s3_smoothers(bench* b) {
    static const char* const bodies[BODIES] = {"cube", "octopus", "armadillo"};
    static const double nus[BODIES] = {0.4999, 0.499, 0.49};
    double leads[S3_SMOOTHER_COUNT];
    for (int k = 0; k < S3_SMOOTHER_COUNT; k++) leads[k] = INFINITY;
    pl_error error = {0};
    for (int k = 0; k < BODIES; k++) {
        pl_mesh* mesh = NULL;
        s3_system s = {0};
        bool ok = make_mesh(b, k, bench_quick(b) ? 1500 : 8000, &mesh, &error) == PL_OK;
        if (ok) bench_make_unit_size(mesh);
        ok = ok &&
             s3_system_create(&s, &(s3_body){mesh, nus[k], INERTIA, NULL, false}, NULL, &error);
        if (!ok) fprintf(stderr, "pliant-bench %s: %s\n", NAME, error.text);
        ok = ok && run_body(b, bodies[k], &s, mesh, leads);
        s3_system_free(&s);
        pl_mesh_destroy(mesh);
        if (!ok) return false;
    }
    double least = INFINITY;
    for (int kind = S3_CELL_VANKA; kind < S3_SMOOTHER_COUNT; kind++) {
        char name[64];
        snprintf(name, sizeof name, "lead_%s", s3_smoother_name(kind));
        bench_result(b, name, leads[kind], "x", NAN);
        if (kind != S3_CELL_VANKA) least = fmin(least, leads[kind]);
    }
    bench_result(b, "lead_smoother", least, "x", NAN);
    return true;
}
