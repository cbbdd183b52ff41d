// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The order in which Gauss-Seidel visits rows. It is parallel and gives the same result for any
// number of threads.
//
// Reverse Cuthill-McKee orders the rows so that the matrix becomes a band. The band is cut into
// slabs of at least one bandwidth, so a slab is coupled only with its two neighbours. All even
// slabs run in parallel, then all odd ones. Inside a slab, rows are ordered by colour, so that the
// rows of a chunk (a few rows that are processed together) are not coupled with one another. If the
// band is too wide for slabs, the colours of the whole graph are used instead.
//
// A place is a row's position in memory. Scalar rows are stored slab after slab, although even and
// odd slabs are visited separately. So coupled rows are near in memory, and a thread that has swept
// some even slabs has the odd ones between them in its cache. Blocks are stored in the order of
// visits.
#ifndef PL_MULTIGRID_SLAB_ORDER_H
#define PL_MULTIGRID_SLAB_ORDER_H

#include "mesh/topology.h"

// Phases follow one another. The runs of a phase are not coupled and run in parallel. A run visits
// its chunks in order.
typedef struct pl_slab_order {
    int row_count;
    int chunk_rows;  // rows of a chunk
    int place_count; // chunk_rows per chunk; some places are empty
    int* place;      // of each row
    int* row;        // at each place; -1: empty
    int chunk_count;
    int phase_count;
    int* phase_runs; // phase_count + 1: the runs of each phase
    int run_count;
    int* run_chunks;  // run_count + 1: the first chunk of each run
    int* run_ends;    // run_count: one past the last chunk of each run
    int* band_number; // of each row: its number in the band; elements are sorted by it
} pl_slab_order;

// graph: for each row, the rows that it is coupled with; symmetric. chunk_rows: 1 for blocks, 4 for
// scalar rows.
pl_status pl_slab_order_setup(pl_slab_order* order, const pl_adjacency* graph, int chunk_rows,
                              pl_error* error);
void pl_slab_order_free(pl_slab_order* order);
// turns[chunk] = number of chunks that a forward sweep visits before it.
void pl_slab_order_turns(const pl_slab_order* order, int* turns);

#endif
