// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Multigrid for the matrix with 4 unknowns per vertex (Ruan 2024, section 5): flexible GMRES in
// double, preconditioned by a cycle in float. Levels, vertex Vanka smoother (Gauss-Seidel with 4 x
// 4 blocks) and coarsest factor come from multigrid/block_multigrid.h.
#ifndef PL_MIXED_CYCLES_H
#define PL_MIXED_CYCLES_H

#include "multigrid/hierarchy.h"
#include "sparse/block_matrix.h"
#include "sparse/linear_info.h"

#include <pliant/scene.h>

typedef struct pl_mixed_cycles pl_mixed_cycles;

// State that later solves depend on, for checkpoints.
typedef struct pl_mixed_cycles_state {
    float omega[PL_MG_MAX_LEVELS]; // relaxation per level; 0: not found yet
    int wait;                      // updates until the next search is allowed
} pl_mixed_cycles_state;

// A: pattern, kept by reference. rest: 3 per vertex. relaxation: of the sweeps; NAN: found at the
// first update, and again when iterations are slow.
pl_status pl_mixed_cycles_create(const pl_block_matrix* A, const double* rest,
                                 const pl_multigrid* keys, double relaxation, pl_pool* pool,
                                 pl_mixed_cycles** out, pl_error* error);
void pl_mixed_cycles_destroy(pl_mixed_cycles* c);
// True if the relaxation changed.
bool pl_mixed_cycles_set_relaxation(pl_mixed_cycles* c, double relaxation);
// Takes new values of A. in_levels: the caller has written them to the finest level, and A is not
// read. Returns false if the coarsest level has no factor; then do not solve.
bool pl_mixed_cycles_update(pl_mixed_cycles* c, bool in_levels);
// y = A x with the values of the last update
void pl_mixed_cycles_multiply(const pl_mixed_cycles* c, const double* x, double* y);
struct pl_block_mg* pl_mixed_cycles_levels(pl_mixed_cycles* c);
// Searches for the relaxation again, with the values of the last update. False if the relaxation is
// given, or if the last search was only a few updates ago.
bool pl_mixed_cycles_relax_again(pl_mixed_cycles* c);
// For matrices that may be indefinite in the positions: keeps the relaxation and ends slow solves
// early.
void pl_mixed_cycles_keep_relaxation(pl_mixed_cycles* c, bool keeps);
// z ~ A^-1 r by one cycle
void pl_mixed_cycles_apply(pl_mixed_cycles* c, const double* r, double* z);
// x = A^-1 b from a zero initial guess; 4 per vertex. info tells whether it converged or stalled.
void pl_mixed_cycles_solve(pl_mixed_cycles* c, const pl_linear_options* options, const double* b,
                           double* x, pl_linear_info* info);

pl_mixed_cycles_state pl_mixed_cycles_get_state(const pl_mixed_cycles* c);
void pl_mixed_cycles_set_state(pl_mixed_cycles* c, const pl_mixed_cycles_state* state);

#endif
