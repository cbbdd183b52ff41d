// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Levels of a lattice and the V-cycle over them (Zhu 2010, Algorithm 1).
#ifndef PL_GRID_MULTIGRID_H
#define PL_GRID_MULTIGRID_H

#include "grid/grid_bottom.h"
#include "grid/grid_inner.h"
#include "grid/grid_relocated.h"
#include "grid/grid_thin.h"
#include "grid/grid_transfer.h"

enum { PL_GRID_MAX_LEVELS = 24 };

// The subroutines of a cycle (Fig. 22). Restriction includes the residual; the interior
// includes prolongation and initial zeros deep inside, which go with its sweeps.
typedef enum pl_grid_phase {
    PL_GRID_BOUNDARY,
    PL_GRID_INTERIOR,
    PL_GRID_RESTRICTION,
    PL_GRID_PROLONGATION,
    PL_GRID_EXACT,
    PL_GRID_OTHER,
    PL_GRID_PHASES
} pl_grid_phase;

typedef struct pl_grid_multigrid {
    pl_grid_level levels[PL_GRID_MAX_LEVELS];       // finest first
    pl_grid_transfer transfers[PL_GRID_MAX_LEVELS]; // from each level to the next
    pl_grid_relocated relocated[PL_GRID_MAX_LEVELS];
    pl_grid_thin thin[PL_GRID_MAX_LEVELS]; // of all levels but the coarsest
    pl_grid_inner inner[PL_GRID_MAX_LEVELS];
    int level_count;
    pl_grid_bottom bottom;
    int band_sweeps; // of a boundary beside an interior sweep, half as many on the other side of it
    int relocated_sweeps; // of cells that the next level holds, after each interior sweep
    int inner_cycles;     // of each coarser level but the last, combined; see grid_inner.h
    pl_pool* pool;
    double seconds[PL_GRID_PHASES]; // of all cycles so far
} pl_grid_multigrid;

// The levels above a lattice. Coefficients must be set before the first cycle.
pl_status pl_grid_multigrid_create(const pl_grid_cells* cells, pl_pool* pool,
                                   pl_grid_multigrid* out, pl_error* error);
// The same without what only cycles of the linear law need: for the general lattice.
pl_status pl_grid_multigrid_create_layout(const pl_grid_cells* cells, pl_pool* pool,
                                          pl_grid_multigrid* out, pl_error* error);
void pl_grid_multigrid_free(pl_grid_multigrid* mg);
// Takes the memory of the sparse factors, before the first cycle.
pl_status pl_grid_multigrid_reserve(pl_grid_multigrid* mg, pl_error* error);
// compressibility mu / lambda; inertia of the finest level, in units of mu / h^2.
void pl_grid_multigrid_set_material(pl_grid_multigrid* mg, double compressibility, double inertia);

// Springs on faces of the finest level (which are lost), on all levels; coefficients are set anew.
void pl_grid_multigrid_set_stiffness(pl_grid_multigrid* mg, double compressibility, double inertia,
                                     double* const stiffness[3]);

// Solves coarser levels by so many combined cycles from now on (1: V-cycles). Without memory for it
// nothing changes.
pl_status pl_grid_multigrid_set_inner(pl_grid_multigrid* mg, int cycles, pl_error* error);

// One cycle for f and g of the finest level: u, and c (see grid_level.h), from zero.
void pl_grid_multigrid_cycle(pl_grid_multigrid* mg);

#endif
