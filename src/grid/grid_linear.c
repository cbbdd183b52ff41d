// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The linear lattice: its levels, the operators of its V-cycle, and its step.
#include "grid/grid_linear.h"
#include "base/timer.h"
#include "multigrid/mg_cycle.h"

#include <math.h>
#include <string.h>

// Below this many cells a second thread gains less than waking it costs, because it sleeps while
// coarser levels run: 32^3 cells take 1.6 ms with one thread and 2.1 ms with two.
enum { SERIAL_CELLS = 50000 };
// Levels with a larger share of thin cells that are not solved exactly get this many times the
// boundary sweeps (most of their faces are boundary faces). Plates of 128 x 4 x 128 cells then need
// 11 cycles; with the usual sweeps, cycles diverge.
static const double MAX_LEFT_SHARE = 0.25;
enum { THIN_SWEEPS = 8 };

static const pl_grid_cycle_functions functions;

static pl_pool* pool_of(const pl_grid_linear* mg, int l) {
    return mg->levels[l].layout->cell_count < SERIAL_CELLS ? NULL : mg->pool;
}

static pl_status add_level(pl_grid_linear* mg, const pl_grid_lattice* lattice,
                           const pl_grid_cells* cells, pl_error* error) {
    const int l = mg->level_count;
    pl_grid_linear_level* level = &mg->levels[l];
    pl_status status = pl_grid_linear_level_create(&lattice->levels[l], cells, level, error);
    if (status != PL_OK) return status;
    mg->level_count++;
    if (l > 0) status = pl_grid_relocated_create(level - 1, level, &mg->relocated[l - 1], error);
    const bool coarsest = l + 1 == lattice->level_count;
    if (status == PL_OK)
        status = pl_grid_exact_create(coarsest ? NULL : cells, level, &mg->exact[l], error);
    return status;
}

pl_status pl_grid_linear_create(const pl_grid_lattice* lattice, const pl_grid_cells* cells,
                                pl_pool* pool, pl_grid_linear* out, pl_error* error) {
    *out = (pl_grid_linear){.cycles.functions = &functions,
                            .band_sweeps = 2,
                            .relocated_sweeps = 2,
                            .coarse_cycles = 1,
                            .pool = pool};
    pl_status status = add_level(out, lattice, cells, error);
    pl_grid_cells last = {0};
    while (status == PL_OK && out->level_count < lattice->level_count) {
        pl_grid_cells next = {0};
        status = pl_grid_cells_coarsen(out->level_count == 1 ? cells : &last, &next, error);
        pl_grid_cells_free(&last);
        last = next;
        if (status == PL_OK) status = add_level(out, lattice, &last, error);
    }
    pl_grid_cells_free(&last);
    if (status != PL_OK) pl_grid_linear_free(out);
    return status;
}

pl_status pl_grid_linear_reserve(pl_grid_linear* mg, pl_error* error) {
    pl_status status = PL_OK;
    for (int l = 0; status == PL_OK && l < mg->level_count; l++)
        status = pl_grid_factor_reserve(&mg->exact[l].factor, error);
    return status;
}

void pl_grid_linear_free(pl_grid_linear* mg) {
    for (int l = 0; l < PL_GRID_MAX_LEVELS; l++) {
        pl_grid_linear_level_free(&mg->levels[l]);
        pl_grid_relocated_free(&mg->relocated[l]);
        pl_grid_exact_free(&mg->exact[l]);
        pl_grid_recombine_free(&mg->coarse_history[l]);
    }
    pl_grid_recombine_free(&mg->cycles.history);
    *mg = (pl_grid_linear){0};
}

pl_status pl_grid_linear_set_coarse_cycles(pl_grid_linear* mg, int cycles, pl_error* error) {
    for (int l = 1; l + 1 < mg->level_count; l++) {
        if (cycles < 2 || mg->coarse_history[l].most >= cycles) continue;
        pl_grid_recombine_free(&mg->coarse_history[l]);
        pl_status status =
            pl_grid_recombine_create(mg->levels[l].layout, cycles, &mg->coarse_history[l], error);
        if (status != PL_OK) return status;
    }
    mg->coarse_cycles = cycles;
    return PL_OK;
}

void pl_grid_linear_update(pl_grid_linear* mg, double compressibility, double inertia) {
    for (int l = 0; l < mg->level_count; l++) {
        pl_grid_linear_level_set_material(&mg->levels[l], compressibility, inertia * pow(4.0, l));
        pl_grid_exact_update(&mg->exact[l], &mg->levels[l], mg->pool);
    }
}

static void set_springs(pl_grid_cycles* c, double* const stiffness[3]) {
    pl_grid_linear* mg = (pl_grid_linear*)c;
    // restricted like a residual of positions; uses u and f as scratch, which cycles overwrite
    pl_grid_linear_level* fine = &mg->levels[0];
    for (int i = 0; i < fine->layout->field_size; i++) {
        fine->c[i] = 0.0f;
        for (int a = 0; a < 3; a++) fine->u[a][pl_place_of(i)] = (float)stiffness[a][i];
    }
    pl_grid_linear_level_set_stiffness(fine, fine->u);
    const float* source[4] = {fine->u[0], fine->u[1], fine->u[2], fine->c};
    for (int l = 0; l + 1 < mg->level_count; l++) {
        pl_grid_linear_level* next = &mg->levels[l + 1];
        const pl_grid_restriction job = pl_grid_linear_restriction(&mg->levels[l], next);
        pl_grid_restrict_fields(&job, source, mg->pool);
        pl_grid_linear_level_set_stiffness(next, next->f);
        for (int a = 0; a < 3; a++) source[a] = next->f[a];
        source[3] = next->g;
    }
}

// ------------------------------------------------------------------ cycle

// Boundary, interior, boundary, with more boundary sweeps next to the coarse-grid correction. With
// 1, 2 before it and 2, 1 after it, the rates of the bench's box are 0.260, 0.272, 0.276 for nu =
// 0.2, 0.49, 0.4999; with 2 everywhere 0.259, 0.270, 0.271.
static int near_sweeps(const pl_grid_linear* mg, int l) {
    const bool thin = mg->exact[l].left_share > MAX_LEFT_SHARE;
    return (thin ? THIN_SWEEPS : 1) * mg->band_sweeps;
}
static int far_sweeps(const pl_grid_linear* mg, int l) { return (near_sweeps(mg, l) + 1) / 2; }

// adds the time since *start to a subroutine
static void add_seconds(pl_grid_linear* mg, pl_grid_time time, double* start) {
    double now = pl_seconds();
    mg->seconds[time] += now - *start;
    *start = now;
}

static void smooth_band(pl_grid_linear* mg, int l, int sweeps, bool keeps_residual) {
    double start = pl_seconds();
    pl_grid_band_smooth(&mg->levels[l], sweeps, keeps_residual, pool_of(mg, l));
    add_seconds(mg, PL_GRID_BOUNDARY, &start);
}

// smooths relocated cells and solves thin parts
static void smooth_near(pl_grid_linear* mg, int l) {
    pl_grid_relocated_smooth(&mg->relocated[l], &mg->levels[l], mg->relocated_sweeps);
    pl_grid_exact_solve(&mg->exact[l], &mg->levels[l]);
}

static void pre_smooth(void* user, int l) {
    pl_grid_linear* mg = user;
    double start = pl_seconds();
    pl_grid_clear_around(&mg->levels[l], pool_of(mg, l));
    add_seconds(mg, PL_GRID_OTHER, &start);
    smooth_band(mg, l, far_sweeps(mg, l), false);
    start = pl_seconds();
    pl_grid_smooth_interior_first(&mg->levels[l], pool_of(mg, l));
    smooth_near(mg, l);
    add_seconds(mg, PL_GRID_INTERIOR, &start);
    smooth_band(mg, l, near_sweeps(mg, l), true);
}

static void restrict_residual(void* user, int l) {
    pl_grid_linear* mg = user;
    double start = pl_seconds();
    pl_grid_restrict_residual(&mg->levels[l], &mg->levels[l + 1], pool_of(mg, l));
    pl_grid_relocated_restrict(&mg->relocated[l], &mg->levels[l], &mg->levels[l + 1]);
    add_seconds(mg, PL_GRID_RESTRICTION, &start);
}

static void prolong_add(void* user, int l) {
    pl_grid_linear* mg = user;
    double start = pl_seconds();
    pl_grid_fill_ghosts(&mg->levels[l + 1], pool_of(mg, l + 1));
    pl_grid_prolong_around(&mg->levels[l], &mg->levels[l + 1], pool_of(mg, l));
    pl_grid_relocated_prolong(&mg->relocated[l], &mg->levels[l], &mg->levels[l + 1]);
    add_seconds(mg, PL_GRID_PROLONGATION, &start);
}

typedef struct deep_rows {
    const pl_grid_linear* mg;
    int l;
} deep_rows;
static void prolong_rows(int row_begin, int row_end, void* user) {
    const deep_rows* d = user;
    const pl_grid_linear_level* levels = d->mg->levels;
    pl_grid_prolong_deep((pl_grid_linear_level*)&levels[d->l], &levels[d->l + 1], row_begin,
                         row_end);
}

// prolongation to deep chunks is fused with the sweep that reads them
static void post_smooth(void* user, int l) {
    pl_grid_linear* mg = user;
    smooth_band(mg, l, near_sweeps(mg, l), false);
    double start = pl_seconds();
    deep_rows rows = {mg, l};
    pl_grid_smooth_interior_arriving(&mg->levels[l], prolong_rows, &rows, pool_of(mg, l));
    smooth_near(mg, l);
    add_seconds(mg, PL_GRID_INTERIOR, &start);
    smooth_band(mg, l, far_sweeps(mg, l), mg->coarse_cycles > 1);
}

static void solve_bottom(pl_grid_linear* mg, int l) {
    pl_grid_linear_level* level = &mg->levels[l];
    const size_t bytes = (size_t)level->layout->field_size * sizeof(float);
    double start = pl_seconds();
    for (int a = 0; a < 3; a++) memset(level->u[a], 0, bytes);
    memset(level->c, 0, bytes);
    pl_grid_exact_solve(&mg->exact[l], level);
    add_seconds(mg, PL_GRID_EXACT, &start);
}

static void cycle(void* user, int l);

// Runs several recombined cycles on a level, starting from zero. Leaves the residual of the band,
// and overwrites the right-hand side.
static void solve_recombined(pl_grid_linear* mg, int l) {
    pl_grid_linear_level* level = &mg->levels[l];
    pl_grid_recombine* h = &mg->coarse_history[l];
    float *residual[4] = {level->f[0], level->f[1], level->f[2], level->g},
          *u[4] = {level->u[0], level->u[1], level->u[2], level->c}, **sum = h->past_move;
    pl_pool* pool = pool_of(mg, l);
    const size_t bytes = h->size * sizeof(float);
    pl_grid_recombine_reset(h);
    for (int a = 0; a < 4; a++) memset(sum[a], 0, bytes);
    for (int n = 0; n < mg->coarse_cycles; n++) {
        double shares[PL_GRID_HISTORY];
        for (int a = 0; a < 4; a++) memcpy(h->image[h->next][a], residual[a], bytes);
        cycle(mg, l);
        for (int a = 0; a < 4; a++) memcpy(h->change[h->next][a], u[a], bytes);
        pl_grid_fields_add(h->size, 4, 1.0, u, sum, pool);
        pl_grid_store_residual(level, h->own_move); // does not write all of own_move
        for (int a = 0; a < 4; a++) memcpy(residual[a], h->own_move[a], bytes);
        pl_grid_recombine_shares(h, residual, shares, pool);
        for (int k = 0; k < h->count; k++)
            pl_grid_fields_add(h->size, 4, shares[k], h->change[k], sum, pool);
    }
    for (int a = 0; a < 4; a++) memcpy(u[a], sum[a], bytes);
}

// solves the next coarser level
static void solve_next(void* user, int l) {
    pl_grid_linear* mg = user;
    if (l == mg->level_count - 1) solve_bottom(mg, l);
    else if (mg->coarse_cycles > 1 && mg->coarse_history[l].most >= mg->coarse_cycles)
        solve_recombined(mg, l);
    else cycle(mg, l);
}

static void cycle(void* user, int l) {
    static const pl_mg_operators operators = {pre_smooth, restrict_residual, prolong_add,
                                              post_smooth, solve_next};
    const pl_grid_linear* mg = user;
    pl_mg_cycle(&operators, user, l, l + 2 < mg->level_count ? l + 2 : mg->level_count);
}

void pl_grid_linear_cycle(pl_grid_linear* mg) { cycle(mg, 0); }

// ------------------------------------------------------------------ interface to recombination

static void take(const pl_grid_iteration* it, float* const to[4]) {
    pl_grid_take_correction(&((pl_grid_linear*)it->levels)->levels[0], to, it->pool);
}

static double look(pl_grid_cycles* c, pl_grid_state* state, double h) {
    pl_grid_linear* mg = (pl_grid_linear*)c;
    (void)h;
    if (mg->cycles.update_springs) mg->cycles.update_springs(mg->cycles.springs_user);
    return pl_grid_residual(&mg->levels[0], state, mg->pool);
}
static void run_cycle(const pl_grid_iteration* it) { pl_grid_linear_cycle(it->levels); }
static double find_residual(const pl_grid_iteration* it) {
    return look(it->levels, it->state, it->cell);
}

pl_grid_iteration pl_grid_linear_iteration(pl_grid_linear* mg, pl_grid_state* state) {
    const pl_grid_linear_level* l = &mg->levels[0];
    return (pl_grid_iteration){.levels = mg,
                               .state = state,
                               .residual = {l->f[0], l->f[1], l->f[2], l->g},
                               .cycle = run_cycle,
                               .find_residual = find_residual,
                               .take = take,
                               .pool = mg->pool};
}

// ------------------------------------------------------------------ step

// A step of the linear lattice, cycle by cycle. Coarse levels may be too soft for limbs of a few
// cells, so that cycles converge slowly or diverge. Then the last few cycles are recombined, and
// each coarse level gets two cycles. A body with soft bending modes makes little progress if the
// residual must not grow; for it cycles are mixed. Memory for that is allocated when needed; if
// that fails, cycles continue alone.

static void begin(pl_grid_cycles* c) {
    pl_grid_linear* mg = (pl_grid_linear*)c;
    // only the state carries over from step to step, so runs can be resumed
    mg->phase = PL_GRID_CYCLES_ALONE;
    mg->cycle = mg->stalls = 0;
    mg->coarse_cycles = 1;
    pl_grid_recombine_reset(&mg->cycles.history);
}

static bool has_history(pl_grid_linear* mg) {
    pl_error ignored;
    return mg->cycles.history.size > 0 ||
           pl_grid_recombine_create(mg->levels[0].layout, PL_GRID_HISTORY, &mg->cycles.history,
                                    &ignored) == PL_OK;
}

// Leaves PL_GRID_CYCLES_ALONE if cycles are slow.
static void watch_rate(pl_grid_linear* mg, double residual) {
    static const double SLOW = 0.7, MANY_TIMES = 3.0;
    const double last = mg->last_residual;
    const bool slow = mg->cycle > 2 && residual > SLOW * last;
    const bool grows = mg->cycle > 1 && residual > last;
    pl_error ignored;
    if (!(slow || grows)) return;
    const bool mixes = !mg->cycles.update_springs && residual > MANY_TIMES * last;
    if (has_history(mg)) mg->phase = mixes ? PL_GRID_CYCLES_MIXED : PL_GRID_CYCLES_RECOMBINED;
    if (mg->phase != PL_GRID_CYCLES_MIXED) pl_grid_linear_set_coarse_cycles(mg, 2, &ignored);
}

// Switches from recombined to mixed cycles if they stall, but not with springs or contacts:
// contacts that open and close are not linear.
static void watch_stalls(pl_grid_linear* mg, double residual) {
    static const double STALLED = 0.95;
    enum { MAX_STALLS = 3 };
    mg->stalls = residual > STALLED * mg->last_residual ? mg->stalls + 1 : 0;
    const bool mixes = mg->phase == PL_GRID_CYCLES_MIXED || mg->stalls >= MAX_STALLS;
    const pl_grid_linear_phase next =
        mixes && !mg->cycles.update_springs ? PL_GRID_CYCLES_MIXED : PL_GRID_CYCLES_RECOMBINED;
    if (next == mg->phase) return;
    if (next == PL_GRID_CYCLES_MIXED) mg->coarse_cycles = 1;
    mg->phase = next;
    pl_grid_recombine_reset(&mg->cycles.history);
}

static void advance(pl_grid_cycles* c, pl_grid_state* state, double h, double residual) {
    pl_grid_linear* mg = (pl_grid_linear*)c;
    const pl_grid_iteration it = pl_grid_linear_iteration(mg, state);
    (void)h;
    mg->cycle++;
    if (mg->phase == PL_GRID_CYCLES_ALONE) watch_rate(mg, residual);
    if (mg->phase != PL_GRID_CYCLES_ALONE) watch_stalls(mg, residual);
    mg->last_residual = residual;
    pl_grid_recombined unused;
    switch (mg->phase) {
    case PL_GRID_CYCLES_ALONE:
        pl_grid_linear_cycle(mg);
        pl_grid_correct(&mg->levels[0], state, mg->pool);
        break;
    case PL_GRID_CYCLES_MIXED: pl_grid_recombine_mix(&mg->cycles.history, &it); break;
    case PL_GRID_CYCLES_RECOMBINED:
        pl_grid_recombine_cycle(&mg->cycles.history, &it, INFINITY, &unused);
        break;
    }
}

// ------------------------------------------------------------------ functions for a step

static const pl_grid_level* finest(const pl_grid_cycles* c) {
    return ((const pl_grid_linear*)c)->levels[0].layout;
}

static void apply(pl_grid_cycles* c, const pl_grid_state* state, double h, double* const out[3]) {
    (void)h;
    if (out) pl_grid_apply(finest(c), state, false, out);
}

static void find_held_forces(pl_grid_cycles* c, const pl_grid_state* state, double h,
                             double* const out[3]) {
    (void)h;
    pl_grid_apply(finest(c), state, true, out);
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < finest(c)->field_size; i++) out[a][i] = -out[a][i];
}

static double energy(const pl_grid_cycles* c, const pl_grid_state* state, double h) {
    (void)h;
    return pl_grid_energy(finest(c), state);
}

static double residual(pl_grid_cycles* c, const pl_grid_state* state, double h) {
    pl_grid_linear* mg = (pl_grid_linear*)c;
    (void)h;
    return pl_grid_residual(&mg->levels[0], state, mg->pool);
}

static void update(pl_grid_cycles* c, double compressibility, double inertia) {
    pl_grid_linear_update((pl_grid_linear*)c, compressibility, inertia);
}

static const pl_grid_cycle_functions functions = {.min_strain = 1e-10,
                                                  .apply = apply,
                                                  .find_held_forces = find_held_forces,
                                                  .energy = energy,
                                                  .residual = residual,
                                                  .set_springs = set_springs,
                                                  .update = update,
                                                  .begin = begin,
                                                  .look = look,
                                                  .advance = advance};
