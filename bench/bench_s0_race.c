// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// S0 Fig. 10 to 12: one frame by Projective Dynamics with one linear solver or another, error of
// Eq. 9, (g(x) - g*) / (g(x0) - g*), against wall time. All stand on the same kernels (s0_rivals.h)
// and threads; time to set up and to evaluate g is not counted. Iterates do not depend on time, so
// each solver runs several times, in turn with the others, and of each iteration the earliest time
// counts. g* is that of Newton, iterated until it converges.
//
//   multigrid, mgpcg   one cycle, or three iterations with it, per solve
//   Vivace GS(n)       n symmetric sweeps (Fratarcangeli 2016)
//   Chebyshev          Jacobi with Wang's acceleration over all iterations, after the first 10;
//                      rho and the damping of Jacobi are the best of a list
//   PCG(n)             n iterations with the diagonal
//   direct             a prefactored direct solver, which the others are not compared with
//
// With PLIANT_PLOTS=DIR: DIR/s0_race_NAME.svg and .csv. --quick: small bodies, under other names.
#include "base/memory.h"
#include "base/timer.h"
#include "plot_svg.h"
#include "s0_rivals.h"
#include "step/step_newton.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    POINTS = 60,
    MAX_POINTS = POINTS + 2,
    TRIALS = 4,
    MAX_ITERATIONS = 4000,
    ROUNDS = 3,
    WAY_TO_TRUTH = 300,
    RHOS = 6,
    DAMPINGS = 3
};
static const double TICK = 0.05, NEAR_EXACT = 1e-8;

static const rival RIVALS[] = {
    {"multigrid", MULTIGRID, 1, 0, 0},   {"mgpcg", MGPCG, 3, 0, 0},
    {"Vivace GS(10)", VIVACE, 10, 0, 0}, {"Vivace GS(50)", VIVACE, 50, 0, 0},
    {"Chebyshev", CHEBYSHEV, 1, 0, 0},   {"PCG(10)", PCG, 10, 0, 0},
    {"PCG(20)", PCG, 20, 0, 0},          {"PCG(40)", PCG, 40, 0, 0},
    {"direct", DIRECT, 1, 0, 0}};
enum { RIVAL_COUNT = sizeof RIVALS / sizeof RIVALS[0] };

typedef struct track {
    int iterations;
    double earliest[MAX_ITERATIONS];               // seconds after each
    int count, at[MAX_POINTS];                     // iterations after which g was evaluated
    double seconds[MAX_POINTS], error[MAX_POINTS]; // error: g at first
} track;

typedef struct race {
    s0_example e;
    rival_frame frame;
    rival rivals[RIVAL_COUNT];
    track tracks[RIVAL_COUNT];
    double budget; // seconds of each
} race;

// seconds of an iteration: the shortest of some, which others have not disturbed
static double seconds_of_iteration(race* r, const rival* who) {
    double shortest = INFINITY;
    rival_start(&r->frame);
    for (int k = 0; k < TRIALS; k++) {
        double start = pl_seconds();
        rival_iterate(&r->frame, who);
        shortest = fmin(shortest, pl_seconds() - start);
    }
    return shortest;
}

// As many iterations as fit into the time; g after some of them, about `points` in all, because it
// takes longer than most iterations.
static void run_first(race* r, const rival* who, int points, track* t) {
    double count = ceil(r->budget / seconds_of_iteration(r, who)) + 1.0, elapsed = 0.0;
    t->iterations = (int)fmin(count, MAX_ITERATIONS);
    int every = (t->iterations + points - 1) / points;
    t->count = 0;
    rival_start(&r->frame);
    for (int k = 0;; k++) {
        if (k % every == 0 || k == t->iterations) {
            t->at[t->count] = k;
            t->error[t->count++] = rival_energy(&r->frame);
        }
        if (k == t->iterations) break;
        double start = pl_seconds();
        rival_iterate(&r->frame, who);
        elapsed += pl_seconds() - start;
        t->earliest[k] = elapsed;
    }
}

// the same iterations once more
static void run_again(race* r, const rival* who, track* t) {
    double start = pl_seconds();
    rival_start(&r->frame);
    for (int k = 0; k < t->iterations; k++) {
        rival_iterate(&r->frame, who);
        t->earliest[k] = fmin(t->earliest[k], pl_seconds() - start);
    }
}

static void tune_chebyshev(race* r, rival* who) {
    static const float rhos[RHOS] = {0.9f, 0.97f, 0.99f, 0.995f, 0.999f, 0.9995f};
    static const float dampings[DAMPINGS] = {0.6f, 0.8f, 1.0f};
    static track trial;
    rival best = *who;
    double lowest = INFINITY, budget = r->budget;
    r->budget = 0.5 * budget;
    for (int k = 0; k < RHOS * DAMPINGS; k++) {
        who->rho = rhos[k / DAMPINGS];
        who->damping = dampings[k % DAMPINGS];
        run_first(r, who, 1, &trial);
        double end = trial.error[trial.count - 1];
        if (!(end < lowest)) continue;
        lowest = end;
        best = *who;
    }
    *who = best;
    r->budget = budget;
    printf("  Chebyshev: rho %g, damping %g\n", (double)who->rho, (double)who->damping);
}

static void run_all(race* r, int rounds) {
    memcpy(r->rivals, RIVALS, sizeof RIVALS);
    for (int k = 0; k < RIVAL_COUNT; k++)
        if (RIVALS[k].kind == CHEBYSHEV) tune_chebyshev(r, &r->rivals[k]);
    for (int round = 0; round < rounds; round++)
        for (int k = 0; k < RIVAL_COUNT; k++)
            if (round == 0) run_first(r, &r->rivals[k], POINTS, &r->tracks[k]);
            else run_again(r, &r->rivals[k], &r->tracks[k]);
    for (int k = 0; k < RIVAL_COUNT; k++)
        for (int i = 0; i < r->tracks[k].count; i++) {
            int at = r->tracks[k].at[i];
            r->tracks[k].seconds[i] = at > 0 ? r->tracks[k].earliest[at - 1] : 0.0;
        }
}

// ---------------------------------------------------------------- truth and result

static pl_status setup_linear(pl_minimiser* m, s0_example* e, const pl_step_settings* settings) {
    pl_solver_input input = {.A = &m->A,
                             .rest = e->rest,
                             .sets = &e->set,
                             .set_count = 1,
                             .settings = settings,
                             .pool = e->pool};
    return pl_minimiser_setup_linear(m, &input, &pl_fem_solvers, &e->error);
}

// g* by Newton on mgpcg. Cloth has many minima near to one another, so Newton starts from where
// Projective Dynamics comes to in many iterations.
static double find_truth(race* r, const s0_row* row) {
    s0_example* e = &r->e;
    pl_step_settings settings = s0_row_settings(row);
    settings.nonlinear = PL_NONLINEAR_NEWTON;
    settings.linear = PL_LINEAR_MGPCG;
    settings.line_search = true;
    settings.all_iterations = false;
    settings.tolerance = 1e-4; // of forces: of energies it is the square
    settings.max_iterations = 150;
    settings.linear_tolerance = 3e-3;
    settings.linear_max_iterations = 200;
    settings.multigrid.smoother = PL_SMOOTHER_GAUSS_SEIDEL;
    settings.multigrid.pre_sweeps = settings.multigrid.post_sweeps = 1;
    pl_minimiser m = {0};
    pl_step_pieces pieces;
    pl_status status = pl_step_pieces_setup(&pieces, e->rest, e->vertex_count, e->neighbour_offsets,
                                            e->neighbours, &e->set, 1, &e->error);
    if (status == PL_OK)
        status = pl_minimiser_setup(&m, &pieces, 3, e->neighbour_offsets, e->neighbours, &e->error);
    if (status == PL_OK) status = setup_linear(&m, e, &settings);
    rival_start(&r->frame);
    for (int k = 0; k < WAY_TO_TRUTH; k++) rival_iterate(&r->frame, &r->rivals[1]);
    rival_energy(&r->frame); // sets x
    if (status == PL_OK) memcpy(m.x, r->frame.x, (size_t)r->frame.count * sizeof(double));
    pl_method_info info = {0};
    double start = pl_seconds(), value = NAN;
    if (status == PL_OK)
        status = pl_minimise(&m, &r->frame.f, &settings, NULL, NULL, &info, &e->error);
    if (status == PL_OK) {
        value = pl_step_energy(&r->frame.f, m.x, r->frame.scratch);
        printf("  truth: %d Newton iterations, residual %.1e, g* %.12g, %.0f s%s\n",
               info.iterations, info.residual, value, pl_seconds() - start,
               info.converged ? "" : "; NOT CONVERGED, errors near the end are not right");
    } else {
        fprintf(stderr, "pliant-bench s0-race: %s\n", e->error.text);
    }
    pl_minimiser_free(&m);
    pl_step_pieces_free(&pieces);
    return value;
}

static void to_errors(race* r, double truth) {
    double lowest = truth;
    for (int k = 0; k < RIVAL_COUNT; k++)
        for (int i = 0; i < r->tracks[k].count; i++) lowest = fmin(lowest, r->tracks[k].error[i]);
    if (lowest < truth)
        printf("  a solver came below Newton's g* by %.1e: that counts as the truth\n",
               truth - lowest);
    for (int k = 0; k < RIVAL_COUNT; k++) {
        track* t = &r->tracks[k];
        double first = t->error[0] - lowest;
        for (int i = 0; i < t->count; i++) t->error[i] = (t->error[i] - lowest) / first;
    }
}

// the error that has been reached at a time
static double error_at(const track* t, double seconds) {
    double error = 1.0;
    for (int i = 0; i < t->count && t->seconds[i] <= seconds; i++) error = t->error[i];
    return error;
}

static double ours_at(const race* r, double s) {
    return fmin(error_at(&r->tracks[0], s), error_at(&r->tracks[1], s));
}

static double others_at(const race* r, double s) {
    double best = INFINITY;
    for (int k = 2; k < RIVAL_COUNT - 1; k++) best = fmin(best, error_at(&r->tracks[k], s));
    return best;
}

static void print_table(const race* r) {
    for (int k = 0; k < RIVAL_COUNT; k++) {
        printf("  %-14s", RIVALS[k].name);
        for (int tick = 1; tick * TICK <= r->budget + 1e-9 && tick <= 6; tick++)
            printf(" %.2e", error_at(&r->tracks[k], tick * TICK));
        printf("   (%d points)\n", r->tracks[k].count - 1);
    }
}

// ticks from 50 ms on at which ours is not the lowest, until it is exact enough
static int lost_ticks(const race* r) {
    int lost = 0;
    double exact = r->tracks[RIVAL_COUNT - 1].error[r->tracks[RIVAL_COUNT - 1].count - 1];
    for (int tick = 1; tick * TICK <= r->budget + 1e-9; tick++) {
        double ours = ours_at(r, tick * TICK);
        if (ours < NEAR_EXACT || ours <= 1.2 * exact) break;
        if (ours >= others_at(r, tick * TICK)) lost++;
    }
    return lost;
}

static bool write_plot(const race* r, const char* name) {
    const char* folder = getenv("PLIANT_PLOTS");
    if (!folder) return true;
    char path[1024], title[128];
    plot_line lines[RIVAL_COUNT];
    snprintf(path, sizeof path, "%s/s0_race_%s.csv", folder, name);
    FILE* csv = fopen(path, "w");
    for (int k = 0; k < RIVAL_COUNT; k++) {
        const track* t = &r->tracks[k];
        lines[k] = (plot_line){RIVALS[k].name, t->seconds, t->error, t->count};
        for (int i = 0; csv && i < t->count; i++)
            fprintf(csv, "%s,%.6f,%.6e\n", RIVALS[k].name, t->seconds[i], t->error[i]);
    }
    if (csv) fclose(csv);
    snprintf(path, sizeof path, "%s/s0_race_%s.svg", folder, name);
    snprintf(title, sizeof title, "One frame of the %s, %d vertices", name, r->e.vertex_count);
    return plot_svg_write(path, title, "seconds", "relative error (Eq. 9)", lines, RIVAL_COUNT,
                          1e-10);
}

static bool hold_race(bench* b, const s0_row* row, const char* name, pl_pool* pool) {
    static race r;
    bool quick = bench_quick(b), ok = true;
    r = (race){.budget = quick ? 0.1 : 0.5};
    pl_step_settings settings = s0_row_settings(row);
    if (!s0_example_create(b, &r.e, row, &settings, pool)) return false;
    char text[64];
    pl_method_info info;
    for (int k = 0; ok && k < (quick ? 3 : 10); k++) ok = s0_example_step(&r.e, &info);
    ok = ok && rival_frame_create(&r.frame, &r.e);
    double truth = NAN;
    if (ok) run_all(&r, quick ? 1 : ROUNDS);
    if (ok) truth = find_truth(&r, row);
    ok = ok && !isnan(truth);
    if (ok) {
        to_errors(&r, truth);
        print_table(&r);
        snprintf(text, sizeof text, "lead_%s_50ms", name);
        bench_result(b, text, others_at(&r, TICK) / ours_at(&r, TICK), "x", NAN);
        snprintf(text, sizeof text, "lost_ticks_%s", name);
        bench_result(b, text, lost_ticks(&r), "", NAN);
        ok = write_plot(&r, name);
    }
    rival_frame_free(&r.frame);
    s0_example_free(&r.e);
    return ok;
}

bool bench_s0_race(bench* b) {
    pl_pool* pool;
    pl_error error;
    if (pl_pool_create(0, &pool, &error) != PL_OK) {
        fprintf(stderr, "pliant-bench s0-race: %s\n", error.text);
        return false;
    }
    s0_row cloth = s0_rows[6], octopus = s0_rows[10];
    bool quick = bench_quick(b);
    if (quick) {
        cloth.side = 41;
        cloth.level_count = octopus.level_count = 1;
        octopus.mesh = "tets_generated/octopus_6k.msh";
        octopus.solid_vertices = 6000;
    }
    bool ok = hold_race(b, &cloth, quick ? "small_cloth" : "cloth", pool) &&
              hold_race(b, &octopus, quick ? "small_octopus" : "octopus", pool);
    pl_pool_destroy(pool);
    return ok;
}
