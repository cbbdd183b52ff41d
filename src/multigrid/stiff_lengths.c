// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What goes wrong where stiffness jumps: a node that holds pieces of two stiff parts with something
// soft between them cannot move one against the other, and no smoother moves a stiff part as a
// whole. Soft vertices that follow a stiff part do little harm. So a path between a node and what
// belongs to it may go down in stiffness, at some cost, but neither up nor through something weak
// from one stiff part to another (or from one arm of a part to the other).
//
//   e_ij = |A_ij| length^2   a block of elasticity is Young's modulus times the volume around the
//                            edge over its length squared, also where elements are flat; the volume
//                            is about the same all around a vertex. Attachments and inertia are on
//                            the diagonal only, and do not count
//   S_i = max_j e_ij         the stiffness of a vertex
//   weak                     e_ij below a small part of S_i or of S_j, and no way around: elements
//                            of bad shape have small blocks too, but two or three other edges of
//                            theirs lead to the same vertex, which never cross from stiff to soft
#include "multigrid/stiff_lengths.h"
#include "base/memory.h"
#include "base/tuned.h"
#include "mesh/geodesic.h"

#include <math.h>

// In sizes of the body: no path around is as long.
static const double BARRIER = 10.0;
enum { WEAK = 0 };

typedef struct couplings {
    const pl_adjacency* graph;
    double* strength;     // per item
    double* stiffness;    // per vertex
    unsigned char* found; // per item: WEAK, 1 if it is strong, k + 1 if round k found a way around
    unsigned char* seen;  // per vertex: its part is known
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

// |A_ij|^2 of a block. The fourth unknown is a pressure in units of its own, which jump where the
// stiffness does: couplings with it would make soft edges beside stiff parts look stiff.
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

// Returns how many items of some vertices are not strong. What is coupled with nothing, and what
// lies at the same place, is no matter of stiffness.
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

// a third vertex that both are coupled with by what earlier rounds found
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

// touches something weaker than itself
static bool is_stiff(const couplings* c, int i) {
    for (int k = c->graph->offsets[i]; k < c->graph->offsets[i + 1]; k++)
        if (c->found[k] == WEAK && c->strength[k] < pl_tuned.strong_edge * c->stiffness[i])
            return true;
    return false;
}

// The vertices from queue[begin] on that are one part with the first of them; returns their end.
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
