// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The problem: a node that contains pieces of two stiff parts, with something soft between them,
// cannot move one against the other, and no smoother moves a stiff part as a whole. Soft vertices
// that follow a stiff part do little harm. So a path from a node to one of its vertices may go from
// stiff to soft, at some cost, but not from soft to stiff, and not through a weak edge from one
// stiff part to another (or between two arms of the same part).
//
// clang-format off
//   e_ij = |A_ij| length^2   strength of an edge. The block is Young's modulus times the volume around
//                            the edge over its length squared, also in flat elements, and the volume
//                            is about the same all around a vertex. Attachments and inertia are only
//                            on the diagonal, so they have no effect
//   S_i = max_j e_ij         stiffness of a vertex
//   weak edge                e_ij is below a small fraction of S_i or S_j, and there is no way around
//                            through strong edges. Badly shaped elements have small blocks too, but
//                            two or three of their other edges lead to the same vertex; those never
//                            cross from stiff to soft
// clang-format on
#include "multigrid/stiff_lengths.h"
#include "base/memory.h"
#include "base/tuned.h"
#include "mesh/geodesic.h"

#include <math.h>

// Added to weak edges, in sizes of the body: longer than any path around.
static const double BARRIER = 10.0;
enum { WEAK = 0 };

typedef struct couplings {
    const pl_adjacency* graph;
    double* strength;     // per item
    double* stiffness;    // per vertex
    unsigned char* found; // per item: WEAK; 1: strong; k + 1: round k found a way around
    unsigned char* seen;  // per vertex: its part has been visited
    int* queue;           // of vertices
} couplings;

static void free_couplings(couplings* c) {
    int item_count = c->graph->offsets[c->graph->count];
    PL_FREE(c->strength, double, item_count);
    PL_FREE(c->stiffness, double, c->graph->count);
    PL_FREE(c->found, unsigned char, item_count);
    PL_FREE(c->seen, unsigned char, c->graph->count);
    PL_FREE(c->queue, int, c->graph->count);
}

static bool allocate_couplings(couplings* c) {
    int item_count = c->graph->offsets[c->graph->count];
    c->strength = PL_ALLOC(double, item_count);
    c->stiffness = PL_ALLOC(double, c->graph->count);
    c->found = PL_ALLOC(unsigned char, item_count);
    c->seen = PL_ALLOC(unsigned char, c->graph->count);
    c->queue = PL_ALLOC(int, c->graph->count);
    return item_count > 0 && c->strength && c->stiffness && c->found && c->seen && c->queue;
}

enum { VERTEX_BLOCK = 1024 };

typedef struct measure_job {
    couplings* c;
    const double *positions, *values;
    int block;
    const int* entries;
    double* lengths;
} measure_job;

static void lengths_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const measure_job* job = user;
    pl_edge_lengths_of(job->c->graph, job->positions, begin, end, job->lengths);
}

// |A_ij|^2 of a block, displacements only. The fourth unknown is a pressure. Its unit changes with
// the stiffness, so its couplings would make soft edges beside stiff parts look stiff.
static double square_of_displacements(const double* A, int block) {
    const int count = block < 4 ? block : 3;
    double square = 0.0;
    for (int r = 0; r < count; r++)
        for (int c = 0; c < count; c++) square += A[block * r + c] * A[block * r + c];
    return square;
}

static void measure_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const measure_job* job = user;
    couplings* c = job->c;
    const pl_adjacency* graph = c->graph;
    const double *values = job->values, *lengths = job->lengths;
    const int* entries = job->entries;
    const int block = job->block, size = block * block;
    for (int i = begin; i < end; i++) {
        c->stiffness[i] = 0.0;
        for (int k = graph->offsets[i]; k < graph->offsets[i + 1]; k++) {
            const double* A = values + (size_t)size * (size_t)(entries ? entries[k] : k);
            const double square = square_of_displacements(A, block);
            bool edge = graph->items[k] != i;
            c->strength[k] = edge ? sqrt(square) * lengths[k] * lengths[k] : 0.0;
            c->stiffness[i] = fmax(c->stiffness[i], c->strength[k]);
        }
    }
}

// Marks the strong items of some vertices; returns the number of weak ones. Items between vertices
// at the same place, or with a vertex without couplings, count as strong.
static double find_strong(int begin, int end, void* user) {
    const measure_job* job = user;
    couplings* c = job->c;
    const double* lengths = job->lengths;
    const pl_adjacency* graph = c->graph;
    int weak_count = 0;
    for (int i = begin; i < end; i++)
        for (int k = graph->offsets[i]; k < graph->offsets[i + 1]; k++) {
            double a = c->stiffness[i], b = c->stiffness[graph->items[k]];
            bool plain = !(a > 0.0) || !(b > 0.0) || !(lengths[k] > 0.0);
            c->found[k] = plain || !(c->strength[k] < pl_tuned.strong_edge * fmax(a, b));
            weak_count += c->found[k] == WEAK;
        }
    return weak_count;
}

// true if i and j are both coupled with a third vertex by edges that earlier rounds found
static bool way_around(const couplings* c, int i, int j, int round) {
    const pl_adjacency* graph = c->graph;
    int p = graph->offsets[i], q = graph->offsets[j];
    while (p < graph->offsets[i + 1] && q < graph->offsets[j + 1]) {
        int a = graph->items[p], b = graph->items[q];
        if (a == b && a != i && a != j && c->found[p] != WEAK && c->found[p] <= round &&
            c->found[q] != WEAK && c->found[q] <= round)
            return true;
        p += a <= b;
        q += b <= a;
    }
    return false;
}

static int find_ways_around(couplings* c, int round, int weak_count) {
    const pl_adjacency* graph = c->graph;
    for (int i = 0; i < graph->count; i++)
        for (int k = graph->offsets[i]; k < graph->offsets[i + 1]; k++)
            if (c->found[k] == WEAK && way_around(c, i, graph->items[k], round)) {
                c->found[k] = (unsigned char)(round + 1);
                weak_count--;
            }
    return weak_count;
}

// true if the vertex is an end of an edge that is weak for it
static bool is_stiff(const couplings* c, int i) {
    for (int k = c->graph->offsets[i]; k < c->graph->offsets[i + 1]; k++)
        if (c->found[k] == WEAK && c->strength[k] < pl_tuned.strong_edge * c->stiffness[i])
            return true;
    return false;
}

// Fills the queue from `begin` on with all vertices of the same part as queue[begin]; returns the
// end.
static int find_part(couplings* c, int begin) {
    const pl_adjacency* graph = c->graph;
    int end = begin + 1;
    c->seen[c->queue[begin]] = 1;
    for (int at = begin; at < end; at++)
        for (int i = c->queue[at], k = graph->offsets[i]; k < graph->offsets[i + 1]; k++) {
            int j = graph->items[k];
            if (c->found[k] == WEAK || c->seen[j]) continue;
            c->seen[j] = 1;
            c->queue[end++] = j;
        }
    return end;
}

static void lengthen_stiff_parts(couplings* c, double* lengths) {
    const pl_adjacency* graph = c->graph;
    for (int first = 0, begin = 0; first < graph->count; first++) {
        if (c->seen[first] || !is_stiff(c, first)) continue;
        c->queue[begin] = first;
        int end = find_part(c, begin);
        for (int at = begin; end - begin >= pl_tuned.large_part && at < end; at++)
            for (int i = c->queue[at], k = graph->offsets[i]; k < graph->offsets[i + 1]; k++)
                if (c->found[k] != WEAK) lengths[k] *= pl_tuned.stiff_length;
        begin = end;
    }
}

static double body_size(const double* positions, int count) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < 3 * count; i++) {
        low[i % 3] = fmin(low[i % 3], positions[i]);
        high[i % 3] = fmax(high[i % 3], positions[i]);
    }
    return hypot(hypot(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
}

static void lengthen_weak(const couplings* c, double barrier, double* lengths) {
    const pl_adjacency* graph = c->graph;
    for (int i = 0; i < graph->count; i++)
        for (int k = graph->offsets[i]; k < graph->offsets[i + 1]; k++) {
            if (c->found[k] != WEAK) continue;
            bool down = c->strength[k] >= pl_tuned.strong_edge * c->stiffness[graph->items[k]];
            if (down) lengths[k] *= pl_tuned.downhill_length;
            else lengths[k] += barrier;
        }
}

bool pl_stiff_lengths(const pl_adjacency* graph, const double* positions, const double* values,
                      int block, const int* entries, pl_pool* pool, double* lengths) {
    couplings c = {.graph = graph};
    measure_job job = {&c, positions, values, block, entries, lengths};
    int weak_count = 0,
        few = pl_tuned.few_weak + graph->offsets[graph->count] / pl_tuned.many_edges;
    pl_parallel_for(pool, lengths_task, graph->count, VERTEX_BLOCK, &job);
    if (allocate_couplings(&c)) {
        pl_parallel_for(pool, measure_task, graph->count, VERTEX_BLOCK, &job);
        weak_count = (int)pl_parallel_sum(pool, find_strong, graph->count, VERTEX_BLOCK, &job);
        for (int round = 1; weak_count > few && round <= pl_tuned.ways_around; round++)
            weak_count = find_ways_around(&c, round, weak_count);
        if (weak_count > few) {
            lengthen_stiff_parts(&c, lengths);
            lengthen_weak(&c, BARRIER * body_size(positions, graph->count), lengths);
        }
    }
    free_couplings(&c);
    return weak_count > few;
}
