// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Smoothing and transfers on a coarse level. As on the finest one, a sweep reads one half of the
// matrix and keeps its sum.
#include "multigrid/scalar_coarse.h"
#include "base/memory.h"
#include "multigrid/scalar_nodes.h"

#include <string.h>

enum { NODE_BLOCK = 64 };

typedef struct coarse_work {
    pl_scalar_coarse* c;
    const pl_half_blocks *half, *other; // other: u is not there
    int first_run;
    bool from_zero;
    const pl_mg_transfer* transfer;
    const pl_scalar_coarse* coarser;
} coarse_work;

static void half_blocks_free(pl_half_blocks* h, int node_count) {
    size_t count = h->offsets ? (size_t)h->offsets[node_count] : 0;
    PL_FREE(h->columns, int, count);
    PL_FREE(h->sources, int, count);
    PL_FREE(h->values, float, 16 * count);
    PL_FREE(h->offsets, int, node_count + 1);
    *h = (pl_half_blocks){0};
}

void pl_scalar_coarse_free(pl_scalar_coarse* c) {
    size_t nodes = (size_t)c->node_count;
    half_blocks_free(&c->lower, c->node_count);
    half_blocks_free(&c->upper, c->node_count);
    pl_slab_order_free(&c->order);
    pl_scalar_galerkin_free(c);
    PL_FREE(c->block_offsets, int, nodes + 1);
    PL_FREE(c->block_columns, int, c->block_count);
    PL_FREE(c->blocks, double, 16 * (size_t)c->block_count);
    PL_FREE(c->fixed_diagonal, double, 16 * nodes);
    float* vectors[] = {c->diagonal, c->inverse, c->b, c->x, c->u};
    for (int k = 0; k < 5; k++) PL_FREE(vectors[k], float, 16 * nodes);
    PL_FREE(c->touched, int, nodes);
    PL_FREE(c->touched_slot, int, nodes);
    PL_FREE(c->touched_sums, double, 16 * nodes);
    PL_FREE(c->mixed, int, nodes);
    PL_FREE(c->node_blocks, pl_node_block, c->mixed_capacity);
    *c = (pl_scalar_coarse){0};
}

static bool allocate_vectors(pl_scalar_coarse* c) {
    size_t nodes = (size_t)c->node_count;
    float** vectors[] = {&c->diagonal, &c->inverse, &c->b, &c->x, &c->u};
    bool ok = true;
    for (int k = 0; k < 5; k++) ok = ok && (*vectors[k] = PL_ALLOC(float, 16 * nodes));
    ok = ok && (c->fixed_diagonal = PL_ALLOC(double, 16 * nodes));
    ok = ok && (c->touched_sums = PL_ALLOC(double, 16 * nodes));
    ok = ok && (c->touched = PL_ALLOC(int, nodes));
    ok = ok && (c->touched_slot = PL_ALLOC(int, nodes));
    ok = ok && (c->mixed = PL_ALLOC(int, nodes));
    for (int n = 0; ok && n < c->node_count; n++) c->touched_slot[n] = -1;
    return ok;
}

pl_status pl_scalar_coarse_graph(const pl_scalar_coarse* c, pl_adjacency* graph, pl_error* error) {
    *graph = (pl_adjacency){.count = c->node_count};
    graph->offsets = PL_ALLOC(int, c->node_count + 1);
    graph->items = PL_ALLOC(int, 2 * (size_t)c->block_count);
    int* cursor = PL_ALLOC(int, c->node_count + 1);
    bool ok = graph->offsets && cursor && (graph->items || !c->block_count);
    for (int pass = 0; ok && pass < 2; pass++) {
        for (int i = 0; i < c->node_count; i++)
            for (int e = c->block_offsets[i]; e < c->block_offsets[i + 1]; e++) {
                int j = c->block_columns[e];
                if (pass) graph->items[cursor[i]] = j, graph->items[cursor[j]] = i;
                cursor[i]++, cursor[j]++;
            }
        for (int i = 0, total = 0; !pass && i <= c->node_count; i++) {
            int count = cursor[i];
            graph->offsets[i] = cursor[i] = total;
            total += count;
        }
    }
    PL_FREE(cursor, int, c->node_count + 1);
    if (ok) return PL_OK;
    PL_FREE(graph->offsets, int, c->node_count + 1);
    PL_FREE(graph->items, int, 2 * (size_t)c->block_count);
    return pl_fail_memory(error, "the graph of a level");
}

// the block (i, j) as a source
static int find_block(const pl_scalar_coarse* c, int i, int j) {
    int row = i < j ? i : j, column = i < j ? j : i;
    for (int e = c->block_offsets[row]; e < c->block_offsets[row + 1]; e++)
        if (c->block_columns[e] == column) return i < j ? e : ~e;
    PL_ASSERT(false); // every coupling has its block
    return 0;
}

// the entries of a row, those that have just had their turn last
static void sort_row(pl_half_blocks* h, int place, bool lower) {
    for (int k = h->offsets[place] + 1; k < h->offsets[place + 1]; k++)
        for (int i = k; i > h->offsets[place]; i--) {
            int column = h->columns[i], source = h->sources[i];
            if (lower ? h->columns[i - 1] <= column : h->columns[i - 1] >= column) break;
            h->columns[i] = h->columns[i - 1], h->sources[i] = h->sources[i - 1];
            h->columns[i - 1] = column, h->sources[i - 1] = source;
        }
}

static pl_status setup_half(pl_scalar_coarse* c, const pl_adjacency* graph, bool lower,
                            pl_half_blocks* h, pl_error* error) {
    const int* place = c->order.place;
    h->offsets = PL_ALLOC(int, c->node_count + 1);
    if (!h->offsets) return pl_fail_memory(error, "the matrix of a level");
    for (int pass = 0, at = 0; pass < 2; pass++, at = 0) {
        for (int p = 0; p < c->node_count; p++) {
            int i = c->order.row[p];
            for (int e = graph->offsets[i]; e < graph->offsets[i + 1]; e++) {
                int j = graph->items[e];
                if (lower != (place[j] < p)) continue;
                if (pass) h->columns[at] = place[j], h->sources[at] = find_block(c, i, j);
                at++;
            }
            if (!pass) h->offsets[p + 1] = at;
            else sort_row(h, p, lower);
        }
        if (pass) break;
        h->columns = PL_ALLOC(int, at);
        h->sources = PL_ALLOC(int, at);
        h->values = PL_ALLOC(float, 16 * (size_t)at);
        if (at && (!h->columns || !h->sources || !h->values))
            return pl_fail_memory(error, "the matrix of a level");
    }
    return PL_OK;
}

pl_status pl_scalar_coarse_setup_rows(pl_scalar_coarse* c, bool coarsest, pl_error* error) {
    if (!allocate_vectors(c) && c->node_count) return pl_fail_memory(error, "a level");
    if (coarsest) return PL_OK;
    pl_adjacency graph;
    pl_status status = pl_scalar_coarse_graph(c, &graph, error);
    if (status != PL_OK) return status;
    status = pl_slab_order_setup(&c->order, &graph, 1, error);
    if (status == PL_OK) status = setup_half(c, &graph, true, &c->lower, error);
    if (status == PL_OK) status = setup_half(c, &graph, false, &c->upper, error);
    pl_adjacency_free(&graph);
    return status;
}

static void copy_half_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const coarse_work* w = user;
    for (int e = begin; e < end; e++) {
        int source = w->half->sources[e];
        const double* from = w->c->blocks + 16 * (size_t)(source < 0 ? ~source : source);
        float* to = w->half->values + 16 * (size_t)e;
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++)
                to[4 * b + a] = (float)(source < 0 ? from[4 * b + a] : from[4 * a + b]);
    }
}

void pl_scalar_coarse_copy_rows(pl_scalar_coarse* c, pl_pool* pool) {
    if (!c->order.row) return;
    coarse_work w = {.c = c, .half = &c->lower};
    pl_parallel_for(pool, copy_half_task, c->lower.offsets[c->node_count], NODE_BLOCK, &w);
    w.half = &c->upper;
    pl_parallel_for(pool, copy_half_task, c->upper.offsets[c->node_count], NODE_BLOCK, &w);
}

static void relax_node(const coarse_work* w, int place) {
    pl_scalar_coarse* c = w->c;
    size_t at = 16 * (size_t)place;
    node_vector sum = half_sum(w->half, place, c->x), rest = load_node(c->b + at);
    subtract(&rest, sum);
    if (!w->from_zero) subtract(&rest, load_node(c->u + at));
    node_vector x = node_times(c, place, true, &rest);
    store_node(c->x + at, &x);
    store_node(c->u + at, &sum);
}

static void forward_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const coarse_work* w = user;
    const int* runs = w->c->order.run_chunks + w->first_run;
    for (int p = runs[begin]; p < runs[end]; p++) relax_node(w, p);
}

static void backward_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const coarse_work* w = user;
    const int* runs = w->c->order.run_chunks + w->first_run;
    for (int p = runs[end] - 1; p >= runs[begin]; p--) relax_node(w, p);
}

void pl_scalar_coarse_sweep(pl_scalar_coarse* c, pl_pool* pool, bool backward, bool from_zero) {
    PL_ASSERT(from_zero || c->u_is_lower == backward);
    const pl_slab_order* o = &c->order;
    coarse_work w = {.c = c, .half = backward ? &c->upper : &c->lower, .from_zero = from_zero};
    for (int k = 0; k < o->phase_count; k++) {
        int phase = backward ? o->phase_count - 1 - k : k;
        w.first_run = o->phase_runs[phase];
        pl_parallel_for(pool, backward ? backward_task : forward_task,
                        o->phase_runs[phase + 1] - o->phase_runs[phase], 1, &w);
    }
    c->u_is_lower = !backward;
    c->u_is_known = true;
}

static void half_sum_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const coarse_work* w = user;
    for (int p = begin; p < end; p++) {
        node_vector sum = half_sum(w->half, p, w->c->x);
        store_node(w->c->u + 16 * (size_t)p, &sum);
    }
}

void pl_scalar_coarse_half_sum(pl_scalar_coarse* c, pl_pool* pool, bool backward) {
    coarse_work w = {.c = c, .half = backward ? &c->lower : &c->upper};
    pl_parallel_for(pool, half_sum_task, c->node_count, 8 * NODE_BLOCK, &w);
    c->u_is_lower = backward;
    c->u_is_known = true;
}

static node_vector residual_of(const coarse_work* w, int place) {
    const pl_scalar_coarse* c = w->c;
    size_t at = 16 * (size_t)place;
    node_vector r = load_node(c->b + at), x = load_node(c->x + at);
    subtract(&r, w->other ? half_sum(w->other, place, c->x) : load_node(c->u + at));
    subtract(&r, half_sum(w->half, place, c->x));
    subtract(&r, node_times(c, place, false, &x));
    return r;
}

static void restrict_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const coarse_work* w = user;
    const pl_mg_transfer* t = w->transfer;
    for (int n = begin; n < end; n++) {
        node_vector sum = {{{0}}};
        for (int k = t->child_offsets[n]; k < t->child_offsets[n + 1]; k++) {
            const float* T = t->point + 4 * (size_t)t->children[k];
            node_vector r = residual_of(w, w->c->order.place[t->children[k]]);
            for (int a = 0; a < 3; a++)
                sum.column[a] =
                    pl_fma4(T[a], r.column[3], pl_fma4(T[3], r.column[a], sum.column[a]));
            sum.column[3] += r.column[3];
        }
        store_node(w->coarser->b + 16 * (size_t)pl_scalar_coarse_place(w->coarser, n), &sum);
    }
}

void pl_scalar_coarse_restrict(pl_scalar_coarse* c, pl_pool* pool, const pl_mg_transfer* transfer,
                               const pl_scalar_coarse* coarser) {
    coarse_work w = {.c = c,
                     .half = c->u_is_lower ? &c->upper : &c->lower,
                     .other = c->u_is_known   ? NULL
                              : c->u_is_lower ? &c->lower
                                              : &c->upper,
                     .transfer = transfer,
                     .coarser = coarser};
    pl_parallel_for(pool, restrict_task, transfer->coarse_count, 16, &w);
}

static void prolong_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const coarse_work* w = user;
    for (int n = begin; n < end; n++) {
        const float* T = w->transfer->point + 4 * (size_t)n;
        int parent = pl_scalar_coarse_place(w->coarser, w->transfer->parent[n]);
        float* to = w->c->x + 16 * (size_t)w->c->order.place[n];
        node_vector q = load_node(w->coarser->x + 16 * (size_t)parent), x = load_node(to);
        for (int a = 0; a < 3; a++) {
            x.column[a] = pl_fma4(T[3], q.column[a], x.column[a]);
            x.column[3] = pl_fma4(T[a], q.column[a], x.column[3]);
        }
        x.column[3] += q.column[3];
        store_node(to, &x);
    }
}

void pl_scalar_coarse_prolong_add(pl_scalar_coarse* c, pl_pool* pool,
                                  const pl_mg_transfer* transfer, const pl_scalar_coarse* coarser) {
    coarse_work w = {.c = c, .transfer = transfer, .coarser = coarser};
    pl_parallel_for(pool, prolong_task, c->node_count, 8 * NODE_BLOCK, &w);
}
