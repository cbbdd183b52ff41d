// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// S3 Fig. 7: six smoothers alone on the linear system of a frame, for a cube (nu = 0.4999), an
// octopus (0.499) and a body like an armadillo (0.49). Each runs with every relaxation of a list
// until the residual is a hundredth or 200 sweeps are done, and takes the relaxation that needs the
// fewest sweeps per digit (a tenth of the residual); those whose sweeps are of vertices also have a
// relaxation of their own for pressures.
//
// `sweeps_per_digit_*` does not depend on the machine; infinite where no relaxation converges.
// `seconds_per_digit_*` is that times the processor time of a sweep: the median of several rounds,
// in each of which all smoothers sweep in turn. `lead_*` is the seconds of a smoother over those of
// vertex Vanka, the smallest of the three bodies, and `lead_smoother` the smallest of Uzawa,
// Kaczmarz and additive Vanka. --quick: a fifth of the vertices.
#include "base/array.h"
#include "base/memory.h"
#include "bench_meshes.h"
#include "s3_smoothers.h"
#include "s3_world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char NAME[] = "s3-smoothers";
enum { BODIES = 3, MAX_SWEEPS = 200, CHECK_SWEEPS = 5, ROUNDS = 9, ROUND_SWEEPS = 10 };
static const double OMEGAS[] = {0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6,
                                0.7,  0.8,  0.9,  1.0,  1.1, 1.2, 1.3, 1.5, 1.7};
enum { OMEGA_COUNT = sizeof OMEGAS / sizeof OMEGAS[0] };
// the relaxation of pressures over that of positions
static const double PARTS[] = {1.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.5};
enum { PART_COUNT = sizeof PARTS / sizeof PARTS[0] };
// density / (mu h^2) at E = 1e6 Pa, h = 1/60 s
static const double INERTIA = 1000.0 * 3600.0 / (1e6 / 3.0);

static double residual(const s3_system* s, const double* u, double* r) {
    pl_block_matrix_apply(&s->A, NULL, 1, u, r);
    double sum = 0.0;
    for (int i = 0; i < 4 * s->vertex_count; i++) sum += (s->b[i] - r[i]) * (s->b[i] - r[i]);
    return sqrt(sum);
}

static double thread_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct runner {
    s3_smoother* smoother;
    double omega, part, sweeps_per_digit, seconds_per_sweep;
} runner;

typedef struct race {
    const s3_system* s;
    runner runners[S3_SMOOTHER_COUNT];
    double *u, *r;
    double start; // residual
} race;

static void forget(race* a) { memset(a->u, 0, 4 * (size_t)a->s->vertex_count * sizeof(double)); }

static double sweeps_per_digit(race* a, s3_smoother* m, double omega, double part) {
    double left = a->start;
    int sweeps = 0;
    forget(a);
    while (sweeps < MAX_SWEEPS && left > 0.01 * a->start) {
        for (int i = 0; i < CHECK_SWEEPS; i++) s3_smoother_sweep(m, omega, part * omega, a->u);
        sweeps += CHECK_SWEEPS;
        left = residual(a->s, a->u, a->r);
        if (!(left < 1e3 * a->start)) break; // diverges
    }
    return left < a->start ? sweeps / log10(a->start / left) : INFINITY;
}

// Cells and Kaczmarz, whose sweeps take many times as long, have one relaxation for both.
static void find_omega(race* a, runner* m, s3_smoother_kind kind) {
    const bool by_vertices =
        kind == S3_VERTEX_VANKA || kind == S3_JACOBI_UZAWA || kind == S3_GAUSS_UZAWA;
    m->omega = OMEGAS[0];
    m->part = PARTS[0];
    m->sweeps_per_digit = INFINITY;
    for (int k = 0; k < OMEGA_COUNT; k++)
        for (int p = 0; p < (by_vertices ? PART_COUNT : 1); p++) {
            double sweeps = sweeps_per_digit(a, m->smoother, OMEGAS[k], PARTS[p]);
            if (!(sweeps < m->sweeps_per_digit)) continue;
            m->sweeps_per_digit = sweeps, m->omega = OMEGAS[k], m->part = PARTS[p];
        }
}

static void time_sweeps(race* a) {
    double seconds[S3_SMOOTHER_COUNT][ROUNDS];
    for (int round = 0; round < ROUNDS; round++)
        for (int kind = 0; kind < S3_SMOOTHER_COUNT; kind++) {
            runner* m = &a->runners[kind];
            forget(a);
            double begin = thread_seconds();
            for (int i = 0; i < ROUND_SWEEPS; i++)
                s3_smoother_sweep(m->smoother, m->omega, m->part * m->omega, a->u);
            seconds[kind][round] = (thread_seconds() - begin) / ROUND_SWEEPS;
        }
    for (int kind = 0; kind < S3_SMOOTHER_COUNT; kind++) {
        qsort(seconds[kind], ROUNDS, sizeof(double), pl_compare_doubles);
        a->runners[kind].seconds_per_sweep = seconds[kind][ROUNDS / 2];
    }
}

static void report(bench* b, const char* body, const race* a, double leads[S3_SMOOTHER_COUNT]) {
    const runner* ours = &a->runners[S3_VERTEX_VANKA];
    for (int kind = 0; kind < S3_SMOOTHER_COUNT; kind++) {
        const runner* m = &a->runners[kind];
        double seconds = m->sweeps_per_digit * m->seconds_per_sweep;
        double lead = seconds / (ours->sweeps_per_digit * ours->seconds_per_sweep);
        leads[kind] = fmin(leads[kind], lead);
        printf("  %s, %d vertices: %s, omega %g, of pressures %g, %.3g ms a sweep, %.3g times the "
               "seconds\n",
               body, a->s->vertex_count, s3_smoother_name(kind), m->omega, m->part * m->omega,
               1e3 * m->seconds_per_sweep, lead);
        char name[80];
        snprintf(name, sizeof name, "sweeps_per_digit_%s_%s", body, s3_smoother_name(kind));
        bench_result(b, name, m->sweeps_per_digit, "", NAN);
        snprintf(name, sizeof name, "seconds_per_digit_%s_%s", body, s3_smoother_name(kind));
        bench_result(b, name, seconds, "s", NAN);
    }
    fflush(stdout);
}

static bool run_body(bench* b, const char* body, const s3_system* s, const pl_mesh* mesh,
                     double leads[S3_SMOOTHER_COUNT]) {
    size_t count = 4 * (size_t)s->vertex_count;
    race a = {.s = s, .u = PL_ALLOC(double, count), .r = PL_ALLOC(double, count)};
    bool ok = a.u && a.r;
    if (ok) a.start = residual(s, a.u, a.r);
    for (int kind = 0; ok && kind < S3_SMOOTHER_COUNT; kind++) {
        a.runners[kind].smoother = s3_smoother_create(kind, s, mesh);
        ok = a.runners[kind].smoother != NULL;
        if (ok) find_omega(&a, &a.runners[kind], kind);
    }
    if (ok) time_sweeps(&a);
    if (ok) report(b, body, &a, leads);
    for (int kind = 0; kind < S3_SMOOTHER_COUNT; kind++)
        s3_smoother_destroy(a.runners[kind].smoother);
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
