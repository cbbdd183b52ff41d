// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The order in which Gauss-Seidel visits rows: fixed, the same for any number of threads, and yet
// parallel.
//
// Reverse Cuthill-McKee makes the graph a band; it is cut into slabs of at least one bandwidth, so
// that a slab is coupled with the two beside it only. All even slabs run at the same time, then
// all odd ones. Inside a slab rows come colour by colour, so that the rows of a chunk (a few that
// are worked on together) are not coupled with one another. Where the band is too wide for slabs
// the colours of the whole graph take their place.
//
// Scalar rows lie in memory slab after slab, although even and odd slabs have their turns apart:
// so all that a row is coupled with is near to it, and a thread that has its part of the even slabs
// finds the odd ones between them in its own cache. Blocks lie in the order of visits.
#ifndef PL_MULTIGRID_SLAB_ORDER_H
#define PL_MULTIGRID_SLAB_ORDER_H

#include "mesh/topology.h"

// Phases follow one another; the runs of a phase are independent; a run visits its chunks in order.
typedef struct pl_slab_order {
    int row_count;
    int chunk_rows;  // rows of a chunk
    int place_count; // chunk_rows per chunk: rows, and places that are empty
    int* place;      // of each row
    int* row;        // at each place, -1: empty
    int chunk_count;
    int phase_count;
    int* phase_runs; // phase_count + 1: the runs of each phase
    int run_count;
    int* run_chunks;  // run_count + 1: the first chunk of each run
    int* run_ends;    // run_count: the chunk behind its last one
    int* band_number; // of each row: its number in the band, for elements to be sorted by
} pl_slab_order;

// graph: rows and the rows they are coupled with, symmetric. chunk_rows 1: rows need no partners
// (blocks); 4: scalar rows.
pl_status pl_slab_order_setup(pl_slab_order* order, const pl_adjacency* graph, int chunk_rows,
                              pl_error* error);
void pl_slab_order_free(pl_slab_order* order);
// When each chunk has its turn in a forward sweep: numbers that ascend.
void pl_slab_order_turns(const pl_slab_order* order, int* turns);

#endif
