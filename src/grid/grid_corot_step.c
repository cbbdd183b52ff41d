// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A step of the general lattice, cycle by cycle: recombined ones with pressures as variables as
// long as they bring the forces down, and from then on conjugate directions, which also find their
// way where forces have to grow before they vanish (a bar that buckles).
//
// Where we differ from the paper: cells do not turn before the first cycle of a step. Held cells
// have moved by then, and the cells beside them are crushed or torn by all of that motion at once;
// rotations of such cells are any, and bodies do not find back from them.
#include "grid/grid_corot.h"

// of the residual before: from there on going downhill is worth more
static const double SLOW = 0.9;
enum { MOST_FAILURES = 2 };

void pl_grid_corot_begin(pl_grid_corot* c) {
    pl_grid_corot_forget(c);
    c->keeps_pressure = true;
    c->ahead = false;
    c->cycle = c->failures = 0;
}

static void go_downhill(pl_grid_corot* c) {
    pl_grid_corot_forget(c);
    c->keeps_pressure = false;
}

static double residual_now(pl_grid_corot* c, const pl_grid_state* state, double h) {
    return pl_grid_corot_residual(c, state, h, c->cycle > 0 && !c->frozen);
}

// The residual, at positions before the last cycle (or at a part of it) if that led uphill.
static double check(pl_grid_corot* c, pl_grid_state* state, double h) {
    double residual = residual_now(c, state, h);
    if (!c->ahead) return residual;
    c->ahead = false;
    if (!c->keeps_pressure)
        return c->frozen ? residual : pl_grid_corot_backtrack(c, state, h, residual);
    if (residual <= c->last_residual) return residual;
    c->failures++;
    pl_grid_corot_take_back(c, state);
    return residual_now(c, state, h);
}

double pl_grid_corot_look(pl_grid_corot* c, pl_grid_state* state, double h, bool reacts) {
    if (reacts) {
        go_downhill(c);
        return residual_now(c, state, h);
    }
    double residual = check(c, state, h);
    if (!c->keeps_pressure || c->cycle == 0 || residual <= SLOW * c->last_residual) return residual;
    if (++c->failures < MOST_FAILURES) return residual;
    go_downhill(c);
    return residual_now(c, state, h);
}

void pl_grid_corot_advance(pl_grid_corot* c, pl_grid_state* state, double h, double residual,
                           bool reacts) {
    c->last_residual = residual;
    if (c->keeps_pressure && !pl_grid_corot_recombine(c, state, h, !c->frozen, residual)) {
        go_downhill(c);
        residual_now(c, state, h);
    }
    if (!c->keeps_pressure) {
        pl_grid_corot_cycle(c);
        pl_grid_corot_correct(c, state, !reacts);
    }
    c->ahead = true;
    c->cycle++;
}

void pl_grid_corot_end(pl_grid_corot* c, pl_grid_state* state, double h, bool reacts) {
    if (reacts) residual_now(c, state, h);
    else if (c->ahead) check(c, state, h);
    c->ahead = false;
    if (!c->keeps_pressure) pl_grid_corot_substitute(c, state, h);
}
