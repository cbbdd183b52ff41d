// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "pbd/particle_graph.h"
#include "base/memory.h"
#include "material/bending.h"

#include <math.h>
#include <string.h>

pl_status pl_particle_graph_create(int particle_count, int edge_count, int triangle_count,
                                   pl_particle_graph* out, pl_error* error) {
    *out = (pl_particle_graph){.particle_count = particle_count,
                               .edge_count = edge_count,
                               .triangle_count = triangle_count};
    out->places = PL_ALLOC(double, 3 * (size_t)particle_count);
    out->attached = PL_ALLOC(bool, particle_count);
    out->edges = PL_ALLOC(int, 2 * (size_t)edge_count);
    out->rest = PL_ALLOC(double, edge_count);
    out->triangles = PL_ALLOC(int, 3 * (size_t)triangle_count);
    if ((!particle_count || (out->places && out->attached)) &&
        (!edge_count || (out->edges && out->rest)) && (!triangle_count || out->triangles))
        return PL_OK;
    pl_particle_graph_free(out);
    return pl_fail_memory(error, "a level of particles");
}

void pl_particle_graph_free(pl_particle_graph* g) {
    PL_FREE(g->places, double, 3 * (size_t)g->particle_count);
    PL_FREE(g->attached, bool, g->particle_count);
    PL_FREE(g->edges, int, 2 * (size_t)g->edge_count);
    PL_FREE(g->rest, double, g->edge_count);
    PL_FREE(g->triangles, int, 3 * (size_t)g->triangle_count);
    *g = (pl_particle_graph){0};
}

typedef struct half_edge {
    int to;
    double rest;
} half_edge;

// insertion sort: a list has only as many items as a particle has neighbours
static int sort_unique(half_edge* list, int count) {
    for (int i = 1; i < count; i++) {
        half_edge e = list[i];
        int j = i;
        for (; j > 0 &&
               (list[j - 1].to > e.to || (list[j - 1].to == e.to && list[j - 1].rest > e.rest));
             j--)
            list[j] = list[j - 1];
        list[j] = e;
    }
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (kept == 0 || list[kept - 1].to != list[i].to) list[kept++] = list[i];
    return kept;
}

// sorts edges into buckets by the smaller end, each bucket by the larger; returns the number of
// edges kept
static int bucket_edges(const int* ends, const double* rest, int count, int particle_count,
                        int* offsets, half_edge* buckets) {
    for (int e = 0; e < count; e++) {
        int a = ends[2 * (size_t)e], b = ends[2 * (size_t)e + 1];
        if (a != b) offsets[(a < b ? a : b) + 1]++;
    }
    for (int i = 0; i < particle_count; i++) offsets[i + 1] += offsets[i];
    for (int e = 0; e < count; e++) {
        int a = ends[2 * (size_t)e], b = ends[2 * (size_t)e + 1];
        if (a != b) buckets[offsets[a < b ? a : b]++] = (half_edge){a < b ? b : a, rest[e]};
    }
    for (int i = particle_count; i > 0; i--) offsets[i] = offsets[i - 1];
    offsets[0] = 0;
    int kept = 0, begin = 0;
    for (int i = 0; i < particle_count; i++) {
        int end = offsets[i + 1], unique = sort_unique(buckets + begin, end - begin);
        memmove(buckets + kept, buckets + begin, (size_t)unique * sizeof(half_edge));
        offsets[i] = kept;
        kept += unique;
        begin = end;
    }
    offsets[particle_count] = kept;
    return kept;
}

pl_status pl_particle_graph_set_edges(pl_particle_graph* g, const int* ends, const double* rest,
                                      int count, pl_error* error) {
    int* offsets = PL_ALLOC(int, g->particle_count + 1);
    half_edge* buckets = PL_ALLOC(half_edge, count);
    int* edges = NULL;
    double* lengths = NULL;
    bool ok = offsets && (buckets || !count);
    int kept = ok ? bucket_edges(ends, rest, count, g->particle_count, offsets, buckets) : 0;
    if (ok && kept) {
        edges = PL_ALLOC(int, 2 * (size_t)kept);
        lengths = PL_ALLOC(double, kept);
        ok = edges && lengths;
    }
    for (int i = 0; ok && i < g->particle_count; i++)
        for (int k = offsets[i]; k < offsets[i + 1]; k++) {
            edges[2 * (size_t)k] = i, edges[2 * (size_t)k + 1] = buckets[k].to;
            lengths[k] = buckets[k].rest;
        }
    PL_FREE(offsets, int, g->particle_count + 1);
    PL_FREE(buckets, half_edge, count);
    if (!ok) {
        PL_FREE(edges, int, 2 * (size_t)kept);
        PL_FREE(lengths, double, kept);
        return pl_fail_memory(error, "a level of particles");
    }
    PL_FREE(g->edges, int, 2 * (size_t)g->edge_count);
    PL_FREE(g->rest, double, g->edge_count);
    g->edges = edges, g->rest = lengths, g->edge_count = kept;
    return PL_OK;
}

pl_status pl_particle_graph_cut_triangles(pl_particle_graph* g, int count, pl_error* error) {
    if (count == g->triangle_count) return PL_OK;
    int* triangles = PL_ALLOC(int, 3 * (size_t)count);
    if (count && !triangles) return pl_fail_memory(error, "a level of particles");
    if (count) memcpy(triangles, g->triangles, 3 * (size_t)count * sizeof(int));
    PL_FREE(g->triangles, int, 3 * (size_t)g->triangle_count);
    g->triangles = triangles, g->triangle_count = count;
    return PL_OK;
}

bool pl_particle_hinge(const pl_particle_graph* g, const int sides[2], int v[4], double* angle) {
    pl_triangle_edge(g->triangles + 3 * (size_t)(sides[0] / 3), sides[0] % 3, v);
    v[2] = g->triangles[sides[0]], v[3] = g->triangles[sides[1]];
    pl_vec3 x[4];
    for (int i = 0; i < 4; i++) x[i] = pl_vec3_load(g->places + 3 * (size_t)v[i]);
    return v[2] != v[3] && pl_bending_angle(x, angle, NULL);
}

pl_status pl_coarsening_create(int fine_count, int coarse_count, int parent_count,
                               pl_coarsening* out, pl_error* error) {
    *out = (pl_coarsening){.fine_count = fine_count, .coarse_count = coarse_count};
    out->fine_of_coarse = PL_ALLOC(int, coarse_count);
    out->coarse_of_fine = PL_ALLOC(int, fine_count);
    out->parent_offsets = PL_ALLOC(int, fine_count + 1);
    if (out->parent_offsets) out->parent_offsets[fine_count] = parent_count;
    out->parents = PL_ALLOC(int, parent_count);
    out->weights = PL_ALLOC(float, parent_count);
    if (out->fine_of_coarse && out->coarse_of_fine && out->parent_offsets && out->parents &&
        out->weights)
        return PL_OK;
    if (!out->parent_offsets) { // the array also stores its size
        PL_FREE(out->parents, int, parent_count);
        PL_FREE(out->weights, float, parent_count);
        out->parents = NULL, out->weights = NULL;
    }
    pl_coarsening_free(out);
    return pl_fail_memory(error, "the parents of particles");
}

void pl_coarsening_free(pl_coarsening* c) {
    int parent_count = c->parent_offsets ? c->parent_offsets[c->fine_count] : 0;
    PL_FREE(c->parents, int, parent_count);
    PL_FREE(c->weights, float, parent_count);
    PL_FREE(c->fine_of_coarse, int, c->coarse_count);
    PL_FREE(c->coarse_of_fine, int, c->fine_count);
    PL_FREE(c->parent_offsets, int, c->fine_count + 1);
    *c = (pl_coarsening){0};
}

static double place_distance(const pl_particle_graph* g, int a, int b) {
    return pl_distance(pl_vec3_load(g->places + 3 * (size_t)a),
                       pl_vec3_load(g->places + 3 * (size_t)b));
}

// w_ij = 1 / (d_ij / max_j d_ij + e), normalised; a parent at the same position gets all the weight
void pl_set_weights(const pl_particle_graph* fine, pl_coarsening* c, int i) {
    const double e = 1e-6;
    int begin = c->parent_offsets[i], end = c->parent_offsets[i + 1];
    double farthest = 0.0, sum = 0.0;
    for (int k = begin; k < end; k++)
        farthest = fmax(farthest, place_distance(fine, i, c->fine_of_coarse[c->parents[k]]));
    for (int pass = 0; pass < 2; pass++)
        for (int k = begin; k < end; k++) {
            double d = place_distance(fine, i, c->fine_of_coarse[c->parents[k]]);
            double w = 1.0 / ((farthest > 0.0 ? d / farthest : 0.0) + e);
            if (pass == 0) sum += w;
            else c->weights[k] = (float)(w / sum);
        }
}

void pl_copy_particles(const pl_particle_graph* fine, const pl_coarsening* c,
                       pl_particle_graph* coarse) {
    for (int j = 0; j < c->coarse_count; j++) {
        int i = c->fine_of_coarse[j];
        memcpy(coarse->places + 3 * (size_t)j, fine->places + 3 * (size_t)i, 3 * sizeof(double));
        coarse->attached[j] = fine->attached[i];
    }
}
