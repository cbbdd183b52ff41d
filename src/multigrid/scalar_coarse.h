// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A coarse level of the multigrid of Projective Dynamics. A node's affine map has 12 unknowns, but
// the matrix does not mix coordinates, so a block is 4x4 with three right-hand sides: 16 floats per
// node, the values of the three coordinates (and one that is free) for each of the four columns of
// its map. Only contacts mix coordinates; since a vertex has one parent they touch diagonal blocks
// alone, which then become 12x12.
#ifndef PL_MULTIGRID_SCALAR_COARSE_H
#define PL_MULTIGRID_SCALAR_COARSE_H

#include "multigrid/dense_cholesky.h"
#include "multigrid/hierarchy.h"
#include "multigrid/scalar_fine.h"

// half of the blocks of each row, in the order in which rows are visited
typedef struct pl_half_blocks {
    int* offsets;  // node_count + 1
    int* columns;  // nodes
    int* sources;  // block, or ~block if its transpose is meant
    float* values; // 16 per entry: by columns
} pl_half_blocks;

// the 12x12 diagonal block of a node that contacts touch: index 3 a + coordinate
typedef struct pl_node_block {
    double sum[144]; // of the springs
    float block[144], inverse[144];
} pl_node_block;

typedef struct pl_scalar_coarse {
    int node_count;
    // the blocks above the diagonal, and those on it, of the fixed matrix
    int block_count;
    int *block_offsets, *block_columns; // node_count + 1; columns ascend and are above the row
    double *blocks, *fixed_diagonal;    // 16 each, by rows
    const float* unseen;                // of the hierarchy: 16 per node

    pl_slab_order order; // empty on the coarsest level
    pl_half_blocks lower, upper;
    float *diagonal, *inverse; // 16 per node
    float *b, *x, *u;          // 16 per node
    bool u_is_lower, u_is_known;
    float damping; // of Jacobi

    // springs: which nodes they touch, their sums
    int* touched; // nodes
    int touched_count;
    int* touched_slot;    // per node: place in touched, or -1
    double* touched_sums; // 16 per touched node
    int* mixed;           // per touched node: its 12x12 block, or -1
    pl_node_block* node_blocks;
    int mixed_count, mixed_capacity;

    // from the finer level. Level 1: the entries of the vertices' matrix by node and vertex, those
    // with the same target together. Above: the finer blocks that each target sums up.
    int list_count;
    int*
        term_offsets; // list_count + 1; per vertex (level 1), or per target: diagonals, then blocks
    int term_count;
    int* terms;   // level 1: entry of the matrix; above: 2 block + transposed, ~node for a diagonal
    int* targets; // level 1: the block of each term, -1 for the diagonal; above: the row of each
                  // finer block
} pl_scalar_coarse;

// Level 1, from the vertices.
pl_status pl_scalar_coarse_setup_first(pl_scalar_coarse* c, const pl_block_matrix* A,
                                       const pl_mg_transfer* transfer, bool coarsest,
                                       pl_error* error);
// The levels above it.
pl_status pl_scalar_coarse_setup_next(pl_scalar_coarse* c, const pl_scalar_coarse* fine,
                                      const pl_mg_transfer* transfer, bool coarsest,
                                      pl_error* error);
void pl_scalar_coarse_free(pl_scalar_coarse* c);

// The fixed matrix: U' A U.
void pl_scalar_coarse_update_first(pl_scalar_coarse* c, pl_pool* pool, const pl_block_matrix* A,
                                   const pl_mg_transfer* transfer);
void pl_scalar_coarse_update_next(pl_scalar_coarse* c, const pl_scalar_coarse* fine, pl_pool* pool,
                                  const pl_mg_transfer* transfer);

// Diagonal blocks of nodes that springs touch. nodes, points (4 each): of the springs on this
// level.
pl_status pl_scalar_coarse_set_springs(pl_scalar_coarse* c, const pl_mg_spring* springs,
                                       const int* nodes, const double* points, int count,
                                       pl_error* error);

void pl_scalar_coarse_sweep(pl_scalar_coarse* c, pl_pool* pool, bool backward, bool from_zero);
void pl_scalar_coarse_half_sum(pl_scalar_coarse* c, pl_pool* pool, bool backward);
void pl_scalar_coarse_restrict(pl_scalar_coarse* c, pl_pool* pool, const pl_mg_transfer* transfer,
                               float* coarser_b);
void pl_scalar_coarse_prolong_add(pl_scalar_coarse* c, pl_pool* pool,
                                  const pl_mg_transfer* transfer, const float* coarser_x);

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
