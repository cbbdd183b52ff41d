// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Builds the next coarser level of any graph (Mueller 2008, "Hierarchical position based dynamics",
// sections 6.2 and 6.3).
//
//   paper                              here
//   k                                  options->parents
//   P(i), w_ij                         parents, weights
//   p_i collapsed into p_j             target[i] = j
//
// Where this differs: all collapses of a level happen at once. The resulting edges are the same,
// because sequential collapses only rename the ends of edges. Where several paths connect two
// coarse particles, the rest length is the shortest path, not the first one found: every path is an
// upper bound of the distance, and the shortest is closest to the geodesic. Sums of edges are still
// too long on irregular meshes (test pbd_rest_lengths_of_coarse_levels: 15 % of stretch, 17 %
// without levels), so a third choice, geodesic, unfolds paths before measuring them. Edges that are
// in no triangle after the collapse are dropped, so triangle meshes stay triangle meshes.
#include "base/memory.h"
#include "base/random.h"
#include "math/vec3.h"
#include "pbd/unfold.h"

#include <math.h>

// An attached particle needs an attached coarse neighbour. Otherwise nothing would hold the cloth
// there on the coarse level.
static bool keeps_hold(const pl_particle_graph* g, const pl_neighbours* n, int i, int without,
                       const bool* fine) {
    for (int e = n->offsets[i]; e < n->offsets[i + 1]; e++)
        if (n->to[e] != without && g->attached[n->to[e]] && !fine[n->to[e]]) return true;
    return false;
}

static bool may_let_go(const pl_particle_graph* g, const pl_neighbours* n, int i,
                       const bool* fine) {
    if (!g->attached[i]) return true;
    if (!keeps_hold(g, n, i, -1, fine)) return false;
    for (int e = n->offsets[i]; e < n->offsets[i + 1]; e++) {
        int j = n->to[e];
        if (fine[j] && g->attached[j] && !keeps_hold(g, n, j, i, fine)) return false;
    }
    return true;
}

// makes a particle fine if it and its fine neighbours still have enough coarse neighbours
// afterwards
static void try_to_mark_fine(const pl_particle_graph* g, const pl_neighbours* n, int k, int i,
                             bool* fine, int* coarse_count) {
    if (coarse_count[i] < k || !may_let_go(g, n, i, fine)) return;
    for (int e = n->offsets[i]; e < n->offsets[i + 1]; e++)
        if (fine[n->to[e]] && coarse_count[n->to[e]] <= k) return;
    fine[i] = true;
    for (int e = n->offsets[i]; e < n->offsets[i + 1]; e++) coarse_count[n->to[e]]--;
}

// Section 6.2, in one sweep for any number of connected pieces. Attached particles stay coarse with
// a given probability, or are visited last, when few can still become fine.
static bool choose_fine(const pl_particle_graph* g, const pl_neighbours* n,
                        const pl_coarsen_options* options, bool* fine) {
    int* coarse_count = PL_ALLOC(int, g->particle_count);
    if (!coarse_count) return false;
    bool attached_last = isnan(options->keep_attached);
    pl_random random = {(uint64_t)g->particle_count};
    for (int i = 0; i < g->particle_count; i++) coarse_count[i] = n->offsets[i + 1] - n->offsets[i];
    for (int last = 0; last < (attached_last ? 2 : 1); last++)
        for (int i = 0; i < g->particle_count; i++) {
            if (attached_last && g->attached[i] != (last == 1)) continue;
            if (!attached_last && g->attached[i] &&
                pl_random_uniform(&random, 0.0, 1.0) < options->keep_attached)
                continue;
            try_to_mark_fine(g, n, options->parents, i, fine, coarse_count);
        }
    PL_FREE(coarse_count, int, g->particle_count);
    return true;
}

// The same if most decisions are known in advance. Fine particles with too few parents become
// coarse, which only adds parents for their neighbours. Then the undecided particles are tried.
static bool choose_known(const pl_particle_graph* g, const pl_neighbours* n, int parents,
                         const unsigned char* becomes, bool* fine) {
    int* coarse_count = PL_ALLOC(int, g->particle_count);
    if (!coarse_count) return false;
    for (int i = 0; i < g->particle_count; i++) fine[i] = becomes[i] == PL_BECOMES_FINE;
    for (int i = 0; i < g->particle_count; i++)
        for (int e = n->offsets[i]; e < n->offsets[i + 1]; e++) coarse_count[i] += !fine[n->to[e]];
    for (int i = 0; i < g->particle_count; i++) {
        if (!fine[i] || coarse_count[i] >= parents) continue;
        fine[i] = false;
        for (int e = n->offsets[i]; e < n->offsets[i + 1]; e++) coarse_count[n->to[e]]++;
    }
    for (int i = 0; i < g->particle_count; i++)
        if (becomes[i] == PL_BECOMES_ANYTHING)
            try_to_mark_fine(g, n, parents, i, fine, coarse_count);
    PL_FREE(coarse_count, int, g->particle_count);
    return true;
}

static pl_status number_coarse(const pl_particle_graph* g, const pl_neighbours* n, const bool* fine,
                               pl_coarsening* c, pl_error* error) {
    int coarse_count = 0, parent_count = 0;
    for (int i = 0; i < g->particle_count; i++) {
        coarse_count += !fine[i];
        parent_count += !fine[i];
        for (int e = n->offsets[i]; fine[i] && e < n->offsets[i + 1]; e++)
            parent_count += !fine[n->to[e]];
    }
    pl_status status =
        pl_coarsening_create(g->particle_count, coarse_count, parent_count, c, error);
    if (status != PL_OK) return status;
    coarse_count = 0;
    for (int i = 0; i < g->particle_count; i++) {
        c->coarse_of_fine[i] = fine[i] ? -1 : coarse_count;
        if (!fine[i]) c->fine_of_coarse[coarse_count++] = i;
    }
    int at = 0;
    for (int i = 0; i < g->particle_count; i++) {
        c->parent_offsets[i] = at;
        if (!fine[i]) c->parents[at++] = c->coarse_of_fine[i];
        for (int e = n->offsets[i]; fine[i] && e < n->offsets[i + 1]; e++)
            if (!fine[n->to[e]]) c->parents[at++] = c->coarse_of_fine[n->to[e]];
    }
    for (int i = 0; i < g->particle_count; i++) pl_set_weights(g, c, i);
    return PL_OK;
}

// the parent nearest to the mean of all parents: gives edges of similar length
static int nearest_to_mean(const pl_particle_graph* g, const pl_coarsening* c, int i) {
    int begin = c->parent_offsets[i], end = c->parent_offsets[i + 1], best = begin;
    pl_vec3 mean = {0, 0, 0};
    for (int k = begin; k < end; k++)
        mean = pl_madd(mean, 1.0 / (end - begin),
                       pl_vec3_load(g->places + 3 * (size_t)c->fine_of_coarse[c->parents[k]]));
    double least = HUGE_VAL;
    for (int k = begin; k < end; k++) {
        double d = pl_distance(
            mean, pl_vec3_load(g->places + 3 * (size_t)c->fine_of_coarse[c->parents[k]]));
        if (d < least) least = d, best = k;
    }
    return c->parents[best];
}

// the particle that each particle collapses into, and its distance
static void choose_targets(const pl_particle_graph* g, const pl_neighbours* n,
                           const pl_coarsening* c, int* target, double* reach) {
    for (int i = 0; i < g->particle_count; i++) {
        bool is_fine = c->coarse_of_fine[i] < 0;
        target[i] = is_fine ? nearest_to_mean(g, c, i) : c->coarse_of_fine[i];
        reach[i] = is_fine ? pl_neighbour_rest(n, i, c->fine_of_coarse[target[i]]) : 0.0;
    }
}

// inputs of the collapse of a level
typedef struct collapse_view {
    const pl_particle_graph* graph;
    const pl_neighbours* neighbours;
    const pl_coarsening* coarsening;
    pl_rest_length rest_length;
    pl_adjacency around; // triangles of each particle, for geodesics
    int* target;
    double* reach;
} collapse_view;

// The length of an unfolded path is limited to at most the sum of its segments and at least the
// straight distance.
static double coarse_rest(const collapse_view* v, int edge) {
    const pl_particle_graph* g = v->graph;
    int a = g->edges[2 * (size_t)edge], b = g->edges[2 * (size_t)edge + 1];
    int p = v->coarsening->fine_of_coarse[v->target[a]];
    int q = v->coarsening->fine_of_coarse[v->target[b]];
    double path = v->reach[a] + g->rest[edge] + v->reach[b];
    if (v->rest_length == PL_REST_LENGTH_PATH) return path;
    double straight = pl_distance(pl_vec3_load(g->places + 3 * (size_t)p),
                                  pl_vec3_load(g->places + 3 * (size_t)q));
    if (v->rest_length == PL_REST_LENGTH_DISTANCE) return straight;
    double flat =
        v->around.offsets ? pl_unfolded_distance(g, v->neighbours, &v->around, p, a, b, q) : -1.0;
    return flat < 0.0 ? path : fmin(fmax(flat, straight), path);
}

static pl_status collapse_edges(const collapse_view* v, pl_particle_graph* coarse,
                                pl_error* error) {
    const pl_particle_graph* g = v->graph;
    int* ends = PL_ALLOC(int, 2 * (size_t)g->edge_count);
    double* rest = PL_ALLOC(double, g->edge_count);
    pl_status status = PL_OK;
    if (g->edge_count && (!ends || !rest)) status = pl_fail_memory(error, "a level of particles");
    for (int e = 0; status == PL_OK && e < g->edge_count; e++) {
        ends[2 * (size_t)e] = v->target[g->edges[2 * (size_t)e]];
        ends[2 * (size_t)e + 1] = v->target[g->edges[2 * (size_t)e + 1]];
        rest[e] = coarse_rest(v, e);
    }
    if (status == PL_OK)
        status = pl_particle_graph_set_edges(coarse, ends, rest, g->edge_count, error);
    PL_FREE(ends, int, 2 * (size_t)g->edge_count);
    PL_FREE(rest, double, g->edge_count);
    return status;
}

// the remaining triangles, each once
static pl_status collapse_triangles(const pl_particle_graph* g, const int* target,
                                    pl_particle_graph* coarse, pl_error* error) {
    if (!g->triangle_count) return PL_OK;
    int* corners = PL_ALLOC(int, 3 * (size_t)g->triangle_count);
    int* first = PL_ALLOC(int, g->triangle_count);
    pl_status status = corners && first ? PL_OK : pl_fail_memory(error, "a level of particles");
    int count = 0;
    for (int t = 0; status == PL_OK && t < g->triangle_count; t++) {
        int* to = corners + 3 * (size_t)count;
        for (int i = 0; i < 3; i++) to[i] = target[g->triangles[3 * (size_t)t + (size_t)i]];
        count += !pl_names_twice(to, 3);
    }
    if (status == PL_OK && count)
        status =
            pl_first_of_equal_elements(corners, count, 3, coarse->particle_count, first, error);
    int kept = 0;
    for (int t = 0; status == PL_OK && t < count; t++) kept += first[t] == t;
    if (status == PL_OK && kept) {
        coarse->triangles = PL_ALLOC(int, 3 * (size_t)kept);
        if (!coarse->triangles) status = pl_fail_memory(error, "a level of particles");
    }
    for (int t = 0; status == PL_OK && t < count; t++) {
        if (first[t] != t) continue;
        int* to = coarse->triangles + 3 * (size_t)coarse->triangle_count++;
        for (int i = 0; i < 3; i++) to[i] = corners[3 * (size_t)t + (size_t)i];
    }
    PL_FREE(corners, int, 3 * (size_t)g->triangle_count);
    PL_FREE(first, int, g->triangle_count);
    return status;
}

// Drops edges that lost their last triangle, if both ends still have triangles: the two sides of a
// strip have collapsed to one line there, and the adjacent triangles hold it.
static pl_status drop_bare_edges(pl_particle_graph* g, pl_error* error) {
    if (!g->triangle_count) return PL_OK;
    pl_adjacency around;
    pl_status status =
        pl_vertex_elements(g->triangles, g->triangle_count, 3, g->particle_count, &around, error);
    if (status != PL_OK) return status;
    for (int e = 0; e < g->edge_count; e++) {
        int* ends = g->edges + 2 * (size_t)e;
        bool in_triangle = false;
        int count[2];
        for (int i = 0; i < 2; i++)
            count[i] = around.offsets[ends[i] + 1] - around.offsets[ends[i]];
        for (int k = 0; k < count[0]; k++) {
            const int* t = g->triangles + 3 * (size_t)around.items[around.offsets[ends[0]] + k];
            in_triangle = in_triangle || t[0] == ends[1] || t[1] == ends[1] || t[2] == ends[1];
        }
        if (!in_triangle && count[0] && count[1]) ends[1] = ends[0]; // dropped below
    }
    pl_adjacency_free(&around);
    return pl_particle_graph_set_edges(g, g->edges, g->rest, g->edge_count, error);
}

static pl_status collapse(const pl_particle_graph* g, const pl_neighbours* n,
                          const pl_coarsen_options* options, const pl_coarsening* c,
                          pl_particle_graph* coarse, pl_error* error) {
    collapse_view v = {g,
                       n,
                       c,
                       options->rest_length,
                       {0},
                       PL_ALLOC(int, g->particle_count),
                       PL_ALLOC(double, g->particle_count)};
    pl_status status = v.target && v.reach ? PL_OK : pl_fail_memory(error, "a level of particles");
    if (status == PL_OK && g->triangle_count && options->rest_length == PL_REST_LENGTH_GEODESIC)
        status = pl_vertex_elements(g->triangles, g->triangle_count, 3, g->particle_count,
                                    &v.around, error);
    if (status == PL_OK) {
        choose_targets(g, n, c, v.target, v.reach);
        status = pl_particle_graph_create(c->coarse_count, 0, 0, coarse, error);
    }
    if (status == PL_OK) {
        pl_copy_particles(g, c, coarse);
        status = collapse_edges(&v, coarse, error);
    }
    if (status == PL_OK) status = collapse_triangles(g, v.target, coarse, error);
    if (status == PL_OK) status = drop_bare_edges(coarse, error);
    pl_adjacency_free(&v.around);
    PL_FREE(v.target, int, g->particle_count);
    PL_FREE(v.reach, double, g->particle_count);
    return status;
}

pl_status pl_coarsen(const pl_particle_graph* fine, const pl_coarsen_options* options,
                     const unsigned char* becomes, pl_coarsening* out, pl_particle_graph* coarse,
                     pl_error* error) {
    *out = (pl_coarsening){0};
    *coarse = (pl_particle_graph){0};
    pl_neighbours n;
    bool* is_fine = PL_ALLOC(bool, fine->particle_count);
    pl_status status = pl_neighbours_create(fine, &n, error);
    if (status == PL_OK &&
        (!is_fine || !(becomes ? choose_known(fine, &n, options->parents, becomes, is_fine)
                               : choose_fine(fine, &n, options, is_fine))))
        status = pl_fail_memory(error, "a level of particles");
    if (status == PL_OK) status = number_coarse(fine, &n, is_fine, out, error);
    if (status == PL_OK) status = collapse(fine, &n, options, out, coarse, error);
    pl_neighbours_free(&n);
    PL_FREE(is_fine, bool, fine->particle_count);
    if (status != PL_OK) {
        pl_coarsening_free(out);
        pl_particle_graph_free(coarse);
    }
    return status;
}
