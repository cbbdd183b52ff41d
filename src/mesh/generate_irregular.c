// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Irregular cloth. First a grid is disordered: its inner vertices take random steps, and after each
// round edges are flipped until the triangulation is Delaunay (Lawson 1977). Then it is smoothed:
// every vertex moves to the centroid of its star, and edges are flipped again. Only the border,
// whose vertices stay, keeps the grid's directions. No step inverts a triangle, so neither
// searching nor inserting points is needed.
#include "base/memory.h"
#include "base/random.h"
#include "mesh/generate_cloth.h"

#include <math.h>

enum { MELTINGS = 8, ANNEALINGS = 30, MAX_SWEEPS = 100 };

typedef struct sheet {
    pl_mesh* mesh;
    int* neighbours;            // 3 per triangle, across from each corner, -1 at the border
    int* star;                  // a triangle of each vertex
    unsigned char* border;      // of each vertex
    double least_area;          // smallest area allowed
    double low, high_x, high_y; // bounds of inner vertices
} sheet;

static const double* point(const sheet* s, int v) { return s->mesh->positions + 3 * (size_t)v; }

// twice the area of the triangle, positive if counter-clockwise
static double cross2(const double* a, const double* b, const double* c) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// positive if d lies inside the circle through the counter-clockwise a, b, c
static double in_circle(const double* a, const double* b, const double* c, const double* d) {
    double ax = a[0] - d[0], ay = a[1] - d[1], bx = b[0] - d[0], by = b[1] - d[1];
    double cx = c[0] - d[0], cy = c[1] - d[1];
    return (ax * ax + ay * ay) * (bx * cy - cx * by) - (bx * bx + by * by) * (ax * cy - cx * ay) +
           (cx * cx + cy * cy) * (ax * by - bx * ay);
}

// ---- triangulation

// which corner of triangle t is across from triangle u
static int corner_across(const sheet* s, int t, int u) {
    const int* n = s->neighbours + 3 * (size_t)t;
    return n[0] == u ? 0 : n[1] == u ? 1 : 2;
}

static void replace_neighbour(sheet* s, int t, int old, int fresh) {
    if (t >= 0) s->neighbours[3 * (size_t)t + (size_t)corner_across(s, t, old)] = fresh;
}

// triangles (a, p, q) and (b, q, p) become (a, p, b) and (a, b, q)
static void flip(sheet* s, int t, int i, int u, int j) {
    int *tv = s->mesh->triangles + 3 * (size_t)t, *uv = s->mesh->triangles + 3 * (size_t)u;
    int *tn = s->neighbours + 3 * (size_t)t, *un = s->neighbours + 3 * (size_t)u;
    int a = tv[i], p = tv[(i + 1) % 3], q = tv[(i + 2) % 3], b = uv[j];
    int across_p = tn[(i + 1) % 3], across_q = tn[(i + 2) % 3];
    int pb = un[(j + 1) % 3], bq = un[(j + 2) % 3]; // across from q and from p
    tv[0] = a, tv[1] = p, tv[2] = b;
    uv[0] = a, uv[1] = b, uv[2] = q;
    tn[0] = pb, tn[1] = u, tn[2] = across_q;
    un[0] = bq, un[1] = across_p, un[2] = t;
    replace_neighbour(s, pb, u, t);
    replace_neighbour(s, across_p, t, u);
    s->star[a] = s->star[p] = s->star[b] = t;
    s->star[q] = u;
}

static bool flip_if_better(sheet* s, int t, int i) {
    int u = s->neighbours[3 * (size_t)t + (size_t)i];
    if (u < t) return false; // at the border, or handled from the other side
    int j = corner_across(s, u, t);
    const int* corners = s->mesh->triangles + 3 * (size_t)t;
    const double* a = point(s, corners[i]);
    const double* p = point(s, corners[(i + 1) % 3]);
    const double* q = point(s, corners[(i + 2) % 3]);
    const double* b = point(s, s->mesh->triangles[3 * (size_t)u + (size_t)j]);
    double slack = 1e-9 * s->least_area * s->least_area;
    if (!(in_circle(a, p, q, b) > slack)) return false;
    if (!(cross2(a, p, b) > 0.0) || !(cross2(a, b, q) > 0.0)) return false;
    flip(s, t, i, u, j);
    return true;
}

static void make_delaunay(sheet* s) {
    bool changed = true;
    for (int sweep = 0; changed && sweep < MAX_SWEEPS; sweep++) {
        changed = false;
        for (int t = 0; t < s->mesh->triangle_count; t++)
            for (int i = 0; i < 3; i++)
                if (flip_if_better(s, t, i)) changed = true;
    }
}

// ---- moves

// the next triangle counter-clockwise around v, and the corner of v in t
static int next_around(const sheet* s, int v, int t, int* corner) {
    const int* corners = s->mesh->triangles + 3 * (size_t)t;
    *corner = corners[0] == v ? 0 : corners[1] == v ? 1 : 2;
    return s->neighbours[3 * (size_t)t + (size_t)((*corner + 1) % 3)];
}

// twice the area of the smallest triangle around an inner vertex
static double smallest_around(const sheet* s, int v) {
    double smallest = INFINITY;
    int t = s->star[v], corner;
    do {
        const int* c = s->mesh->triangles + 3 * (size_t)t;
        smallest = fmin(smallest, cross2(point(s, c[0]), point(s, c[1]), point(s, c[2])));
        t = next_around(s, v, t, &corner);
    } while (t != s->star[v]);
    return smallest;
}

// Moves an inner vertex by the step, or by half of it and so on, so that no triangle gets too
// small. A triangle that flips have already left too small must not get smaller.
static void move_vertex(sheet* s, int v, double dx, double dy) {
    double* position = s->mesh->positions + 3 * (size_t)v;
    double x = position[0], y = position[1];
    double floor_area = fmin(s->least_area, smallest_around(s, v));
    for (int attempt = 0; attempt < 4; attempt++, dx *= 0.5, dy *= 0.5) {
        position[0] = x + dx;
        position[1] = y + dy;
        if (smallest_around(s, v) >= floor_area) return;
    }
    position[0] = x;
    position[1] = y;
}

static void melt(sheet* s, double length, pl_random* random) {
    for (int v = 0; v < s->mesh->vertex_count; v++) {
        double angle = pl_random_uniform(random, 0.0, 6.283185307179586);
        double step = length * pl_random_uniform(random, 0.0, 1.0);
        if (!s->border[v]) move_vertex(s, v, step * cos(angle), step * sin(angle));
    }
    make_delaunay(s);
}

static void anneal(sheet* s) {
    for (int v = 0; v < s->mesh->vertex_count; v++) {
        if (s->border[v]) continue;
        double x = 0.0, y = 0.0, area = 0.0;
        int t = s->star[v], corner;
        do {
            const int* c = s->mesh->triangles + 3 * (size_t)t;
            const double *a = point(s, c[0]), *b = point(s, c[1]), *d = point(s, c[2]);
            double weight = cross2(a, b, d);
            x += weight * (a[0] + b[0] + d[0]) / 3.0;
            y += weight * (a[1] + b[1] + d[1]) / 3.0;
            area += weight;
            t = next_around(s, v, t, &corner);
        } while (t != s->star[v]);
        // the border does not repel vertices, so they are clamped away from it
        x = fmin(fmax(x / area, s->low), s->high_x);
        y = fmin(fmax(y / area, s->low), s->high_y);
        move_vertex(s, v, x - point(s, v)[0], y - point(s, v)[1]);
    }
    make_delaunay(s);
}

// ---- set-up

// cell c of the grid has triangles 2c = (a, b, c) and 2c + 1 = (a, c, d), from its lower left a
static void fill_neighbours(sheet* s, int nx, int ny) {
    int cells_x = nx - 1, cells_y = ny - 1;
    for (int j = 0; j < cells_y; j++)
        for (int i = 0; i < cells_x; i++) {
            int cell = i + cells_x * j;
            int* n = s->neighbours + 6 * (size_t)cell;
            n[0] = i + 1 < cells_x ? 2 * (cell + 1) + 1 : -1;
            n[1] = 2 * cell + 1;
            n[2] = j > 0 ? 2 * (cell - cells_x) + 1 : -1;
            n[3] = j + 1 < cells_y ? 2 * (cell + cells_x) : -1;
            n[4] = i > 0 ? 2 * (cell - 1) : -1;
            n[5] = 2 * cell;
        }
    for (int k = 0; k < 3 * s->mesh->triangle_count; k++) s->star[s->mesh->triangles[k]] = k / 3;
    for (int v = 0; v < nx * ny; v++) {
        int i = v % nx, j = v / nx;
        s->border[v] = i == 0 || j == 0 || i == cells_x || j == cells_y;
    }
}

static bool melt_grid(const pl_generate_options* o, pl_mesh* mesh, int nx, int ny) {
    double cell = fmin(o->size_x / (nx - 1), o->size_y / (ny - 1));
    double margin = 0.6 * cell;
    sheet s = {.mesh = mesh,
               .least_area = 0.05 * cell * cell,
               .low = margin,
               .high_x = o->size_x - margin,
               .high_y = o->size_y - margin};
    size_t triangle_count = (size_t)mesh->triangle_count;
    s.neighbours = PL_ALLOC(int, 3 * triangle_count);
    s.star = PL_ALLOC(int, mesh->vertex_count);
    s.border = PL_ALLOC(unsigned char, mesh->vertex_count);
    bool done = s.neighbours && s.star && s.border;
    if (done) {
        pl_random random = {(uint64_t)o->seed};
        fill_neighbours(&s, nx, ny);
        for (int round = 0; round < MELTINGS; round++) melt(&s, cell, &random);
        for (int round = 0; round < ANNEALINGS; round++) anneal(&s);
    }
    PL_FREE(s.neighbours, int, 3 * triangle_count);
    PL_FREE(s.star, int, mesh->vertex_count);
    PL_FREE(s.border, unsigned char, mesh->vertex_count);
    return done;
}

pl_status pl_generate_cloth_irregular(const pl_generate_options* o, pl_mesh** out,
                                      pl_error* error) {
    pl_status status = pl_check_edge(o->edge, fmax(o->size_x, o->size_y), error);
    if (status != PL_OK) return status;
    // gives as many vertices as equilateral triangles of that edge have
    double cell = o->edge * sqrt(sqrt(0.75));
    int nx = pl_cell_count(o->size_x, cell, 1) + 1, ny = pl_cell_count(o->size_y, cell, 1) + 1;
    status = pl_cloth_grid(o, nx, ny, false, out, error);
    if (status != PL_OK) return status;
    if (melt_grid(o, *out, nx, ny) && pl_cloth_set_uvs(o, *out)) return PL_OK;
    pl_mesh_destroy(*out);
    *out = NULL;
    return pl_fail_memory(error, "a cloth");
}
