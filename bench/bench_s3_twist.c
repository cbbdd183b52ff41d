// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// S3 Fig. 11: a cube at nu = 0.4999 is turned by 180 degrees from bottom to top and stretched to
// 1.5 times its height, then let go with bottom and top held. Four solvers find its rest; each
// iteration takes the matrix anew. Printed per iteration: processor time, residual, volume gain,
// and position error, both relative to those of the start. `volume_gain_2`: |V / V0 - 1| after two
// iterations of multigrid; `seconds_multigrid`: until the position error is 1e-3; `lead_*`: time of
// a solver until then, with the best of its numbers of inner iterations, over that of multigrid;
// `lead_of_solver_*`: the same without the time of matrices and residuals, which is alike for all.
// A solver is stopped at 10 times the time of multigrid: then its lead is a lower bound.
// --quick: 4000 vertices in place of 32 905.
#include "base/memory.h"
#include "bench_meshes.h"
#include "s3_solvers.h"
#include "s3_world.h"
#include "sparse/vector.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char NAME[] = "s3-twist";
static const double NU = 0.4999, TURN = PL_PI, STRETCH = 1.5;
static const double ERROR = 1e-3, PATIENCE = 10.0;

typedef struct twist {
    bench* b;
    pl_mesh* mesh;
    s3_system s;
    pl_pool* pool;
    double *start, *end, *x, *r; // r: 4 per vertex
    double residual;             // at the start
} twist;

static void turn(const pl_mesh* mesh, double* x) {
    for (size_t v = 0; v < (size_t)mesh->vertex_count; v++) {
        const double* from = mesh->positions + 3 * v;
        double angle = TURN * from[1], c = cos(angle), s = sin(angle);
        double a = from[0] - 0.5, b = from[2] - 0.5;
        x[3 * v] = 0.5 + c * a + s * b;
        x[3 * v + 1] = STRETCH * from[1];
        x[3 * v + 2] = 0.5 - s * a + c * b;
    }
}

static double distance(const twist* t, const double* a, const double* b) {
    double sum = 0.0;
    for (int i = 0; i < 3 * t->s.vertex_count; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

static double residual(twist* t) {
    s3_system_residual(&t->s, t->x, t->pool, t->r);
    return pl_vector_norm(t->pool, 4 * t->s.vertex_count, t->r);
}

static void begin(twist* t) {
    size_t n = (size_t)t->s.vertex_count;
    memcpy(t->x, t->start, 3 * n * sizeof(double));
    memset(t->s.pressure, 0, n * sizeof(double));
}

// The rest that all of them look for.
static bool find_end(twist* t, pl_error* error) {
    enum { MOST = 40, INNER = 60 };
    s3_solver* m = s3_solver_create(S3_BY_MULTIGRID, &t->s, INNER, t->pool, error);
    if (!m) return false;
    begin(t);
    s3_system_linearise(&t->s, t->x, t->pool);
    t->residual = residual(t);
    double left = 1.0, assembly = 0.0;
    for (int k = 0; k < MOST && left > 1e-9; k++) {
        if (!s3_solver_iterate(m, t->x, &assembly)) break;
        left = residual(t) / t->residual;
    }
    s3_solver_destroy(m);
    printf("  rest: residual %.1e, volume gain %.1e\n", left,
           s3_volume(t->mesh, t->x) / s3_volume(t->mesh, t->mesh->positions) - 1.0);
    memcpy(t->end, t->x, 3 * (size_t)t->s.vertex_count * sizeof(double));
    return left <= 1e-9;
}

typedef struct race_result {
    double seconds;  // until the error is small enough, or the end
    double assembly; // of these
    bool arrived;
    double volume_gain_2; // after two iterations
} race_result;

static bool race(twist* t, s3_solver_kind kind, int inner, double limit, race_result* out,
                 pl_error* error) {
    enum { MOST = 4000 };
    begin(t);
    double begin_at = s3_cpu_seconds(), spent = 0.0;
    s3_solver* m = s3_solver_create(kind, &t->s, inner, t->pool, error);
    if (!m) return false;
    double whole = distance(t, t->start, t->end), rest = s3_volume(t->mesh, t->mesh->positions);
    *out = (race_result){.volume_gain_2 = NAN};
    for (int k = 1; k <= MOST; k++) {
        if (!s3_solver_iterate(m, t->x, &out->assembly)) break;
        spent += s3_cpu_seconds() - begin_at;
        double error_now = distance(t, t->x, t->end) / whole, left = residual(t) / t->residual;
        double gain = s3_volume(t->mesh, t->x) / rest - 1.0;
        if (k <= 4 || (k & (k - 1)) == 0 || error_now <= ERROR)
            printf(
                "  %s, %d inner, iteration %d: %.2f s, residual %.2e, volume gain %.2e, position "
                "error %.2e\n",
                s3_solver_name(kind), inner, k, spent, left, gain, error_now);
        if (k == 2) out->volume_gain_2 = fabs(gain);
        out->seconds = spent;
        out->arrived = error_now <= ERROR;
        if (out->arrived || spent > limit || !isfinite(left)) break;
        begin_at = s3_cpu_seconds();
    }
    if (!out->arrived)
        printf("  %s, %d inner: not there after %.2f s\n", s3_solver_name(kind), inner,
               out->seconds);
    fflush(stdout);
    s3_solver_destroy(m);
    return true;
}

static void report_lead(bench* b, const char* what, s3_solver_kind kind, double lead) {
    char name[64];
    snprintf(name, sizeof name, "%s_%s", what, s3_solver_name(kind));
    bench_result(b, name, lead, "x", NAN);
}

static bool compare(twist* t, pl_error* error) {
    static const int inner[S3_SOLVER_COUNT][2] = {{3, 0}, {50, 150}, {100, 400}, {10, 40}};
    race_result ours, r;
    if (!race(t, S3_BY_MULTIGRID, inner[0][0], INFINITY, &ours, error)) return false;
    bench_result(t->b, "volume_gain_2", ours.volume_gain_2, "", 0.01);
    bench_result(t->b, "seconds_multigrid", ours.arrived ? ours.seconds : NAN, "s", NAN);
    bench_result(t->b, "seconds_assembly", ours.assembly, "s", NAN);
    for (int kind = S3_BY_VANKA; kind < S3_SOLVER_COUNT; kind++) {
        double least = PATIENCE * ours.seconds, least_solver = least;
        for (int k = 0; k < 2; k++) {
            if (!race(t, kind, inner[kind][k], PATIENCE * ours.seconds, &r, error)) return false;
            if (!r.arrived) continue;
            least = fmin(least, r.seconds);
            least_solver = fmin(least_solver, r.seconds - r.assembly);
        }
        report_lead(t->b, "lead", kind, least / ours.seconds);
        report_lead(t->b, "lead_of_solver", kind, least_solver / (ours.seconds - ours.assembly));
    }
    return ours.arrived;
}

static bool run(twist* t, pl_error* error) {
    pl_generate_options options;
    if (pl_generate_defaults("box", &options, error) != PL_OK) return false;
    options.edge = bench_quick(t->b) ? 0.078 : 0.0391;
    if (pl_generate("box", &options, &t->mesh, error) != PL_OK) return false;
    bench_make_unit_size(t->mesh);
    if (!s3_system_create(&t->s, &(s3_body){t->mesh, NU, 0.0, NULL, true}, t->pool, error))
        return false;
    size_t n = (size_t)t->s.vertex_count;
    t->start = PL_ALLOC(double, 3 * n);
    t->end = PL_ALLOC(double, 3 * n);
    t->x = PL_ALLOC(double, 3 * n);
    t->r = PL_ALLOC(double, 4 * n);
    if (!t->start || !t->end || !t->x || !t->r) return pl_fail_memory(error, "positions") == PL_OK;
    turn(t->mesh, t->start);
    printf("  %d vertices, %d tets\n", t->mesh->vertex_count, t->mesh->tet_count);
    if (!find_end(t, error)) return pl_fail(error, PL_ERROR_DIVERGED, "no rest found") == PL_OK;
    return compare(t, error);
}

bool bench_s3_twist(bench* b) {
    twist t = {.b = b};
    pl_error error = {0};
    bool ok = pl_pool_create(1, &t.pool, &error) == PL_OK && run(&t, &error);
    if (!ok) fprintf(stderr, "pliant-bench %s: %s\n", NAME, error.text);
    size_t n = (size_t)t.s.vertex_count;
    PL_FREE(t.start, double, 3 * n);
    PL_FREE(t.end, double, 3 * n);
    PL_FREE(t.x, double, 3 * n);
    PL_FREE(t.r, double, 4 * n);
    s3_system_free(&t.s);
    pl_mesh_destroy(t.mesh);
    pl_pool_destroy(t.pool);
    return ok;
}
