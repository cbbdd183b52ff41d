// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Multigrid in skinning space (S0 section 4) for matrices that do not couple the coordinates, like
// those of Projective Dynamics: n x n with three right-hand sides.
#ifndef PL_MULTIGRID_SCALAR_MULTIGRID_H
#define PL_MULTIGRID_SCALAR_MULTIGRID_H

#include "multigrid/block_level.h"
#include "multigrid/scalar_fine.h"
#include "sparse/linear_solver.h"

typedef struct pl_scalar_mg pl_scalar_mg;

typedef struct pl_scalar_mg_options {
    pl_mg_hierarchy_options hierarchy;
    int half_sweeps;   // before and after the coarse correction, alternately forward and backward:
                       // two make a symmetric sweep
    int jacobi_sweeps; // the same with Jacobi, in place of Gauss-Seidel; 0: Gauss-Seidel
    int level_sweeps[PL_MG_MAX_LEVELS]; // sweeps of single levels; 0: as above
    bool stiffness_aware; // sampling follows the values of A (stiff_lengths.h), which must be set
} pl_scalar_mg_options;

// A (block 1) is borrowed; its structure must not change. positions: 3 per row, at rest.
pl_status pl_scalar_mg_setup(const pl_block_matrix* A, const double* positions,
                             const pl_scalar_mg_options* options, pl_pool* pool, pl_scalar_mg** out,
                             pl_error* error);
// The same in two parts. Between them a background thread samples the coarse levels, and the caller
// may call only pl_scalar_mg_fine. The arguments of `begin` must stay valid until `finish` or
// `destroy`.
pl_status pl_scalar_mg_begin(const pl_block_matrix* A, const double* positions,
                             const pl_scalar_mg_options* options, pl_pool* pool, pl_scalar_mg** out,
                             pl_error* error);
pl_status pl_scalar_mg_finish(pl_scalar_mg* mg, pl_error* error);
void pl_scalar_mg_destroy(pl_scalar_mg* mg);

// Updates all levels after the values of A, the rest positions or the held rows (1 per row, or
// NULL) have changed. Keeps the springs. Fails with PL_ERROR_DIVERGED if the matrix is not positive
// definite.
pl_status pl_scalar_mg_update(pl_scalar_mg* mg, const double* positions, const unsigned char* held,
                              pl_error* error);
// Replaces the springs on the diagonal of all levels. The result does not depend on earlier
// springs. Fails with PL_ERROR_DIVERGED if a spring is not finite in float (the levels are then
// unchanged) or makes the matrix indefinite.
pl_status pl_scalar_mg_set_springs(pl_scalar_mg* mg, const pl_mg_spring* springs, int count,
                                   pl_error* error);

// The finest level; the caller uses its order of rows, b and x.
pl_scalar_fine* pl_scalar_mg_fine(pl_scalar_mg* mg);
const pl_mg_hierarchy* pl_scalar_mg_hierarchy(const pl_scalar_mg* mg);
const pl_block_level* pl_scalar_mg_level(const pl_scalar_mg* mg, int l);

// One V-cycle: sets x of the finest level from its b, starting at x = 0.
void pl_scalar_mg_cycle(pl_scalar_mg* mg);
// Conjugate gradients preconditioned by the cycle, all in float: sets x of the finest level from
// its b, to the precision of float. One iteration is one cycle with the best step length.
// Overwrites b if it converges.
void pl_scalar_mg_solve_float(pl_scalar_mg* mg, const pl_linear_options* options,
                              pl_linear_info* info);
// Sets x of the finest level from its b by conjugate gradients, preconditioned with a direct factor
// in double. In the factor, contacts are springs that act in all directions, so it is not exact.
// Returns false and leaves x unchanged if there is no factor (pl_linear_fallback_factor) or
// allocation fails.
bool pl_scalar_mg_solve_direct(pl_scalar_mg* mg, const pl_linear_options* options,
                               pl_linear_info* info);
// Solves A x = b for three values per row, in double, with cycles in float. x holds the initial
// guess. gradients: conjugate gradients preconditioned by the cycle (mgpcg); otherwise cycles
// alone. Held rows keep their x.
void pl_scalar_mg_solve(pl_scalar_mg* mg, bool gradients, const pl_linear_options* options,
                        const double* b, double* x, pl_linear_info* info);

#endif
