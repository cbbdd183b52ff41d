// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The cycles of a step: how the equations of grid_step.c are solved, with the reactions of the
// places that are tried.
#include "grid/grid_step.h"

#include <math.h>
#include <string.h>

static double residual_of_start(pl_grid_body* b, const pl_grid_loads* loads) {
    pl_grid_update_springs(&(pl_grid_spring_context){b, loads, NULL});
    if (!b->general) return pl_grid_residual(&b->linear.levels[0], &b->state, b->pool);
    return pl_grid_corot_residual(&b->corot, &b->state, b->frame.cell, false);
}

// Where a body touches something, or hangs on springs, the step starts where forces are less: where
// the body would go on to, or where it was.
static void choose_start(pl_grid_body* b, const pl_grid_loads* loads) {
    size_t bytes = (size_t)b->lattice.levels[0].field_size * sizeof(double);
    if (!b->moved_ahead || !pl_grid_has_springs(b, loads)) return;
    double ahead = residual_of_start(b, loads);
    for (int a = 0; a < 3; a++) memcpy(b->state.u[a], b->before[a], bytes);
    if (ahead < residual_of_start(b, loads)) pl_grid_translate(b, b->way);
}

// A load that is as good as none: the stress of such a strain everywhere. What is left of a body at
// rest is round-off, and no cycle makes it less.
static double min_load(const pl_grid_body* b, double strain) {
    return strain * b->frame.cell * sqrt((double)b->lattice.levels[0].face_count);
}

// A residual that is so many times the load is of no use, whatever cycles make of it. Mixed cycles
// may have large ones on their way.
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
    void (*update)(void* user) = context ? pl_grid_update_springs : NULL;
    b->corot.update_springs = b->linear.update_springs = update;
    b->corot.springs_user = b->linear.springs_user = context;
}

// ------------------------------------------------------------------ one cycle

// One cycle; rotations and coefficients are those of the present positions, or of up to
// update_every cycles ago.
static double run_cycle(pl_grid_body* b, const pl_grid_loads* loads) {
    const double residual = look(b);
    // On the way to equilibrium forces may well grow for a while: only the first ones count. And a
    // cycle that diverges must not make the load, and so what is small, larger.
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
