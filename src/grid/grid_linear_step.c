// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A step of the linear lattice, cycle by cycle. Coarse levels may be too soft for limbs of a few
// cells, so that cycles converge slowly or diverge. Then the last few cycles are recombined, and
// coarse levels get two cycles each. A body with soft bending modes makes little progress if the
// residual must not grow; there cycles are mixed. Memory for that is allocated when needed; if that
// fails, cycles continue alone.
#include "grid/grid_linear.h"
#include "grid/grid_linear_operator.h"

// ------------------------------------------------------------------ as recombination sees it

static void take(const pl_grid_iteration* it, float* const to[4]) {
    pl_grid_take_correction(&((pl_grid_linear*)it->levels)->levels[0], to, it->pool);
}

double pl_grid_linear_look(pl_grid_linear* mg, const pl_grid_state* state) {
    if (mg->update_springs) mg->update_springs(mg->springs_user);
    return pl_grid_residual(&mg->levels[0], state, mg->pool);
}
static double find_residual(const pl_grid_iteration* it) {
    return pl_grid_linear_look(it->levels, it->state);
}

pl_grid_iteration pl_grid_linear_iteration(pl_grid_linear* mg, pl_grid_state* state) {
    const pl_grid_linear_level* l = &mg->levels[0];
    return (pl_grid_iteration){.levels = mg,
                               .state = state,
                               .residual = {l->f[0], l->f[1], l->f[2], l->g},
                               .find_residual = find_residual,
                               .take = take,
                               .pool = mg->pool};
}

// ------------------------------------------------------------------ step

void pl_grid_linear_begin(pl_grid_linear* mg) {
    // only the state carries over from step to step, so runs can be resumed
    mg->phase = PL_GRID_CYCLES_ALONE;
    mg->cycle = mg->stalls = 0;
    mg->inner_cycles = 1;
    pl_grid_recombine_reset(&mg->history);
}

static bool has_history(pl_grid_linear* mg) {
    pl_error ignored;
    return mg->history.size > 0 || pl_grid_recombine_create(mg->levels[0].layout, PL_GRID_HISTORY,
                                                            &mg->history, &ignored) == PL_OK;
}

// Leaves PL_GRID_CYCLES_ALONE if cycles are slow.
static void watch_rate(pl_grid_linear* mg, double residual) {
    static const double SLOW = 0.7, MANY_TIMES = 3.0;
    const double last = mg->last_residual;
    const bool slow = mg->cycle > 2 && residual > SLOW * last;
    const bool grows = mg->cycle > 1 && residual > last;
    pl_error ignored;
    if (!(slow || grows)) return;
    const bool mixes = !mg->update_springs && residual > MANY_TIMES * last;
    if (has_history(mg)) mg->phase = mixes ? PL_GRID_CYCLES_MIXED : PL_GRID_CYCLES_RECOMBINED;
    if (mg->phase != PL_GRID_CYCLES_MIXED) pl_grid_linear_set_inner(mg, 2, &ignored);
}

// Switches from recombined to mixed cycles where they stall. Not with springs or contacts: contacts
// that open and close are not linear.
static void watch_stalls(pl_grid_linear* mg, double residual) {
    static const double STALLED = 0.95;
    enum { MAX_STALLS = 3 };
    mg->stalls = residual > STALLED * mg->last_residual ? mg->stalls + 1 : 0;
    const bool mixes = mg->phase == PL_GRID_CYCLES_MIXED || mg->stalls >= MAX_STALLS;
    const pl_grid_linear_phase next =
        mixes && !mg->update_springs ? PL_GRID_CYCLES_MIXED : PL_GRID_CYCLES_RECOMBINED;
    if (next == mg->phase) return;
    if (next == PL_GRID_CYCLES_MIXED) mg->inner_cycles = 1;
    mg->phase = next;
    pl_grid_recombine_reset(&mg->history);
}

void pl_grid_linear_advance(pl_grid_linear* mg, pl_grid_state* state, double residual) {
    const pl_grid_iteration it = pl_grid_linear_iteration(mg, state);
    mg->cycle++;
    if (mg->phase == PL_GRID_CYCLES_ALONE) watch_rate(mg, residual);
    if (mg->phase != PL_GRID_CYCLES_ALONE) watch_stalls(mg, residual);
    mg->last_residual = residual;
    if (mg->phase == PL_GRID_CYCLES_RECOMBINED) pl_grid_recombine_begin(&mg->history, &it);
    pl_grid_linear_cycle(mg);
    switch (mg->phase) {
    case PL_GRID_CYCLES_ALONE: pl_grid_correct(&mg->levels[0], state, mg->pool); break;
    case PL_GRID_CYCLES_MIXED: pl_grid_recombine_mix(&mg->history, &it); break;
    case PL_GRID_CYCLES_RECOMBINED:
        pl_grid_recombine_try(&mg->history, &it);
        pl_grid_recombine_finish(&mg->history, &it);
        break;
    }
}
