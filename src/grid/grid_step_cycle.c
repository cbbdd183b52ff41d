// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The cycles of a step: how the equations of grid_step.c are solved, with the reactions of the
// places that are tried.
#include "grid/grid_step.h"

#include <math.h>
#include <string.h>

static double residual_of_start(pl_grid_body* b, const pl_grid_acts* acts) {
    pl_grid_react(&(pl_grid_reactor){b, acts, NULL});
    if (!b->general) return pl_grid_residual(&b->multigrid.levels[0], &b->state, b->pool);
    return pl_grid_corot_residual(&b->corot, &b->state, b->frame.cell, false);
}

// Where a body touches something, or hangs on springs, the step starts where forces are less: where
// the body would go on to, or where it was.
static void choose_start(pl_grid_body* b, const pl_grid_acts* acts) {
    size_t bytes = (size_t)b->multigrid.levels[0].field_size * sizeof(double);
    if (!b->went_on || !pl_grid_has_reactions(b, acts)) return;
    double ahead = residual_of_start(b, acts);
    for (int a = 0; a < 3; a++) memcpy(b->state.u[a], b->before[a], bytes);
    if (ahead < residual_of_start(b, acts)) pl_grid_translate(b, b->way);
}

// A load that is as good as none: the stress of such a strain everywhere. What is left of a body at
// rest is round-off, and no cycle makes it less.
static double least_load(const pl_grid_body* b, double strain) {
    return strain * b->frame.cell * sqrt((double)b->multigrid.levels[0].face_count);
}

// One cycle of the general lattice, of which rotations and coefficients are those of the present
// positions, or of up to update_every cycles ago.
static double advance_general(pl_grid_body* b, const pl_grid_acts* acts) {
    double h = b->frame.cell;
    double residual = pl_grid_corot_look(&b->corot, &b->state, h);
    // on the way to equilibrium forces may well grow for a while: only the first ones count
    if (b->cycle == 0) b->load = fmax(b->load, fmax(residual, least_load(b, 1e-6)));
    double relative = b->load > 0.0 ? residual / b->load : 0.0;
    if (residual <= b->tolerance * b->load || !isfinite(residual)) return relative;
    if (pl_grid_follow_reactions(b)) pl_grid_set_right_side(b, acts);
    if (!b->coefficients_fit || b->cycle % b->update_every == 0)
        pl_grid_corot_update(&b->corot, b->state.compressibility, b->state.inertia);
    b->coefficients_fit = true;
    b->cycle++;
    pl_grid_corot_advance(&b->corot, &b->state, h, residual);
    return relative;
}

static double general_cycle(pl_grid_body* b, const pl_grid_acts* acts, const double* positions) {
    pl_grid_reactor reacts = {b, acts, b->cycle > 0 ? positions : NULL};
    if (pl_grid_has_reactions(b, acts))
        b->corot.react = pl_grid_react, b->corot.react_user = &reacts;
    else pl_grid_find_reactions(b, acts, NULL), pl_grid_set_right_side(b, acts);
    double relative = advance_general(b, acts);
    b->corot.react = NULL;
    return relative;
}

// Mixed cycles may have residuals many times the load on their way; a larger one is of no use.
static const double MAX_GROWTH = 1e8;

// Coarse levels may be too soft for limbs of a few cells, and cycles slow or even growing: then the
// last few of them are recombined, and coarse levels have two cycles for each. A body that bends
// softly does not get far with residuals that may not grow: there cycles are mixed. Memory for
// that is taken when it is needed; without it cycles go on alone.
static void watch_rate(pl_grid_body* b, double residual, bool reacts) {
    static const double SLOW = 0.7, STALLED = 0.95, MANY_TIMES = 3.0;
    enum { MAX_STALLS = 3 };
    pl_error ignored;
    const double last = b->last_residual;
    const bool slow = b->cycle > 2 && residual > SLOW * last;
    const bool grows = b->cycle > 1 && residual > last;
    if (!b->recombines && (slow || grows)) {
        b->recombines = b->history.size > 0 ||
                        pl_grid_recombine_create(&b->multigrid.levels[0], PL_GRID_HISTORY,
                                                 &b->history, &ignored) == PL_OK;
        b->mixes = b->recombines && !reacts && residual > MANY_TIMES * last;
        if (!b->mixes) pl_grid_multigrid_set_inner(&b->multigrid, 2, &ignored);
    }
    b->stalls = b->recombines && residual > STALLED * last ? b->stalls + 1 : 0;
    // what touches and lets go again is no linear equation: with reactions nothing is mixed
    const bool mixes = b->mixes || b->stalls >= MAX_STALLS;
    if (b->mixes != (mixes && !reacts)) {
        b->mixes = !b->mixes;
        b->multigrid.inner_cycles = b->mixes ? 1 : b->multigrid.inner_cycles;
        pl_grid_recombine_reset(&b->history);
    }
    b->last_residual = residual;
}

// Of the linear law, after a cycle: the same as pl_grid_recombine_end, with the reactions of the
// places that are tried. Corrections are kept as the level has them.
static void recombine_with_reactions(pl_grid_body* b, const pl_grid_acts* acts) {
    pl_grid_level* l = &b->multigrid.levels[0];
    pl_grid_recombine* past = &b->history;
    float* const own[4] = {l->u[0], l->u[1], l->u[2], l->c};
    float* const residual[4] = {l->f[0], l->f[1], l->f[2], l->g};
    const size_t bytes = past->size * sizeof(float);
    double shares[PL_GRID_HISTORY];
    for (int a = 0; a < 4; a++) memcpy(past->change[past->next][a], own[a], bytes);
    pl_grid_correct(l, &b->state, b->pool);
    pl_grid_react(&(pl_grid_reactor){b, acts, NULL});
    pl_grid_residual(l, &b->state, b->pool);
    pl_grid_recombine_shares(past, residual, shares, b->pool);
    for (int a = 0; a < 4; a++) memset(own[a], 0, bytes);
    for (int k = 0; k < past->count; k++)
        pl_grid_fields_add(past->size, shares[k], past->change[k], own, b->pool);
    pl_grid_correct(l, &b->state, b->pool);
}

double pl_grid_step_cycle(pl_grid_body* b, const pl_grid_acts* acts, const double* positions) {
    pl_grid_level* l = &b->multigrid.levels[0];
    if (b->cycle == 0) choose_start(b, acts);
    if (b->general) return general_cycle(b, acts, positions);
    if (b->cycle == 0 && b->went_on && pl_grid_has_reactions(b, acts))
        pl_grid_react(&(pl_grid_reactor){b, acts, NULL});
    else pl_grid_find_reactions(b, acts, positions);
    pl_grid_follow_reactions(b);
    if (!b->coefficients_fit) pl_grid_set_coefficients(b);
    pl_grid_set_right_side(b, acts);
    double residual = pl_grid_residual(l, &b->state, b->pool);
    // only at first: a cycle that diverges must not make the load, and so what is small, larger
    if (b->cycle++ == 0) b->load = fmax(b->load, fmax(residual, least_load(b, 1e-10)));
    if (residual <= b->tolerance * b->load) return b->load > 0.0 ? residual / b->load : 0.0;
    if (b->mixes && residual > MAX_GROWTH * b->load) return INFINITY; // cycles diverge
    const bool reacts = pl_grid_has_reactions(b, acts);
    watch_rate(b, residual, reacts);
    if (reacts != b->history_reacts) pl_grid_recombine_reset(&b->history);
    b->history_reacts = reacts;
    if (b->recombines && !b->mixes) pl_grid_recombine_begin(&b->history, l);
    pl_grid_multigrid_cycle(&b->multigrid);
    if (b->mixes) pl_grid_recombine_mix(&b->history, l, &b->state, b->pool);
    else if (!b->recombines) pl_grid_correct(l, &b->state, b->pool);
    else if (reacts) recombine_with_reactions(b, acts);
    else pl_grid_recombine_end(&b->history, l, &b->state, b->pool);
    return residual / b->load;
}
