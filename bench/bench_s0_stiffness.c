// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// S0 Fig. 9: residuals of cycles alone for stiffness 5e2 to 2.56e5, frame 5 of the swinging
// armadillo, levels 50/all, GS(3). rate_spread: the slowest mean reduction per cycle over cycles 2
// to 10, over the fastest. With PLIANT_PLOTS=DIR: DIR/s0_stiffness.svg.
#include "multigrid/scalar_multigrid.h"
#include "plot_svg.h"
#include "s0_system.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CYCLES = 10, FRAME = 5, MAX_LINES = 10 };

// residuals of each stiffness
typedef struct histories {
    int count;
    char name[MAX_LINES][24];
    double cycle[CYCLES + 1], residual[MAX_LINES][CYCLES + 1];
    int length[MAX_LINES];
} histories;

static void remember(histories* all, double mu, const pl_linear_info* info) {
    if (all->count == MAX_LINES) return;
    int k = all->count++;
    snprintf(all->name[k], sizeof all->name[k], "mu = %.0f", mu);
    all->residual[k][0] = 1.0;
    for (int i = 0; i < info->history_count && all->length[k] < CYCLES; i++)
        all->residual[k][++all->length[k]] = (double)info->history[i];
}

static bool write_plot(histories* all) {
    const char* folder = getenv("PLIANT_PLOTS");
    if (!folder) return true;
    char path[1024];
    plot_line lines[MAX_LINES];
    for (int i = 0; i <= CYCLES; i++) all->cycle[i] = i;
    for (int k = 0; k < all->count; k++)
        lines[k] = (plot_line){all->name[k], all->cycle, all->residual[k], all->length[k] + 1};
    snprintf(path, sizeof path, "%s/s0_stiffness.svg", folder);
    return plot_svg_write(path, "Cycles alone, stiffness over a range of 500", "cycles",
                          "relative residual", lines, all->count, 1e-12);
}

// the mean reduction, or NAN after a message
static double measure(bench* b, double mu, histories* all) {
    s0_system s;
    if (!s0_system_create(&s, b, mu, FRAME)) return NAN;
    int counts[1] = {bench_quick(b) ? 10 : 50};
    pl_scalar_mg_options options = {.hierarchy = {.counts = counts, .count_count = 1},
                                    .half_sweeps = 6};
    pl_scalar_mg* mg = NULL;
    pl_error error;
    double rate = NAN;
    pl_linear_info info = {0};
    pl_status status = pl_scalar_mg_setup(&s.A, s.rest, &options, NULL, &mg, &error);
    if (status == PL_OK) status = pl_scalar_mg_update(mg, s.rest, NULL, &error);
    if (status == PL_OK) {
        pl_linear_options solve = {.tolerance = 0.0, .max_iterations = CYCLES};
        memset(s.x, 0, 3 * (size_t)s.A.row_count * sizeof(double));
        pl_scalar_mg_solve(mg, false, &solve, s.b, s.x, &info);
        rate = pow((double)info.history[CYCLES - 1] / (double)info.history[0], 1.0 / (CYCLES - 1));
        printf("  mu %8.0f: rate %.3f, residuals", mu, rate);
        for (int k = 0; k < info.history_count; k++) printf(" %.2e", (double)info.history[k]);
        printf("\n");
        remember(all, mu, &info);
    } else {
        fprintf(stderr, "pliant-bench s0-stiffness: %s\n", error.text);
    }
    pl_scalar_mg_destroy(mg);
    s0_system_free(&s);
    return rate;
}

bool bench_s0_stiffness(bench* b) {
    double slowest = 0.0, fastest = INFINITY;
    histories all = {0};
    for (double mu = 500.0; mu <= 256000.0; mu *= bench_quick(b) ? 8.0 : 2.0) {
        double rate = measure(b, mu, &all);
        if (isnan(rate)) return false;
        slowest = fmax(slowest, rate);
        fastest = fmin(fastest, rate);
    }
    bench_result(b, "rate_slowest", slowest, "per cycle", NAN);
    bench_result(b, "rate_fastest", fastest, "per cycle", NAN);
    bench_result(b, "rate_spread", slowest / fastest, "", NAN);
    return write_plot(&all);
}
