// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Springs (soft pins and contacts) on a coarse level of Projective Dynamics. Each vertex has one
// parent, so springs change only diagonal blocks. Contacts couple the coordinates: the diagonal
// block of their node becomes 12 x 12 ("mixed").
#ifndef PL_MULTIGRID_SCALAR_SPRINGS_H
#define PL_MULTIGRID_SCALAR_SPRINGS_H

#include "multigrid/block_galerkin.h"
#include "multigrid/scalar_fine_data.h"

typedef struct pl_level_springs {
    int node_count;
    int* slot;    // per node: its index in `touched`, or -1
    int* touched; // nodes with springs
    int touched_count;
    double* sums; // 16 per touched node: sum of its springs, the same for each coordinate
    // nodes with contacts; level->mixed_slot has their indices
    int mixed_count, mixed_capacity;
    int* mixed_nodes;
    double* mixed_sums; // 144 per node with contacts: sum of their blocks
    pl_mixed_block* mixed;
} pl_level_springs;

pl_status pl_level_springs_setup(pl_level_springs* s, int node_count, pl_error* error);
void pl_level_springs_free(pl_level_springs* s);
// Forgets all springs, because the level gets new values.
void pl_level_springs_clear(pl_level_springs* s, pl_block_level* level);
// Replaces the springs of the level. The diagonal blocks that they touch are summed from the fixed
// part and all springs in order, so the result does not depend on earlier springs. nodes, points (4
// each): parent node of each spring on this level, and its point there. Fails with
// PL_ERROR_DIVERGED if a block has no inverse.
pl_status pl_level_springs_set(pl_level_springs* s, pl_block_level* level, pl_unseen unseen,
                               const pl_mg_spring* springs, const int* nodes, const double* points,
                               int count, pl_error* error);

#endif
