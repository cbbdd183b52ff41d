// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Linear systems of method mixed, 4 unknowns per vertex: by multigrid (mixed_cycles.h); by MINRES
// (mixed_definite.h) where that fails; directly where MINRES fails too, or where the scene asks for
// it.
#ifndef PL_MIXED_LINEAR_H
#define PL_MIXED_LINEAR_H

#include "mixed/mixed_cycles.h"
#include "mixed/mixed_definite.h"
#include "sparse/linear_info.h"
#include "step/step_solvers.h"

typedef struct pl_mixed_linear pl_mixed_linear;

// What solves: each one where those before it fail.
typedef enum pl_mixed_rung {
    PL_MIXED_BY_CYCLES,
    PL_MIXED_BY_MINRES,
    PL_MIXED_BY_FACTOR
} pl_mixed_rung;

// matrices: kept by reference. The values of A are those at rest, where stiff parts are seen. rest:
// 3 per vertex. relaxation: as for pl_mixed_cycles_create. If multigrid.fallback is false there are
// only cycles.
pl_status pl_mixed_linear_create(const pl_mixed_matrices* matrices, const double* rest,
                                 const pl_step_settings* settings, double relaxation, pl_pool* pool,
                                 pl_mixed_linear** out, pl_error* error);
void pl_mixed_linear_destroy(pl_mixed_linear* l);
void pl_mixed_linear_set_relaxation(pl_mixed_linear* l, double relaxation);

// A step starts: multigrid is tried again, unless it failed in several steps in a row.
void pl_mixed_linear_begin(pl_mixed_linear* l);
// The levels of multigrid; NULL: there are none.
struct pl_block_mg* pl_mixed_linear_levels(const pl_mixed_linear* l);
// Whether multigrid has the next solve, so that the values of A may be written to its finest level
// in place of A.
bool pl_mixed_linear_takes_levels(const pl_mixed_linear* l);
// A has new values. in_levels: they have been written to the levels alone, and `fill` of the
// matrices has the others if they are needed. is_tentative: they may be indefinite in the
// positions, and there are others if they do not lead on. Then a solve that fails is not redone and
// counts against no rung.
pl_status pl_mixed_linear_update(pl_mixed_linear* l, bool in_levels, bool is_tentative,
                                 pl_error* error);
// x = A^-1 b. A solve that is not finished is redone on the next rung, which then has the rest of
// the step; info->switched says so. info->indefinite: A has more negative eigenvalues than
// vertices, which only the direct solver sees.
void pl_mixed_linear_solve(pl_mixed_linear* l, const pl_linear_options* options, const double* b,
                           double* x, pl_linear_info* info);

// The next solves have A + J in place of A, as pl_newton_functions has it.
pl_status pl_mixed_linear_join(pl_mixed_linear* l, const pl_join* J, pl_error* error);

// What later solves depend on, for checkpoints.
typedef struct pl_mixed_linear_state {
    int failed_steps;
    pl_mixed_rung rung;
    pl_mixed_cycles_state cycles;
} pl_mixed_linear_state;
pl_mixed_linear_state pl_mixed_linear_get_state(const pl_mixed_linear* l);
void pl_mixed_linear_set_state(pl_mixed_linear* l, const pl_mixed_linear_state* state);

#endif
