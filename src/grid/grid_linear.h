// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The linear lattice: linear elasticity of one material, and the V-cycle over its levels (Zhu 2010,
// Algorithm 1).
#ifndef PL_GRID_LINEAR_H
#define PL_GRID_LINEAR_H

#include "grid/grid_lattice.h"
#include "grid/grid_linear_bottom.h"
#include "grid/grid_linear_relocated.h"
#include "grid/grid_linear_thin.h"
#include "grid/grid_linear_transfer.h"
#include "grid/grid_recombine.h"

// The subroutines of a cycle (Fig. 22). Restriction includes the residual; the interior
// includes prolongation and initial zeros deep inside, which go with its sweeps.
typedef enum pl_grid_time {
    PL_GRID_BOUNDARY,
    PL_GRID_INTERIOR,
    PL_GRID_RESTRICTION,
    PL_GRID_PROLONGATION,
    PL_GRID_EXACT,
    PL_GRID_OTHER,
    PL_GRID_TIMES
} pl_grid_time;

// What a step makes of a cycle's correction.
typedef enum pl_grid_linear_phase {
    PL_GRID_CYCLES_ALONE,      // takes it as it is
    PL_GRID_CYCLES_RECOMBINED, // the sum with older ones that has the smallest residual
    PL_GRID_CYCLES_MIXED       // the sum that has the smallest correction
} pl_grid_linear_phase;

typedef struct pl_grid_linear {
    pl_grid_linear_level levels[PL_GRID_MAX_LEVELS]; // finest first
    pl_grid_transfer transfers[PL_GRID_MAX_LEVELS];  // from each level to the next
    pl_grid_relocated relocated[PL_GRID_MAX_LEVELS];
    pl_grid_thin thin[PL_GRID_MAX_LEVELS]; // of all levels but the coarsest
    pl_grid_recombine inner[PL_GRID_MAX_LEVELS];
    int level_count;
    pl_grid_bottom bottom;
    int band_sweeps; // of a boundary beside an interior sweep, half as many on the other side of it
    int relocated_sweeps;          // of cells that the next level holds, after each interior sweep
    int inner_cycles;              // of each coarser level but the last, recombined
    double seconds[PL_GRID_TIMES]; // of all cycles so far
    // of a step (grid_linear_step.c)
    pl_grid_linear_phase phase;
    int cycle;            // so far
    int stalls;           // recombined cycles in a row that brought next to nothing
    double last_residual; // before the last cycle
    pl_grid_recombine history;
    // Springs and contacts: sets the right side of the state for its present positions; or NULL.
    void (*react)(void* user);
    void* react_user;
    pl_pool* pool;
} pl_grid_linear;

// On the levels of a lattice with these cells, which must live as long; the cells are not needed
// afterwards. Coefficients must be set before the first cycle.
pl_status pl_grid_linear_create(const pl_grid_lattice* lattice, const pl_grid_cells* cells,
                                pl_pool* pool, pl_grid_linear* out, pl_error* error);
void pl_grid_linear_free(pl_grid_linear* mg);
// Takes the memory of the sparse factors, before the first cycle.
pl_status pl_grid_linear_reserve(pl_grid_linear* mg, pl_error* error);
// Coefficients of all levels. compressibility mu / lambda; inertia of the finest level, in units of
// mu / h^2.
void pl_grid_linear_update(pl_grid_linear* mg, double compressibility, double inertia);
// Springs on faces of the finest level for the next update.
void pl_grid_linear_set_springs(pl_grid_linear* mg, double* const stiffness[3]);

// Solves coarser levels by so many recombined cycles from now on (1: V-cycles). A coarse level of a
// body with thin limbs is too soft or too stiff for them in its turn, by large factors: with a
// V-cycle its correction is wrong, with two that are only added (a W-cycle) more so. Recombined
// they are about right: the factor is found as they go. Levels have an eighth of the cells each, so
// that two cycles on each cost a fifth to a half more than a V-cycle. Without memory for it nothing
// changes.
pl_status pl_grid_linear_set_inner(pl_grid_linear* mg, int cycles, pl_error* error);

// One cycle for f and g of the finest level: u, and c (see grid_level.h), from zero.
void pl_grid_linear_cycle(pl_grid_linear* mg);

// The linear lattice as recombination sees it.
pl_grid_iteration pl_grid_linear_iteration(pl_grid_linear* mg, pl_grid_state* state);

// A step: after a begin, look for the residual, and advance by a cycle as often as needed. The
// caller makes the updates.
void pl_grid_linear_begin(pl_grid_linear* mg);
double pl_grid_linear_look(pl_grid_linear* mg, const pl_grid_state* state);
void pl_grid_linear_advance(pl_grid_linear* mg, pl_grid_state* state, double residual);

#endif
