// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Dijkstra's method (1959) from the new sources. It stops where an older source is at least as
// near.
#include "mesh/geodesic.h"
#include "base/memory.h"
#include "math/vec3.h"

enum { FETCHED = 3 }; // rows to prefetch, from the top of the heap

void pl_edge_lengths_of(const pl_adjacency* graph, const double* positions, int begin, int end,
                        double* lengths) {
    for (int v = begin; v < end; v++) {
        pl_vec3 p = pl_vec3_load(positions + 3 * (size_t)v);
        for (int k = graph->offsets[v]; k < graph->offsets[v + 1]; k++)
            lengths[k] = pl_distance(p, pl_vec3_load(positions + 3 * (size_t)graph->items[k]));
    }
}

void pl_edge_lengths(const pl_adjacency* graph, const double* positions, double* lengths) {
    pl_edge_lengths_of(graph, positions, 0, graph->count, lengths);
}

static pl_status check_lengths(const pl_adjacency* graph, const double* lengths, pl_error* error) {
    for (int v = 0; v < graph->count; v++)
        for (int k = graph->offsets[v]; k < graph->offsets[v + 1]; k++)
            if (!(lengths[k] >= 0.0 && lengths[k] < INFINITY))
                return pl_fail(error, PL_ERROR_MESH,
                               "the edge from vertex %d to vertex %d has length %g; it must be "
                               "finite and not negative",
                               v, graph->items[k], lengths[k]);
    return PL_OK;
}

pl_status pl_geodesic_create(const pl_adjacency* graph, const double* lengths, pl_geodesic* out,
                             pl_error* error) {
    *out = (pl_geodesic){.graph = graph, .lengths = lengths};
    pl_status status = check_lengths(graph, lengths, error);
    if (status != PL_OK) return status;
    out->distances = PL_ALLOC(double, graph->count);
    out->nearest = PL_ALLOC(int, graph->count);
    if (graph->count &&
        (!out->distances || !out->nearest || !pl_vertex_heap_alloc(&out->heap, graph->count))) {
        pl_geodesic_free(out);
        return pl_fail_memory(error, "geodesic distances");
    }
    for (int v = 0; v < graph->count; v++) {
        out->distances[v] = INFINITY;
        out->nearest[v] = -1;
    }
    return PL_OK;
}

void pl_geodesic_free(pl_geodesic* g) {
    int count = g->graph ? g->graph->count : 0;
    PL_FREE(g->distances, double, count);
    PL_FREE(g->nearest, int, count);
    pl_vertex_heap_free(&g->heap);
    *g = (pl_geodesic){0};
}

// Offers a vertex a distance to a source. Of equal distances in one call the lower source wins; a
// distance from an earlier call (the vertex is not in the heap) stays.
static inline void offer(pl_geodesic* g, int v, double distance, int source) {
    double present = g->distances[v];
    if (distance > present) return;
    if (distance == present) {
        if (g->heap.places[v] >= 0 && source < g->nearest[v]) g->nearest[v] = source;
        return;
    }
    g->distances[v] = distance;
    g->nearest[v] = source;
    pl_vertex_heap_set(&g->heap, v, distance);
}

// Prefetches the row of a vertex that is next: the graph is larger than caches, and its rows are
// visited in no particular order.
static inline void fetch_row(const pl_geodesic* g, int v) {
    int first = g->graph->offsets[v];
    __builtin_prefetch(g->graph->items + first);
    __builtin_prefetch(g->lengths + first);
    __builtin_prefetch(g->lengths + first + 8);
}

void pl_geodesic_add(pl_geodesic* g, const int* sources, int count) {
    const pl_adjacency* graph = g->graph;
    for (int i = 0; i < count; i++) offer(g, sources[i], 0.0, g->source_count++);
    while (g->heap.count > 0) {
        pl_heap_entry top = pl_vertex_heap_pop(&g->heap);
        for (int i = 0; i < FETCHED && i < g->heap.count; i++)
            fetch_row(g, g->heap.entries[i].vertex);
        int source = g->nearest[top.vertex];
        for (int k = graph->offsets[top.vertex]; k < graph->offsets[top.vertex + 1]; k++)
            offer(g, graph->items[k], top.key + g->lengths[k], source);
    }
}
