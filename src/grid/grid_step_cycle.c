// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The cycles of a step: solves the equations of grid_step.c, with springs and contacts updated at
// all positions that are tried.
#include "grid/grid_step.h"

#include <math.h>
#include <string.h>

static double residual_of_start(pl_grid_body* b, const pl_grid_loads* loads) {
    pl_grid_update_springs(&(pl_grid_spring_context){b, loads, NULL});
    if (!b->general) return pl_grid_residual(&b->linear.levels[0], &b->state, b->pool);
    return pl_grid_corot_residual(&b->corot, &b->state, b->frame.cell, false);
}

// A body with springs or contacts starts its step where forces are smaller: at the positions of
// free flight, or where it was.
static void choose_start(pl_grid_body* b, const pl_grid_loads* loads) {
    size_t bytes = (size_t)b->lattice.levels[0].field_size * sizeof(double);
    if (!b->moved_ahead || !pl_grid_has_springs(b, loads)) return;
    double ahead = residual_of_start(b, loads);
    for (int a = 0; a < 3; a++) memcpy(b->state.u[a], b->before[a], bytes);
    if (ahead < residual_of_start(b, loads)) pl_grid_translate(b, b->way);
}

// Smallest load that counts: the stress of this strain everywhere. The residual of a body at rest
// is round-off, which no cycle reduces.
static double min_load(const pl_grid_body* b, double strain) {
    return strain * b->frame.cell * sqrt((double)b->lattice.levels[0].face_count);
}

// A residual this many times the load counts as divergence. Mixed cycles may pass through large
// ones.
static const double MAX_GROWTH = 1e8;

// ------------------------------------------------------------------ cycles of either kind

static double look(pl_grid_body* b) {
    return b->general ? pl_grid_corot_look(&b->corot, &b->state, b->frame.cell)
                      : pl_grid_linear_look(&b->linear, &b->state);
}

static void update(pl_grid_body* b) {
    const double compressibility = b->state.compressibility, inertia = b->state.inertia;
    if (b->general) pl_grid_corot_update(&b->corot, compressibility, inertia);
    else pl_grid_linear_update(&b->linear, compressibility, inertia);
    b->coefficients_fit = true;
}

static void advance(pl_grid_body* b, double residual) {
    if (b->general) pl_grid_corot_advance(&b->corot, &b->state, b->frame.cell, residual);
    else pl_grid_linear_advance(&b->linear, &b->state, residual);
}

static void set_springs(pl_grid_body* b, pl_grid_spring_context* context) {
    void (*callback)(void* user) = context ? pl_grid_update_springs : NULL;
    b->corot.update_springs = b->linear.update_springs = callback;
    b->corot.springs_user = b->linear.springs_user = context;
}

// ------------------------------------------------------------------ one cycle

// One cycle. Rotations and coefficients belong to the current positions, or to those of up to
// update_every cycles ago.
static double run_cycle(pl_grid_body* b, const pl_grid_loads* loads) {
    const double residual = look(b);
    // Only the first residual counts as load: on the way to equilibrium forces may grow for a
    // while, and a diverging cycle must not raise the load and with it the tolerance.
    if (b->cycle == 0)
        b->load = fmax(b->load, fmax(residual, min_load(b, b->general ? 1e-6 : 1e-10)));
    const double relative = b->load > 0.0 ? residual / b->load : 0.0;
    if (residual <= b->tolerance * b->load || !isfinite(residual)) return relative;
    if (relative > MAX_GROWTH) return INFINITY;
    if (pl_grid_update_spring_coefficients(b)) pl_grid_set_right_side(b, loads);
    if (!b->coefficients_fit || (b->general && b->cycle % b->update_every == 0)) update(b);
    b->cycle++;
    advance(b, residual);
    return relative;
}

double pl_grid_step_cycle(pl_grid_body* b, const pl_grid_loads* loads, const double* positions) {
    if (b->cycle == 0) choose_start(b, loads);
    pl_grid_spring_context context = {b, loads, b->cycle > 0 ? positions : NULL};
    if (pl_grid_has_springs(b, loads)) set_springs(b, &context);
    else pl_grid_find_spring_forces(b, loads, NULL), pl_grid_set_right_side(b, loads);
    const double relative = run_cycle(b, loads);
    set_springs(b, NULL);
    return relative;
}
