// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// S0 Table 2: milliseconds of a frame by phases, each timed on its own in the state after some
// frames, times the iterations of a frame. Our cycles do several of the paper's phases in one pass,
// so the last three are cut differently:
//
// clang-format off
//   finest_update   values of A_0 (Newton: elements)
//   levels_update   U'AU of all levels and the factor; Projective Dynamics: attachments only
//   gradient        elements; of springs the energy with it
//   smoothing       sweeps on the finest level; Newton: its residual and transfers too
//   coarse          all coarser levels, with the dense solve
//   transfer        Projective Dynamics: residual, restriction and prolongation of the finest level;
//                   Newton: between double and float
// clang-format on
//
// The lines that begin with | are a table, ours beside the paper's in brackets.
#include "base/timer.h"
#include "fem/cloth_elements.h"
#include "fem/fem_system.h"
#include "fem/newton_multigrid.h"
#include "multigrid/block_multigrid.h"
#include "s0_example.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FINEST, LEVELS, GRADIENT, SMOOTHING, COARSE, TRANSFER, REPEATS = 7, WARM_FRAMES = 3 };
static const char* const PHASES[S0_PHASES] = {"finest_update", "levels_update", "gradient",
                                              "smoothing",     "coarse",        "transfer"};

typedef struct phases {
    s0_example e;
    const s0_row* row;
    // Newton
    pl_block_matrix A; // the pattern
    pl_step_objective f;
    pl_newton_multigrid* newton;
    bool* fixed; // none
    double *r, *z;
    bool failed;
} phases;

// ---------------------------------------------------------------- Projective Dynamics

static pl_projective_fast* fast(phases* p) { return pl_fem_projective_of(p->e.system); }

static void run_springs(void* user) {
    phases* p = user;
    pl_projective_fast* f = fast(p);
    // away and back: half of it is one update
    if (pl_scalar_mg_set_springs(f->mg, NULL, 0, &p->e.error) != PL_OK ||
        pl_scalar_mg_set_springs(f->mg, f->ordered.data, (int)f->ordered.count, &p->e.error) !=
            PL_OK)
        p->failed = true;
}

static void run_gradient(void* user) {
    pl_projective_fast* f = fast(user);
    for (int k = 0; k < PL_PROJECTIVE_LAWS; k++)
        if (f->tets[k].batch_count)
            pl_tet_batches_gradient_warm(&f->tets[k], f->pool, f->y, f->quasi.gradient);
    if (f->spring_set)
        pl_spring_batches_gradient(&f->springs, f->pool, f->y, NULL, f->quasi.gradient);
}

static void run_sweeps(void* user) {
    phases* p = user;
    pl_scalar_fine* fine = pl_scalar_mg_fine(fast(p)->mg);
    pl_scalar_fine_smooth(fine, p->e.pool, 2 * p->row->sweeps, false, true);
    pl_scalar_fine_smooth(fine, p->e.pool, 2 * p->row->sweeps, false, false);
}

static void run_transfer(void* user) {
    phases* p = user;
    pl_scalar_mg* mg = fast(p)->mg;
    pl_scalar_fine* fine = pl_scalar_mg_fine(mg);
    pl_scalar_fine_restrict(fine, p->e.pool, pl_scalar_mg_level(mg, 1)->b);
    pl_scalar_fine_prolong_add(fine, p->e.pool, pl_scalar_mg_level(mg, 1)->x);
}

static void run_cycle(void* user) { pl_scalar_mg_cycle(fast(user)->mg); }

static void measure_projective(phases* p, double ms[S0_PHASES]) {
    ms[FINEST] = 0.0;
    ms[LEVELS] = 0.5e3 * bench_seconds(run_springs, p, REPEATS);
    ms[GRADIENT] = 1e3 * bench_seconds(run_gradient, p, REPEATS);
    ms[SMOOTHING] = 1e3 * bench_seconds(run_sweeps, p, REPEATS);
    ms[TRANSFER] = 1e3 * bench_seconds(run_transfer, p, REPEATS);
    double cycle = 1e3 * bench_seconds(run_cycle, p, REPEATS);
    ms[COARSE] = fmax(0.0, cycle - ms[SMOOTHING] - ms[TRANSFER]);
}

// ---------------------------------------------------------------- Newton

static void run_assembly(void* user) {
    phases* p = user;
    if (!pl_newton_multigrid_assemble(p->newton, &p->f, pl_step_positions(p->e.system), 1.0))
        p->failed = true;
}

static void run_double_gradient(void* user) {
    phases* p = user;
    memset(p->r, 0, 3 * (size_t)p->e.vertex_count * sizeof(double));
    pl_element_set_gradient(&p->e.set, p->e.pool, pl_step_positions(p->e.system), p->r);
}

static bool setup_newton(phases* p, const pl_step_settings* settings) {
    s0_example* e = &p->e;
    size_t count = 3 * (size_t)e->vertex_count;
    p->r = PL_ALLOC(double, count);
    p->z = PL_ALLOC(double, count);
    p->fixed = PL_ALLOC(bool, e->vertex_count);
    if (!p->r || !p->z || !p->fixed ||
        pl_block_matrix_setup(&p->A, e->vertex_count, 3, e->neighbour_offsets, e->neighbours,
                              &e->error) != PL_OK ||
        pl_element_set_locate(&e->set, &p->A, &e->error) != PL_OK ||
        pl_element_set_gather(&e->set, e->vertex_count, &e->error) != PL_OK)
        return false;
    pl_element_set_hessian(&e->set, e->pool, e->rest, true, 1.0, &p->A);
    p->f = (pl_step_objective){.vertex_count = e->vertex_count,
                               .set_count = 1,
                               .sets = &e->set,
                               .mass = e->mass,
                               .pool = e->pool,
                               .inertia = 900.0,
                               .pins = e->pins,
                               .pin_count = e->pin_count,
                               .fixed = p->fixed};
    return pl_newton_multigrid_create(&p->A, e->rest, &e->set, 1, settings, e->pool, &p->newton,
                                      &e->error) == PL_OK;
}

// means over the repeats
static bool measure_newton(phases* p, const pl_step_settings* settings, double ms[S0_PHASES]) {
    if (!setup_newton(p, settings)) return false;
    pl_block_mg* mg = pl_newton_multigrid_levels(p->newton);
    memset(ms, 0, S0_PHASES * sizeof(double));
    ms[FINEST] = 1e3 * bench_seconds(run_assembly, p, REPEATS);
    ms[GRADIENT] = 1e3 * bench_seconds(run_double_gradient, p, REPEATS);
    double apply = 0.0;
    for (int k = -1; k < REPEATS; k++) {
        if (k == 0) apply = 0.0, mg->times = (pl_mg_times){0};
        pl_newton_multigrid_update(p->newton, NULL);
        double start = pl_seconds();
        pl_block_mg_apply(mg, p->r, p->z);
        apply += 1e3 * (pl_seconds() - start) / REPEATS;
        if (k < 0) continue;
        ms[FINEST] += 1e3 * mg->times.copy / REPEATS;
        ms[LEVELS] += 1e3 * (mg->times.product + mg->times.factor) / REPEATS;
    }
    ms[SMOOTHING] = 1e3 * mg->times.smooth_fine / REPEATS;
    ms[COARSE] = 1e3 * (mg->times.coarse + mg->times.bottom) / REPEATS;
    ms[TRANSFER] = fmax(0.0, apply - ms[SMOOTHING] - ms[COARSE]);
    return true;
}

// ---------------------------------------------------------------- rows

static bool measure(bench* b, const s0_row* row, pl_pool* pool) {
    phases p = {.row = row};
    pl_step_settings settings = s0_row_settings(row);
    if (!s0_example_create(b, &p.e, row, &settings, pool)) return false;
    pl_method_info info;
    bool ok = true;
    for (int k = 0; ok && k < WARM_FRAMES; k++) ok = s0_example_step(&p.e, &info);
    double ms[S0_PHASES];
    if (ok && row->newton) ok = measure_newton(&p, &settings, ms);
    else if (ok) measure_projective(&p, ms);
    ok = ok && !p.failed;
    char name[80];
    for (int k = 0; ok && k < S0_PHASES; k++) {
        snprintf(name, sizeof name, "%s_%s", PHASES[k], row->name);
        bench_result(b, name, ms[k] * row->iterations, "ms", row->phases[k]);
    }
    if (ok) {
        printf("| %s |", row->name);
        for (int k = 0; k < S0_PHASES; k++)
            printf(" %.3g (%.3g) |", ms[k] * row->iterations, row->phases[k]);
        printf("\n");
    }
    if (!ok) fprintf(stderr, "pliant-bench s0-table2: %s\n", p.e.error.text);
    PL_FREE(p.r, double, 3 * (size_t)p.e.vertex_count);
    PL_FREE(p.z, double, 3 * (size_t)p.e.vertex_count);
    PL_FREE(p.fixed, bool, p.e.vertex_count);
    pl_newton_multigrid_destroy(p.newton);
    pl_block_matrix_free(&p.A);
    s0_example_free(&p.e);
    return ok;
}

bool bench_s0_table2(bench* b) {
    pl_pool* pool;
    pl_error error;
    if (pl_pool_create(0, &pool, &error) != PL_OK) {
        fprintf(stderr, "pliant-bench s0-table2: %s\n", error.text);
        return false;
    }
    bool ok = true;
    for (int k = 0; ok && k < S0_ROW_COUNT; k++)
        if (!bench_quick(b) || k < 3 || k == 6 || k == 7) ok = measure(b, &s0_rows[k], pool);
    pl_pool_destroy(pool);
    return ok;
}
