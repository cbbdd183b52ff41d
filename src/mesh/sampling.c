// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Furthest point sampling (Gonzalez 1985; Eldar et al. 1997). A new sample updates only the
// vertices that come nearer (pl_geodesic_add). The furthest vertex comes from a heap with old
// distances: they only ever fall, so what is on top with its present distance is the furthest, and
// what is on top with an old one goes back with the present one.
#include "mesh/sampling.h"
#include "base/array.h"
#include "base/memory.h"

#include <math.h>

typedef struct sampler {
    pl_geodesic geodesic;
    pl_vertex_heap far; // keys: minus distance
    pl_array vertices;
    pl_array radii;
} sampler;

static bool add_sample(sampler* s, int vertex, double radius) {
    if (!pl_array_push(&s->vertices, &vertex) || !pl_array_push(&s->radii, &radius)) return false;
    pl_geodesic_add(&s->geodesic, &vertex, 1);
    return true;
}

static pl_heap_entry pop_furthest(sampler* s) {
    for (;;) {
        pl_heap_entry top = s->far.entries[0];
        double present = -s->geodesic.distances[top.vertex];
        if (top.key == present) return pl_vertex_heap_pop(&s->far);
        pl_vertex_heap_set(&s->far, top.vertex, present);
    }
}

// is_start: 1 for the vertices that are starts, which are not found again
static bool sample(sampler* s, const int* starts, int start_count, const unsigned char* is_start,
                   int count) {
    for (int i = 0; i < start_count; i++)
        if (!add_sample(s, starts[i], INFINITY)) return false;
    for (int v = 0; v < s->geodesic.graph->count; v++)
        if (!is_start[v]) pl_vertex_heap_set(&s->far, v, -s->geodesic.distances[v]);
    while (s->far.count > 0) {
        pl_heap_entry furthest = pop_furthest(s);
        bool unreached = isinf(furthest.key);
        if (s->vertices.count >= (size_t)count && !unreached) break;
        if (!add_sample(s, furthest.vertex, -furthest.key)) return false;
    }
    return true;
}

static pl_status mark_starts(const int* starts, int start_count, int vertex_count,
                             unsigned char* is_start, pl_error* error) {
    for (int i = 0; i < start_count; i++) {
        int v = starts[i];
        if (v < 0 || v >= vertex_count)
            return pl_fail(error, PL_ERROR_ARGUMENT,
                           "sampling is to start at vertex %d, but there are %d vertices", v,
                           vertex_count);
        if (is_start[v])
            return pl_fail(error, PL_ERROR_ARGUMENT,
                           "sampling is to start at vertex %d, which is given twice", v);
        is_start[v] = 1;
    }
    return PL_OK;
}

// hands the results over from the sampler
static bool take_results(sampler* s, pl_samples* out) {
    int count = (int)s->vertices.count;
    if (!pl_array_take(&s->vertices, (void**)&out->vertices)) return false;
    out->count = count;
    if (!pl_array_take(&s->radii, (void**)&out->radii)) return false;
    out->vertex_count = s->geodesic.graph->count;
    out->nearest = s->geodesic.nearest;
    out->distances = s->geodesic.distances;
    s->geodesic.nearest = NULL;
    s->geodesic.distances = NULL;
    return true;
}

static pl_status run_sampler(sampler* s, const int* starts, int start_count,
                             unsigned char* is_start, int count, pl_samples* out, pl_error* error) {
    int vertex_count = s->geodesic.graph->count;
    pl_status status = mark_starts(starts, start_count, vertex_count, is_start, error);
    if (status != PL_OK) return status;
    if (pl_vertex_heap_alloc(&s->far, vertex_count) &&
        sample(s, starts, start_count, is_start, count) && take_results(s, out))
        return PL_OK;
    return pl_fail_memory(error, "samples of a mesh");
}

pl_status pl_sample_furthest(const pl_adjacency* graph, const double* lengths, const int* starts,
                             int start_count, int count, pl_samples* out, pl_error* error) {
    *out = (pl_samples){0};
    if (count < 1 || count > graph->count || start_count < 0 || start_count > graph->count)
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "%d samples with %d starts asked for of %d vertices", count, start_count,
                       graph->count);
    static const int first_vertex = 0;
    if (start_count == 0) starts = &first_vertex, start_count = 1;
    sampler s = {.vertices = pl_array_of(sizeof(int)), .radii = pl_array_of(sizeof(double))};
    pl_status status = pl_geodesic_create(graph, lengths, &s.geodesic, error);
    if (status != PL_OK) return status;
    unsigned char* is_start = PL_ALLOC(unsigned char, graph->count);
    if (is_start) status = run_sampler(&s, starts, start_count, is_start, count, out, error);
    else status = pl_fail_memory(error, "samples of a mesh");
    PL_FREE(is_start, unsigned char, graph->count);
    pl_array_free(&s.vertices);
    pl_array_free(&s.radii);
    pl_vertex_heap_free(&s.far);
    pl_geodesic_free(&s.geodesic);
    if (status != PL_OK) pl_samples_free(out);
    return status;
}

void pl_samples_free(pl_samples* samples) {
    PL_FREE(samples->vertices, int, samples->count);
    PL_FREE(samples->radii, double, samples->count);
    PL_FREE(samples->nearest, int, samples->vertex_count);
    PL_FREE(samples->distances, double, samples->vertex_count);
    *samples = (pl_samples){0};
}
