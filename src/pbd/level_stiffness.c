// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "pbd/level_stiffness.h"
#include "base/memory.h"
#include "math/vec3.h"
#include "mesh/spring_net.h"
#include "pbd/unfold.h"

#include <math.h>

// the constant c of level_stiffness.h, measured on hanging cloth (pliant-bench s1-hang)
static const double UNRESOLVED = 0.19;
// Smallest fraction of the stiffness of a level; below it the level has no effect.
static const double MIN_SHARE = 1e-3;
// Stiffness of an edge of a solid divided by modulus and length; roughly that of regular tets.
static const double SOLID_EDGE = 0.25;

static pl_vec3 place(const pl_particle_graph* g, int i) {
    return pl_vec3_load(g->places + 3 * (size_t)i);
}

// Means over edges and over free particles. The stiffness of an edge is about the modulus for a
// sheet, whatever its length, and modulus times length for a solid.
pl_status pl_level_measure(pl_pbd_level* l, pl_error* error) {
    (void)error;
    const pl_particle_graph* g = &l->graph;
    if (!l->modulus) return PL_OK;
    double stiffness = 0.0, weight = 0.0;
    int free_count = 0;
    for (int e = 0; e < g->edge_count; e++) {
        const int* ends = g->edges + 2 * (size_t)e;
        double modulus = 0.5 * (l->modulus[ends[0]] + l->modulus[ends[1]]);
        stiffness += modulus * (g->triangle_count ? 1.0 : SOLID_EDGE * g->rest[e]);
    }
    for (int i = 0; i < g->particle_count; i++)
        if (!g->attached[i]) weight += 2.0 / l->mass[i], free_count++;
    l->mean_stiffness = g->edge_count ? stiffness / g->edge_count : 0.0;
    l->mean_weight = free_count ? weight / free_count : 0.0;
    return PL_OK;
}

static bool is_torn(const pl_pbd_level* l, const int ends[2]) {
    return l->torn && (l->torn[ends[0]] || l->torn[ends[1]]);
}

static void add_spring(pl_pbd_level* l, const int ends[2], double rest, double share,
                       pl_constraint_set* set) {
    double modulus = 0.5 * (l->modulus[ends[0]] + l->modulus[ends[1]]), stiffness = modulus * share;
    if (ends[0] == ends[1] || !(stiffness > 0.0) || is_torn(l, ends)) return;
    float length = (float)rest, compliance = (float)(1.0 / stiffness);
    pl_constraint_set_add(set, ends, &length, &compliance);
}

// springs along the edges of a solid, with straight rest lengths
static pl_status add_solid_edges(pl_pbd_level* l, bool bilateral, pl_error* error) {
    const pl_particle_graph* g = &l->graph;
    pl_constraint_set* set = &l->sets[l->set_count];
    pl_status status = pl_constraint_set_create(
        bilateral ? PL_CONSTRAINT_DISTANCE : PL_CONSTRAINT_LIMIT, g->edge_count, true, set, error);
    if (status != PL_OK) return status;
    l->set_count++;
    for (int e = 0; e < g->edge_count; e++) {
        const int* ends = g->edges + 2 * (size_t)e;
        double length = pl_distance(place(g, ends[0]), place(g, ends[1]));
        add_spring(l, ends, bilateral ? length : g->rest[e], SOLID_EDGE * length, set);
    }
    return PL_OK;
}

// Distance between the two corners opposite an edge when its two triangles are unfolded. Their
// sides are (edge, a, b) and (edge, c, d); a and c start at the same end of the edge.
static double flat_distance(double edge, double a, double b, double c, double d) {
    double x = 0.5 * (edge * edge + a * a - b * b) / edge, y = sqrt(fmax(a * a - x * x, 0.0));
    double u = 0.5 * (edge * edge + c * c - d * d) / edge, v = sqrt(fmax(c * c - u * u, 0.0));
    return sqrt((x - u) * (x - u) + (y + v) * (y + v));
}

static double across_rest(const pl_neighbours* n, const int ends[2], const int corners[2]) {
    return flat_distance(
        pl_neighbour_rest(n, ends[0], ends[1]), pl_neighbour_rest(n, ends[0], corners[0]),
        pl_neighbour_rest(n, ends[1], corners[0]), pl_neighbour_rest(n, ends[0], corners[1]),
        pl_neighbour_rest(n, ends[1], corners[1]));
}

static void fill_cloth(pl_pbd_level* l, const pl_side_groups* sides, const pl_spring_net* net,
                       const pl_neighbours* n, pl_constraint_set* edges,
                       pl_constraint_set* across) {
    const int* triangles = l->graph.triangles;
    for (int g = 0, p = 0; g < sides->groups.count; g++) {
        pl_edge_pairs pairs = pl_edge_pairs_of(sides, g);
        int side = pairs.sides[0], ends[2];
        pl_triangle_edge(triangles + 3 * (size_t)(side / 3), side % 3, ends);
        double rest = pl_neighbour_rest(n, ends[0], ends[1]);
        if (rest > 0.0) add_spring(l, ends, rest, net->edges[g], edges);
        for (int pair[2]; pl_edge_pairs_next(&pairs, pair); p++) {
            int corners[2] = {triangles[pair[0]], triangles[pair[1]]};
            // at least the straight distance: rest lengths that are too long would give too short a
            // result
            double straight =
                pl_distance(place(&l->graph, corners[0]), place(&l->graph, corners[1]));
            if (rest > 0.0)
                add_spring(l, corners, fmax(straight, across_rest(n, ends, corners)),
                           net->across[p], across);
        }
    }
}

static pl_status add_cloth(pl_pbd_level* l, pl_constraint_kind kind, const pl_side_groups* sides,
                           const pl_spring_net* net, const pl_neighbours* n, pl_error* error) {
    pl_constraint_set *edges = &l->sets[l->set_count], *across = edges + 1;
    pl_status status = pl_constraint_set_create(kind, sides->groups.count, true, edges, error);
    if (status != PL_OK) return status;
    l->set_count++;
    status = pl_constraint_set_create(kind, pl_edge_pair_count(sides), true, across, error);
    if (status != PL_OK) return status;
    l->set_count++;
    fill_cloth(l, sides, net, n, edges, across);
    return PL_OK;
}

pl_status pl_level_add_springs(pl_pbd_level* l, bool bilateral, pl_error* error) {
    const pl_particle_graph* g = &l->graph;
    if (!g->triangle_count) return add_solid_edges(l, bilateral, error);
    pl_side_groups sides = {0};
    pl_spring_net net = {0};
    pl_neighbours n = {0};
    pl_status status =
        pl_side_groups_create(g->triangles, g->triangle_count, 3, g->particle_count, &sides, error);
    if (status != PL_OK) return status;
    status = pl_spring_net_create(g->places, g->particle_count, g->triangles, g->triangle_count,
                                  &sides, &net, error);
    if (status == PL_OK) status = pl_neighbours_create(g, &n, error);
    if (status == PL_OK)
        status = add_cloth(l, bilateral ? PL_CONSTRAINT_DISTANCE : PL_CONSTRAINT_LIMIT, &sides,
                           &net, &n, error);
    pl_neighbours_free(&n);
    pl_spring_net_free(&net);
    pl_side_groups_free(&sides);
    return status;
}

enum { MAX_COARSEST_SWEEPS = 32 };

static int projection_count(const pl_pbd_level* l) {
    int count = 0;
    for (int k = 0; k < l->set_count; k++) count += l->sets[k].count;
    return count;
}

// The coarsest level may use more sweeps, for at most a quarter of the cost of a sweep over the
// finest level: no other level can remove the error that it leaves.
static int coarsest_sweeps(const pl_hierarchy* h, int finest, int sweeps) {
    int coarsest = projection_count(&h->levels[h->level_count - 1]);
    int cheap = coarsest ? projection_count(&h->levels[finest]) / (4 * coarsest) : 0;
    if (cheap > MAX_COARSEST_SWEEPS) cheap = MAX_COARSEST_SWEEPS;
    return cheap > sweeps ? cheap : sweeps;
}

int pl_hierarchy_sweeps(const pl_hierarchy* h, int level, int finest, int sweeps) {
    return level == h->level_count - 1 ? coarsest_sweeps(h, finest, sweeps) : sweeps;
}

void pl_hierarchy_share_load(pl_hierarchy* h, int finest, double time_step, int fine_sweeps,
                             int coarse_sweeps) {
    double share = 1.0;
    for (int k = finest; k < h->level_count; k++) {
        pl_pbd_level* l = &h->levels[k];
        l->sweeper.softness = 1.0 / fmax(share, MIN_SHARE);
        if (!l->modulus) continue;
        int sweeps = k == finest ? fine_sweeps : pl_hierarchy_sweeps(h, k, finest, coarse_sweeps);
        double gives = UNRESOLVED * l->mean_weight * l->mean_stiffness * time_step * time_step;
        share -= 1.0 / (l->sweeper.softness + gives / sweeps);
    }
}
