// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Linear systems of method mixed, 4 unknowns per vertex. Solved by multigrid (mixed_cycles.h); by
// MINRES (mixed_definite.h) if multigrid fails; by a direct solver if MINRES fails or the scene
// asks for it.
#ifndef PL_MIXED_LINEAR_H
#define PL_MIXED_LINEAR_H

#include "mixed/mixed_cycles.h"
#include "mixed/mixed_definite.h"
#include "sparse/linear_info.h"
#include "step/step_solvers.h"

typedef struct pl_mixed_linear pl_mixed_linear;

// The solvers, each used when those before it fail.
typedef enum pl_mixed_rung {
    PL_MIXED_BY_CYCLES,
    PL_MIXED_BY_MINRES,
    PL_MIXED_BY_FACTOR
} pl_mixed_rung;

// matrices: kept by reference; A must have its values at rest, which show where stiff parts are.
// rest: 3 per vertex. relaxation: as for pl_mixed_cycles_create. If multigrid.fallback is false,
// only cycles are used.
pl_status pl_mixed_linear_create(const pl_mixed_matrices* matrices, const double* rest,
                                 const pl_step_settings* settings, double relaxation, pl_pool* pool,
                                 pl_mixed_linear** out, pl_error* error);
void pl_mixed_linear_destroy(pl_mixed_linear* l);
void pl_mixed_linear_set_relaxation(pl_mixed_linear* l, double relaxation);

// Call at the start of a step: multigrid is tried again, unless it failed in several consecutive
// steps.
void pl_mixed_linear_begin(pl_mixed_linear* l);
// The levels of multigrid, or NULL.
struct pl_block_mg* pl_mixed_linear_levels(const pl_mixed_linear* l);
// True if multigrid does the next solve. Then the values of A may be written to its finest level
// instead of A.
bool pl_mixed_linear_takes_levels(const pl_mixed_linear* l);
// Takes new values of A. in_levels: they are only in the levels, and `fill` of the matrices writes
// them to A when needed. is_tentative: A may be indefinite in the positions, and the caller has a
// projected matrix to fall back on; then a failed solve is not repeated and counts against no rung.
pl_status pl_mixed_linear_update(pl_mixed_linear* l, bool in_levels, bool is_tentative,
                                 pl_error* error);
// x = A^-1 b. An unfinished solve is repeated on the next rung, which then keeps the rest of the
// step; info->switched is set. info->indefinite: A has more negative eigenvalues than vertices,
// which only the direct solver detects.
void pl_mixed_linear_solve(pl_mixed_linear* l, const pl_linear_options* options, const double* b,
                           double* x, pl_linear_info* info);

// Later solves use A + J in place of A; see pl_newton_functions.
pl_status pl_mixed_linear_join(pl_mixed_linear* l, const pl_join* J, pl_error* error);

// State that later solves depend on, for checkpoints.
typedef struct pl_mixed_linear_state {
    int failed_steps;
    pl_mixed_rung rung;
    pl_mixed_cycles_state cycles;
} pl_mixed_linear_state;
pl_mixed_linear_state pl_mixed_linear_get_state(const pl_mixed_linear* l);
void pl_mixed_linear_set_state(pl_mixed_linear* l, const pl_mixed_linear_state* state);

#endif
