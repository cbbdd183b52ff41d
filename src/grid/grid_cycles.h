// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The interface of the cycles of a lattice, as a step uses them. Both kinds implement it: those of
// grid_linear.h and those of grid_corot.h.
#ifndef PL_GRID_CYCLES_H
#define PL_GRID_CYCLES_H

#include "grid/grid_recombine.h"

typedef struct pl_grid_cycles pl_grid_cycles;

// h: edge of a cell [m].
typedef struct pl_grid_cycle_functions {
    // True if the coefficients depend on the rotations of cells; otherwise they stay valid until
    // springs, material or time step change.
    bool turns;
    // Smallest load: the stress of this strain everywhere. The residual of a body at rest is
    // round-off, which no cycle reduces.
    double min_strain;
    // out = L u on the free faces, with the rotations of the state's positions. NULL: only updates
    // the rotations.
    void (*apply)(pl_grid_cycles* c, const pl_grid_state* state, double h, double* const out[3]);
    // out = gradient of the elastic energy on prescribed faces, at the positions of the last
    // residual; some kinds also set other faces.
    void (*find_held_forces)(pl_grid_cycles* c, const pl_grid_state* state, double h,
                             double* const out[3]);
    double (*energy)(const pl_grid_cycles* c, const pl_grid_state* state, double h);
    // Norm of the residual at the state, with the current rotations.
    double (*residual)(pl_grid_cycles* c, const pl_grid_state* state, double h);
    // Sets springs on faces of the finest level, used from the next update on.
    void (*set_springs)(pl_grid_cycles* c, double* const stiffness[3]);
    // Sets the coefficients of all levels. compressibility: mu / lambda. inertia: of the finest
    // level, in units of mu / h^2.
    void (*update)(pl_grid_cycles* c, double compressibility, double inertia);
    // The cycles of a step. Call begin before the state changes (Dirichlet cells may move first).
    // Then call look, which returns the residual, and advance, which runs one cycle, as often as
    // needed. Then call end, which may undo part of the last cycle. The caller calls update.
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
