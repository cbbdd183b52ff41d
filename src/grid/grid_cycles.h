// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What a step needs of the cycles of a lattice, whichever of the two kinds they are: those of
// grid_linear.h or those of grid_corot.h.
#ifndef PL_GRID_CYCLES_H
#define PL_GRID_CYCLES_H

#include "grid/grid_recombine.h"

typedef struct pl_grid_cycles pl_grid_cycles;

// h: edge of a cell [m].
typedef struct pl_grid_cycle_functions {
    // The coefficients follow the rotations of cells; else the same ones serve until springs,
    // material or time step change.
    bool turns;
    // Smallest load that counts: the stress of this strain everywhere. The residual of a body at
    // rest is round-off, which no cycle reduces.
    double min_strain;
    // out = L u on the free faces, with the rotations of the state's positions; NULL: finds the
    // rotations only.
    void (*apply)(pl_grid_cycles* c, const pl_grid_state* state, double h, double* const out[3]);
    // out = gradient of the elastic energy on prescribed faces, at the positions of the last
    // residual; some kinds also set other faces.
    void (*find_held_forces)(pl_grid_cycles* c, const pl_grid_state* state, double h,
                             double* const out[3]);
    double (*energy)(const pl_grid_cycles* c, const pl_grid_state* state, double h);
    // Norm of the residual at the state, with the rotations as they are.
    double (*residual)(pl_grid_cycles* c, const pl_grid_state* state, double h);
    // Sets springs on faces of the finest level, used from the next update on.
    void (*set_springs)(pl_grid_cycles* c, double* const stiffness[3]);
    // Sets the coefficients of all levels. compressibility: mu / lambda. inertia: of the finest
    // level, in units of mu / h^2.
    void (*update)(pl_grid_cycles* c, double compressibility, double inertia);
    // The cycles of a step. Call begin before the state changes (Dirichlet cells may move first);
    // then look, which returns the residual, and advance, which makes one cycle, as often as
    // needed; then end, which may undo part of the last cycle. The caller makes the updates.
    void (*begin)(pl_grid_cycles* c);
    double (*look)(pl_grid_cycles* c, pl_grid_state* state, double h);
    void (*advance)(pl_grid_cycles* c, pl_grid_state* state, double h, double residual);
    void (*end)(pl_grid_cycles* c, pl_grid_state* state, double h); // NULL: nothing to do
} pl_grid_cycle_functions;

// The first member of both kinds.
struct pl_grid_cycles {
    const pl_grid_cycle_functions* functions;
    pl_grid_recombine history; // corrections of earlier cycles
    // Springs and contacts: updates the right-hand side of the state for its current positions; or
    // NULL.
    void (*update_springs)(void* user);
    void* springs_user;
};

#endif
