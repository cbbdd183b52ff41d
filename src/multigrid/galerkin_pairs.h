// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Which entries of a level each block of the next coarser level is the sum of. The Galerkin product
// walks along these lists.
#ifndef PL_MULTIGRID_GALERKIN_PAIRS_H
#define PL_MULTIGRID_GALERKIN_PAIRS_H

#include "multigrid/level_pattern.h"

// The blocks of the next level with row <= column, by row and column, and the entries of this level
// that each is the sum of. Entries of one row lie together as a group. Of a diagonal block only the
// entries with row < column are listed: the block is the sum of both halves and of the diagonal.
typedef struct pl_mg_pairs {
    int count;
    int* rows;
    int* columns;
    int* group_offsets; // count + 1
    int group_count;
    int* group_rows;
    int* entry_offsets; // group_count + 1
    int entry_count;
    int* entries;
} pl_mg_pairs;

pl_status pl_mg_pairs_setup(pl_mg_pairs* out, const pl_mg_pattern* fine,
                            const pl_mg_transfer* transfer, pl_error* error);
void pl_mg_pairs_free(pl_mg_pairs* pairs);
// Which nodes of the next level are coupled.
pl_status pl_mg_pairs_graph(const pl_mg_pairs* pairs, int node_count, pl_adjacency* out,
                            pl_error* error);

#endif
