// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The sparsity pattern of a level's matrix, split into two halves for Gauss-Seidel: columns that a
// sweep visits before the row (lower) and after it (upper). A half sweep reads only one of them.
#ifndef PL_MULTIGRID_LEVEL_PATTERN_H
#define PL_MULTIGRID_LEVEL_PATTERN_H

#include "base/pool.h"
#include "mesh/topology.h"
#include "multigrid/hierarchy.h"
#include "multigrid/slab_order.h"

// The order of a sweep, the same for any number of threads. Phases follow one another. The units of
// a phase are not coupled and run in parallel. The rows of a unit are visited one after the other.
typedef struct pl_mg_schedule {
    int phase_count;
    int* phase_offsets; // phase_count + 1, in units
    int unit_count;
    int* unit_offsets; // 2 per unit: first position, and one past the last
    int row_count;
    int* order; // row at each position; NULL: row = position
    // All positions again, for work that needs no order. They are divided into pieces by location
    // instead of by phase, so that a thread gets the rows that it also sweeps and has them in its
    // cache.
    int piece_count;
    int* pieces; // 2 per piece: first position, and one past the last
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
    int* source;  // per entry: its item in the graph
    pl_mg_schedule schedule;
} pl_mg_pattern;

// Schedule by slabs, for many rows. The rows of the graph are already in the order of the sweep
// (`order`, which has chunks of one row).
pl_status pl_mg_pattern_slabs(pl_mg_pattern* out, const pl_adjacency* graph,
                              const pl_slab_order* order, pl_error* error);
// Schedule by slabs for a graph in any order; rows keep their numbers.
pl_status pl_mg_pattern_bands(pl_mg_pattern* out, const pl_adjacency* graph, pl_error* error);
// Schedule by colours, for few rows.
pl_status pl_mg_pattern_colours(pl_mg_pattern* out, const pl_adjacency* graph, pl_error* error);
void pl_mg_pattern_free(pl_mg_pattern* pattern);
// The index of entry (row, column), or -1.
int pl_mg_pattern_find(const pl_mg_pattern* pattern, int row, int column);
// Runs a task over all positions, piece by piece.
void pl_mg_for_pieces(const pl_mg_schedule* schedule, pl_pool* pool, pl_task task, void* user);

#endif
