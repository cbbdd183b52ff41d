// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Conjugate gradients against the lattice's V-cycle (Zhu 2010, Fig. 11): residual over iterations
// and over time on the box between two held walls, 32^3 and 64^3, nu = 0.2 and 0.49. Conjugate
// gradients solve the same staggered equations with pressures eliminated, and trilinear hexahedra
// with as many cells, in double on one thread; cycles run on one thread too. The load is the same
// push along y on all unknowns. With PLIANT_PLOTS=DIR: DIR/s4_cg_iterations.svg and
// s4_cg_seconds.svg, the largest box.
#include "base/memory.h"
#include "base/timer.h"
#include "bench.h"
#include "plot_svg.h"
#include "s4_hexes.h"
#include "s4_lattice.h"
#include "s4_staggered.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ITERATIONS = 300, CYCLES = 14, LINES = 12 };

typedef struct curve {
    char name[48];
    int count;
    double iteration[ITERATIONS + 1], seconds[ITERATIONS + 1], residual[ITERATIONS + 1];
} curve;

static curve* start_curve(curve* c, const char* kind, int n, double nu, int count) {
    snprintf(c->name, sizeof c->name, "%s_%d_nu%g", kind, n, nu);
    c->count = count + 1;
    for (int k = 0; k <= count; k++) c->iteration[k] = k;
    return c;
}

static void apply_staggered(const void* matrix, const double* x, double* y) {
    s4_sparse_apply(matrix, x, y);
}

static pl_status run_staggered(int n, double nu, int iterations, curve* out, pl_error* error) {
    pl_grid_cells cells = {0};
    s4_faces faces = {0};
    s4_sparse A = {0};
    start_curve(out, "cg_staggered", n, nu, iterations);
    pl_status status = s4_box_cells(n, &cells, error);
    if (status == PL_OK) status = s4_faces_create(&cells, &faces, error);
    if (status == PL_OK)
        status = s4_staggered_matrix(&faces, (1.0 - 2.0 * nu) / (2.0 * nu), 0, &A, error);
    int count = faces.count;
    double *b = PL_ALLOC(double, count), *x = PL_ALLOC(double, count);
    if (status == PL_OK && (!b || !x)) status = pl_fail_memory(error, "a right side");
    for (int k = 0; status == PL_OK && k < n; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                int row = s4_face(&faces, 1, i, j, k);
                if (row >= 0) b[row] = 1.0;
            }
    if (status == PL_OK)
        status = s4_conjugate_gradients(apply_staggered, &A, count, b, x, iterations, out->residual,
                                        out->seconds, error);
    PL_FREE(b, double, count);
    PL_FREE(x, double, count);
    s4_sparse_free(&A);
    if (faces.cells) s4_faces_free(&faces);
    pl_grid_cells_free(&cells);
    return status;
}

static pl_status run_hexes(int n, double nu, int iterations, curve* out, pl_error* error) {
    s4_hexes hexes = {.n = n};
    s4_hex_stiffness(2.0 * nu / (1.0 - 2.0 * nu), hexes.K);
    start_curve(out, "cg_hexes", n, nu, iterations);
    int count = s4_hex_unknowns(n);
    double *b = PL_ALLOC(double, count), *x = PL_ALLOC(double, count);
    pl_status status = b && x ? PL_OK : pl_fail_memory(error, "a right side");
    for (int v = 0; status == PL_OK && v < count / 3; v++)
        b[3 * v + 1] = v % (n + 1) == 0 || v % (n + 1) == n ? 0.0 : 1.0;
    if (status == PL_OK)
        status = s4_conjugate_gradients(s4_hexes_apply, &hexes, count, b, x, iterations,
                                        out->residual, out->seconds, error);
    PL_FREE(b, double, count);
    PL_FREE(x, double, count);
    return status;
}

static pl_status run_cycles(int n, double nu, curve* out, pl_error* error) {
    pl_grid_cells cells = {0};
    s4_lattice lattice = {0};
    start_curve(out, "multigrid", n, nu, CYCLES);
    pl_status status = s4_box_cells(n, &cells, error);
    if (status == PL_OK) status = s4_lattice_create(&cells, &lattice, error);
    if (status != PL_OK) return status;
    pl_grid_linear_level* fine = &lattice.mg.levels[0];
    lattice.mg.pool = NULL;
    s4_set_material(&lattice, nu, 0.0);
    for (int i = 0; i < fine->layout->field_size; i++)
        if (pl_grid_bit(fine->layout->masks[i / PL_GRID_CHUNK].face[1], i))
            lattice.state.f[1][i] = -1.0;
    double first = pl_grid_residual(fine, &lattice.state, NULL), start = pl_seconds();
    out->residual[0] = 1.0, out->seconds[0] = 0.0;
    for (int k = 1; k <= CYCLES; k++) {
        pl_grid_linear_cycle(&lattice.mg);
        pl_grid_correct(fine, &lattice.state, NULL);
        out->residual[k] = pl_grid_residual(fine, &lattice.state, NULL) / first;
        out->seconds[k] = pl_seconds() - start;
    }
    s4_lattice_free(&lattice);
    return PL_OK;
}

// seconds until the residual is that part of the first for good, or NAN
static double seconds_to(const curve* c, double part) {
    int k = c->count;
    while (k > 0 && c->residual[k - 1] <= part) k--;
    return k < c->count ? c->seconds[k] : NAN;
}

static bool plot(const char* folder, const curve* curves, int count, bool over_time) {
    plot_line lines[LINES];
    char path[1024];
    for (int k = 0; k < count; k++)
        lines[k] = (plot_line){curves[k].name, over_time ? curves[k].seconds : curves[k].iteration,
                               curves[k].residual, curves[k].count};
    snprintf(path, sizeof path, "%s/s4_cg_%s.svg", folder, over_time ? "seconds" : "iterations");
    return plot_svg_write(path, "Box between two walls: residual",
                          over_time ? "seconds, one thread" : "iterations", "residual", lines,
                          count, 1e-9);
}

static void report(bench* b, const curve* c) {
    char name[80];
    printf("%-28s residual %.2e after %d iterations, %.2f s; 1e-4 after %.3f s\n", c->name,
           c->residual[c->count - 1], c->count - 1, c->seconds[c->count - 1], seconds_to(c, 1e-4));
    snprintf(name, sizeof name, "residual_%s", c->name);
    bench_result(b, name, c->residual[c->count - 1], "", NAN);
}

bool bench_s4_cg(bench* b) {
    pl_error error = {0};
    curve* curves = PL_ALLOC(curve, LINES);
    pl_status status = curves ? PL_OK : pl_fail_memory(&error, "curves");
    int filled = 0, iterations = bench_quick(b) ? 60 : ITERATIONS;
    for (int n = 32; status == PL_OK && n <= (bench_quick(b) ? 32 : 64); n *= 2)
        for (int k = 0; status == PL_OK && k < 2; k++) {
            double nu = k ? 0.49 : 0.2;
            status = run_staggered(n, nu, iterations, &curves[filled++], &error);
            if (status == PL_OK) status = run_hexes(n, nu, iterations, &curves[filled++], &error);
            if (status == PL_OK) status = run_cycles(n, nu, &curves[filled++], &error);
        }
    if (status != PL_OK) printf("s4-cg: %s\n", error.text);
    for (int k = 0; status == PL_OK && k < filled; k++) report(b, &curves[k]);
    const char* folder = getenv("PLIANT_PLOTS");
    bool ok = status == PL_OK;
    int first = filled > 6 ? filled - 6 : 0;
    if (ok && folder)
        ok = plot(folder, curves + first, filled - first, false) &&
             plot(folder, curves + first, filled - first, true);
    PL_FREE(curves, curve, LINES);
    return ok;
}
