// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A coarse level of the multigrid of Projective Dynamics. A node's affine map has 12 unknowns, but
// the matrix does not mix coordinates, so a block is 4x4 with three right-hand sides: 16 floats per
// node, the values of the three coordinates (and one that is free) for each of the four columns of
// its map. Only contacts mix coordinates; since a vertex has one parent they touch diagonal blocks
// alone, which then become 12x12.
#ifndef PL_MULTIGRID_SCALAR_COARSE_DATA_H
#define PL_MULTIGRID_SCALAR_COARSE_DATA_H

#include "multigrid/dense_cholesky.h"
#include "multigrid/hierarchy.h"
#include "multigrid/scalar_fine_data.h"

// half of the blocks of each row, in the order in which rows are visited
typedef struct pl_half_blocks {
    int* offsets;  // node_count + 1
    int* columns;  // places; those that have just had their turn come last
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
    // 16 per node, at its place in the order, so that neighbours are near; where there is no order,
    // at its number
    float *diagonal, *inverse;
    float *b, *x, *u;
    bool u_is_lower, u_is_known;
    float damping; // of Jacobi

    // springs: which nodes they touch, their sums
    int* touched; // nodes
    int touched_count;
    int* touched_slot;    // at the node's place: which one of touched, or -1
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

#endif
