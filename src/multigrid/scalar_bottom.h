// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The coarsest level of Projective Dynamics. Only contacts couple the coordinates. So the nodes
// without contacts (u) are eliminated once, for all three coordinates. The Schur complement of the
// nodes with contacts (t) is repeated for each coordinate, and the blocks C of the contacts are
// added to it.
//
//   [A_uu A_ut; A_tu A_tt (x) I + C]:   W = A_uu^-1 A_ut,   S = (A_tt - A_tu W) (x) I + C
//   x_t = S^-1 (b_t - W' b_u),   x_u = A_uu^-1 b_u - W x_t
//
// A sparse factor of the whole matrix is used where it is cheaper.
#ifndef PL_MULTIGRID_SCALAR_BOTTOM_H
#define PL_MULTIGRID_SCALAR_BOTTOM_H

#include "multigrid/dense_cholesky.h"
#include "multigrid/scalar_springs.h"
#include "multigrid/sparse_bottom.h"

typedef struct pl_scalar_bottom {
    pl_dense_cholesky free_nodes; // A_uu; identity rows for nodes with contacts
    int mixed_capacity;
    pl_dense_cholesky mixed_nodes; // S, 12 per node with contacts
    float* W;                      // 4 columns per node with contacts, 4 rows per node
    float* schur;                  // A_tt - A_tu W, 4 rows and columns per node with contacts
    float *rest, *found;           // b_t - W' b_u, x_t
    float* work;                   // 16 per node: right-hand side
    pl_sparse_bottom sparse;       // 12 per node, if there are many nodes
    bool is_sparse;                // the last factor is the sparse one
    double raised;                 // relative shift of the diagonal that made it definite in float
} pl_scalar_bottom;

pl_status pl_scalar_bottom_setup(pl_scalar_bottom* bottom, const pl_block_level* level,
                                 pl_error* error);
void pl_scalar_bottom_free(pl_scalar_bottom* bottom);
// Fails with PL_ERROR_DIVERGED if the matrix is not positive definite.
pl_status pl_scalar_bottom_factor(pl_scalar_bottom* bottom, const pl_block_level* level,
                                  pl_unseen unseen, const pl_level_springs* springs, pl_pool* pool,
                                  pl_error* error);
// Solves for x of the level, given its b.
void pl_scalar_bottom_solve(pl_scalar_bottom* bottom, pl_block_level* level,
                            const pl_level_springs* springs, pl_pool* pool);

#endif
