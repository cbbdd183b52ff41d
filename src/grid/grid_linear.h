// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The linear lattice: linear elasticity with one material, and the V-cycle over its levels (Zhu
// 2010, Algorithm 1).
#ifndef PL_GRID_LINEAR_H
#define PL_GRID_LINEAR_H

#include "grid/grid_cycles.h"
#include "grid/grid_linear_level.h"

// The subroutines of a cycle (Fig. 22), for timing. Restriction includes the residual. Far from the
// boundary band, the interior sweep includes prolongation and the initial zeros.
typedef enum pl_grid_time {
    PL_GRID_BOUNDARY,
    PL_GRID_INTERIOR,
    PL_GRID_RESTRICTION,
    PL_GRID_PROLONGATION,
    PL_GRID_EXACT,
    PL_GRID_OTHER,
    PL_GRID_TIMES
} pl_grid_time;

// How a step uses the correction of a cycle.
typedef enum pl_grid_linear_phase {
    PL_GRID_CYCLES_ALONE,      // applies it unchanged
    PL_GRID_CYCLES_RECOMBINED, // combines it with older ones to minimise the residual
    PL_GRID_CYCLES_MIXED       // combines it with older ones to minimise the correction
} pl_grid_linear_phase;

typedef struct pl_grid_linear {
    pl_grid_cycles cycles;
    pl_grid_linear_level levels[PL_GRID_MAX_LEVELS]; // finest first
    pl_grid_relocated relocated[PL_GRID_MAX_LEVELS];
    pl_grid_exact exact[PL_GRID_MAX_LEVELS]; // of thin parts; of all of the coarsest level
    pl_grid_recombine coarse_history[PL_GRID_MAX_LEVELS];
    int level_count;
    int band_sweeps; // boundary sweeps on one side of an interior sweep; half as many on the other
                     // side
    int relocated_sweeps; // over cells that are Dirichlet on the next level, after each interior
                          // sweep
    int coarse_cycles;    // recombined cycles of each coarser level but the last
    double seconds[PL_GRID_TIMES]; // total of all cycles so far
    // state of a step
    pl_grid_linear_phase phase;
    int cycle;            // so far
    int stalls;           // consecutive recombined cycles with next to no progress
    double last_residual; // before the last cycle
    pl_pool* pool;
} pl_grid_linear;

// Builds the levels on a lattice, which must outlive them. The cells are not needed afterwards. Set
// the coefficients before the first cycle.
pl_status pl_grid_linear_create(const pl_grid_lattice* lattice, const pl_grid_cells* cells,
                                pl_pool* pool, pl_grid_linear* out, pl_error* error);
void pl_grid_linear_free(pl_grid_linear* mg);
// Allocates the sparse factors; call before the first cycle.
pl_status pl_grid_linear_reserve(pl_grid_linear* mg, pl_error* error);
// Sets the coefficients of all levels. compressibility: mu / lambda. inertia: of the finest level,
// in units of mu / h^2.
void pl_grid_linear_update(pl_grid_linear* mg, double compressibility, double inertia);

// Solves each coarser level by this many recombined cycles from now on (1: V-cycles). For thin
// limbs a coarse level is too soft or too stiff by large factors, so the correction of a V-cycle is
// wrong, and adding a second one (a W-cycle) makes it worse. Recombining two finds the right
// factor. Each level has an eighth of the cells of the finer one, so two cycles on each cost a
// fifth to a half more than a V-cycle. If allocation fails, nothing changes.
pl_status pl_grid_linear_set_coarse_cycles(pl_grid_linear* mg, int cycles, pl_error* error);

// One cycle: solves for u and c (see grid_linear_level.h) of the finest level from its f and g,
// starting from zero.
void pl_grid_linear_cycle(pl_grid_linear* mg);

// The interface of the linear lattice to recombination.
pl_grid_iteration pl_grid_linear_iteration(pl_grid_linear* mg, pl_grid_state* state);

// ------------------------------------------------------------------ equations in double
// (grid_linear_operator.c)

// The discrete equations in double, without optimisation. Cycles reduce their residual, and tests
// compare the kernels with them.

// Sets f and g of the level to the residuals f - L u and g - div u - eps p of the state. Returns
// the norm of both together.
double pl_grid_residual(pl_grid_linear_level* level, const pl_grid_state* state, pl_pool* pool);
// The residual of one interior face across an axis, or of one interior cell: `offset` counts cells
// along the segment.
double pl_grid_face_residual(const pl_grid_level* level, const pl_grid_state* state,
                             const pl_grid_segment* segment, int axis, int offset);
double pl_grid_cell_residual(const pl_grid_level* level, const pl_grid_state* state,
                             const pl_grid_segment* segment, int offset);
// out[a] = L u on interior faces, with the state's pressures; on all faces if `everywhere`.
void pl_grid_apply(const pl_grid_level* level, const pl_grid_state* state, bool everywhere,
                   double* const out[3]);
// u' K u / 2, where K is -L with all pressures substituted. Prescribed values are included.
double pl_grid_energy(const pl_grid_level* level, const pl_grid_state* state);
// Adds the level's u and c to the state.
void pl_grid_correct(const pl_grid_linear_level* level, pl_grid_state* state, pl_pool* pool);
// Stores the correction in the order of the state, with pressures in place of c and zeros outside.
void pl_grid_take_correction(const pl_grid_linear_level* level, float* const to[4], pl_pool* pool);
// Sets the pressures so that their equations hold.
void pl_grid_substitute(const pl_grid_level* level, pl_grid_state* state);

#endif
