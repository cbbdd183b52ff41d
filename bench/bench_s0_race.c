// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// S0 Fig. 10 to 12: one frame by Projective Dynamics with one linear solver or another, error of
// Eq. 9, (g(x) - g*) / (g(x0) - g*), against wall time. All have the same matrix and the same
// gradient, by the float elements of the product; time to set up and to evaluate g is not counted.
// g* is that of Newton, iterated until nothing is gained.
//
//   multigrid, mgpcg   one cycle, or three iterations with it, per solve
//   Vivace GS(n)       n symmetric sweeps of the finest level of our multigrid (Fratarcangeli 2016)
//   Chebyshev          Jacobi with Wang's acceleration over all iterations, after the first 10; rho
//                      is the best of a list
//   PCG(n)             n iterations with the diagonal, in double
//   direct             a prefactored direct solver, which the others are not compared with
//
// With PLIANT_PLOTS=DIR: DIR/s0_race_NAME.svg and .csv.
#include "base/memory.h"
#include "base/timer.h"
#include "fem/fem_projective_fast.h"
#include "multigrid/scalar_multigrid.h"
#include "plot_svg.h"
#include "s0_example.h"
#include "sparse/vector.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_POINTS = 2000, WARM_UP = 10, CHEBYSHEV_RHOS = 6 };
static const double TIME_STEP = 1.0 / 30.0, TICK = 0.05, NEAR_EXACT = 1e-8, INTERVAL = 0.01;

typedef enum race_kind { MULTIGRID, MGPCG, VIVACE, CHEBYSHEV, PCG, DIRECT } race_kind;

typedef struct racer {
    const char* name;
    race_kind kind;
    int count; // iterations of a solve
} racer;

static const racer RACERS[] = {
    {"multigrid", MULTIGRID, 1},   {"mgpcg", MGPCG, 3},         {"Vivace GS(10)", VIVACE, 10},
    {"Vivace GS(50)", VIVACE, 50}, {"Chebyshev", CHEBYSHEV, 1}, {"PCG(10)", PCG, 10},
    {"PCG(20)", PCG, 20},          {"PCG(40)", PCG, 40},        {"direct", DIRECT, 1}};
enum { RACER_COUNT = sizeof RACERS / sizeof RACERS[0] };

typedef struct track {
    int count;
    double seconds[MAX_POINTS], error[MAX_POINTS]; // error: g at first
} track;

typedef struct race {
    s0_example e;
    pl_fem_objective f;
    pl_block_matrix A;
    pl_scalar_mg* mg;
    pl_linear_solver *pcg, *direct;
    int count;   // 3 per vertex
    bool* fixed; // none
    double *y, *x, *before, *gradient, *direction, *scratch, *truth;
    track tracks[RACER_COUNT];
    double budget; // seconds of each
    double rho;    // of Chebyshev
} race;

static bool failed(const race* r) {
    fprintf(stderr, "pliant-bench s0-race: %s\n", r->e.error.text);
    return false;
}

static bool make_objective(race* r) {
    const double* x0 = pl_fem_positions(r->e.system);
    const double* v0 = pl_fem_velocities(r->e.system);
    double** vectors[] = {&r->y, &r->x, &r->before, &r->gradient, &r->direction, &r->truth};
    r->count = 3 * r->e.vertex_count;
    for (int k = 0; k < 6; k++)
        if (!(*vectors[k] = PL_ALLOC(double, r->count))) return false;
    if (!(r->fixed = PL_ALLOC(bool, r->e.vertex_count))) return false;
    if (!(r->scratch = PL_ALLOC(double, 2 * (size_t)r->count))) return false;
    for (int i = 0; i < r->count; i++) r->y[i] = x0[i] + TIME_STEP * v0[i];
    r->f = (pl_fem_objective){.vertex_count = r->e.vertex_count,
                              .set_count = 1,
                              .sets = &r->e.set,
                              .mass = r->e.mass,
                              .pool = r->e.pool,
                              .inertia = 1.0 / (TIME_STEP * TIME_STEP),
                              .y = r->y,
                              .velocity_time = TIME_STEP,
                              .reference = x0,
                              .force = r->e.force,
                              .fixed = r->fixed,
                              .pins = r->e.pins,
                              .pin_count = r->e.pin_count};
    return true;
}

static bool make_solvers(race* r, const s0_row* row) {
    s0_example* e = &r->e;
    pl_status status = pl_block_matrix_setup(&r->A, e->vertex_count, 1, e->neighbour_offsets,
                                             e->neighbours, &e->error);
    if (status == PL_OK) status = pl_element_set_locate(&e->set, &r->A, &e->error);
    if (status != PL_OK) return failed(r);
    pl_fem_projective(&r->f, &r->A);
    pl_scalar_mg_options options = {
        .hierarchy = {.counts = row->levels, .count_count = row->level_count},
        .half_sweeps = 2 * row->sweeps};
    status = pl_scalar_mg_setup(&r->A, e->rest, &options, e->pool, &r->mg, &e->error);
    if (status == PL_OK) status = pl_scalar_mg_update(r->mg, e->rest, NULL, &e->error);
    if (status == PL_OK)
        status = pl_linear_setup(PL_LINEAR_PCG, &r->A, 3, e->pool, &r->pcg, &e->error);
    if (status == PL_OK)
        status = pl_linear_setup(PL_LINEAR_DIRECT, &r->A, 3, e->pool, &r->direct, &e->error);
    if (status == PL_OK) status = pl_linear_update(r->pcg, &e->error);
    if (status == PL_OK) status = pl_linear_update(r->direct, &e->error);
    return status == PL_OK || failed(r);
}

// ---------------------------------------------------------------- one solve of each kind

static double to_fine(race* r) {
    pl_scalar_fine* fine = pl_scalar_mg_fine(r->mg);
    double size = pl_vector_max_abs(r->count, r->gradient), scale = size > 0.0 ? 1.0 / size : 1.0;
    for (int v = 0; v < r->e.vertex_count; v++)
        for (size_t c = 0; c < 3; c++)
            fine->b[4 * (size_t)fine->order.place[v] + c] =
                (float)(-scale * r->gradient[3 * (size_t)v + c]);
    return scale;
}

static void from_fine(race* r, double scale) {
    const pl_scalar_fine* fine = pl_scalar_mg_fine(r->mg);
    for (int v = 0; v < r->e.vertex_count; v++)
        for (size_t c = 0; c < 3; c++)
            r->direction[3 * (size_t)v + c] =
                (double)fine->x[4 * (size_t)fine->order.place[v] + c] / scale;
}

static void solve_fine(race* r, const racer* who) {
    double scale = to_fine(r);
    pl_linear_options options = {0.0, who->count};
    pl_linear_info info = {0};
    if (who->kind == MULTIGRID) pl_scalar_mg_cycle(r->mg);
    else if (who->kind == MGPCG) pl_scalar_mg_solve_float(r->mg, &options, &info);
    else
        for (int k = 0; k < 2 * who->count; k++)
            pl_scalar_fine_sweep(pl_scalar_mg_fine(r->mg), r->e.pool, k % 2, k == 0);
    from_fine(r, scale);
}

static void solve_double(race* r, pl_linear_solver* solver, double tolerance, int iterations) {
    pl_linear_options options = {tolerance, iterations};
    pl_linear_info info;
    for (int i = 0; i < r->count; i++) r->gradient[i] = -r->gradient[i];
    memset(r->direction, 0, (size_t)r->count * sizeof(double));
    pl_linear_solve(solver, &options, r->gradient, r->direction, &info);
}

// Wang 2015, Algorithm 1: omega of iteration k
static double chebyshev_omega(int k, double rho, double omega) {
    if (k < WARM_UP) return 1.0;
    return k == WARM_UP ? 2.0 / (2.0 - rho * rho) : 4.0 / (4.0 - rho * rho * omega);
}

static void advance_chebyshev(race* r, double omega) {
    for (int i = 0; i < r->count; i++) {
        double step = -r->gradient[i] / r->A.values[r->A.diagonal[i / 3]];
        double next = omega * (0.7 * step + r->x[i] - r->before[i]) + r->before[i];
        r->before[i] = r->x[i];
        r->x[i] = next;
    }
}

// dg/dx; elements in float, from the first vertex on
static void find_gradient(race* r, bool cold) {
    pl_projective_fast* p = pl_fem_projective_of(r->e.system);
    memset(p->g, 0, 4 * (size_t)r->e.vertex_count * sizeof(float));
    for (int v = 0; v < r->e.vertex_count; v++)
        for (size_t c = 0; c < 3; c++)
            p->x[4 * (size_t)p->number[v] + c] = (float)(r->x[3 * (size_t)v + c] - r->x[c]);
    for (int k = 0; k < PL_PROJECTIVE_LAWS; k++) {
        if (p->tets[k].batch_count == 0) continue;
        if (cold) pl_tet_batches_gradient(&p->tets[k], p->pool, p->x, p->g);
        else pl_tet_batches_gradient_warm(&p->tets[k], p->pool, p->x, p->g);
    }
    if (p->spring_set) pl_spring_batches_gradient(&p->springs, p->pool, p->x, p->g);
    for (int i = 0; i < r->count; i++)
        r->gradient[i] = r->f.inertia * r->e.mass[i / 3] * (r->x[i] - r->y[i]) - r->e.force[i] +
                         (double)p->g[4 * (size_t)p->number[i / 3] + (size_t)(i % 3)];
    for (int k = 0; k < r->e.pin_count; k++) {
        const pl_pin* pin = &r->e.pins[k];
        double* g = r->gradient + 3 * (size_t)pin->vertex;
        pl_vec3 off = pl_sub(pl_vec3_load(r->x + 3 * (size_t)pin->vertex), pin->target);
        pl_vec3_store(g, pl_madd(pl_vec3_load(g), pin->stiffness, off));
    }
}

static void iterate(race* r, const racer* who, int k, double* omega) {
    find_gradient(r, k == 0);
    if (who->kind == CHEBYSHEV) {
        *omega = chebyshev_omega(k, r->rho, *omega);
        advance_chebyshev(r, *omega);
        return;
    }
    if (who->kind == PCG) solve_double(r, r->pcg, 0.0, who->count);
    else if (who->kind == DIRECT) solve_double(r, r->direct, 1e-6, 1);
    else solve_fine(r, who);
    pl_vector_axpy(r->e.pool, r->count, 1.0, r->direction, r->x);
}

// g until the time is over, after each iteration but not more often than every `interval` seconds:
// it takes longer than most iterations
static void run(race* r, const racer* who, double interval, track* t) {
    double omega = 1.0, elapsed = 0.0, next = 0.0;
    memcpy(r->x, r->y, (size_t)r->count * sizeof(double));
    memcpy(r->before, r->y, (size_t)r->count * sizeof(double));
    t->count = 0;
    for (int k = 0;; k++) {
        if (elapsed >= next || elapsed >= r->budget) {
            t->seconds[t->count] = elapsed;
            t->error[t->count++] = pl_fem_energy(&r->f, r->x, r->scratch);
            next = elapsed + interval;
        }
        if (elapsed >= r->budget || t->count == MAX_POINTS) break;
        double start = pl_seconds();
        iterate(r, who, k, &omega);
        elapsed += pl_seconds() - start;
    }
}

static void run_chebyshev(race* r, const racer* who, track* t) {
    static const double rhos[CHEBYSHEV_RHOS] = {0.9, 0.97, 0.99, 0.995, 0.999, 0.9995};
    static track trial;
    double best = INFINITY, best_rho = rhos[0];
    for (int k = 0; k < CHEBYSHEV_RHOS; k++) {
        r->rho = rhos[k];
        run(r, who, r->budget, &trial);
        double end = trial.error[trial.count - 1];
        if (!(end < best)) continue;
        best = end;
        best_rho = rhos[k];
    }
    r->rho = best_rho;
    run(r, who, INTERVAL, t);
}

// ---------------------------------------------------------------- truth and result

// g* by Newton on mgpcg, from the same state
static double find_truth(race* r, const s0_row* row) {
    pl_fem_settings settings = s0_row_settings(row);
    settings.nonlinear = PL_NONLINEAR_NEWTON;
    settings.linear = PL_LINEAR_MGPCG;
    settings.line_search = true;
    settings.all_iterations = false;
    settings.tolerance = 1e-8;
    settings.max_iterations = 120;
    settings.linear_tolerance = 1e-2;
    settings.linear_max_iterations = 100;
    settings.multigrid.smoother = PL_SMOOTHER_GAUSS_SEIDEL;
    settings.multigrid.pre_sweeps = settings.multigrid.post_sweeps = 1;
    s0_example e;
    bool missing;
    if (!s0_example_create(&e, row, &settings, r->e.pool, &missing)) return NAN;
    size_t bytes = (size_t)r->count * sizeof(double);
    memcpy(pl_fem_positions(e.system), pl_fem_positions(r->e.system), bytes);
    memcpy(pl_fem_velocities(e.system), pl_fem_velocities(r->e.system), bytes);
    pl_method_info info;
    double value = NAN;
    if (s0_example_step(&e, &info)) {
        memcpy(r->truth, pl_fem_positions(e.system), bytes);
        value = pl_fem_energy(&r->f, r->truth, r->scratch);
        printf("  truth: %d Newton iterations, residual %.1e, g* %.10g\n", info.iterations,
               info.residual, value);
        if (!info.converged)
            printf(
                "  the truth has not converged: errors near the end are too small or too large\n");
    }
    s0_example_free(&e);
    return value;
}

static void to_errors(race* r, double truth) {
    double lowest = truth;
    for (int k = 0; k < RACER_COUNT; k++)
        for (int i = 0; i < r->tracks[k].count; i++)
            if (r->tracks[k].error[i] < lowest) lowest = r->tracks[k].error[i];
    if (lowest < truth)
        printf("  a solver came below Newton's g* by %.1e: that counts as the truth\n",
               truth - lowest);
    for (int k = 0; k < RACER_COUNT; k++) {
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
    for (int k = 2; k < RACER_COUNT - 1; k++) best = fmin(best, error_at(&r->tracks[k], s));
    return best;
}

static void print_table(const race* r) {
    for (int k = 0; k < RACER_COUNT; k++) {
        printf("  %-14s", RACERS[k].name);
        for (int tick = 1; tick * TICK <= r->budget + 1e-9 && tick <= 6; tick++)
            printf(" %.2e", error_at(&r->tracks[k], tick * TICK));
        printf("   (%d points)\n", r->tracks[k].count - 1);
    }
}

// ticks from 50 ms on at which ours is not the lowest, until it is exact enough
static int lost_ticks(const race* r) {
    int lost = 0;
    double exact = r->tracks[RACER_COUNT - 1].error[r->tracks[RACER_COUNT - 1].count - 1];
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
    plot_line lines[RACER_COUNT];
    snprintf(path, sizeof path, "%s/s0_race_%s.csv", folder, name);
    FILE* csv = fopen(path, "w");
    for (int k = 0; k < RACER_COUNT; k++) {
        const track* t = &r->tracks[k];
        lines[k] = (plot_line){RACERS[k].name, t->seconds, t->error, t->count};
        for (int i = 0; csv && i < t->count; i++)
            fprintf(csv, "%s,%.6f,%.6e\n", RACERS[k].name, t->seconds[i], t->error[i]);
    }
    if (csv) fclose(csv);
    snprintf(path, sizeof path, "%s/s0_race_%s.svg", folder, name);
    snprintf(title, sizeof title, "One frame of the %s, %d vertices", name, r->e.vertex_count);
    return plot_svg_write(path, title, "seconds", "relative error (Eq. 9)", lines, RACER_COUNT,
                          1e-10);
}

static void race_free(race* r) {
    double* vectors[] = {r->y, r->x, r->before, r->gradient, r->direction, r->truth};
    for (int k = 0; k < 6; k++) PL_FREE(vectors[k], double, r->count);
    PL_FREE(r->fixed, bool, r->e.vertex_count);
    PL_FREE(r->scratch, double, 2 * (size_t)r->count);
    pl_linear_destroy(r->pcg);
    pl_linear_destroy(r->direct);
    pl_scalar_mg_destroy(r->mg);
    pl_block_matrix_free(&r->A);
    s0_example_free(&r->e);
}

static bool prepare(race* r, const s0_row* row, int frames) {
    pl_method_info info;
    for (int k = 0; k < frames; k++)
        if (!s0_example_step(&r->e, &info)) return false;
    return make_objective(r) && make_solvers(r, row);
}

static bool hold_race(bench* b, const s0_row* row, const char* name, pl_pool* pool) {
    static race r;
    bool missing, quick = bench_quick(b);
    r = (race){.budget = quick ? 0.1 : 0.5};
    pl_fem_settings settings = s0_row_settings(row);
    if (!s0_example_create(&r.e, row, &settings, pool, &missing)) {
        if (missing) printf("  %s is not there, left out\n", row->mesh);
        return missing;
    }
    char text[64];
    bool ok = prepare(&r, row, quick ? 3 : 10);
    double truth = ok ? find_truth(&r, row) : NAN;
    ok = ok && !isnan(truth);
    for (int k = 0; ok && k < RACER_COUNT; k++)
        if (RACERS[k].kind == CHEBYSHEV) run_chebyshev(&r, &RACERS[k], &r.tracks[k]);
        else run(&r, &RACERS[k], INTERVAL, &r.tracks[k]);
    if (ok) {
        to_errors(&r, truth);
        print_table(&r);
        snprintf(text, sizeof text, "lead_%s_50ms", name);
        bench_result(b, text, others_at(&r, TICK) / ours_at(&r, TICK), "x", NAN);
        snprintf(text, sizeof text, "lost_ticks_%s", name);
        bench_result(b, text, lost_ticks(&r), "", NAN);
        ok = write_plot(&r, name);
    }
    race_free(&r);
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
    if (bench_quick(b)) {
        cloth.side = 41;
        cloth.level_count = octopus.level_count = 1;
        octopus.mesh = "octopus_6k.msh";
    }
    bool ok = hold_race(b, &cloth, "cloth", pool) && hold_race(b, &octopus, "octopus", pool);
    pl_pool_destroy(pool);
    return ok;
}
