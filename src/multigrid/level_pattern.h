// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The structure of a level's matrix, split as Gauss-Seidel uses it: what lies before a row in the
// order of the sweep (lower) and what lies behind it (upper), stored apart, so that a half sweep
// reads one of them only. And from which entries of a level each block of the next one is summed.
#ifndef PL_MULTIGRID_LEVEL_PATTERN_H
#define PL_MULTIGRID_LEVEL_PATTERN_H

#include "base/pool.h"
#include "mesh/topology.h"
#include "multigrid/hierarchy.h"
#include "multigrid/slab_order.h"

// A fixed order: phases one after the other; the units of a phase are not coupled and run in
// parallel; the rows of a unit run one after the other.
typedef struct pl_mg_schedule {
    int phase_count;
    int* phase_offsets; // phase_count + 1, in units
    int unit_count;
    int* unit_offsets; // 2 per unit: first position and the one behind the last
    int row_count;
    int* order; // position -> row, or NULL: they are the same
    // Positions once more, for work that needs no order: cut into pieces that follow one another in
    // space rather than in the sweep, so that a worker of the pool gets the rows that it also has
    // in sweeps, and finds them in its cache.
    int piece_count;
    int* pieces; // 2 per piece: first position and the one behind the last
} pl_mg_schedule;

typedef struct pl_mg_half {
    int* begin; // per row, entries begin .. end
    int* end;
} pl_mg_half;

typedef struct pl_mg_pattern {
    int row_count;
    int entry_count; // both halves, without the diagonal
    pl_mg_half lower, upper;
    int* columns; // per entry
    int* source;  // per entry: the item of the graph that it stands for
    pl_mg_schedule schedule;
} pl_mg_pattern;

// Slabs, for many rows; the graph has its rows in the order of the sweep (pl_slab_order with chunks
// of one row).
pl_status pl_mg_pattern_slabs(pl_mg_pattern* out, const pl_adjacency* graph,
                              const pl_slab_order* order, pl_error* error);
// Slabs whose rows keep their numbers.
pl_status pl_mg_pattern_bands(pl_mg_pattern* out, const pl_adjacency* graph, pl_error* error);
// Colours, for few rows.
pl_status pl_mg_pattern_colours(pl_mg_pattern* out, const pl_adjacency* graph, pl_error* error);
void pl_mg_pattern_free(pl_mg_pattern* pattern);
// The entry (row, column), or -1.
int pl_mg_pattern_find(const pl_mg_pattern* pattern, int row, int column);
// Runs a task over all positions, piece by piece.
void pl_mg_for_pieces(const pl_mg_schedule* schedule, pl_pool* pool, pl_task task, void* user);

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
