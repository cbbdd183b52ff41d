// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A step of the general lattice, cycle by cycle. Cycles with pressures as unknowns are recombined
// as long as they reduce the forces. Then conjugate directions take over, which also succeed where
// forces must grow before they vanish (a bar that buckles). If these fail too, recombined cycles
// continue from the positions reached.
//
// Why pressures are unknowns: Eq. 14 solves for positions and pressures together, and so do cycles.
// If the outer iteration eliminates the pressures, the residual that a cycle leaves in a core
// cell's T comes back as a force lambda / mu times as large, which the next cycle must remove
// again. The armadillo of the bench, pulled by hands and feet at once at nu = 0.475, then converges
// at 0.54 per cycle (frozen rotations); it converges at 0.35 if the state keeps the pressures that
// cycles find.
//
// Differs from the paper: the correction of a cycle is recombined with the last few
// (grid_recombine.h). Rotations, and so the equations, change from cycle to cycle. The images of
// older corrections, which are differences of true residuals, are therefore slightly wrong. That
// costs convergence but no accuracy, because the next residual is computed anew. Also, rotations
// are not updated before the first cycle of a step. Dirichlet cells have moved by then and have
// crushed or torn their neighbours; the rotations of such cells are arbitrary, and bodies do not
// recover from them.
#include "grid/grid_corot.h"

#include <math.h>

enum { BLOCK = 4096 };
// Growth of the residual that a step accepts. A long step along a soft mode, such as bending,
// stretches the body slightly, and the forces of that may exceed those of bending; the next cycle
// removes them.
static const double MAX_STEP_GROWTH = 2.0;
// Allowed growth of the residual in one cycle; recombination recovers from it.
static const double MAX_GROWTH = 4.0;
// If this many consecutive cycles do not reduce the smallest residual so far to this fraction,
// conjugate directions take over.
static const double SLOW = 0.9;
enum { MAX_FAILURES = 3 };
// The same for conjugate directions: near nu = 1/2 a cycle with eliminated pressures need not be a
// descent direction, and the body would not move. Recombined cycles then continue from there.
enum { MAX_DOWNHILL_FAILURES = 5 };

// ------------------------------------------------------------------ recombination

typedef struct take_job {
    const pl_corot_level* level;
    float* const* to;
} take_job;

// applies the correction to the state; pressures of other cells follow from positions
static void take_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const take_job* j = user;
    for (int i = begin; i < end; i++) {
        const uint16_t flags = j->level->flags[i];
        for (int a = 0; a < 3; a++)
            j->to[a][i] = flags & (PL_COROT_FACE << a) ? j->level->u[a][i] : 0.0f;
        j->to[3][i] = flags & PL_COROT_CORE ? j->level->s[i] : 0.0f;
    }
}

static void take(const pl_grid_iteration* it, float* const to[4]) {
    const pl_corot_level* l = &((pl_grid_corot*)it->levels)->levels[0];
    pl_parallel_for(it->pool, take_task, l->layout->field_size, BLOCK, &(take_job){l, to});
}

static pl_corot_turn turn_now(const pl_grid_corot* c) {
    return c->problem == PL_COROT_FROZEN ? PL_COROT_TURN_NONE : c->progress.turn;
}

static void run_cycle(const pl_grid_iteration* it) { pl_grid_corot_cycle(it->levels); }
static double find_residual(const pl_grid_iteration* it) {
    pl_grid_corot* c = it->levels;
    return pl_grid_corot_residual(c, it->state, it->cell, turn_now(c));
}

pl_grid_iteration pl_grid_corot_iteration(pl_grid_corot* c, pl_grid_state* state, double h) {
    const pl_corot_level* l = &c->levels[0];
    return (pl_grid_iteration){.levels = c,
                               .state = state,
                               .cell = h,
                               .residual = {l->f[0], l->f[1], l->f[2], l->g},
                               .cycle = run_cycle,
                               .find_residual = find_residual,
                               .take = take,
                               .pool = c->pool};
}

bool pl_grid_corot_recombine(pl_grid_corot* c, pl_grid_state* state, double h, double residual) {
    const pl_grid_iteration it = pl_grid_corot_iteration(c, state, h);
    pl_grid_recombined out;
    const bool ok = pl_grid_recombine_cycle(&c->cycles.history, &it, MAX_GROWTH * residual, &out);
    c->progress.own_residual = out.alone;
    return ok;
}

void pl_grid_corot_substitute(const pl_grid_corot* c, pl_grid_state* state, double h) {
    const pl_corot_level* l = &c->levels[0];
    for (int i = 0; i < l->layout->field_size; i++) {
        if (!(l->flags[i] & PL_COROT_CORE)) continue;
        // the stress is (p - 2 mu h) R
        pl_mat3 R = pl_quat_to_mat3(c->turn[i]);
        double product = 0.0;
        for (int e = 0; e < 9; e++) product += c->stress[e][i] * R.m[e];
        state->p[i] = product / 3.0 + 2.0 * (double)l->mu[i] * h;
    }
}

// ------------------------------------------------------------------ step

static void begin(pl_grid_cycles* cycles) {
    pl_grid_corot* c = (pl_grid_corot*)cycles;
    pl_grid_corot_forget(c);
    c->phase = PL_COROT_RECOMBINED;
    c->progress = (pl_corot_progress){.turn = PL_COROT_TURN_ALL, .is_judged = true};
}

static double residual_now(pl_grid_corot* c, const pl_grid_state* state, double h) {
    return pl_grid_corot_residual(c, state, h,
                                  c->progress.cycle > 0 ? turn_now(c) : PL_COROT_TURN_NONE);
}

// Switches the phase of the step. Returns the residual of the new phase's equations.
static double change_way(pl_grid_corot* c, pl_grid_state* state, double h, pl_corot_phase phase) {
    pl_grid_corot_forget(c);
    c->phase = phase;
    c->progress.failures = 0;
    c->progress.best_residual = residual_now(c, state, h);
    return c->progress.best_residual;
}
static double go_downhill(pl_grid_corot* c, pl_grid_state* state, double h) {
    return change_way(c, state, h, PL_COROT_DOWNHILL);
}
static double recombine_again(pl_grid_corot* c, pl_grid_state* state, double h) {
    pl_grid_corot_substitute(c, state, h);
    return change_way(c, state, h, PL_COROT_RECOMBINED);
}

// Counts consecutive cycles that do not reduce the residual.
static double judge(pl_grid_corot* c, double residual) {
    c->progress.failures =
        residual <= SLOW * c->progress.best_residual ? 0 : c->progress.failures + 1;
    c->progress.best_residual = fmin(c->progress.best_residual, residual);
    return residual;
}

// Returns the residual; if the last cycle led uphill, part of it is undone first.
static double check(pl_grid_corot* c, pl_grid_state* state, double h) {
    double residual = residual_now(c, state, h);
    if (c->progress.is_judged) return residual;
    c->progress.is_judged = true;
    if (c->phase == PL_COROT_DOWNHILL)
        return judge(c, c->problem == PL_COROT_FROZEN
                            ? residual
                            : pl_grid_corot_backtrack(c, state, h, residual));
    if (!(residual <= MAX_STEP_GROWTH * c->progress.own_residual)) {
        const pl_grid_iteration it = pl_grid_corot_iteration(c, state, h);
        pl_grid_recombine_separate(&c->cycles.history, &it);
        if (!(c->progress.own_residual <= MAX_STEP_GROWTH * c->progress.last_residual))
            pl_grid_recombine_take_back(&c->cycles.history, &it);
        residual = residual_now(c, state, h);
    }
    return judge(c, residual);
}

static double look(pl_grid_cycles* cycles, pl_grid_state* state, double h) {
    pl_grid_corot* c = (pl_grid_corot*)cycles;
    double residual = check(c, state, h);
    if (c->phase == PL_COROT_RECOMBINED)
        return c->progress.failures < MAX_FAILURES ? residual : go_downhill(c, state, h);
    return c->progress.failures < MAX_DOWNHILL_FAILURES ? residual : recombine_again(c, state, h);
}

static void advance(pl_grid_cycles* cycles, pl_grid_state* state, double h, double residual) {
    pl_grid_corot* c = (pl_grid_corot*)cycles;
    c->progress.last_residual = residual;
    if (c->freezes_buckled && c->progress.cycle > 0) c->progress.turn = PL_COROT_TURN_STEADY;
    if (c->progress.cycle == 0) c->progress.best_residual = residual;
    if (c->phase == PL_COROT_RECOMBINED && !pl_grid_corot_recombine(c, state, h, residual))
        go_downhill(c, state, h);
    if (c->phase == PL_COROT_DOWNHILL) {
        pl_grid_corot_cycle(c);
        pl_grid_corot_correct(c, state, true);
    }
    c->progress.is_judged = false;
    c->progress.cycle++;
}

static void end(pl_grid_cycles* cycles, pl_grid_state* state, double h) {
    pl_grid_corot* c = (pl_grid_corot*)cycles;
    if (!c->progress.is_judged) check(c, state, h);
    c->progress.turn = PL_COROT_TURN_ALL;
    if (c->phase == PL_COROT_DOWNHILL) pl_grid_corot_substitute(c, state, h);
}

// ------------------------------------------------------------------ functions for a step

static void apply(pl_grid_cycles* cycles, const pl_grid_state* state, double h,
                  double* const out[3]) {
    pl_grid_corot* c = (pl_grid_corot*)cycles;
    c->phase = PL_COROT_DOWNHILL;
    pl_grid_corot_residual(c, state, h, PL_COROT_TURN_ALL);
    if (!out) return;
    pl_grid_corot_forces(c, state, h, false, out);
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < c->levels[0].layout->field_size; i++) out[a][i] = -out[a][i];
}

static void find_held_forces(pl_grid_cycles* c, const pl_grid_state* state, double h,
                             double* const out[3]) {
    pl_grid_corot_forces((pl_grid_corot*)c, state, h, true, out);
}

static double energy(const pl_grid_cycles* c, const pl_grid_state* state, double h) {
    return pl_grid_corot_energy((const pl_grid_corot*)c, state, h);
}

static double residual(pl_grid_cycles* c, const pl_grid_state* state, double h) {
    return pl_grid_corot_residual((pl_grid_corot*)c, state, h, PL_COROT_TURN_NONE);
}

static void set_springs(pl_grid_cycles* c, double* const stiffness[3]) {
    pl_grid_corot_set_springs((pl_grid_corot*)c, stiffness);
}

static void update(pl_grid_cycles* c, double compressibility, double inertia) {
    pl_grid_corot_update((pl_grid_corot*)c, compressibility, inertia);
}

const pl_grid_cycle_functions pl_grid_corot_functions = {.turns = true,
                                                         .min_strain = 1e-6,
                                                         .apply = apply,
                                                         .find_held_forces = find_held_forces,
                                                         .energy = energy,
                                                         .residual = residual,
                                                         .set_springs = set_springs,
                                                         .update = update,
                                                         .begin = begin,
                                                         .look = look,
                                                         .advance = advance,
                                                         .end = end};
