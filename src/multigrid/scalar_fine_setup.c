// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Set-up and update of the finest level: halves of the matrix, groups of rows for the restriction,
// values and springs.
#include "base/memory.h"
#include "multigrid/scalar_fine.h"
#include "multigrid/scalar_rows.h"
#include "multigrid/small_inverse.h"

#include <string.h>

enum { C = CHUNK, VALUE_BLOCK = 256 };
static const int max_near_distance = UINT16_MAX / 2; // of a column from the lowest of its chunk

typedef struct update_work {
    pl_scalar_fine* f;
    const pl_half_rows* half;
    const pl_block_matrix* A;
    const float* point;
    const unsigned char* held;
} update_work;

static void half_rows_free(pl_half_rows* h, int chunk_count) {
    size_t count = h->starts ? (size_t)h->starts[chunk_count] : 0;
    PL_FREE(h->near, pl_near_entries, count);
    PL_FREE(h->far, pl_far_entries, count);
    PL_FREE(h->sources, int, C* count);
    PL_FREE(h->lowest, int, chunk_count);
    PL_FREE(h->starts, int, chunk_count + 1);
    *h = (pl_half_rows){0};
}

void pl_scalar_fine_free(pl_scalar_fine* f) {
    size_t places = (size_t)f->order.place_count;
    half_rows_free(&f->lower, f->order.chunk_count);
    half_rows_free(&f->upper, f->order.chunk_count);
    PL_FREE(f->fixed_diagonal, double, places);
    PL_FREE(f->diagonal, float, places);
    PL_FREE(f->inverse, float, places);
    PL_FREE(f->b, float, 4 * places);
    PL_FREE(f->x, float, 4 * places);
    PL_FREE(f->u, float, 4 * places);
    PL_FREE(f->blocks, pl_fine_block, f->block_capacity);
    PL_FREE(f->point, float, 4 * places);
    PL_FREE(f->parent, int, places);
    PL_FREE(f->slot, int, places);
    PL_FREE(f->slot_offsets, int, f->group_count + 1);
    PL_FREE(f->sums, float, 16 * (size_t)f->slot_count);
    PL_FREE(f->node_slot_offsets, int, f->node_count + 1);
    PL_FREE(f->node_slots, int, f->slot_count);
    pl_slab_order_free(&f->order);
    *f = (pl_scalar_fine){0};
}

// input of one half
typedef struct half_builder {
    const pl_scalar_fine* f;
    const pl_block_matrix* A;
    const int* turns; // of chunks
    pl_half_rows* h;
    bool lower;
} half_builder;

// true if an entry of the row at `place` belongs to the half
static bool is_of_half(const half_builder* b, int place, int entry) {
    int column = b->f->order.place[b->A->columns[entry]];
    if (column == place) return false;
    return b->lower == (b->turns[column / C] < b->turns[place / C]);
}

// lists the entries of row q of a chunk; entries NULL: only counts them
static int list_row(const half_builder* b, int chunk, int q, int* entries) {
    int place = C * chunk + q, row = b->f->order.row[place], count = 0;
    for (int e = row < 0 ? 0 : b->A->offsets[row]; row >= 0 && e < b->A->offsets[row + 1]; e++) {
        if (!is_of_half(b, place, e)) continue;
        if (entries) entries[C * count] = e;
        count++;
    }
    return count;
}

static int column_of(const half_builder* b, int source) {
    return b->f->order.place[b->A->columns[source]];
}

// the lowest and highest column of a chunk, from its sources
static void column_range(const half_builder* b, int chunk, int* lowest, int* highest) {
    *lowest = b->f->order.place_count, *highest = -1;
    for (int k = C * b->h->starts[chunk]; k < C * b->h->starts[chunk + 1]; k++) {
        if (b->h->sources[k] < 0) continue;
        int column = column_of(b, b->h->sources[k]);
        *lowest = column < *lowest ? column : *lowest;
        *highest = column > *highest ? column : *highest;
    }
}

// Short rows are padded with zeros. Their columns are some column that the row or its chunk has
// anyway, so that the load hits the cache.
static void fill_columns(const half_builder* b, int chunk) {
    pl_half_rows* h = b->h;
    int lowest = h->lowest[chunk] / C;
    for (int q = 0; q < C; q++) {
        int first =
            h->starts[chunk] < h->starts[chunk + 1] ? h->sources[C * h->starts[chunk] + q] : -1;
        int filler = first < 0 ? lowest : column_of(b, first);
        for (int k = h->starts[chunk]; k < h->starts[chunk + 1]; k++) {
            int source = h->sources[C * k + q];
            int column = source < 0 ? filler : column_of(b, source);
            if (h->near) h->near[k].columns |= (uint64_t)(2 * (column - lowest)) << 16 * q;
            else h->far[k].columns[q] = C * column;
        }
    }
}

static pl_status setup_columns(half_builder* b, bool near, pl_error* error) {
    pl_half_rows* h = b->h;
    int chunks = b->f->order.chunk_count, count = h->starts[chunks];
    if (near) h->near = PL_ALLOC(pl_near_entries, count);
    else h->far = PL_ALLOC(pl_far_entries, count);
    if (count && !h->near && !h->far) return pl_fail_memory(error, "a matrix of multigrid");
    for (int c = 0; c < chunks; c++) fill_columns(b, c);
    return PL_OK;
}

static pl_status setup_half(half_builder* b, pl_error* error) {
    pl_half_rows* h = b->h;
    int chunks = b->f->order.chunk_count;
    h->starts = PL_ALLOC(int, chunks + 1);
    h->lowest = PL_ALLOC(int, chunks);
    if (!h->starts || (chunks && !h->lowest)) return pl_fail_memory(error, "a matrix of multigrid");
    for (int c = 0; c < chunks; c++) {
        int longest = 0;
        for (int q = 0; q < C; q++) {
            int length = list_row(b, c, q, NULL);
            longest = length > longest ? length : longest;
        }
        h->starts[c + 1] = h->starts[c] + longest;
    }
    size_t count = (size_t)C * (size_t)h->starts[chunks];
    h->sources = PL_ALLOC(int, count);
    if (count && !h->sources) return pl_fail_memory(error, "a matrix of multigrid");
    for (size_t k = 0; k < count; k++) h->sources[k] = -1;
    bool near = true;
    for (int c = 0; c < chunks; c++) {
        int lowest, highest;
        for (int q = 0; q < C; q++) list_row(b, c, q, h->sources + C * (size_t)h->starts[c] + q);
        column_range(b, c, &lowest, &highest);
        h->lowest[c] = highest < 0 ? 0 : C * lowest;
        near = near && highest - lowest <= max_near_distance;
    }
    return setup_columns(b, near, error);
}

static pl_status setup_halves(pl_scalar_fine* f, const pl_block_matrix* A, pl_error* error) {
    int* turns = PL_ALLOC(int, f->order.chunk_count);
    if (!turns && f->order.chunk_count) return pl_fail_memory(error, "a matrix of multigrid");
    pl_slab_order_turns(&f->order, turns);
    half_builder lower = {f, A, turns, &f->lower, true}, upper = {f, A, turns, &f->upper, false};
    pl_status status = setup_half(&lower, error);
    if (status == PL_OK) status = setup_half(&upper, error);
    PL_FREE(turns, int, f->order.chunk_count);
    return status;
}

static bool allocate_vectors(pl_scalar_fine* f) {
    size_t places = (size_t)f->order.place_count;
    float** vectors[] = {&f->b, &f->x, &f->u, &f->point};
    bool ok = true;
    for (int k = 0; k < 4; k++) ok = ok && (*vectors[k] = PL_ALLOC(float, 4 * places));
    ok = ok && (f->fixed_diagonal = PL_ALLOC(double, places));
    ok = ok && (f->diagonal = PL_ALLOC(float, places));
    ok = ok && (f->inverse = PL_ALLOC(float, places));
    ok = ok && (f->parent = PL_ALLOC(int, places));
    return ok && (f->slot = PL_ALLOC(int, places));
}

// the graph of the matrix, without the diagonal; free it with pl_adjacency_free
static pl_status graph_of(const pl_block_matrix* A, pl_adjacency* graph, pl_error* error) {
    int total = A->offsets[A->row_count] - A->row_count, at = 0;
    *graph = (pl_adjacency){.count = A->row_count};
    graph->offsets = PL_ALLOC(int, A->row_count + 1);
    graph->items = PL_ALLOC(int, total);
    if (!graph->offsets || (total && !graph->items)) {
        PL_FREE(graph->offsets, int, A->row_count + 1);
        PL_FREE(graph->items, int, total);
        *graph = (pl_adjacency){0};
        return pl_fail_memory(error, "the graph of a matrix");
    }
    for (int i = 0; i < A->row_count; i++) {
        for (int e = A->offsets[i]; e < A->offsets[i + 1]; e++)
            if (A->columns[e] != i) graph->items[at++] = A->columns[e];
        graph->offsets[i + 1] = at;
    }
    return PL_OK;
}

pl_status pl_scalar_fine_setup(pl_scalar_fine* f, const pl_block_matrix* A, pl_error* error) {
    *f = (pl_scalar_fine){0};
    pl_adjacency graph;
    pl_status status = graph_of(A, &graph, error);
    if (status != PL_OK) return status;
    status = pl_slab_order_setup(&f->order, &graph, C, error);
    pl_adjacency_free(&graph);
    if (status == PL_OK && !allocate_vectors(f) && f->order.place_count > 0)
        status = pl_fail_memory(error, "the vectors of multigrid");
    if (status == PL_OK) status = setup_halves(f, A, error);
    if (status != PL_OK) pl_scalar_fine_free(f);
    return status;
}

static int group_end(const pl_scalar_fine* f, int group) {
    int end = (group + 1) * GROUP * C;
    return end < f->order.place_count ? end : f->order.place_count;
}

// numbers the slots of all groups, one for each node that a group touches; slot_nodes NULL: does
// not list the nodes
static int list_slots(pl_scalar_fine* f, int* mark, int* slot_nodes) {
    int count = 0;
    for (int g = 0; g < f->group_count; g++) {
        int first = count;
        f->slot_offsets[g] = first;
        for (int p = g * GROUP * C; p < group_end(f, g); p++) {
            int node = f->parent[p];
            if (mark[node] <= first) {
                if (slot_nodes) slot_nodes[count] = node;
                mark[node] = ++count; // slot + 1
            }
            f->slot[p] = mark[node] - 1;
        }
    }
    f->slot_offsets[f->group_count] = count;
    return count;
}

// the slots of each node, in ascending order
static void list_node_slots(pl_scalar_fine* f, const int* slot_nodes, int* cursor) {
    for (int k = 0; k < f->slot_count; k++) f->node_slot_offsets[slot_nodes[k] + 1]++;
    for (int n = 0; n < f->node_count; n++) {
        f->node_slot_offsets[n + 1] += f->node_slot_offsets[n];
        cursor[n] = f->node_slot_offsets[n];
    }
    for (int k = 0; k < f->slot_count; k++) f->node_slots[cursor[slot_nodes[k]]++] = k;
}

pl_status pl_scalar_fine_set_parents(pl_scalar_fine* f, const int* parent, int node_count,
                                     pl_error* error) {
    f->node_count = node_count;
    int chunks = f->order.chunk_count;
    f->group_count = (chunks + GROUP - 1) / GROUP;
    // an empty place takes the parent of the row before it
    for (int p = 0; p < f->order.place_count; p++) {
        int row = f->order.row[p];
        if (row < 0) f->parent[p] = p ? f->parent[p - 1] : 0;
        else f->parent[p] = parent[row];
    }
    f->slot_offsets = PL_ALLOC(int, f->group_count + 1);
    f->node_slot_offsets = PL_ALLOC(int, node_count + 1);
    int *mark = PL_ALLOC(int, node_count), *slot_nodes = NULL;
    bool ok = f->slot_offsets && f->node_slot_offsets && (mark || !node_count);
    if (ok) {
        f->slot_count = list_slots(f, mark, NULL);
        f->sums = PL_ALLOC(float, 16 * (size_t)f->slot_count);
        f->node_slots = PL_ALLOC(int, f->slot_count);
        slot_nodes = PL_ALLOC(int, f->slot_count);
        ok = f->slot_count == 0 || (f->sums && f->node_slots && slot_nodes);
    }
    if (ok && f->slot_count) {
        memset(mark, 0, (size_t)node_count * sizeof(int));
        list_slots(f, mark, slot_nodes);
        list_node_slots(f, slot_nodes, mark);
    }
    PL_FREE(slot_nodes, int, f->slot_count);
    PL_FREE(mark, int, node_count);
    return ok ? PL_OK : pl_fail_memory(error, "the transfer between levels");
}

static void update_values_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const update_work* w = user;
    for (int k = begin; k < end; k++) {
        float* values = w->half->near ? w->half->near[k].values : w->half->far[k].values;
        for (int q = 0; q < C; q++) {
            int e = w->half->sources[C * (size_t)k + (size_t)q];
            values[q] = e < 0 ? 0.0f : (float)w->A->values[e];
        }
    }
}

static void update_rows_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const update_work* w = user;
    pl_scalar_fine* f = w->f;
    for (int p = begin; p < end; p++) {
        int row = f->order.row[p];
        bool free_row = row >= 0 && !(w->held && w->held[row]);
        f->fixed_diagonal[p] = free_row ? w->A->values[w->A->diagonal[row]] : 1.0;
        f->diagonal[p] = (float)f->fixed_diagonal[p];
        f->inverse[p] = free_row ? 1.0f / f->diagonal[p] : 0.0f;
        for (int a = 0; a < 4; a++)
            f->point[4 * (size_t)p + (size_t)a] =
                free_row ? w->point[4 * (size_t)row + (size_t)a] : 0;
    }
}

void pl_scalar_fine_update(pl_scalar_fine* f, pl_pool* pool, const pl_block_matrix* A,
                           const float* point, const unsigned char* held) {
    update_work w = {.f = f, .A = A, .point = point, .held = held};
    pl_parallel_for(pool, update_rows_task, f->order.place_count, VALUE_BLOCK, &w);
    w.half = &f->lower;
    pl_parallel_for(pool, update_values_task, f->lower.starts[f->order.chunk_count], VALUE_BLOCK,
                    &w);
    w.half = &f->upper;
    pl_parallel_for(pool, update_values_task, f->upper.starts[f->order.chunk_count], VALUE_BLOCK,
                    &w);
    f->block_count = 0;
}

static void set_block(pl_scalar_fine* f, const pl_mg_spring* s) {
    double d = f->fixed_diagonal[s->place] + s->stiffness;
    double m[9] = {s->block[0] + d, s->block[1], s->block[2], s->block[1],    s->block[3] + d,
                   s->block[4],     s->block[2], s->block[4], s->block[5] + d};
    pl_fine_block* block = &f->blocks[f->block_count++];
    block->place = s->place;
    double inverse[9];
    pl_invert_raised(3, m, inverse);
    for (int k = 0; k < 9; k++) block->block[k] = (float)m[k];
    for (int k = 0; k < 9; k++) block->inverse[k] = (float)inverse[k];
}

static pl_status reserve_blocks(pl_scalar_fine* f, int count, pl_error* error) {
    if (count <= f->block_capacity) return PL_OK;
    int capacity = count + count / 2;
    pl_fine_block* blocks = PL_ALLOC(pl_fine_block, capacity);
    if (!blocks) return pl_fail_memory(error, "contacts");
    PL_FREE(f->blocks, pl_fine_block, f->block_capacity);
    f->blocks = blocks;
    f->block_capacity = capacity;
    return PL_OK;
}

static void set_diagonal(pl_scalar_fine* f, int place, double stiffness) {
    if (f->inverse[place] == 0.0f) return; // held
    f->diagonal[place] = (float)(f->fixed_diagonal[place] + stiffness);
    f->inverse[place] = 1.0f / f->diagonal[place];
}

pl_status pl_scalar_fine_set_springs(pl_scalar_fine* f, const pl_mg_spring* before,
                                     int before_count, const pl_mg_spring* springs, int count,
                                     pl_error* error) {
    int block_count = 0;
    for (int k = 0; k < count; k++) block_count += springs[k].has_block;
    pl_status status = reserve_blocks(f, block_count, error);
    if (status != PL_OK) return status;
    for (int k = 0; k < before_count; k++) set_diagonal(f, before[k].place, 0.0);
    f->block_count = 0;
    for (int k = 0; k < count; k++) {
        set_diagonal(f, springs[k].place, springs[k].stiffness);
        if (springs[k].has_block && f->inverse[springs[k].place] != 0.0f) set_block(f, &springs[k]);
    }
    return PL_OK;
}
