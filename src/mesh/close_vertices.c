// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A hashed grid whose cells are a little wider than twice the tolerance. So the vertices within the
// tolerance of a point are in at most two cells per axis, even after rounding. Only vertices with
// first[v] == v are stored; they are farther apart than the tolerance, so no cell holds many.
#include "mesh/close_vertices.h"
#include "base/hash.h"
#include "base/memory.h"
#include "math/vec3.h"

#include <stdbool.h>
#include <string.h>

typedef struct cell {
    int64_t i[3];
} cell;

typedef struct grid {
    const double* positions;
    double tolerance;
    uint64_t mask;
    int* heads; // by hash: the last vertex put in, + 1
    int* next;  // per vertex: the one before it, + 1
} grid;

// For tolerance 0, the bits of the coordinate (with -0 as 0).
static int64_t cell_index(const grid* g, double x) {
    int64_t bits;
    if (g->tolerance > 0.0) {
        double scaled = floor(x / (2.5 * g->tolerance));
        return (int64_t)fmax(-4e18, fmin(4e18, scaled));
    }
    x += 0.0;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint64_t cell_slot(const grid* g, cell c) {
    uint64_t h = pl_hash_mix((uint64_t)c.i[0] + UINT64_C(0x9e3779b97f4a7c15));
    h = pl_hash_mix(h ^ (uint64_t)c.i[1]);
    return pl_hash_mix(h ^ (uint64_t)c.i[2]) & g->mask;
}

// Tolerance 0 compares coordinates, since the square of a small distance may underflow.
static bool is_close(const grid* g, int v, int w) {
    const double *p = g->positions + 3 * (size_t)v, *q = g->positions + 3 * (size_t)w;
    if (g->tolerance > 0.0) return pl_distance(pl_vec3_load(p), pl_vec3_load(q)) <= g->tolerance;
    return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

// The lowest vertex near v in one cell's chain, or the given one if that is lower.
static int look_in(const grid* g, cell c, int v, int found) {
    for (int w = g->heads[cell_slot(g, c)] - 1; w >= 0; w = g->next[w] - 1)
        if (w < found && is_close(g, v, w)) found = w;
    return found;
}

static int find_close(const grid* g, int v) {
    const double* p = g->positions + 3 * (size_t)v;
    cell low, high;
    for (int k = 0; k < 3; k++) {
        low.i[k] = cell_index(g, p[k] - g->tolerance);
        high.i[k] = cell_index(g, p[k] + g->tolerance);
    }
    int found = v;
    for (int corner = 0; corner < 8; corner++) {
        cell c;
        bool again = false; // this cell was searched already
        for (int k = 0; k < 3; k++) {
            bool upper = corner >> k & 1;
            again |= upper && low.i[k] == high.i[k];
            c.i[k] = upper ? high.i[k] : low.i[k];
        }
        if (!again) found = look_in(g, c, v, found);
    }
    return found;
}

static void insert(grid* g, int v) {
    const double* p = g->positions + 3 * (size_t)v;
    cell c = {{cell_index(g, p[0]), cell_index(g, p[1]), cell_index(g, p[2])}};
    uint64_t slot = cell_slot(g, c);
    g->next[v] = g->heads[slot];
    g->heads[slot] = v + 1;
}

pl_status pl_first_of_close_vertices(const double* positions, int vertex_count, double tolerance,
                                     int* first, pl_error* error) {
    if (vertex_count == 0) return PL_OK;
    size_t slots = 16;
    while (slots < (size_t)vertex_count) slots *= 2;
    grid g = {.positions = positions,
              .tolerance = isfinite(tolerance) ? tolerance : 0.0,
              .mask = slots - 1};
    g.heads = PL_ALLOC(int, slots);
    g.next = PL_ALLOC(int, vertex_count);
    bool ready = g.heads && g.next;
    for (int v = 0; ready && v < vertex_count; v++) {
        const double* p = positions + 3 * (size_t)v;
        first[v] = v;
        if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2])) continue;
        first[v] = find_close(&g, v);
        if (first[v] == v) insert(&g, v);
    }
    PL_FREE(g.heads, int, slots);
    PL_FREE(g.next, int, vertex_count);
    return ready ? PL_OK : pl_fail_memory(error, "the search for duplicate vertices");
}
