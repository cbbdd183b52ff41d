// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What a coarse level does; scalar_coarse_data.h tells what it is.
#ifndef PL_MULTIGRID_SCALAR_COARSE_H
#define PL_MULTIGRID_SCALAR_COARSE_H

#include "multigrid/scalar_coarse_data.h"
#include "multigrid/scalar_fine.h"

// Level 1, from the vertices.
pl_status pl_scalar_coarse_setup_first(pl_scalar_coarse* c, const pl_block_matrix* A,
                                       const pl_mg_transfer* transfer, bool coarsest, pl_pool* pool,
                                       pl_error* error);
// The levels above it.
pl_status pl_scalar_coarse_setup_next(pl_scalar_coarse* c, const pl_scalar_coarse* fine,
                                      const pl_mg_transfer* transfer, bool coarsest,
                                      pl_error* error);
void pl_scalar_coarse_free(pl_scalar_coarse* c);

// The fixed matrix: U' A U. Fails with PL_ERROR_DIVERGED if a diagonal block has no inverse, which
// takes values that are negative or not finite.
pl_status pl_scalar_coarse_update_first(pl_scalar_coarse* c, pl_pool* pool,
                                        const pl_block_matrix* A, const pl_mg_transfer* transfer,
                                        pl_error* error);
pl_status pl_scalar_coarse_update_next(pl_scalar_coarse* c, const pl_scalar_coarse* fine,
                                       pl_pool* pool, const pl_mg_transfer* transfer,
                                       pl_error* error);

// Where the vectors of a level have a node.
static inline int pl_scalar_coarse_place(const pl_scalar_coarse* c, int node) {
    return c->order.place ? c->order.place[node] : node;
}

// Diagonal blocks of nodes that springs touch. nodes, points (4 each): of the springs on this
// level. Fails with PL_ERROR_DIVERGED as an update does.
pl_status pl_scalar_coarse_set_springs(pl_scalar_coarse* c, const pl_mg_spring* springs,
                                       const int* nodes, const double* points, int count,
                                       pl_error* error);

void pl_scalar_coarse_sweep(pl_scalar_coarse* c, pl_pool* pool, bool backward, bool from_zero);
void pl_scalar_coarse_half_sum(pl_scalar_coarse* c, pl_pool* pool, bool backward);
// The residual to b of the level above, and x from there.
void pl_scalar_coarse_restrict(pl_scalar_coarse* c, pl_pool* pool, const pl_mg_transfer* transfer,
                               const pl_scalar_coarse* coarser);
void pl_scalar_coarse_prolong_add(pl_scalar_coarse* c, pl_pool* pool,
                                  const pl_mg_transfer* transfer, const pl_scalar_coarse* coarser);

// The matrix of the coarsest level, 4 rows per node, or 12 (mixed; index 12 node + 3 a +
// coordinate).
void pl_scalar_coarse_fill_dense(const pl_scalar_coarse* c, bool mixed, pl_dense_cholesky* dense);

// Shared by the files of a level.
// Vectors, order and halves of a level whose blocks are known.
pl_status pl_scalar_coarse_setup_rows(pl_scalar_coarse* c, bool coarsest, pl_error* error);
// The halves from the blocks.
void pl_scalar_coarse_copy_rows(pl_scalar_coarse* c, pl_pool* pool);
// Nodes and all those they share a block with.
pl_status pl_scalar_coarse_graph(const pl_scalar_coarse* c, pl_adjacency* graph, pl_error* error);
void pl_scalar_galerkin_free(pl_scalar_coarse* c);

#endif
