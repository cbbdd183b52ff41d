// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The rest lengths of a triangle determine its angles, so the triangles around a particle can be
// unfolded into the plane without knowing positions in space. Cloth is (nearly) developable, so
// distances in the plane are geodesics, whatever the folds at rest.
#include "pbd/unfold.h"
#include "base/memory.h"
#include "math/vec3.h"

#include <math.h>

void pl_neighbours_free(pl_neighbours* n) {
    PL_FREE(n->offsets, int, n->particle_count + 1);
    PL_FREE(n->to, int, n->entry_count);
    PL_FREE(n->rest, double, n->entry_count);
    *n = (pl_neighbours){0};
}

pl_status pl_neighbours_create(const pl_particle_graph* g, pl_neighbours* n, pl_error* error) {
    *n = (pl_neighbours){.particle_count = g->particle_count, .entry_count = 2 * g->edge_count};
    n->offsets = PL_ALLOC(int, g->particle_count + 1);
    n->to = PL_ALLOC(int, n->entry_count);
    n->rest = PL_ALLOC(double, n->entry_count);
    if (!n->offsets || (g->edge_count && (!n->to || !n->rest))) {
        pl_neighbours_free(n);
        return pl_fail_memory(error, "a level of particles");
    }
    for (int k = 0; k < 2 * g->edge_count; k++) n->offsets[g->edges[k] + 1]++;
    for (int i = 0; i < g->particle_count; i++) n->offsets[i + 1] += n->offsets[i];
    for (int k = 0; k < 2 * g->edge_count; k++) {
        int at = n->offsets[g->edges[k]]++;
        n->to[at] = g->edges[k ^ 1];
        n->rest[at] = g->rest[k / 2];
    }
    for (int i = g->particle_count; i > 0; i--) n->offsets[i] = n->offsets[i - 1];
    n->offsets[0] = 0;
    return PL_OK;
}

double pl_neighbour_rest(const pl_neighbours* n, int a, int b) {
    if (a == b) return 0.0;
    for (int e = n->offsets[a]; e < n->offsets[a + 1]; e++)
        if (n->to[e] == b) return n->rest[e];
    return -1.0;
}

// angle at v of the triangle v p q from its three lengths
static double corner_angle(const pl_neighbours* n, int v, int p, int q) {
    double a = pl_neighbour_rest(n, v, p), b = pl_neighbour_rest(n, v, q),
           c = pl_neighbour_rest(n, p, q);
    if (!(a > 0.0) || !(b > 0.0) || c < 0.0) return NAN;
    double cosine = (a * a + b * b - c * c) / (2.0 * a * b);
    return acos(fmin(fmax(cosine, -1.0), 1.0));
}

// the neighbour after p around v, one triangle forward (side 1) or back (side 2); -1: boundary
static int next_around(const pl_particle_graph* g, const pl_adjacency* around, int v, int p,
                       int side) {
    for (int k = around->offsets[v]; k < around->offsets[v + 1]; k++) {
        const int* t = g->triangles + 3 * (size_t)around->items[k];
        int at = t[0] == v ? 0 : t[1] == v ? 1 : 2;
        if (t[(at + side) % 3] == p) return t[(at + 3 - side) % 3];
    }
    return -1;
}

// smaller angle around v between its neighbours p and q; NAN if no triangles connect them
static double fan_angle(const pl_particle_graph* g, const pl_neighbours* n,
                        const pl_adjacency* around, int v, int p, int q) {
    if (p == q) return 0.0;
    double best = NAN;
    for (int side = 1; side <= 2; side++) {
        double angle = 0.0;
        int at = p, most = around->offsets[v + 1] - around->offsets[v];
        for (int k = 0; k < most && at >= 0 && at != q; k++) {
            int next = next_around(g, around, v, at, side);
            if (next >= 0) angle += corner_angle(n, v, at, next);
            at = next;
        }
        if (at != q || isnan(angle)) continue;
        if (isnan(best) || angle < fabs(best)) best = side == 1 ? angle : -angle;
    }
    return best;
}

double pl_unfolded_distance(const pl_particle_graph* g, const pl_neighbours* n,
                            const pl_adjacency* around, int p, int a, int b, int q) {
    double edge = pl_neighbour_rest(n, a, b), to_p = pl_neighbour_rest(n, a, p),
           to_q = pl_neighbour_rest(n, b, q);
    double at_a = p == a ? 0.0 : fan_angle(g, n, around, a, b, p);
    double at_b = q == b ? 0.0 : fan_angle(g, n, around, b, a, q);
    // the straight line would leave the unfolded triangles
    if (!(fabs(at_a) < PL_PI) || !(fabs(at_b) < PL_PI) || edge < 0.0 || to_p < 0.0 || to_q < 0.0)
        return -1.0;
    double dx = edge + to_q * cos(PL_PI + at_b) - to_p * cos(at_a);
    double dy = to_q * sin(PL_PI + at_b) - to_p * sin(at_a);
    return sqrt(dx * dx + dy * dy);
}
