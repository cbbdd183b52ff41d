// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "step/chunks.h"
#include "base/fail.h"
#include "base/memory.h"

// Largest number of chunks. Larger chunks share fewer vertices and need fewer colours, but each
// colour must have some for every thread.
enum { CHUNK_GOAL = PL_MAX_CHUNKS };

// the chunks, one bit each
typedef struct chunk_bits {
    uint64_t words[CHUNK_GOAL / 64];
} chunk_bits;

static void add_bits(chunk_bits* to, const chunk_bits* from) {
    for (int i = 0; i < CHUNK_GOAL / 64; i++) to->words[i] |= from->words[i];
}
static void add_bit(chunk_bits* to, int bit) { to->words[bit / 64] |= UINT64_C(1) << bit % 64; }
static bool has_bit(const chunk_bits* bits, int bit) {
    return bits->words[bit / 64] >> bit % 64 & 1;
}

static pl_status colour_touched(pl_chunks* c, const chunk_bits* touched, int chunk_count,
                                pl_error* error) {
    int offsets[CHUNK_GOAL + 1] = {0}, items[CHUNK_GOAL * CHUNK_GOAL];
    for (int k = 0; k < chunk_count; k++) {
        offsets[k + 1] = offsets[k];
        for (int other = 0; other < chunk_count; other++)
            if (other != k && has_bit(&touched[k], other)) items[offsets[k + 1]++] = other;
    }
    pl_adjacency graph = {chunk_count, offsets, items};
    return pl_colour_graph(&graph, &c->colours, error);
}

pl_status pl_chunks_setup(pl_chunks* c, const int32_t* corners, int corner_count, size_t stride,
                          int item_count, int least, int vertex_count, pl_error* error) {
    *c = (pl_chunks){.item_count = item_count};
    if (item_count == 0) return PL_OK;
    int goal = (item_count + CHUNK_GOAL - 1) / CHUNK_GOAL;
    c->size = goal > least ? goal : least;
    int chunk_count = (item_count + c->size - 1) / c->size;
    // touched[k]: the chunks that share a vertex with chunk k, including k
    chunk_bits touched[CHUNK_GOAL] = {0};
    chunk_bits* of_vertex = PL_ALLOC(chunk_bits, vertex_count);
    if (!of_vertex) return pl_fail_memory(error, "elements");
    for (int item = 0, chunk = 0, left = c->size; item < item_count; item++, left--) {
        if (left == 0) chunk++, left = c->size;
        for (int k = 0; k < corner_count; k++)
            add_bit(&of_vertex[corners[(size_t)item * stride + (size_t)k]], chunk);
    }
    // all chunks of a vertex touch each other
    for (int v = 0; v < vertex_count; v++)
        for (int w = 0; w < CHUNK_GOAL / 64; w++)
            for (uint64_t bits = of_vertex[v].words[w]; bits; bits &= bits - 1)
                add_bits(&touched[64 * w + __builtin_ctzll(bits)], &of_vertex[v]);
    PL_FREE(of_vertex, chunk_bits, vertex_count);
    return colour_touched(c, touched, chunk_count, error);
}

void pl_chunks_free(pl_chunks* c) {
    pl_colouring_free(&c->colours);
    *c = (pl_chunks){0};
}

typedef struct chunk_job {
    const pl_chunks* chunks;
    const int* of_colour;
    pl_chunk_visit visit;
    void* user;
} chunk_job;

static void chunk_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const chunk_job* job = user;
    for (int k = begin; k < end; k++) {
        int first = job->of_colour[k] * job->chunks->size, last = first + job->chunks->size;
        if (last > job->chunks->item_count) last = job->chunks->item_count;
        job->visit(first, last, job->user);
    }
}

void pl_chunks_run(const pl_chunks* c, pl_pool* pool, pl_chunk_visit visit, void* user) {
    const pl_adjacency* groups = &c->colours.groups;
    for (int k = 0; k < groups->count; k++) {
        chunk_job job = {c, groups->items + groups->offsets[k], visit, user};
        pl_parallel_for(pool, chunk_task, groups->offsets[k + 1] - groups->offsets[k], 1, &job);
    }
}
