// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Edges longer than the spacing are divided evenly, once for all triangles that share them. A
// triangle gets rows of points parallel to its longest edge, so slivers get few points.
#include "base/array.h"
#include "base/memory.h"
#include "grid/grid_embedding.h"
#include "math/vec3.h"

#include <math.h>
#include <stdlib.h>

// an edge longer than the spacing, and its points
typedef struct long_edge {
    int vertices[2]; // ascending
    int first, count;
} long_edge;

typedef struct sampler {
    const pl_mesh* surface;
    double spacing;
    pl_array edges;     // of long_edge, sorted by vertices
    pl_array positions; // 3 doubles per point
    pl_array areas;
    double* vertex_area;
    bool lost; // an allocation failed
} sampler;

static pl_vec3 vertex_at(const sampler* s, int v) {
    return pl_vec3_load(s->surface->positions + 3 * (size_t)v);
}

static int compare_edges(const void* a, const void* b) {
    const long_edge *x = a, *y = b;
    for (int k = 0; k < 2; k++)
        if (x->vertices[k] != y->vertices[k]) return x->vertices[k] < y->vertices[k] ? -1 : 1;
    return 0;
}

static long_edge edge_of(const int* triangle, int side) {
    int a = triangle[side], b = triangle[(side + 1) % 3];
    return a < b ? (long_edge){{a, b}, 0, 0} : (long_edge){{b, a}, 0, 0};
}

static long_edge* find_edge(const sampler* s, const int* triangle, int side) {
    long_edge key = edge_of(triangle, side);
    if (s->edges.count == 0) return NULL;
    return bsearch(&key, s->edges.data, s->edges.count, sizeof key, compare_edges);
}

static void add_point(sampler* s, pl_vec3 at, double area) {
    double* place = pl_array_add(&s->positions, 3);
    if (place) pl_vec3_store(place, at);
    if (!place || !pl_array_push(&s->areas, &area)) s->lost = true;
}

// number of parts that a length is divided into
static double parts_of(const sampler* s, double length) {
    return fmax(ceil(length / s->spacing - 1e-6), 1.0);
}

static void list_edges(sampler* s) {
    for (int t = 0; t < s->surface->triangle_count; t++)
        for (int side = 0; side < 3; side++) {
            long_edge e = edge_of(s->surface->triangles + 3 * (size_t)t, side);
            double length = pl_distance(vertex_at(s, e.vertices[0]), vertex_at(s, e.vertices[1]));
            if (parts_of(s, length) > 1.0 && !pl_array_push(&s->edges, &e)) s->lost = true;
        }
    if (s->edges.count == 0) return;
    qsort(s->edges.data, s->edges.count, sizeof(long_edge), compare_edges);
    long_edge* edges = s->edges.data;
    size_t kept = 1;
    for (size_t k = 1; k < s->edges.count; k++)
        if (compare_edges(&edges[k], &edges[kept - 1]) != 0) edges[kept++] = edges[k];
    s->edges.count = kept;
}

static void divide_edges(sampler* s) {
    long_edge* edges = s->edges.data;
    for (size_t k = 0; k < s->edges.count && !s->lost; k++) {
        pl_vec3 a = vertex_at(s, edges[k].vertices[0]), b = vertex_at(s, edges[k].vertices[1]);
        const double parts = parts_of(s, pl_distance(a, b));
        edges[k].first = (int)s->areas.count;
        edges[k].count = (int)parts - 1;
        for (double n = 1.0; n < parts; n += 1.0) add_point(s, pl_lerp(a, b, n / parts), 0.0);
    }
}

// Rows of points inside a triangle, parallel to its longest edge; returns the area that they
// represent.
static double add_rows(sampler* s, const int* triangle) {
    pl_vec3 x[3];
    double longest = 0.0;
    int base = 0;
    for (int i = 0; i < 3; i++) x[i] = vertex_at(s, triangle[i]);
    for (int i = 0; i < 3; i++)
        if (pl_distance(x[i], x[(i + 1) % 3]) > longest)
            longest = pl_distance(x[i], x[(i + 1) % 3]), base = i;
    if (!(longest > 0.0)) return 0.0;
    const pl_vec3 left = x[base], right = x[(base + 1) % 3], top = x[(base + 2) % 3];
    const double height = pl_norm(pl_cross(pl_sub(right, left), pl_sub(top, left))) / longest;
    const double rows = parts_of(s, height);
    double covered = 0.0;
    for (double r = 1.0; r < rows; r += 1.0) {
        pl_vec3 from = pl_lerp(left, top, r / rows), to = pl_lerp(right, top, r / rows);
        const double length = pl_distance(from, to), parts = parts_of(s, length);
        const double area = length / parts * height / rows;
        for (double n = 1.0; n < parts && !s->lost; n += 1.0) {
            add_point(s, pl_lerp(from, to, n / parts), area);
            covered += area;
        }
    }
    return covered;
}

// Distributes the rest of a triangle's area over its corners and the points on its edges.
static void share_area(sampler* s, const int* triangle, double covered) {
    const pl_vec3 a = vertex_at(s, triangle[0]);
    const double area = 0.5 * pl_norm(pl_cross(pl_sub(vertex_at(s, triangle[1]), a),
                                               pl_sub(vertex_at(s, triangle[2]), a)));
    const long_edge* edges[3];
    int count = 3;
    for (int side = 0; side < 3; side++) {
        edges[side] = find_edge(s, triangle, side);
        if (edges[side]) count += edges[side]->count;
    }
    const double share = fmax(area - covered, 0.0) / count;
    double* areas = s->areas.data;
    for (int side = 0; side < 3; side++) {
        s->vertex_area[triangle[side]] += share;
        for (int n = 0; edges[side] && n < edges[side]->count; n++)
            areas[edges[side]->first + n] += share;
    }
}

static void sample_surface(sampler* s) {
    list_edges(s);
    if (!s->lost) divide_edges(s);
    for (int t = 0; t < s->surface->triangle_count && !s->lost; t++) {
        const int* triangle = s->surface->triangles + 3 * (size_t)t;
        double covered = add_rows(s, triangle);
        if (!s->lost) share_area(s, triangle, covered);
    }
}

void pl_grid_surface_points_free(pl_grid_surface_points* p) {
    PL_FREE(p->positions, double, 3 * (size_t)p->count);
    PL_FREE(p->areas, double, p->count);
    PL_FREE(p->vertex_area, double, p->vertex_count);
    *p = (pl_grid_surface_points){0};
}

pl_status pl_grid_surface_points_create(const pl_mesh* surface, double spacing,
                                        pl_grid_surface_points* out, pl_error* error) {
    *out = (pl_grid_surface_points){.vertex_count = surface->vertex_count};
    sampler s = {.surface = surface,
                 .spacing = spacing,
                 .edges = pl_array_of(sizeof(long_edge)),
                 .positions = pl_array_of(sizeof(double)),
                 .areas = pl_array_of(sizeof(double))};
    out->vertex_area = s.vertex_area = PL_ALLOC(double, surface->vertex_count);
    s.lost = !s.vertex_area && surface->vertex_count;
    if (!s.lost) sample_surface(&s);
    out->count = (int)s.areas.count;
    void *positions = NULL, *areas = NULL;
    bool ok = !s.lost && pl_array_take(&s.positions, &positions);
    out->positions = positions;
    ok = ok && pl_array_take(&s.areas, &areas);
    out->areas = areas;
    pl_array_free(&s.edges), pl_array_free(&s.positions), pl_array_free(&s.areas);
    if (ok) return PL_OK;
    pl_grid_surface_points_free(out);
    return pl_fail_memory(error, "the contact points of a lattice");
}
