// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "multigrid/slab_order.h"
#include "base/memory.h"
#include "mesh/colouring.h"
#include "mesh/reorder.h"

#include <stdlib.h>
#include <string.h>

enum {
    SINGLE_SLAB_ROWS = 2048, // up to this many rows, one thread is fastest
    MIN_SLAB_ROWS = 512,
    MAX_SLAB_ROWS = 4096,  // vectors fit the second-level cache; larger only if the band is wider
    PART_ROWS = 4096,      // rows of a slab that are ordered by colour together, near in the band
    MIN_SLABS = 6,         // fewer do not keep two threads busy
    COLOUR_RUN_ROWS = 256, // rows of a run if there are colours instead of slabs
};

// sort key of the rows of a colour: rows with equal numbers of entries become neighbours
typedef struct row_key {
    int lower, upper; // numbers of coupled rows that are visited before and after
    int row;
} row_key;

// state while an order is built
typedef struct builder {
    pl_slab_order* order;
    const pl_adjacency* graph;
    pl_ordering band;
    pl_colouring colours;
    int slab_count; // 0: colours of the whole graph
    row_key* keys;
    int* buckets; // counting sort of the current rows by colour
} builder;

void pl_slab_order_free(pl_slab_order* o) {
    PL_FREE(o->place, int, o->row_count);
    PL_FREE(o->row, int, o->place_count);
    PL_FREE(o->phase_runs, int, o->phase_count + 1);
    PL_FREE(o->run_chunks, int, o->run_count + 1);
    PL_FREE(o->run_ends, int, o->run_count);
    PL_FREE(o->band_number, int, o->row_count);
    *o = (pl_slab_order){0};
}

// slabs are equal parts of the band
static int slab_begin(const builder* b, int slab) {
    return (int)((int64_t)b->order->row_count * slab / b->slab_count);
}
static int slab_of(const builder* b, int number) {
    int slab = (int)((int64_t)number * b->slab_count / b->order->row_count);
    while (slab > 0 && slab_begin(b, slab) > number) slab--;
    while (slab_begin(b, slab + 1) <= number) slab++;
    return slab;
}

static void choose_slabs(builder* b) {
    int n = b->order->row_count, width = pl_bandwidth(b->graph, &b->band);
    int size = n / 16;
    size = size < MIN_SLAB_ROWS ? MIN_SLAB_ROWS : size > MAX_SLAB_ROWS ? MAX_SLAB_ROWS : size;
    size = size < width ? width : size;
    b->slab_count = n <= SINGLE_SLAB_ROWS ? 1 : n / size;
    if (n > SINGLE_SLAB_ROWS && b->slab_count < MIN_SLABS) b->slab_count = 0;
}

// true if row i is visited before row j, which it is coupled with
static bool comes_before(const builder* b, int i, int j) {
    const int* number = b->band.new_of_old;
    bool coloured = b->order->chunk_rows > 1 || b->slab_count == 0;
    if (b->slab_count > 0) {
        int slab_i = slab_of(b, number[i]), slab_j = slab_of(b, number[j]);
        if (slab_i != slab_j) return slab_i % 2 < slab_j % 2;
        int first = slab_begin(b, slab_i);
        int part_i = (number[i] - first) / PART_ROWS, part_j = (number[j] - first) / PART_ROWS;
        if (coloured && part_i != part_j) return part_i < part_j;
        if (!coloured) return number[i] < number[j];
    }
    return b->colours.colours[i] < b->colours.colours[j];
}

// By lower, then by upper. The direction of upper alternates, so that it hardly jumps where lower
// changes.
static int compare_keys(const void* a, const void* b) {
    const row_key *x = a, *y = b;
    if (x->lower != y->lower) return x->lower > y->lower ? -1 : 1;
    if (x->upper != y->upper) return (x->upper > y->upper) == (x->lower % 2 == 0) ? -1 : 1;
    return x->row < y->row ? -1 : 1;
}

static void count_couplings(const builder* b, row_key* key) {
    for (int e = b->graph->offsets[key->row]; e < b->graph->offsets[key->row + 1]; e++)
        if (comes_before(b, b->graph->items[e], key->row)) key->lower++;
        else key->upper++;
}

// gives the rows of one colour the places from `at` on; returns the next free place
static int place_rows(builder* b, row_key* keys, int count, int at) {
    pl_slab_order* o = b->order;
    for (int k = 0; k < count; k++) {
        int i = keys[k].row;
        if (o->chunk_rows > 1) count_couplings(b, &keys[k]);
        // ties: by number in the band, so that rows near in the mesh are near in memory
        keys[k].row = b->band.new_of_old[i];
    }
    if (o->chunk_rows > 1) qsort(keys, (size_t)count, sizeof(row_key), compare_keys);
    for (int k = 0; k < count; k++) {
        int i = b->band.old_of_new[keys[k].row];
        o->place[i] = at + k;
    }
    return (at + count + o->chunk_rows - 1) / o->chunk_rows * o->chunk_rows;
}

// places a part of a slab, colour by colour
static int place_part(builder* b, int begin, int end, int at) {
    int colour_count = b->colours.groups.count;
    memset(b->buckets, 0, (size_t)(colour_count + 1) * sizeof(int));
    const int* colours = b->colours.colours;
    for (int k = begin; k < end; k++) b->buckets[colours[b->band.old_of_new[k]] + 1]++;
    for (int c = 0; c < colour_count; c++) b->buckets[c + 1] += b->buckets[c];
    for (int k = begin; k < end; k++) {
        int i = b->band.old_of_new[k];
        b->keys[b->buckets[colours[i]]++] = (row_key){0, 0, i};
    }
    for (int c = 0, first = 0; c < colour_count; first = b->buckets[c++])
        at = place_rows(b, b->keys + first, b->buckets[c] - first, at);
    return at;
}

// Places the rows of a slab, part by part, so that rows that are visited together are near in
// memory. Blocks keep the order of the band.
static int place_slab(builder* b, int slab, int at) {
    int begin = slab_begin(b, slab), end = slab_begin(b, slab + 1);
    if (b->order->chunk_rows == 1) {
        for (int k = begin; k < end; k++)
            b->keys[k - begin] = (row_key){0, 0, b->band.old_of_new[k]};
        return place_rows(b, b->keys, end - begin, at);
    }
    for (int first = begin; first < end; first += PART_ROWS)
        at = place_part(b, first, first + PART_ROWS < end ? first + PART_ROWS : end, at);
    return at;
}

// makes a run of the places from `first` to `at`, exclusive
static void set_run(pl_slab_order* o, int run, int first, int at) {
    o->run_chunks[run] = first / o->chunk_rows;
    o->run_ends[run] = at / o->chunk_rows;
}

// Even slabs are the first phase, odd slabs the second. Blocks are stored in this order, scalar
// rows slab by slab.
static int place_slabs(builder* b) {
    pl_slab_order* o = b->order;
    int at = 0, even_count = (b->slab_count + 1) / 2;
    for (int k = 0; k < b->slab_count; k++) {
        int slab = k;
        if (o->chunk_rows == 1) slab = k < even_count ? 2 * k : 2 * (k - even_count) + 1;
        int first = at, run = slab % 2 ? even_count + slab / 2 : slab / 2;
        at = place_slab(b, slab, at);
        set_run(o, run, first, at);
    }
    o->run_chunks[b->slab_count] = at / o->chunk_rows;
    o->phase_runs[1] = even_count;
    if (o->phase_count > 1) o->phase_runs[2] = b->slab_count;
    return at;
}

// each colour is a phase, cut into runs of equal length
static int place_colours(builder* b) {
    pl_slab_order* o = b->order;
    const pl_adjacency* groups = &b->colours.groups;
    int at = 0, run = 0;
    for (int c = 0; c < groups->count; c++) {
        int count = groups->offsets[c + 1] - groups->offsets[c];
        for (int k = 0; k < count; k++)
            b->keys[k] = (row_key){0, 0, groups->items[groups->offsets[c] + k]};
        o->phase_runs[c] = run;
        int first = at;
        at = place_rows(b, b->keys, count, at);
        for (int k = first; k < at; k += COLOUR_RUN_ROWS)
            set_run(o, run++, k, k + COLOUR_RUN_ROWS < at ? k + COLOUR_RUN_ROWS : at);
    }
    o->phase_runs[groups->count] = run;
    o->run_chunks[run] = at / o->chunk_rows;
    return at;
}

static void count_runs(builder* b) {
    pl_slab_order* o = b->order;
    if (b->slab_count > 0) {
        o->phase_count = b->slab_count > 1 ? 2 : 1;
        o->run_count = b->slab_count;
        return;
    }
    const pl_adjacency* groups = &b->colours.groups;
    o->phase_count = groups->count;
    for (int c = 0; c < groups->count; c++)
        o->run_count +=
            (groups->offsets[c + 1] - groups->offsets[c] + COLOUR_RUN_ROWS - 1) / COLOUR_RUN_ROWS;
}

// fills in the row at each place
static pl_status fill_rows(pl_slab_order* o, int place_count, pl_error* error) {
    o->row = PL_ALLOC(int, place_count);
    if (!o->row && place_count) return pl_fail_memory(error, "an order of rows");
    o->place_count = place_count;
    o->chunk_count = place_count / o->chunk_rows;
    for (int p = 0; p < place_count; p++) o->row[p] = -1;
    for (int i = 0; i < o->row_count; i++) o->row[o->place[i]] = i;
    return PL_OK;
}

static pl_status build(builder* b, pl_error* error) {
    pl_slab_order* o = b->order;
    pl_status status = pl_order_rcm(b->graph, &b->band, error);
    if (status != PL_OK) return status;
    choose_slabs(b);
    bool coloured = o->chunk_rows > 1 || b->slab_count == 0;
    if (coloured) status = pl_colour_graph(b->graph, &b->colours, error);
    if (status != PL_OK) return status;
    count_runs(b);
    o->place = PL_ALLOC(int, o->row_count);
    o->band_number = PL_ALLOC(int, o->row_count);
    o->phase_runs = PL_ALLOC(int, o->phase_count + 1);
    o->run_chunks = PL_ALLOC(int, o->run_count + 1);
    o->run_ends = PL_ALLOC(int, o->run_count);
    b->keys = PL_ALLOC(row_key, o->row_count);
    b->buckets = PL_ALLOC(int, b->colours.groups.count + 1);
    bool ok = o->phase_runs && o->run_chunks && b->buckets && (o->run_ends || !o->run_count);
    if (o->row_count > 0) ok = ok && o->place && o->band_number && b->keys;
    if (!ok) return pl_fail_memory(error, "an order of rows");
    if (o->row_count > 0)
        memcpy(o->band_number, b->band.new_of_old, (size_t)o->row_count * sizeof(int));
    int place_count = b->slab_count > 0 ? place_slabs(b) : place_colours(b);
    return fill_rows(o, place_count, error);
}

pl_status pl_slab_order_setup(pl_slab_order* order, const pl_adjacency* graph, int chunk_rows,
                              pl_error* error) {
    *order = (pl_slab_order){.row_count = graph->count, .chunk_rows = chunk_rows};
    builder b = {.order = order, .graph = graph};
    pl_status status = build(&b, error);
    PL_FREE(b.keys, row_key, order->row_count);
    PL_FREE(b.buckets, int, b.colours.groups.count + 1);
    pl_ordering_free(&b.band);
    pl_colouring_free(&b.colours);
    if (status != PL_OK) pl_slab_order_free(order);
    return status;
}

void pl_slab_order_turns(const pl_slab_order* o, int* turns) {
    int turn = 0;
    for (int run = 0; run < o->run_count; run++)
        for (int chunk = o->run_chunks[run]; chunk < o->run_ends[run]; chunk++)
            turns[chunk] = turn++;
}
