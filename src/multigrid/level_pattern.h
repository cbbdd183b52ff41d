// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The structure of a level's matrix, split as Gauss-Seidel uses it: entries before a row in the
// order of the sweep (lower) and entries after it (upper) are stored apart, so that a half sweep
// reads only one of them.
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
    // The positions again, for work that needs no order: cut into pieces by place rather than by
    // phase, so that a worker of the pool gets the rows that it also sweeps and finds them in its
    // cache.
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

#endif
