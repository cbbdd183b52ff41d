// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "mesh/surface_edges.h"
#include "base/memory.h"
#include "math/vec3.h"
#include "mesh/close_vertices.h"
#include "mesh/disjoint_sets.h"

#include <stdlib.h>

typedef struct side {
    int low, high; // the edge's vertices
    int reversed;  // the triangle runs from high to low
} side;

typedef struct work {
    const double* positions;
    int vertex_count, triangle_count, side_count;
    const int* triangles;
    int* first;     // the representative of each vertex
    int* parents;   // union-find over vertices
    double* length; // of the boundary around a hole, at the root of its vertices
    side* sides;
} work;

static int compare_sides(const void* a, const void* b) {
    const side *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    return x->reversed - y->reversed;
}

static pl_vec3 position(const work* w, int vertex) {
    return pl_vec3_load(w->positions + 3 * (size_t)vertex);
}

static void collect_sides(work* w, pl_surface_edges* out) {
    for (int v = 0; v < w->vertex_count; v++) w->parents[v] = v;
    for (int t = 0; t < w->triangle_count; t++) {
        int v[3];
        for (int k = 0; k < 3; k++) v[k] = w->first[w->triangles[3 * (size_t)t + (size_t)k]];
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) continue;
        for (int k = 0; k < 3; k++) {
            int a = v[k], b = v[(k + 1) % 3];
            w->sides[w->side_count++] = a < b ? (side){a, b, 0} : (side){b, a, 1};
        }
        pl_set_join(w->parents, v[0], v[1]);
        pl_set_join(w->parents, v[1], v[2]);
        pl_vec3 a = position(w, v[0]), b = position(w, v[1]), c = position(w, v[2]);
        out->area += 0.5 * pl_norm(pl_cross(pl_sub(b, a), pl_sub(c, a)));
        // relative to one vertex, so that a surface far from the origin loses no digits
        pl_vec3 o = position(w, w->sides[0].low);
        out->signed_volume += pl_det4(o, a, b, c) / 6.0;
    }
}

// counts the distinct roots of the vertices that sides use
static int count_roots(work* w, unsigned char* seen) {
    int count = 0;
    for (int s = 0; s < w->side_count; s++) {
        int root = pl_set_root(w->parents, w->sides[s].low);
        if (!seen[root]) count++;
        seen[root] = 1;
    }
    return count;
}

static void count_edge(work* w, int begin, int end, pl_surface_edges* out) {
    out->edge_count++;
    if (end - begin > 2) out->crowded_count++;
    else if (end - begin == 1) {
        out->boundary_count++;
        // boundary edges are kept at the front for the holes
        w->sides[out->boundary_count - 1] = w->sides[begin];
    } else if (w->sides[begin].reversed == w->sides[begin + 1].reversed) out->turned_count++;
    else out->manifold_count++;
}

static void count_edges(work* w, pl_surface_edges* out) {
    qsort(w->sides, (size_t)w->side_count, sizeof(side), compare_sides);
    for (int begin = 0, end; begin < w->side_count; begin = end) {
        for (end = begin + 1; end < w->side_count; end++)
            if (w->sides[end].low != w->sides[begin].low ||
                w->sides[end].high != w->sides[begin].high)
                break;
        count_edge(w, begin, end, out);
    }
}

static void measure_holes(work* w, pl_surface_edges* out) {
    const double four_pi = 12.566370614359172954;
    for (int v = 0; v < w->vertex_count; v++) w->parents[v] = v;
    for (int s = 0; s < out->boundary_count; s++)
        pl_set_join(w->parents, w->sides[s].low, w->sides[s].high);
    for (int s = 0; s < out->boundary_count; s++) {
        const side* b = &w->sides[s];
        w->length[pl_set_root(w->parents, b->low)] +=
            pl_distance(position(w, b->low), position(w, b->high));
    }
    for (int v = 0; v < w->vertex_count; v++) {
        if (w->length[v] == 0.0) continue;
        out->hole_count++;
        out->hole_area += w->length[v] * w->length[v] / four_pi;
    }
}

static void count_all(work* w, unsigned char* seen, pl_surface_edges* out) {
    collect_sides(w, out);
    out->part_count = count_roots(w, seen);
    count_edges(w, out);
    measure_holes(w, out);
}

pl_status pl_surface_edges_count(const double* positions, int vertex_count, const int* triangles,
                                 int triangle_count, pl_surface_edges* out, pl_error* error) {
    *out = (pl_surface_edges){0};
    work w = {.positions = positions, .vertex_count = vertex_count, .triangles = triangles};
    w.triangle_count = triangle_count;
    if (triangle_count > INT32_MAX / 3)
        return pl_fail(error, PL_ERROR_LIMIT, "%d triangles are too many", triangle_count);
    if (vertex_count == 0 || triangle_count == 0) return PL_OK;
    w.first = PL_ALLOC(int, vertex_count);
    w.parents = PL_ALLOC(int, vertex_count);
    w.length = PL_ALLOC(double, vertex_count);
    w.sides = PL_ALLOC(side, 3 * (size_t)triangle_count);
    unsigned char* seen = PL_ALLOC(unsigned char, vertex_count);
    pl_status status =
        w.first && w.parents && w.length && w.sides && seen
            ? pl_first_of_close_vertices(positions, vertex_count, 0.0, w.first, error)
            : pl_fail_memory(error, "the edges of a surface");
    if (status == PL_OK) count_all(&w, seen, out);
    PL_FREE(w.first, int, vertex_count);
    PL_FREE(w.parents, int, vertex_count);
    PL_FREE(w.length, double, vertex_count);
    PL_FREE(w.sides, side, 3 * (size_t)triangle_count);
    PL_FREE(seen, unsigned char, vertex_count);
    return status;
}

bool pl_surface_is_open(const pl_surface_edges* edges) {
    return edges->hole_area > PL_MAX_HOLE_SHARE * edges->area;
}
