// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The symbolic Galerkin product: for each block of the next coarser level, the list of fine entries
// that are summed into it. The numeric product walks along these lists.
#ifndef PL_MULTIGRID_GALERKIN_PAIRS_H
#define PL_MULTIGRID_GALERKIN_PAIRS_H

#include "multigrid/level_pattern.h"

// The coarse blocks with row <= column, in order of row and column, each with the fine entries that
// are summed into it. Entries of one fine row form a group. For a diagonal block only the entries
// with row < column are listed: the block is their sum, its transpose, and the fine diagonal.
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
// The graph of the next level: which of its nodes are coupled.
pl_status pl_mg_pairs_graph(const pl_mg_pairs* pairs, int node_count, pl_adjacency* out,
                            pl_error* error);

#endif
