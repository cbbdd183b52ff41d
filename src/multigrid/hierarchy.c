// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Nodes come from farthest-point sampling along mesh edges (S0 section 4.1). Each prefix of the
// sample list is a coarser level. A child's parent is the nearest sample by the same distance.
//
// The affine maps of a node that move nothing (section 4.4) are the eigenvectors with eigenvalue
// zero of a Gram matrix: that of the node's points in homogeneous coordinates. So flat, collinear
// and single-vertex nodes are one case.
#include "multigrid/hierarchy.h"
#include "base/memory.h"
#include "base/tuned.h"
#include "math/symmetric.h"
#include "mesh/geodesic.h"
#include "mesh/sampling.h"

#include <math.h>
#include <string.h>

// Eigenvalues of a Gram matrix below this fraction of the largest count as zero: a thickness of
// about a thousandth of the node's size.
static const double UNSEEN = 1e-6;

static void free_transfer(pl_mg_transfer* t) {
    PL_FREE(t->parent, int, t->fine_count);
    PL_FREE(t->child_offsets, int, t->coarse_count + 1);
    PL_FREE(t->children, int, t->fine_count);
    PL_FREE(t->point, float, 4 * (size_t)t->fine_count);
    PL_FREE(t->unseen, float, 16 * (size_t)t->coarse_count);
    *t = (pl_mg_transfer){0};
}

void pl_mg_hierarchy_free(pl_mg_hierarchy* h) {
    if (h->level_count > 1) PL_FREE(h->samples, int, h->node_counts[1]);
    for (int l = 1; l < h->level_count; l++) {
        free_transfer(&h->transfers[l - 1]);
        PL_FREE(h->frames[l], pl_mg_frame, h->node_counts[l]);
    }
    *h = (pl_mg_hierarchy){0};
}

// A node of level 1 has 40 vertices. Above 6 200 vertices this number grows with the fourth root of
// the vertex count. The size of the coarsest level grows with the cube root, because its dense
// factor costs the cube of its size. Each level between has a twelfth of the nodes of the finer
// one, but never fewer than the coarsest. So a new level starts as a copy of the coarsest and grows
// from there, and no count jumps.
//
// Measured on bars and cubes of 1 000 to 523 000 vertices, update and solve to 1e-3, one thread.
// Level 1: 40 vertices per node are best for 9 000 vertices, 70 to 120 for 50 000, 100 to 150 for
// 200 000. With fewer, coarse levels cost as much as the finest; with more, iterations increase.
// Coarsest level: twice as many nodes save one iteration of 15, which does not pay where matrices
// or contacts change often.
int pl_mg_automatic_counts(int vertex_count, bool keeps_ratio, int counts[PL_MG_MAX_LEVELS - 1]) {
    double n = vertex_count, least = fmax(1.0, pl_tuned.coarsest_nodes * cbrt(n));
    double per_node = pl_tuned.vertices_per_node;
    if (!keeps_ratio) per_node = fmax(per_node, pl_tuned.vertices_per_node_growth * sqrt(sqrt(n)));
    double next = fmax(1.0, n / per_node);
    int levels[PL_MG_MAX_LEVELS - 1], count = 0;
    levels[count++] = (int)next;
    while (next > least && count < PL_MG_MAX_LEVELS - 1) {
        next = fmax(least, next / pl_tuned.nodes_per_node);
        if ((int)next < levels[count - 1]) levels[count++] = (int)next;
    }
    for (int k = 0; k < count; k++) counts[k] = levels[count - 1 - k];
    return count;
}

// sets node_counts from the options
static pl_status choose_counts(pl_mg_hierarchy* h, int vertex_count,
                               const pl_mg_hierarchy_options* options, pl_error* error) {
    int automatic[PL_MG_MAX_LEVELS - 1], count = options->count_count;
    const int* counts = options->counts;
    if (!counts || count == 0) {
        count = pl_mg_automatic_counts(vertex_count, options->keeps_ratio, automatic);
        counts = automatic;
    }
    if (count > PL_MG_MAX_LEVELS - 1)
        return pl_fail(error, PL_ERROR_ARGUMENT, "%d coarse levels are too many; give at most %d",
                       count, PL_MG_MAX_LEVELS - 1);
    h->node_counts[0] = vertex_count;
    h->level_count = 1;
    for (int k = count - 1; k >= 0; k--) {
        if (counts[k] < 1 || (k > 0 && counts[k] <= counts[k - 1]))
            return pl_fail(error, PL_ERROR_ARGUMENT,
                           "levels: %d coarse nodes after %d; give growing counts, coarsest first",
                           counts[k], k > 0 ? counts[k - 1] : 0);
        int nodes = counts[k] < vertex_count ? counts[k] : vertex_count;
        if (h->level_count > 1 && nodes == h->node_counts[h->level_count - 1]) continue;
        h->node_counts[h->level_count++] = nodes;
    }
    return PL_OK;
}

// Level 1 has as many nodes as there are samples. Disconnected parts can make them more than the
// count that was given.
static void adopt_sample_count(pl_mg_hierarchy* h, int sample_count) {
    int asked = h->node_counts[1];
    h->node_counts[1] = sample_count;
    if (sample_count <= 2 * asked || h->level_count == PL_MG_MAX_LEVELS) return;
    for (int l = h->level_count; l > 2; l--) h->node_counts[l] = h->node_counts[l - 1];
    h->node_counts[2] = asked;
    h->level_count++;
}

static pl_status allocate(pl_mg_hierarchy* h, pl_error* error) {
    for (int l = 1; l < h->level_count; l++) {
        pl_mg_transfer* t = &h->transfers[l - 1];
        t->fine_count = h->node_counts[l - 1];
        t->coarse_count = h->node_counts[l];
        t->parent = PL_ALLOC(int, t->fine_count);
        t->child_offsets = PL_ALLOC(int, t->coarse_count + 1);
        t->children = PL_ALLOC(int, t->fine_count);
        t->point = PL_ALLOC(float, 4 * (size_t)t->fine_count);
        t->unseen = PL_ALLOC(float, 16 * (size_t)t->coarse_count);
        h->frames[l] = PL_ALLOC(pl_mg_frame, t->coarse_count);
        if (!t->parent || !t->child_offsets || !t->children || !t->point || !t->unseen ||
            !h->frames[l])
            return pl_fail_memory(error, "the levels of multigrid");
    }
    h->samples = PL_ALLOC(int, h->node_counts[1]);
    return h->samples ? PL_OK : pl_fail_memory(error, "the levels of multigrid");
}

static void list_children(pl_mg_transfer* t) {
    memset(t->child_offsets, 0, ((size_t)t->coarse_count + 1) * sizeof(int));
    for (int i = 0; i < t->fine_count; i++) t->child_offsets[t->parent[i] + 1]++;
    for (int k = 0; k < t->coarse_count; k++) t->child_offsets[k + 1] += t->child_offsets[k];
    // offsets serve as cursors here and are shifted back afterwards
    for (int i = 0; i < t->fine_count; i++) t->children[t->child_offsets[t->parent[i]]++] = i;
    for (int k = t->coarse_count; k > 0; k--) t->child_offsets[k] = t->child_offsets[k - 1];
    t->child_offsets[0] = 0;
}

// The nearest of the first samples in a straight line: for parts of the mesh that contain no
// sample.
static int nearest_in_space(const pl_mg_hierarchy* h, const double* positions, int vertex,
                            int sample_count) {
    int nearest = 0;
    double least = INFINITY;
    for (int k = 0; k < sample_count; k++) {
        const double *a = positions + 3 * (size_t)h->samples[k],
                     *b = positions + 3 * (size_t)vertex;
        double square = 0.0;
        for (int c = 0; c < 3; c++) square += (a[c] - b[c]) * (a[c] - b[c]);
        if (square < least) least = square, nearest = k;
    }
    return nearest;
}

// Sets the parents of the nodes of level l (of the vertices on level 0) from the nearest sample of
// each vertex.
static void set_parents(pl_mg_hierarchy* h, int l, const int* nearest_of, const double* positions) {
    pl_mg_transfer* t = &h->transfers[l];
    for (int j = 0; j < t->fine_count; j++) {
        int vertex = l > 0 ? h->samples[j] : j, nearest = nearest_of[vertex];
        if (nearest < 0) nearest = nearest_in_space(h, positions, vertex, t->coarse_count);
        t->parent[j] = nearest;
    }
    for (int k = 0; k < t->coarse_count; k++) t->parent[l > 0 ? k : h->samples[k]] = k;
    list_children(t);
}

static pl_status search_parents(pl_mg_hierarchy* h, int l, const pl_adjacency* graph,
                                const double* lengths, const double* positions, pl_error* error) {
    pl_geodesic geodesic;
    pl_status status = pl_geodesic_create(graph, lengths, &geodesic, error);
    if (status != PL_OK) return status;
    pl_geodesic_add(&geodesic, h->samples, h->transfers[l].coarse_count);
    set_parents(h, l, geodesic.nearest, positions);
    pl_geodesic_free(&geodesic);
    return PL_OK;
}

// Intermediate results of the sampling: the nearest sample of each vertex at the moment when there
// were as many samples as a level has nodes.
typedef struct stops {
    int count, vertex_count;
    int counts[PL_MG_MAX_LEVELS];
    int* nearest[PL_MG_MAX_LEVELS];
} stops;

static void free_stops(stops* s) {
    for (int k = 0; k < s->count; k++) PL_FREE(s->nearest[k], int, s->vertex_count);
    *s = (stops){0};
}

// Level 1 is included: it becomes level 2 if disconnected parts need far more samples.
static bool prepare_stops(const pl_mg_hierarchy* h, stops* s) {
    *s = (stops){.vertex_count = h->node_counts[0]};
    for (int l = 1; l < h->level_count; l++) {
        s->counts[s->count] = h->node_counts[l];
        s->nearest[s->count] = PL_ALLOC(int, s->vertex_count);
        if (!s->nearest[s->count]) {
            free_stops(s);
            return false;
        }
        s->count++;
    }
    return true;
}

static const int* nearest_at(const stops* s, int sample_count) {
    for (int k = 0; k < s->count; k++)
        if (s->counts[k] == sample_count) return s->nearest[k];
    return NULL;
}

// Samples by plain distances, to compare densities with.
static pl_status sample_plain(const pl_mg_hierarchy* h, const pl_adjacency* graph,
                              const double* positions, const pl_mg_hierarchy_options* options,
                              pl_samples* samples, pl_error* error) {
    int item_count = graph->offsets[graph->count];
    double* lengths = PL_ALLOC(double, item_count);
    if (!lengths && item_count > 0) return pl_fail_memory(error, "the levels of multigrid");
    pl_edge_lengths(graph, positions, lengths);
    pl_status status = pl_sample_furthest(graph, lengths, options->starts, options->start_count,
                                          h->node_counts[1], samples, error);
    PL_FREE(lengths, double, item_count);
    return status;
}

// How many samples it takes until every vertex is as near to one of them as with plain_count plain
// samples.
static int count_until_dense(const pl_samples* samples, const pl_samples* plain, int plain_count) {
    int count = plain_count;
    while (count < samples->count && samples->radii[count] >= plain->radii[plain_count - 1])
        count++;
    return count;
}

// Parts that are kept apart need more nodes than one body, thin parts most of all: they are large
// for their few vertices. So each level takes as many nodes as reach the density that one body
// would have. The coarsest level is larger than that of one body too.
static void count_nodes(pl_mg_hierarchy* h, const pl_samples* samples, const pl_samples* plain) {
    int least = (int)fmin(160.0, 4.6 * cbrt((double)h->node_counts[0]));
    int plain_count = h->node_counts[1], count = count_until_dense(samples, plain, plain_count);
    h->node_counts[1] = count;
    h->level_count = 2;
    while (count > least && h->level_count < PL_MG_MAX_LEVELS) {
        plain_count =
            plain_count > pl_tuned.nodes_per_node ? plain_count / pl_tuned.nodes_per_node : 1;
        int next = count_until_dense(samples, plain, plain_count);
        if (next > count / 2) next = count / 2;
        if (next < least) next = least;
        h->node_counts[h->level_count++] = count = next;
    }
}

// Samples by the given lengths, more than the usual count, and sets the node counts of all levels.
static pl_status sample_until_dense(pl_mg_hierarchy* h, const pl_adjacency* graph,
                                    const double* positions, const pl_mg_hierarchy_options* options,
                                    pl_samples* samples, pl_error* error) {
    int asked = h->node_counts[1], vertex_count = graph->count;
    const int factor = pl_tuned.max_node_factor;
    int max_count = asked < vertex_count / factor ? factor * asked : vertex_count;
    pl_samples plain;
    pl_status status = sample_plain(h, graph, positions, options, &plain, error);
    if (status != PL_OK) return status;
    status = pl_sample_furthest(graph, options->lengths, options->starts, options->start_count,
                                max_count, samples, error);
    if (status == PL_OK) count_nodes(h, samples, &plain);
    pl_samples_free(&plain);
    return status;
}

static pl_status take_samples(pl_mg_hierarchy* h, const pl_adjacency* graph, const double* lengths,
                              const double* positions, const pl_mg_hierarchy_options* options,
                              stops* s, pl_error* error) {
    pl_samples samples = {0};
    pl_status status = PL_OK;
    bool more = options->lengths && options->count_count == 0;
    if (more) status = sample_until_dense(h, graph, positions, options, &samples, error);
    else if (!prepare_stops(h, s)) status = pl_fail_memory(error, "the levels of multigrid");
    else
        status = pl_sample_with_stops(
            graph, lengths, options->starts, options->start_count, h->node_counts[1],
            &(pl_sample_stops){s->count, s->counts, s->nearest}, &samples, error);
    if (status != PL_OK) {
        h->level_count = 0; // nothing is allocated yet
        return status;
    }
    if (!more) adopt_sample_count(h, samples.count);
    status = allocate(h, error);
    if (status == PL_OK)
        memcpy(h->samples, samples.vertices, (size_t)h->node_counts[1] * sizeof(int));
    if (status == PL_OK && samples.count == h->node_counts[1])
        set_parents(h, 0, samples.nearest, positions);
    else if (status == PL_OK) status = search_parents(h, 0, graph, lengths, positions, error);
    pl_samples_free(&samples);
    return status;
}

static pl_status build(pl_mg_hierarchy* h, const pl_adjacency* graph, const double* lengths,
                       const double* positions, const pl_mg_hierarchy_options* options,
                       pl_error* error) {
    stops s = {0};
    pl_status status = take_samples(h, graph, lengths, positions, options, &s, error);
    for (int l = 1; status == PL_OK && l + 1 < h->level_count; l++) {
        const int* nearest = nearest_at(&s, h->node_counts[l + 1]);
        if (nearest) set_parents(h, l, nearest, positions);
        else status = search_parents(h, l, graph, lengths, positions, error);
    }
    free_stops(&s);
    if (status == PL_OK) pl_mg_hierarchy_move(h, positions, NULL);
    return status;
}

pl_status pl_mg_hierarchy_setup(pl_mg_hierarchy* h, const pl_adjacency* graph,
                                const double* positions, const pl_mg_hierarchy_options* options,
                                pl_error* error) {
    *h = (pl_mg_hierarchy){.pool = options->pool};
    if (graph->count < 1)
        return pl_fail(error, PL_ERROR_ARGUMENT, "multigrid needs at least one vertex");
    pl_status status = choose_counts(h, graph->count, options, error);
    if (status != PL_OK) {
        h->level_count = 0;
        return status;
    }
    int item_count = graph->offsets[graph->count];
    double* lengths = NULL;
    const double* known = options->lengths ? options->lengths : options->plain_lengths;
    if (!known && item_count > 0) {
        lengths = PL_ALLOC(double, item_count);
        if (!lengths) {
            h->level_count = 0;
            return pl_fail_memory(error, "the levels of multigrid");
        }
        pl_edge_lengths(graph, positions, lengths);
    }
    status = build(h, graph, known ? known : lengths, positions, options, error);
    PL_FREE(lengths, double, item_count);
    if (status != PL_OK) pl_mg_hierarchy_free(h);
    return status;
}

static const double* centre_of(const pl_mg_hierarchy* h, int l, int node, const double* positions) {
    return l > 0 ? h->frames[l][node].centre : positions + 3 * (size_t)node;
}

// The frame of a node of level l: its centre is the mean of its children, its scale the root mean
// square of their distances from it. A node at a single point gets the typical scale of its level.
static void set_frame(pl_mg_hierarchy* h, int l, int node, const double* positions,
                      double typical) {
    const pl_mg_transfer* t = &h->transfers[l - 1];
    pl_mg_frame* frame = &h->frames[l][node];
    int begin = t->child_offsets[node], end = t->child_offsets[node + 1];
    *frame = (pl_mg_frame){0};
    for (int k = begin; k < end; k++)
        for (int c = 0; c < 3; c++)
            frame->centre[c] += centre_of(h, l - 1, t->children[k], positions)[c] / (end - begin);
    double square = 0.0;
    for (int k = begin; k < end; k++) {
        const double* centre = centre_of(h, l - 1, t->children[k], positions);
        for (int c = 0; c < 3; c++)
            square += (centre[c] - frame->centre[c]) * (centre[c] - frame->centre[c]);
        if (l > 1) square += pow(h->frames[l - 1][t->children[k]].scale, 2.0);
    }
    frame->scale = sqrt(square / (end - begin));
    if (!(frame->scale > 1e-9 * typical)) frame->scale = typical;
}

// diagonal of the bounding box
static double extent(const double* positions, int vertex_count) {
    double square = 0.0;
    for (int c = 0; c < 3; c++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < vertex_count; i++) {
            low = fmin(low, positions[3 * (size_t)i + (size_t)c]);
            high = fmax(high, positions[3 * (size_t)i + (size_t)c]);
        }
        square += (high - low) * (high - low);
    }
    return square > 0.0 ? sqrt(square) : 1.0;
}

static void set_points(pl_mg_hierarchy* h, int l, int begin, int end, const double* positions,
                       const unsigned char* held) {
    pl_mg_transfer* t = &h->transfers[l];
    for (int i = begin; i < end; i++) {
        const pl_mg_frame* frame = &h->frames[l + 1][t->parent[i]];
        const double* centre = centre_of(h, l, i, positions);
        float* point = t->point + 4 * (size_t)i;
        for (int c = 0; c < 3; c++)
            point[c] = (float)((centre[c] - frame->centre[c]) / frame->scale);
        point[3] = l > 0 ? (float)(h->frames[l][i].scale / frame->scale) : 1.0f;
        if (l == 0 && held && held[i]) memset(point, 0, 4 * sizeof(float));
    }
}

// G = sum of X X' over all vertices below a node of level l >= 1, in the node's frame, without the
// vertices that have one of the bits in left_out (or NULL)
static void gram_matrix(const pl_mg_hierarchy* h, int l, int node, const unsigned char* left_out,
                        int bits, double G[4][4]) {
    const pl_mg_transfer* t = &h->transfers[l - 1];
    memset(G, 0, 16 * sizeof(double));
    for (int k = t->child_offsets[node]; k < t->child_offsets[node + 1]; k++) {
        int child = t->children[k];
        const float* p = t->point + 4 * (size_t)child;
        if (l == 1 && left_out && left_out[child] & bits) continue;
        if (l == 1) {
            for (int a = 0; a < 4; a++)
                for (int b = 0; b < 4; b++) G[a][b] += (double)p[a] * (double)p[b];
            continue;
        }
        double below[4][4], half[4][4]; // T G T', with T = [ratio I, shift; 0 1]
        gram_matrix(h, l - 1, child, left_out, bits, below);
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++)
                half[a][b] =
                    a < 3 ? (double)p[3] * below[a][b] + (double)p[a] * below[3][b] : below[3][b];
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++)
                G[a][b] +=
                    b < 3 ? (double)p[3] * half[a][b] + (double)p[b] * half[a][3] : half[a][3];
    }
}

// unseen = sum of n n' over the eigenvectors n of the Gram matrix whose eigenvalue is (almost) zero
void pl_mg_hierarchy_unseen(const pl_mg_hierarchy* h, int l, int node,
                            const unsigned char* left_out, int bits, float* unseen) {
    double G[4][4], values[4], V[4][4], largest = 0.0;
    gram_matrix(h, l, node, left_out, bits, G);
    memset(unseen, 0, 16 * sizeof(float));
    if (!pl_symmetric_eigen(4, &G[0][0], values, &V[0][0])) return;
    for (int k = 0; k < 4; k++) largest = fmax(largest, values[k]);
    for (int k = 0; k < 4; k++) {
        if (values[k] > UNSEEN * largest) continue;
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++) unseen[4 * a + b] += (float)(V[a][k] * V[b][k]);
    }
}

enum { NODE_BLOCK = 32, POINT_BLOCK = 2048 };

typedef struct move_job {
    pl_mg_hierarchy* h;
    int l;
    const double* positions;
    const unsigned char* held;
    double typical;
} move_job;

static void frames_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const move_job* job = user;
    for (int k = begin; k < end; k++) set_frame(job->h, job->l, k, job->positions, job->typical);
}

static void points_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const move_job* job = user;
    set_points(job->h, job->l - 1, begin, end, job->positions, job->held);
}

static void unseen_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const move_job* job = user;
    for (int k = begin; k < end; k++)
        pl_mg_hierarchy_unseen(job->h, job->l, k, NULL, 0,
                               job->h->transfers[job->l - 1].unseen + 16 * (size_t)k);
}

void pl_mg_hierarchy_move(pl_mg_hierarchy* h, const double* positions, const unsigned char* held) {
    double size = extent(positions, h->node_counts[0]);
    for (int l = 1; l < h->level_count; l++) {
        move_job job = {h, l, positions, held, size / cbrt((double)h->node_counts[l])};
        pl_parallel_for(h->pool, frames_task, h->node_counts[l], NODE_BLOCK, &job);
        pl_parallel_for(h->pool, points_task, h->node_counts[l - 1], POINT_BLOCK, &job);
        pl_parallel_for(h->pool, unseen_task, h->node_counts[l], NODE_BLOCK, &job);
    }
}
