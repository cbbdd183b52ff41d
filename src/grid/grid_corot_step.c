// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A step of the general lattice, cycle by cycle: recombined ones with pressures as variables as
// long as they bring the forces down, and then conjugate directions, which also find their way
// where forces have to grow before they vanish (a bar that buckles); where these bring nothing
// either, the first way again.
//
// Where we differ from the paper: cells do not turn before the first cycle of a step. Held cells
// have moved by then, and the cells beside them are crushed or torn by all of that motion at once;
// rotations of such cells are any, and bodies do not find back from them.
#include "grid/grid_corot.h"

#include <math.h>

// A long step along a soft motion, such as bending, stretches the body a little, and that may well
// bring larger forces than bending had; the next cycle takes them away.
static const double PASSING = 2.0;
// Where so many cycles in a row do not bring the least residual so far to this part of it, going
// downhill is worth more.
static const double SLOW = 0.9;
enum { MOST_FAILURES = 3 };
// The same for conjugate directions: near nu = 1/2 a cycle with substituted pressures need not
// point downhill, and nothing would move any more. The recombined cycles then start anew from
// there.
enum { MAX_DOWNHILL_FAILURES = 5 };

void pl_grid_corot_begin(pl_grid_corot* c) {
    pl_grid_corot_forget(c);
    c->keeps_pressure = true;
    c->ahead = c->lagging = false;
    c->cycle = c->factor_cycle = c->failures = 0;
}

static double residual_now(pl_grid_corot* c, const pl_grid_state* state, double h) {
    return pl_grid_corot_residual(c, state, h, c->cycle > 0 && !c->frozen);
}

// Takes the other way of a step. Returns the residual, which is that of other equations now.
static double change_way(pl_grid_corot* c, pl_grid_state* state, double h, bool keeps_pressure) {
    pl_grid_corot_forget(c);
    c->keeps_pressure = keeps_pressure;
    c->failures = 0;
    c->best_residual = residual_now(c, state, h);
    return c->best_residual;
}
static double go_downhill(pl_grid_corot* c, pl_grid_state* state, double h) {
    return change_way(c, state, h, false);
}
static double recombine_again(pl_grid_corot* c, pl_grid_state* state, double h) {
    pl_grid_corot_substitute(c, state, h);
    return change_way(c, state, h, true);
}

// Counts cycles in a row that do not bring the residual down.
static double judge(pl_grid_corot* c, double residual) {
    c->failures = residual <= SLOW * c->best_residual ? 0 : c->failures + 1;
    c->best_residual = fmin(c->best_residual, residual);
    return residual;
}

// The residual, or where the last cycle led uphill that of a place on the way to it.
static double check(pl_grid_corot* c, pl_grid_state* state, double h) {
    double residual = residual_now(c, state, h);
    if (!c->ahead) return residual;
    c->ahead = false;
    if (!c->keeps_pressure)
        return judge(c, c->frozen ? residual : pl_grid_corot_backtrack(c, state, h, residual));
    if (!(residual <= PASSING * c->own_residual)) {
        pl_grid_corot_separate(c, state);
        if (!(c->own_residual <= PASSING * c->last_residual)) pl_grid_corot_take_back(c, state);
        residual = residual_now(c, state, h);
    }
    return judge(c, residual);
}

double pl_grid_corot_look(pl_grid_corot* c, pl_grid_state* state, double h) {
    double residual = check(c, state, h);
    if (c->failures < (c->keeps_pressure ? MOST_FAILURES : MAX_DOWNHILL_FAILURES)) return residual;
    return c->keeps_pressure ? go_downhill(c, state, h) : recombine_again(c, state, h);
}

void pl_grid_corot_advance(pl_grid_corot* c, pl_grid_state* state, double h, double residual) {
    c->last_residual = residual;
    c->lagging = c->lags && c->cycle > 0;
    if (c->cycle == 0) c->best_residual = residual;
    if (c->keeps_pressure && !pl_grid_corot_recombine(c, state, h, !c->frozen, residual))
        go_downhill(c, state, h);
    if (!c->keeps_pressure) {
        pl_grid_corot_cycle(c);
        pl_grid_corot_correct(c, state, true);
    }
    c->ahead = true;
    c->cycle++;
}

void pl_grid_corot_end(pl_grid_corot* c, pl_grid_state* state, double h) {
    if (c->ahead) check(c, state, h);
    c->ahead = c->lagging = false;
    if (!c->keeps_pressure) pl_grid_corot_substitute(c, state, h);
}
