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

#include <math.h>
#include <pliant/multigrid.h>
#include <stdio.h>
#include <string.h>

static const double STIFF = 1e4;
enum { MOST_ITERATIONS = 300 }; // plain nodes can take a thousand

typedef struct shape {
    const char* name;
    bool (*is_stiff)(const double point[3], double width); // both in elements
} shape;

static bool everywhere(const double p[3], double width) { return p[0] + width > 0.0; }
static bool in_layer(const double p[3], double width) { return p[1] > 0.5 * width; }
static bool in_lumps(const double p[3], double width) {
    double x = fmod(p[0] / width, 1.0) - 0.5;
    return hypot(hypot(x, p[1] / width - 0.5), p[2] / width - 0.5) < 0.3;
}
static bool in_bone(const double p[3], double width) {
    return hypot(p[1] / width - 0.5, p[2] / width - 0.5) < 0.25;
}
static bool in_shell(const double p[3], double width) {
    double depth = fmin(p[0], 4.0 * width - p[0]);
    for (int c = 1; c < 3; c++) depth = fmin(depth, fmin(p[c], width - p[c]));
    return depth < 1.5;
}
// two elements thick, with two soft ones between them
static bool in_sheets(const double p[3], double width) {
    (void)width;
    return fmod(p[0], 4.0) < 2.0;
}
static bool in_rods(const double p[3], double width) {
    (void)width;
    return fmod(p[1], 4.0) < 2.0 && fmod(p[2], 4.0) < 2.0;
}

static const shape shapes[] = {{"stiff", everywhere}, {"layer", in_layer}, {"lumps", in_lumps},
                               {"bone", in_bone},     {"shell", in_shell}, {"sheets", in_sheets},
                               {"rods", in_rods}};

// element: the edge of a cell
static void fill_contrast(const pl_mesh* mesh, const shape* s, double element, double* contrast) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high = -INFINITY;
    for (int i = 0; i < 3 * mesh->vertex_count; i++) {
        low[i % 3] = fmin(low[i % 3], mesh->positions[i]);
        if (i % 3 == 1) high = fmax(high, mesh->positions[i]);
    }
    for (int t = 0; t < mesh->tet_count; t++) {
        double point[3] = {-low[0] / element, -low[1] / element, -low[2] / element};
        for (int k = 0; k < 12; k++)
            point[k % 3] += 0.25 * mesh->positions[3 * mesh->tets[4 * t + k / 3] + k % 3] / element;
        contrast[t] = s && s->is_stiff(point, (high - low[1]) / element) ? STIFF : 1.0;
    }
}

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

// s NULL: the soft bar
static pl_status measure(const pl_mesh* mesh, const shape* s, double element, pl_mg_info* aware,
                         pl_mg_info* plain, pl_error* error) {
    bench_solid material = bench_default_solid();
    double* contrast = PL_ALLOC(double, mesh->tet_count);
    if (!contrast) return pl_fail_memory(error, "a contrast");
    fill_contrast(mesh, s, element, contrast);
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
    if (status == PL_OK) status = measure(mesh, NULL, element, &soft, &plain, &error);
    if (status == PL_OK) {
        printf("  | stiff part | iterations | of the soft bar's | plain | nodes | MB | update and "
               "solve [ms] |\n");
        report(b, "soft", soft.iterations, &soft, &plain);
    }
    for (size_t k = 0; status == PL_OK && k < sizeof shapes / sizeof shapes[0]; k++) {
        status = measure(mesh, &shapes[k], element, &aware, &plain, &error);
        if (status == PL_OK) report(b, shapes[k].name, soft.iterations, &aware, &plain);
    }
    pl_mesh_destroy(mesh);
    if (status != PL_OK) fprintf(stderr, "pliant-bench s0-contrast: %s\n", error.text);
    return status == PL_OK;
}
