// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// S3 section 8, future work: dramatic heterogeneity. A bar at nu = 0.499 that lies on the ground,
// soft but for a part of 1e4 times the stiffness: iterations of flexible GMRES around cycles to
// 1e-6, at rest and with inertia, over those of the soft bar. `ratio_*` has the larger one of both.
// --quick: the bar of 4000 vertices in place of the one of 53 000.
#include "base/memory.h"
#include "bench_systems.h"
#include "contrast_shapes.h"
#include "mixed/mixed_cycles.h"
#include "s3_system.h"
#include "s3_world.h"

#include <math.h>
#include <stdio.h>

static const char NAME[] = "s3-contrast";
static const double STIFF = 1e4, NU = 0.499;
enum { MAX_ITERATIONS = 300, INERTIAS = 2 };
static const double INERTIA[INERTIAS] = {0.0, 100.0}; // of the soft bar of 1 m, mu = 1 Pa

static bool count_iterations(const s3_system* s, pl_pool* pool, int* iterations, pl_error* error) {
    pl_multigrid keys = {.smoother = PL_SMOOTHER_GAUSS_SEIDEL,
                         .pre_sweeps = 2,
                         .post_sweeps = 2,
                         .stiffness_aware = true};
    pl_linear_options options = {.tolerance = 1e-6, .max_iterations = MAX_ITERATIONS};
    pl_linear_info info = {0};
    pl_mixed_cycles* cycles = NULL;
    size_t count = 4 * (size_t)s->vertex_count;
    double* x = PL_ALLOC(double, count);
    bool ok =
        x && pl_mixed_cycles_create(&s->A, s->rest, &keys, NAN, pool, &cycles, error) == PL_OK;
    if (ok && pl_mixed_cycles_update(cycles, false))
        pl_mixed_cycles_solve(cycles, &options, s->b, x, &info);
    *iterations = info.converged ? info.iterations : MAX_ITERATIONS;
    pl_mixed_cycles_destroy(cycles);
    PL_FREE(x, double, count);
    return ok;
}

// shape -1: the soft bar
static bool measure(const pl_mesh* mesh, int shape, double element, pl_pool* pool,
                    int iterations[INERTIAS], pl_error* error) {
    double* contrast = PL_ALLOC(double, mesh->tet_count);
    if (!contrast) return pl_fail_memory(error, "a contrast") == PL_OK;
    bench_contrast_fill(mesh, shape, element, STIFF, contrast);
    bool ok = true;
    for (int k = 0; ok && k < INERTIAS; k++) {
        s3_system s;
        ok = s3_system_create(&s, &(s3_body){mesh, NU, INERTIA[k], contrast, false}, pool, error);
        if (!ok) break;
        ok = count_iterations(&s, pool, &iterations[k], error);
        s3_system_free(&s);
    }
    PL_FREE(contrast, double, mesh->tet_count);
    return ok;
}

static void report(bench* b, const char* name, const int soft[INERTIAS], const int its[INERTIAS]) {
    char text[64];
    double ratio = 0.0;
    for (int k = 0; k < INERTIAS; k++) ratio = fmax(ratio, (double)its[k] / soft[k]);
    printf("  %s: %d at rest, %d with inertia\n", name, its[0], its[1]);
    fflush(stdout);
    snprintf(text, sizeof text, "iterations_%s", name);
    bench_result(b, text, its[0], "", NAN);
    snprintf(text, sizeof text, "ratio_%s", name);
    bench_result(b, text, ratio, "of soft", NAN);
}

bool bench_s3_contrast(bench* b) {
    pl_pool* pool = NULL;
    pl_mesh* mesh = NULL;
    pl_error error = {0};
    bool quick = bench_quick(b);
    double element = quick ? 1.0 / 36 : 1.0 / 92;
    int soft[INERTIAS], its[INERTIAS];
    bool ok = pl_pool_create(0, &pool, &error) == PL_OK &&
              bench_bar_mesh(quick ? BENCH_BAR_4K : BENCH_BAR_53K, &mesh, &error) == PL_OK &&
              measure(mesh, -1, element, pool, soft, &error);
    if (ok) report(b, "soft", soft, soft);
    for (int k = 0; ok && k < BENCH_CONTRAST_SHAPES; k++) {
        ok = measure(mesh, k, element, pool, its, &error);
        if (ok) report(b, bench_contrast_name(k), soft, its);
    }
    if (!ok) fprintf(stderr, "pliant-bench %s: %s\n", NAME, error.text);
    pl_mesh_destroy(mesh);
    pl_pool_destroy(pool);
    return ok;
}
