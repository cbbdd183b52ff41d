// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Sums over elements that add to shared vertices, in parallel and with the same bits for any number
// of threads. Consecutive items (elements, or batches of them) form chunks. Chunks that share a
// vertex have different colours, and colours run one after the other.
#ifndef PL_STEP_CHUNKS_H
#define PL_STEP_CHUNKS_H

#include "base/pool.h"
#include "mesh/colouring.h"

#include <stdint.h>

enum { PL_MAX_CHUNKS = 128 };

typedef struct pl_chunks {
    int item_count;
    int size;             // items of a chunk; the last may have fewer
    pl_colouring colours; // of the chunks
} pl_chunks;

// An item has corner_count vertices; the vertices of the next item start `stride` numbers later.
// least: smallest number of items in a chunk.
pl_status pl_chunks_setup(pl_chunks* chunks, const int32_t* corners, int corner_count,
                          size_t stride, int item_count, int least, int vertex_count,
                          pl_error* error);
void pl_chunks_free(pl_chunks* chunks);

// Calls visit for the items [first, last) of every chunk; no two concurrent calls share a vertex.
typedef void (*pl_chunk_visit)(int first, int last, void* user);
void pl_chunks_run(const pl_chunks* chunks, pl_pool* pool, pl_chunk_visit visit, void* user);

#endif
