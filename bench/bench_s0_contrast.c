// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Stiff parts in a soft bar, 1e4 : 1, held at one end: iterations of mgpcg to 1e-6 beside those of
// the soft bar and the stiff one, same mesh and same hold; with nodes that follow stiffness and
// with plain ones. Paper: nothing, bodies of one material only.
//
// --quick: the bar of 4000 vertices in place of the one of 53 000.
#include "base/memory.h"
#include "bench.h"
#include "bench_systems.h"
#include "contrast_shapes.h"

#include <math.h>
#include <pliant/multigrid.h>
#include <stdio.h>
#include <string.h>

static const double STIFF = 1e4;
enum { MOST_ITERATIONS = 300 }; // plain nodes can take a thousand

static pl_status solve(const bench_system* system, bool aware, pl_mg_info* info, pl_error* error) {
    const pl_block_matrix* A = &system->A;
    pl_mg_blocks blocks = {A->row_count, A->offsets, A->columns, A->values};
    pl_mg_def def = pl_default_mg_def();
    def.stiffness_aware = aware;
    pl_mg_solver* solver;
    pl_status status = pl_mg_create(&def, &blocks, system->positions, &solver, error);
    if (status != PL_OK) return status;
    size_t count = 3 * (size_t)A->row_count;
    double* x = PL_ALLOC(double, count);
    if (x) pl_mg_solve(solver, system->rhs, x, 1e-6, MOST_ITERATIONS, info);
    else status = pl_fail_memory(error, "a solution");
    PL_FREE(x, double, count);
    pl_mg_destroy(solver);
    return status;
}

// shape -1: the soft bar
static pl_status measure(const pl_mesh* mesh, int shape, double element, pl_mg_info* aware,
                         pl_mg_info* plain, pl_error* error) {
    bench_solid material = bench_default_solid();
    double* contrast = PL_ALLOC(double, mesh->tet_count);
    if (!contrast) return pl_fail_memory(error, "a contrast");
    bench_contrast_fill(mesh, shape, element, STIFF, contrast);
    material.contrast = contrast;
    bench_system system;
    pl_status status = bench_elasticity(mesh, &material, "left", &system, error);
    if (status == PL_OK) {
        status = solve(&system, true, aware, error);
        if (status == PL_OK) status = solve(&system, false, plain, error);
        bench_system_free(&system);
    }
    PL_FREE(contrast, double, mesh->tet_count);
    return status;
}

static void report(bench* b, const char* name, int homogeneous, const pl_mg_info* aware,
                   const pl_mg_info* plain) {
    char text[64];
    printf("  | %s | %s%d | %.2f | %s%d | %d, %d | %.1f, %.1f | %.0f, %.0f |\n", name,
           aware->converged ? "" : "> ", aware->iterations, (double)aware->iterations / homogeneous,
           plain->converged ? "" : "> ", plain->iterations, aware->node_counts[1],
           plain->node_counts[1], 1e-6 * (double)aware->bytes, 1e-6 * (double)plain->bytes,
           1e3 * (aware->update_seconds + aware->solve_seconds),
           1e3 * (plain->update_seconds + plain->solve_seconds));
    snprintf(text, sizeof text, "iterations_%s", name);
    bench_result(b, text, aware->iterations, "", NAN);
    snprintf(text, sizeof text, "iterations_%s_plain", name);
    bench_result(b, text, plain->iterations, "", NAN);
    snprintf(text, sizeof text, "ratio_%s", name);
    bench_result(b, text, (double)aware->iterations / homogeneous, "of soft", NAN);
}

bool bench_s0_contrast(bench* b) {
    pl_error error;
    pl_mesh* mesh;
    pl_mg_info soft, plain, aware;
    bool quick = bench_quick(b);
    double element = quick ? 1.0 / 36 : 1.0 / 92;
    pl_status status = bench_bar_mesh(quick ? BENCH_BAR_4K : BENCH_BAR_53K, &mesh, &error);
    if (status == PL_OK) status = measure(mesh, -1, element, &soft, &plain, &error);
    if (status == PL_OK) {
        printf("  | stiff part | iterations | of the soft bar's | plain | nodes | MB | update and "
               "solve [ms] |\n");
        report(b, "soft", soft.iterations, &soft, &plain);
    }
    for (int k = 0; status == PL_OK && k < BENCH_CONTRAST_SHAPES; k++) {
        status = measure(mesh, k, element, &aware, &plain, &error);
        if (status == PL_OK) report(b, bench_contrast_name(k), soft.iterations, &aware, &plain);
    }
    pl_mesh_destroy(mesh);
    if (status != PL_OK) fprintf(stderr, "pliant-bench s0-contrast: %s\n", error.text);
    return status == PL_OK;
}
