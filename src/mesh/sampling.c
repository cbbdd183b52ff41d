// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Farthest-point sampling (Gonzalez 1985; Eldar et al. 1997). A new sample updates only the
// vertices that become closer (pl_geodesic_add), so distances never increase. Each block of
// vertices remembers the distance of its farthest vertex from when it was last searched, which is
// an upper bound. The block with the largest bound is searched again, until a bound is exact.
#include "mesh/sampling.h"
#include "base/array.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { FAR_BLOCK = 32 }; // vertices

typedef struct sampler {
    pl_geodesic geodesic;
    pl_vertex_heap far;   // of blocks; keys: minus distance
    unsigned char* taken; // 1 for samples
    pl_array vertices;
    pl_array radii;
    const pl_sample_stops* stops;
} sampler;

static int block_count(int vertex_count) { return (vertex_count + FAR_BLOCK - 1) / FAR_BLOCK; }

static void keep_nearest(sampler* s) {
    for (int k = 0; s->stops && k < s->stops->count; k++)
        if ((size_t)s->stops->counts[k] == s->vertices.count)
            memcpy(s->stops->nearest[k], s->geodesic.nearest,
                   (size_t)s->geodesic.graph->count * sizeof(int));
}

static bool add_sample(sampler* s, int vertex, double radius) {
    if (!pl_array_push(&s->vertices, &vertex) || !pl_array_push(&s->radii, &radius)) return false;
    s->taken[vertex] = 1;
    pl_geodesic_add(&s->geodesic, &vertex, 1);
    keep_nearest(s);
    return true;
}

// the farthest vertex of a block that is not a sample, the lowest of equals; -1: all are samples
static int furthest_of_block(const sampler* s, int block, double* distance) {
    int begin = block * FAR_BLOCK, end = begin + FAR_BLOCK, furthest = -1;
    if (end > s->geodesic.graph->count) end = s->geodesic.graph->count;
    *distance = -1.0;
    for (int v = begin; v < end; v++) {
        if (s->taken[v] || !(s->geodesic.distances[v] > *distance)) continue;
        *distance = s->geodesic.distances[v];
        furthest = v;
    }
    return furthest;
}

// -1: all vertices are samples
static int find_furthest(sampler* s, double* distance) {
    while (s->far.count > 0) {
        pl_heap_entry top = s->far.entries[0];
        int vertex = furthest_of_block(s, top.vertex, distance);
        if (vertex < 0) pl_vertex_heap_pop(&s->far);
        else if (top.key == -*distance) return vertex;
        else pl_vertex_heap_set(&s->far, top.vertex, -*distance);
    }
    return -1;
}

static bool sample(sampler* s, const int* starts, int start_count, int count) {
    for (int i = 0; i < start_count; i++)
        if (!add_sample(s, starts[i], INFINITY)) return false;
    for (int b = 0; b < block_count(s->geodesic.graph->count); b++)
        pl_vertex_heap_set(&s->far, b, -INFINITY);
    for (;;) {
        double distance;
        int furthest = find_furthest(s, &distance);
        if (furthest < 0) return true;
        if (s->vertices.count >= (size_t)count && !isinf(distance)) return true;
        if (!add_sample(s, furthest, distance)) return false;
    }
}

static pl_status mark_starts(const int* starts, int start_count, int vertex_count,
                             unsigned char* taken, pl_error* error) {
    for (int i = 0; i < start_count; i++) {
        int v = starts[i];
        if (v < 0 || v >= vertex_count)
            return pl_fail(error, PL_ERROR_ARGUMENT,
                           "sampling is to start at vertex %d, but there are %d vertices", v,
                           vertex_count);
        if (taken[v])
            return pl_fail(error, PL_ERROR_ARGUMENT,
                           "sampling is to start at vertex %d, which is given twice", v);
        taken[v] = 1;
    }
    return PL_OK;
}

// moves the results out of the sampler
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

static pl_status run_sampler(sampler* s, const int* starts, int start_count, int count,
                             pl_samples* out, pl_error* error) {
    int vertex_count = s->geodesic.graph->count;
    pl_status status = mark_starts(starts, start_count, vertex_count, s->taken, error);
    if (status != PL_OK) return status;
    if (pl_vertex_heap_alloc(&s->far, block_count(vertex_count)) &&
        sample(s, starts, start_count, count) && take_results(s, out))
        return PL_OK;
    return pl_fail_memory(error, "samples of a mesh");
}

pl_status pl_sample_furthest(const pl_adjacency* graph, const double* lengths, const int* starts,
                             int start_count, int count, pl_samples* out, pl_error* error) {
    return pl_sample_with_stops(graph, lengths, starts, start_count, count, NULL, out, error);
}

pl_status pl_sample_with_stops(const pl_adjacency* graph, const double* lengths, const int* starts,
                               int start_count, int count, const pl_sample_stops* stops,
                               pl_samples* out, pl_error* error) {
    *out = (pl_samples){0};
    if (count < 1 || count > graph->count || start_count < 0 || start_count > graph->count)
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "%d samples with %d starts asked for of %d vertices", count, start_count,
                       graph->count);
    static const int first_vertex = 0;
    if (start_count == 0) starts = &first_vertex, start_count = 1;
    sampler s = {
        .vertices = pl_array_of(sizeof(int)), .radii = pl_array_of(sizeof(double)), .stops = stops};
    pl_status status = pl_geodesic_create(graph, lengths, &s.geodesic, error);
    if (status != PL_OK) return status;
    s.taken = PL_ALLOC(unsigned char, graph->count);
    if (s.taken) status = run_sampler(&s, starts, start_count, count, out, error);
    else status = pl_fail_memory(error, "samples of a mesh");
    PL_FREE(s.taken, unsigned char, graph->count);
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
