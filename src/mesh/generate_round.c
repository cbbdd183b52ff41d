// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Cylinder and torus are swept discs, the tube is a swept ring. The disc is a square core with four
// blocks around it (an O-grid), so that no cell is a wedge.
#include "base/fail.h"
#include "math/vec3.h"
#include "mesh/generator.h"

#include <math.h>

enum { SIDE = 1, INNER = 2, BOTTOM = 4, TOP = 8 };

// ---- the disc of radius 1

// the core's half width, how round it is, and the radius it is rounded towards, in half widths;
// found by searching for the best radius ratios from coarse to fine meshes
static const double core_side = 0.6, core_bulge = 0.6, core_reach = 1.3;

// from the point (a, b) of the square's rim, |a| or |b| 1, to the circle at equal angles
static void rim_direction(double a, double b, double* x, double* y) {
    double s = tan(0.25 * PL_PI * a), t = tan(0.25 * PL_PI * b), length = hypot(s, t);
    *x = s / length;
    *y = t / length;
}

static void disc_point(double a, double b, double* x, double* y) {
    double t = fmax(fabs(a), fabs(b)), dx = 0.0, dy = 0.0;
    if (t > 0.0) rim_direction(a / t, b / t, &dx, &dy);
    double bulge = core_bulge * t;
    *x = core_side * ((1.0 - bulge) * a + bulge * t * core_reach * dx);
    *y = core_side * ((1.0 - bulge) * b + bulge * t * core_reach * dy);
}

// the vertex numbers of the core's rim, counter-clockwise from (-1, -1)
static int rim_vertex(int n, int k) {
    int side = k / n, i = k % n, columns = n + 1;
    switch (side) {
    case 0: return i;
    case 1: return n + columns * i;
    case 2: return n - i + columns * n;
    default: return columns * (n - i);
    }
}

static void fill_disc_vertices(int n, int m, pl_quads* disc) {
    int columns = n + 1, core_count = columns * columns;
    for (int v = 0; v < core_count; v++)
        disc_point(2.0 * (v % columns) / n - 1.0, 2.0 * (v / columns) / n - 1.0,
                   &disc->uv[2 * (size_t)v], &disc->uv[2 * (size_t)v + 1]);
    for (int k = 0; k < 4 * n; k++) {
        int rim = rim_vertex(n, k);
        double x, y, a = 2.0 * (rim % columns) / n - 1.0, b = 2.0 * (rim / columns) / n - 1.0;
        rim_direction(a, b, &x, &y);
        for (int layer = 1; layer <= m; layer++) {
            int v = core_count + 4 * n * (layer - 1) + k;
            double s = (double)layer / m;
            disc->uv[2 * (size_t)v] = (1.0 - s) * disc->uv[2 * (size_t)rim] + s * x;
            disc->uv[2 * (size_t)v + 1] = (1.0 - s) * disc->uv[2 * (size_t)rim + 1] + s * y;
            disc->masks[v] = layer == m ? SIDE : 0;
        }
    }
}

static void fill_disc_quads(int n, int m, pl_quads* disc) {
    int columns = n + 1, core_count = columns * columns;
    int* corners = disc->corners;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++, corners += 4)
            for (int c = 0; c < 4; c++) corners[c] = i + (c & 1) + columns * (j + (c >> 1));
    for (int layer = 0; layer < m; layer++)
        for (int k = 0; k < 4 * n; k++, corners += 4)
            for (int c = 0; c < 4; c++) {
                // outwards is the first direction, counter-clockwise the second
                int at = (k + (c >> 1)) % (4 * n), ring = layer + (c & 1);
                corners[c] = ring ? core_count + 4 * n * (ring - 1) + at : rim_vertex(n, at);
            }
}

static bool make_disc(int n, int m, pl_quads* disc) {
    int columns = n + 1;
    if (!pl_quads_alloc(disc, columns * columns + 4 * n * m, n * n + 4 * n * m)) return false;
    fill_disc_vertices(n, m, disc);
    fill_disc_quads(n, m, disc);
    if (pl_smooth_cells(disc->uv, 2, disc->vertex_count, disc->masks, disc->corners,
                        disc->quad_count, 5 + 30 / n))
        return true;
    pl_quads_free(disc);
    return false;
}

// Number of cells across the core and from it to the circle. Returns the size of cells along the
// sweep: the requested one, or less where the disc needs finer cells, to avoid long cells.
static double disc_counts(double radius, double edge, int* n, int* m) {
    double cell = pl_cell_size(PL_PATTERN_BCC, edge);
    *n = pl_cell_count(1.25 * radius, cell, 2);
    *m = pl_cell_count(0.27 * radius, cell, 1);
    return fmin(cell, 1.8 * radius / *n);
}

// ---- the solids

static pl_status sweep_to_mesh(bool quads_made, pl_quads* quads, const pl_sweep* sweep,
                               const pl_shape* shape, pl_mesh** out, pl_error* error) {
    pl_hexes hexes = {0};
    bool made = quads_made && pl_sweep_quads(quads, sweep, &hexes);
    pl_quads_free(quads);
    if (!made) return pl_fail_memory(error, "the cells of a mesh");
    pl_status status = pl_hexes_to_mesh(&hexes, shape, out, error);
    pl_hexes_free(&hexes);
    return status;
}

// cell: the size of the cells along the sweep or around it, whichever is finer
static pl_status check_sweep(double quad_count, int layers, double cell, double edge, double extent,
                             pl_error* error) {
    double count = 24.0 * quad_count * layers; // with the boundary's share
    pl_status status = pl_check_edge(edge, extent, error);
    if (status == PL_OK) status = pl_check_element_count(count, error);
    if (status == PL_OK) status = pl_check_edge_kept(edge, cell, count, error);
    return status;
}

static void set_radius(double radius, double* position) {
    double scale = radius / hypot(position[0], position[1]);
    position[0] *= scale;
    position[1] *= scale;
}

static void set_height(const pl_generate_options* o, unsigned mask, double* position) {
    if (mask & BOTTOM) position[2] = 0.0;
    if (mask & TOP) position[2] = o->height;
}

static void map_cylinder(const void* data, double u, double v, double t, double* position) {
    const pl_generate_options* o = data;
    position[0] = o->radius * u;
    position[1] = o->radius * v;
    position[2] = o->height * t;
}

static void place_cylinder(const void* data, unsigned mask, double* position) {
    const pl_generate_options* o = data;
    if (mask & SIDE) set_radius(o->radius, position);
    set_height(o, mask, position);
}

pl_status pl_generate_cylinder(const pl_generate_options* o, pl_mesh** out, pl_error* error) {
    static const pl_shape_region regions[] = {
        {"side", SIDE}, {"bottom", BOTTOM}, {"top", TOP}, {NULL, 0}};
    int n, m;
    double cell = disc_counts(o->radius, o->edge, &n, &m);
    int layers = pl_cell_count(o->height, cell, 1);
    pl_status status = check_sweep((double)n * n + 4.0 * n * m, layers, cell, o->edge,
                                   fmax(2.0 * o->radius, o->height), error);
    if (status != PL_OK) return status;
    pl_quads disc = {0};
    pl_sweep sweep = {layers, false, BOTTOM, TOP, o, map_cylinder};
    pl_shape shape = {.data = o, .place = place_cylinder, .regions = regions};
    return sweep_to_mesh(make_disc(n, m, &disc), &disc, &sweep, &shape, out, error);
}

// clockwise by u (so that u, v, t are right-handed), outwards by v with steps that grow as the
// radius does
static void map_tube(const void* data, double u, double v, double t, double* position) {
    const pl_generate_options* o = data;
    double radius = o->inner_radius * pow(o->outer_radius / o->inner_radius, v);
    position[0] = radius * cos(2.0 * PL_PI * u);
    position[1] = -radius * sin(2.0 * PL_PI * u);
    position[2] = o->height * t;
}

static void place_tube(const void* data, unsigned mask, double* position) {
    const pl_generate_options* o = data;
    if (mask & INNER) set_radius(o->inner_radius, position);
    if (mask & SIDE) set_radius(o->outer_radius, position);
    set_height(o, mask, position);
}

pl_status pl_check_radii(const pl_generate_options* o, pl_error* error) {
    if (o->inner_radius < o->outer_radius) return PL_OK;
    return pl_fail(error, PL_ERROR_ARGUMENT,
                   "inner_radius is %g m, not below outer_radius, which is %g m", o->inner_radius,
                   o->outer_radius);
}

pl_status pl_generate_tube(const pl_generate_options* o, pl_mesh** out, pl_error* error) {
    static const pl_shape_region regions[] = {{"inner", INNER},       {"outer", SIDE},
                                              {"bottom", BOTTOM},     {"top", TOP},
                                              {"ends", BOTTOM | TOP}, {NULL, 0}};
    pl_status status = pl_check_radii(o, error);
    if (status != PL_OK) return status;
    double cell = pl_cell_size(PL_PATTERN_BCC, o->edge);
    double middle = 0.5 * (o->inner_radius + o->outer_radius);
    int across = pl_cell_count(middle * log(o->outer_radius / o->inner_radius), cell, 1);
    double layer = (o->outer_radius - o->inner_radius) / across;
    int around = pl_cell_count(2.0 * PL_PI * middle, cell, pl_least_around(o->outer_radius, layer));
    int layers = pl_cell_count(o->height, cell, 1);
    status = check_sweep((double)around * across, layers, 2.0 * PL_PI * middle / around, o->edge,
                         fmax(2.0 * o->outer_radius, o->height), error);
    if (status != PL_OK) return status;
    const unsigned char masks[4] = {0, 0, INNER, SIDE};
    pl_quads ring = {0};
    pl_sweep sweep = {layers, false, BOTTOM, TOP, o, map_tube};
    pl_shape shape = {.data = o, .place = place_tube, .regions = regions};
    return sweep_to_mesh(pl_quads_grid(around, across, true, masks, &ring), &ring, &sweep, &shape,
                         out, error);
}

static void map_torus(const void* data, double u, double v, double t, double* position) {
    const pl_generate_options* o = data;
    double radius = o->ring_radius + o->radius * u;
    position[0] = radius * cos(2.0 * PL_PI * t);
    position[1] = radius * sin(2.0 * PL_PI * t);
    position[2] = -o->radius * v;
}

static void place_torus(const void* data, unsigned mask, double* position) {
    const pl_generate_options* o = data;
    (void)mask;
    double reach = hypot(position[0], position[1]);
    double scale = o->radius / hypot(reach - o->ring_radius, position[2]);
    double new_reach = o->ring_radius + (reach - o->ring_radius) * scale;
    position[0] *= new_reach / reach;
    position[1] *= new_reach / reach;
    position[2] *= scale;
}

pl_status pl_generate_torus(const pl_generate_options* o, pl_mesh** out, pl_error* error) {
    static const pl_shape_region regions[] = {{"surface", SIDE}, {NULL, 0}};
    if (!(o->radius < o->ring_radius))
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "radius is %g m, not below ring_radius, which is %g m: the tube would meet "
                       "itself in the middle",
                       o->radius, o->ring_radius);
    int n, m;
    double cell = disc_counts(o->radius, o->edge, &n, &m);
    double reach = o->ring_radius + o->radius, thinnest = fmin(1.2 / n, 0.3 / m) * o->radius;
    int layers =
        pl_cell_count(2.0 * PL_PI * o->ring_radius, cell, pl_least_around(reach, thinnest));
    pl_status status =
        check_sweep((double)n * n + 4.0 * n * m, layers, 2.0 * PL_PI * o->ring_radius / layers,
                    o->edge, 2.0 * reach, error);
    if (status != PL_OK) return status;
    pl_quads disc = {0};
    pl_sweep sweep = {layers, true, 0, 0, o, map_torus};
    pl_shape shape = {.data = o, .place = place_torus, .regions = regions};
    return sweep_to_mesh(make_disc(n, m, &disc), &disc, &sweep, &shape, out, error);
}
