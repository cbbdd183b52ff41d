// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Multigrid in skinning space (S0 section 4) for matrices that act on each coordinate alone, as
// those of Projective Dynamics do: n x n with three right-hand sides.
#ifndef PL_MULTIGRID_SCALAR_MULTIGRID_H
#define PL_MULTIGRID_SCALAR_MULTIGRID_H

#include "multigrid/block_level.h"
#include "multigrid/scalar_fine.h"
#include "sparse/linear_solver.h"

typedef struct pl_scalar_mg pl_scalar_mg;

typedef struct pl_scalar_mg_options {
    pl_mg_hierarchy_options hierarchy;
    int half_sweeps; // on each side of the coarse correction, forward and backward in turn: two are
                     // one symmetric sweep
    int jacobi_sweeps;                  // on each side, in place of Gauss-Seidel; 0: none
    int level_sweeps[PL_MG_MAX_LEVELS]; // on each side, in place of those, where it is not 0
    bool stiffness_aware; // sampling follows the values of A (stiff_lengths.h), which are there
} pl_scalar_mg_options;

// A (block 1) is kept by reference: its structure may not change. positions: 3 per row, at rest.
pl_status pl_scalar_mg_setup(const pl_block_matrix* A, const double* positions,
                             const pl_scalar_mg_options* options, pl_pool* pool, pl_scalar_mg** out,
                             pl_error* error);
// The same in two parts. Between them another thread finds the nodes of coarser levels, and only
// pl_scalar_mg_fine may be called. The arguments of `begin` must stay valid until `finish` or
// `destroy`.
pl_status pl_scalar_mg_begin(const pl_block_matrix* A, const double* positions,
                             const pl_scalar_mg_options* options, pl_pool* pool, pl_scalar_mg** out,
                             pl_error* error);
pl_status pl_scalar_mg_finish(pl_scalar_mg* mg, pl_error* error);
void pl_scalar_mg_destroy(pl_scalar_mg* mg);

// Updates all levels after the values of A, the rest positions or the held rows (1 per row, or
// NULL) have changed. Springs stay. Fails with PL_ERROR_DIVERGED if the matrix is not positive
// definite.
pl_status pl_scalar_mg_update(pl_scalar_mg* mg, const double* positions, const unsigned char* held,
                              pl_error* error);
// Replaces the springs on the diagonal of all levels. The result does not depend on the springs
// before. Fails with PL_ERROR_DIVERGED if a spring is not finite in float (the levels then are as
// they were) or makes the matrix indefinite.
pl_status pl_scalar_mg_set_springs(pl_scalar_mg* mg, const pl_mg_spring* springs, int count,
                                   pl_error* error);

// The finest level, with the order of rows, b and x.
pl_scalar_fine* pl_scalar_mg_fine(pl_scalar_mg* mg);
const pl_mg_hierarchy* pl_scalar_mg_hierarchy(const pl_scalar_mg* mg);
const pl_block_level* pl_scalar_mg_level(const pl_scalar_mg* mg, int l);

// One V-cycle: x of the finest level from its b, starting at 0.
void pl_scalar_mg_cycle(pl_scalar_mg* mg);
// Conjugate gradients with the cycle, all in float: x from b as above, to the precision of float.
// One iteration is one cycle with the best step length. Overwrites b if it converges.
void pl_scalar_mg_solve_float(pl_scalar_mg* mg, const pl_linear_options* options,
                              pl_linear_info* info);
// x from b as above with a factor of the matrix in double. The factor contains contacts as springs
// in all directions, so it is used as the preconditioner of conjugate gradients. Returns false and
// leaves x unchanged if there is no factor (pl_linear_fallback_factor) or allocation fails.
bool pl_scalar_mg_solve_direct(pl_scalar_mg* mg, const pl_linear_options* options,
                               pl_linear_info* info);
// Solves A x = b for three values per row, in double around the cycle; x holds the start.
// gradients: CG with the cycle (mgpcg), else cycles alone. Held rows keep their x.
void pl_scalar_mg_solve(pl_scalar_mg* mg, bool gradients, const pl_linear_options* options,
                        const double* b, double* x, pl_linear_info* info);

#endif
