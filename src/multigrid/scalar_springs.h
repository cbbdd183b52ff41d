// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Springs (soft pins, contacts) on a coarse level of Projective Dynamics. Since a vertex has one
// parent they touch diagonal blocks alone; contacts couple the coordinates there, and the block
// becomes 12 x 12.
#ifndef PL_MULTIGRID_SCALAR_SPRINGS_H
#define PL_MULTIGRID_SCALAR_SPRINGS_H

#include "multigrid/block_galerkin.h"
#include "multigrid/scalar_fine_data.h"

typedef struct pl_level_springs {
    int node_count;
    int* slot;    // per node: which one of touched, or -1
    int* touched; // nodes
    int touched_count;
    double* sums; // 16 per touched node: what springs add to the block of all coordinates
    // nodes with contacts, in the slots that the level knows
    int mixed_count, mixed_capacity;
    int* mixed_nodes;
    double* mixed_sums; // 144 each
    pl_mixed_block* mixed;
} pl_level_springs;

pl_status pl_level_springs_setup(pl_level_springs* s, int node_count, pl_error* error);
void pl_level_springs_free(pl_level_springs* s);
// Forgets all springs: the values of the level are new.
void pl_level_springs_clear(pl_level_springs* s, pl_block_level* level);
// Diagonal blocks of the nodes that springs touch, in place of those there were; summed from the
// fixed part and all present springs in order, so that it does not matter which springs there have
// been before. nodes, points (4 each): of the springs on this level. Fails with PL_ERROR_DIVERGED
// if a block has no inverse.
pl_status pl_level_springs_set(pl_level_springs* s, pl_block_level* level, pl_unseen unseen,
                               const pl_mg_spring* springs, const int* nodes, const double* points,
                               int count, pl_error* error);

#endif
