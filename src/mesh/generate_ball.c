// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Sphere (a ball) and spherical shell on the cubed sphere: the six sides of a cube, blown up at
// equal angles (the equiangular map of Ronchi, Iacono and Paolucci 1996), times layers outwards.
// The ball has the cube's lattice as its core. Both have all 48 symmetries of the cube.
#include "base/memory.h"
#include "math/vec3.h"
#include "mesh/generator.h"

#include <math.h>

enum { OUTER = 1, INNER = 2 };

// The surface of a cube of n^3 cells: the lattice's boundary vertices and quads.
typedef struct cube_surface {
    int n;
    int vertex_count;
    int* vertices; // in the lattice of (n + 1)^3
    int* numbers;  // of all lattice vertices: in `vertices`, or -1
    int quad_count;
    int* corners; // 4 per quad, numbers; the third direction is outwards
} cube_surface;

static size_t lattice_count(int n) { return (size_t)(n + 1) * (size_t)(n + 1) * (size_t)(n + 1); }

static int lattice_vertex(int n, const int ijk[3]) {
    return ijk[0] + (n + 1) * (ijk[1] + (n + 1) * ijk[2]);
}

static void free_surface(cube_surface* s) {
    PL_FREE(s->vertices, int, s->vertex_count);
    PL_FREE(s->numbers, int, lattice_count(s->n));
    PL_FREE(s->corners, int, 4 * (size_t)s->quad_count);
    *s = (cube_surface){0};
}

static void number_surface(cube_surface* s) {
    int n = s->n, count = 0;
    for (int v = 0; v < (int)lattice_count(n); v++) {
        int i = v % (n + 1), j = v / (n + 1) % (n + 1), k = v / (n + 1) / (n + 1);
        bool inside = i % n && j % n && k % n;
        s->numbers[v] = inside ? -1 : count;
        if (!inside) s->vertices[count++] = v;
    }
}

static void fill_surface_quads(cube_surface* s) {
    int n = s->n;
    int* corners = s->corners;
    for (int side = 0; side < 6; side++) {
        int axis = side / 2, high = side % 2;
        // the two directions of the side, in the order that makes the third one point outwards
        int first = (axis + (high ? 1 : 2)) % 3, second = (axis + (high ? 2 : 1)) % 3;
        for (int b = 0; b < n; b++)
            for (int a = 0; a < n; a++, corners += 4)
                for (int c = 0; c < 4; c++) {
                    int ijk[3];
                    ijk[axis] = high ? n : 0;
                    ijk[first] = a + (c & 1);
                    ijk[second] = b + (c >> 1);
                    corners[c] = s->numbers[lattice_vertex(n, ijk)];
                }
    }
}

static bool make_surface(int n, cube_surface* s) {
    *s = (cube_surface){.n = n, .vertex_count = 6 * n * n + 2, .quad_count = 6 * n * n};
    s->vertices = PL_ALLOC(int, s->vertex_count);
    s->numbers = PL_ALLOC(int, lattice_count(n));
    s->corners = PL_ALLOC(int, 4 * (size_t)s->quad_count);
    if (!s->vertices || !s->numbers || !s->corners) {
        free_surface(s);
        return false;
    }
    number_surface(s);
    fill_surface_quads(s);
    return true;
}

// a lattice vertex in [-1, 1]^3
static pl_vec3 lattice_point(int n, int v) {
    int i = v % (n + 1), j = v / (n + 1) % (n + 1), k = v / (n + 1) / (n + 1);
    return (pl_vec3){2.0 * i / n - 1.0, 2.0 * j / n - 1.0, 2.0 * k / n - 1.0};
}

// from a point of the cube's surface to the unit sphere
static pl_vec3 cube_direction(pl_vec3 p) {
    return pl_normalize(
        (pl_vec3){tan(0.25 * PL_PI * p.x), tan(0.25 * PL_PI * p.y), tan(0.25 * PL_PI * p.z)});
}

static void set_length(double length, double* position) {
    pl_vec3 p = pl_vec3_load(position);
    pl_vec3_store(position, pl_scale(length / pl_norm(p), p));
}

// hexahedra of layers outwards; below and above map a number to a vertex of the layer
static int* put_layer_cells(const cube_surface* s, const int* below, int below_base, int above_base,
                            int* corners) {
    for (int q = 0; q < s->quad_count; q++, corners += 8)
        for (int c = 0; c < 4; c++) {
            int number = s->corners[4 * (size_t)q + (size_t)c];
            corners[c] = below ? below[number] : below_base + number;
            corners[4 + c] = above_base + number;
        }
    return corners;
}

static pl_vec3 mean_corner(const pl_hexes* hexes, int hex) {
    pl_vec3 sum = {0.0, 0.0, 0.0};
    for (int c = 0; c < 8; c++) {
        size_t v = (size_t)hexes->corners[8 * (size_t)hex + (size_t)c];
        sum = pl_add(sum, pl_vec3_load(hexes->positions + 3 * v));
    }
    return pl_scale(0.125, sum);
}

// ---- ball

// the core's half width, how round it is, and the radius it is rounded towards, in half widths;
// found by searching for the best radius ratios from coarse to fine meshes
static const double core_side = 0.55, core_bulge = 0.8, core_reach = 1.4;

static pl_vec3 core_point(pl_vec3 p) {
    double t = fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z)));
    if (!(t > 0.0)) return p;
    pl_vec3 direction = cube_direction(pl_scale(1.0 / t, p));
    double bulge = core_bulge * t;
    return pl_scale(core_side,
                    pl_madd(pl_scale(1.0 - bulge, p), bulge * t * core_reach, direction));
}

static void fill_ball_cells(const cube_surface* s, int m, pl_hexes* hexes) {
    int n = s->n;
    int* corners = hexes->corners;
    for (int cell = 0; cell < n * n * n; cell++, corners += 8)
        for (int c = 0; c < 8; c++) {
            int ijk[3] = {cell % n + (c & 1), cell / n % n + (c >> 1 & 1), cell / n / n + (c >> 2)};
            corners[c] = lattice_vertex(n, ijk);
        }
    int base = (int)lattice_count(n);
    for (int layer = 0; layer < m; layer++, base += s->vertex_count)
        corners =
            put_layer_cells(s, layer ? NULL : s->vertices, base - s->vertex_count, base, corners);
}

static void fill_ball_vertices(const cube_surface* s, int m, double radius, pl_hexes* hexes) {
    int core_count = (int)lattice_count(s->n);
    for (int v = 0; v < core_count; v++)
        pl_vec3_store(hexes->positions + 3 * (size_t)v,
                      pl_scale(radius, core_point(lattice_point(s->n, v))));
    for (int layer = 1; layer <= m; layer++)
        for (int i = 0; i < s->vertex_count; i++) {
            int rim = s->vertices[i], v = core_count + (layer - 1) * s->vertex_count + i;
            pl_vec3 outside = pl_scale(radius, cube_direction(lattice_point(s->n, rim)));
            pl_vec3 inside = pl_vec3_load(hexes->positions + 3 * (size_t)rim);
            pl_vec3_store(hexes->positions + 3 * (size_t)v,
                          pl_lerp(inside, outside, (double)layer / m));
            hexes->masks[v] = layer == m ? OUTER : 0;
        }
}

static bool make_ball(int n, int m, double radius, pl_hexes* hexes) {
    cube_surface surface;
    if (!make_surface(n, &surface)) return false;
    bool done = pl_hexes_alloc(hexes, (int)lattice_count(n) + m * surface.vertex_count,
                               n * n * n + m * surface.quad_count);
    if (done) {
        fill_ball_cells(&surface, m, hexes);
        fill_ball_vertices(&surface, m, radius, hexes);
        done = pl_smooth_cells(hexes->positions, 3, hexes->vertex_count, hexes->masks,
                               hexes->corners, hexes->hex_count, 5 + 30 / n);
    }
    for (int h = 0; done && h < hexes->hex_count; h++)
        pl_vec3_store(hexes->centres + 3 * (size_t)h, mean_corner(hexes, h));
    free_surface(&surface);
    return done;
}

static void place_ball(const void* data, unsigned mask, double* position) {
    (void)mask;
    set_length(((const pl_generate_options*)data)->radius, position);
}

pl_status pl_generate_sphere(const pl_generate_options* o, pl_mesh** out, pl_error* error) {
    static const pl_shape_region regions[] = {{"surface", OUTER}, {NULL, 0}};
    pl_status status = pl_check_edge(o->edge, 2.0 * o->radius, error);
    if (status != PL_OK) return status;
    double cell = pl_cell_size(PL_PATTERN_BCC, o->edge);
    int n = pl_cell_count(1.2 * o->radius, cell, 2), m = pl_cell_count(0.27 * o->radius, cell, 1);
    status = pl_check_element_count(16.0 * ((double)n * n * n + 6.0 * n * n * m), error);
    if (status != PL_OK) return status;
    pl_hexes hexes = {0};
    pl_shape shape = {.data = o, .place = place_ball, .regions = regions};
    if (make_ball(n, m, o->radius, &hexes)) status = pl_hexes_to_mesh(&hexes, &shape, out, error);
    else status = pl_fail_memory(error, "the cells of a mesh");
    pl_hexes_free(&hexes);
    return status;
}

// ---- shell

static void fill_shell(const cube_surface* s, int m, double inner, double outer, pl_hexes* hexes) {
    for (int layer = 0; layer <= m; layer++) {
        // each step is larger than the one before by the same ratio, as the cells' widths are
        double radius = inner * pow(outer / inner, (double)layer / m);
        for (int i = 0; i < s->vertex_count; i++) {
            size_t v = (size_t)layer * (size_t)s->vertex_count + (size_t)i;
            pl_vec3 direction = cube_direction(lattice_point(s->n, s->vertices[i]));
            pl_vec3_store(hexes->positions + 3 * v, pl_scale(radius, direction));
            hexes->masks[v] = (unsigned char)((layer == 0 ? INNER : 0) | (layer == m ? OUTER : 0));
        }
    }
    int* corners = hexes->corners;
    for (int layer = 0; layer < m; layer++)
        corners = put_layer_cells(s, NULL, layer * s->vertex_count, (layer + 1) * s->vertex_count,
                                  corners);
    for (int h = 0; h < hexes->hex_count; h++) {
        double radius = inner * pow(outer / inner, (h / s->quad_count + 0.5) / m);
        double* centre = hexes->centres + 3 * (size_t)h;
        pl_vec3_store(centre, mean_corner(hexes, h));
        set_length(radius, centre);
    }
}

static void place_shell(const void* data, unsigned mask, double* position) {
    const pl_generate_options* o = data;
    set_length(mask & INNER ? o->inner_radius : o->outer_radius, position);
}

pl_status pl_generate_shell(const pl_generate_options* o, pl_mesh** out, pl_error* error) {
    static const pl_shape_region regions[] = {{"inner", INNER}, {"outer", OUTER}, {NULL, 0}};
    pl_status status = pl_check_radii(o, error);
    if (status == PL_OK) status = pl_check_edge(o->edge, 2.0 * o->outer_radius, error);
    if (status != PL_OK) return status;
    double cell = pl_cell_size(PL_PATTERN_BCC, o->edge);
    double middle = 0.5 * (o->inner_radius + o->outer_radius);
    int m = pl_cell_count(middle * log(o->outer_radius / o->inner_radius), cell, 1);
    double layer = (o->outer_radius - o->inner_radius) / m;
    // four sides of the cube form a circle
    int n = pl_cell_count(0.5 * PL_PI * middle, cell,
                          (pl_least_around(o->outer_radius, layer) + 3) / 4);
    status = pl_check_element_count(16.0 * 6.0 * n * n * m, error);
    // the lattice that numbers the surface
    if (status == PL_OK) status = pl_check_element_count((double)n * n * n, error);
    if (status == PL_OK)
        status =
            pl_check_edge_kept(o->edge, 0.5 * PL_PI * middle / n, 16.0 * 6.0 * n * n * m, error);
    if (status != PL_OK) return status;
    cube_surface surface;
    pl_hexes hexes = {0};
    bool made = make_surface(n, &surface);
    if (made) {
        made = pl_hexes_alloc(&hexes, (m + 1) * surface.vertex_count, m * surface.quad_count);
        if (made) fill_shell(&surface, m, o->inner_radius, o->outer_radius, &hexes);
        free_surface(&surface);
    }
    pl_shape shape = {.data = o, .place = place_shell, .regions = regions};
    if (made) status = pl_hexes_to_mesh(&hexes, &shape, out, error);
    else status = pl_fail_memory(error, "the cells of a mesh");
    pl_hexes_free(&hexes);
    return status;
}
