// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Regular cloth and the icosphere.
#include "math/vec3.h"
#include "mesh/generate_cloth.h"

#include "base/memory.h"

#include <math.h>

// ---- cloth

static pl_status add_vertex_region(pl_mesh* mesh, const char* name, int tag, int first, int step,
                                   int count, pl_error* error) {
    int* items = PL_ALLOC(int, count);
    if (!items) return pl_fail_memory(error, "the regions of a cloth");
    for (int i = 0; i < count; i++) items[i] = first + step * i;
    pl_status status = pl_mesh_add_region(mesh, PL_ELEMENT_VERTEX, name, tag, items, count, error);
    PL_FREE(items, int, count);
    return status;
}

static pl_status add_cloth_regions(pl_mesh* mesh, int nx, int ny, pl_error* error) {
    int last_row = nx * (ny - 1);
    int corners[4] = {0, nx - 1, last_row, last_row + nx - 1};
    pl_status status = add_vertex_region(mesh, "x_min", 1, 0, nx, ny, error);
    if (status == PL_OK) status = add_vertex_region(mesh, "x_max", 2, nx - 1, nx, ny, error);
    if (status == PL_OK) status = add_vertex_region(mesh, "y_min", 3, 0, 1, nx, error);
    if (status == PL_OK) status = add_vertex_region(mesh, "y_max", 4, last_row, 1, nx, error);
    if (status == PL_OK)
        status = pl_mesh_add_region(mesh, PL_ELEMENT_VERTEX, "corners", 5, corners, 4, error);
    return status;
}

static void fill_cloth(const pl_generate_options* o, int nx, int ny, bool alternating,
                       pl_mesh* mesh) {
    for (int v = 0; v < nx * ny; v++) {
        mesh->positions[3 * (size_t)v] = o->size_x * ((double)(v % nx) / (nx - 1));
        mesh->positions[3 * (size_t)v + 1] = o->size_y * ((double)(v / nx) / (ny - 1));
    }
    int* t = mesh->triangles;
    for (int j = 0; j + 1 < ny; j++)
        for (int i = 0; i + 1 < nx; i++, t += 6) {
            int a = i + nx * j, b = a + 1, c = b + nx, d = a + nx;
            bool other = alternating && (i + j) % 2;
            t[0] = a, t[1] = b, t[2] = other ? d : c;
            t[3] = other ? b : a, t[4] = c, t[5] = d;
        }
}

bool pl_cloth_set_uvs(const pl_generate_options* o, pl_mesh* mesh) {
    mesh->uvs = PL_ALLOC(double, 2 * (size_t)mesh->vertex_count);
    if (!mesh->uvs) return false;
    mesh->uv_count = mesh->vertex_count;
    mesh->triangle_uvs = PL_ALLOC(int, 3 * (size_t)mesh->triangle_count);
    if (!mesh->triangle_uvs) return false;
    for (size_t v = 0; v < (size_t)mesh->vertex_count; v++) {
        mesh->uvs[2 * v] = mesh->positions[3 * v] / o->size_x;
        mesh->uvs[2 * v + 1] = mesh->positions[3 * v + 1] / o->size_y;
    }
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
        mesh->triangle_uvs[i] = mesh->triangles[i];
    return true;
}

pl_status pl_cloth_grid(const pl_generate_options* o, int nx, int ny, bool alternating,
                        pl_mesh** out, pl_error* error) {
    pl_status status = pl_check_element_count(2.0 * (nx - 1.0) * (ny - 1.0), error);
    if (status != PL_OK) return status;
    pl_mesh* mesh = pl_mesh_new();
    if (!mesh || !pl_mesh_set_vertex_count(mesh, nx * ny) ||
        !pl_mesh_set_triangle_count(mesh, 2 * (nx - 1) * (ny - 1)))
        status = pl_fail_memory(error, "a cloth");
    if (status == PL_OK) {
        fill_cloth(o, nx, ny, alternating, mesh);
        status = add_cloth_regions(mesh, nx, ny, error);
    }
    if (status == PL_OK) *out = mesh;
    else pl_mesh_destroy(mesh);
    return status;
}

static pl_status count_vertices(const pl_generate_options* o, int* nx, int* ny, pl_error* error) {
    // sides of 1 and a diagonal of sqrt(2) per cell
    double cell = o->edge / 1.138071;
    *nx = o->count_x ? o->count_x : pl_cell_count(o->size_x, cell, 1) + 1;
    *ny = o->count_y ? o->count_y : pl_cell_count(o->size_y, cell, 1) + 1;
    if (*nx < 2 || *ny < 2)
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "a cloth of %d x %d vertices has no area; give at least 2 x 2", *nx, *ny);
    if (o->count_x && o->count_y) return PL_OK;
    return pl_check_edge(o->edge, fmax(o->size_x, o->size_y), error);
}

pl_status pl_generate_cloth(const pl_generate_options* o, pl_mesh** out, pl_error* error) {
    int nx, ny;
    pl_status status = count_vertices(o, &nx, &ny, error);
    if (status == PL_OK)
        status = pl_cloth_grid(o, nx, ny, o->diagonals == PL_DIAGONALS_ALTERNATING, out, error);
    if (status == PL_OK && !pl_cloth_set_uvs(o, *out)) {
        pl_mesh_destroy(*out);
        *out = NULL;
        status = pl_fail_memory(error, "a cloth");
    }
    return status;
}

// ---- icosphere

static const unsigned char ico_faces[20][3] = {
    {0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
    {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
    {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};

typedef struct icosphere {
    int f;               // parts of an edge
    pl_vec3 corners[12]; // on the unit sphere
    int edges[12][12];   // number of the edge, from either end
    double radius;
} icosphere;

static void setup_icosphere(icosphere* s, int f, double radius) {
    const double g = 1.6180339887498949; // golden ratio
    const pl_vec3 corners[12] = {{-1, g, 0}, {1, g, 0}, {-1, -g, 0}, {1, -g, 0},
                                 {0, -1, g}, {0, 1, g}, {0, -1, -g}, {0, 1, -g},
                                 {g, 0, -1}, {g, 0, 1}, {-g, 0, -1}, {-g, 0, 1}};
    *s = (icosphere){.f = f, .radius = radius};
    for (int i = 0; i < 12; i++) s->corners[i] = pl_normalize(corners[i]);
    int edge_count = 0;
    for (int t = 0; t < 20; t++)
        for (int i = 0; i < 3; i++) {
            int a = ico_faces[t][i], b = ico_faces[t][(i + 1) % 3];
            if (a < b) s->edges[a][b] = s->edges[b][a] = edge_count++;
        }
}

// the vertex k steps from a to b, 0 < k < f
static int edge_vertex(const icosphere* s, int a, int b, int k) {
    return 12 + s->edges[a][b] * (s->f - 1) + (a < b ? k : s->f - k) - 1;
}

// the vertex of face t at i steps towards its second corner and j towards its third
static int face_vertex(const icosphere* s, int t, int i, int j) {
    int f = s->f, a = ico_faces[t][0], b = ico_faces[t][1], c = ico_faces[t][2];
    if (i == 0 && j == 0) return a;
    if (i == f) return b;
    if (j == f) return c;
    if (j == 0) return edge_vertex(s, a, b, i);
    if (i == 0) return edge_vertex(s, a, c, j);
    if (i + j == f) return edge_vertex(s, b, c, j);
    // rows j = 1, 2, ... have f - 2, f - 3, ... inner vertices
    int row_start = (j - 1) * (f - 1) - j * (j - 1) / 2;
    int per_face = (f - 1) * (f - 2) / 2;
    return 12 + 30 * (f - 1) + t * per_face + row_start + i - 1;
}

// Equal angles along the edges of the icosahedron, and nearly so between them.
static pl_vec3 face_point(const icosphere* s, int t, int i, int j) {
    const double angle = 1.1071487177940904; // of an edge
    int f = s->f, weights[3] = {f - i - j, i, j};
    pl_vec3 p = {0.0, 0.0, 0.0};
    for (int c = 0; c < 3; c++)
        p = pl_madd(p, sin(angle * weights[c] / f), s->corners[ico_faces[t][c]]);
    return pl_scale(s->radius / pl_norm(p), p);
}

static void fill_icosphere(const icosphere* s, pl_mesh* mesh) {
    int* out = mesh->triangles;
    for (int t = 0; t < 20; t++)
        for (int j = 0; j <= s->f; j++)
            for (int i = 0; i + j <= s->f; i++) {
                int v = face_vertex(s, t, i, j);
                pl_vec3_store(mesh->positions + 3 * (size_t)v, face_point(s, t, i, j));
                if (i + j == s->f) continue;
                int right = face_vertex(s, t, i + 1, j), up = face_vertex(s, t, i, j + 1);
                out[0] = v, out[1] = right, out[2] = up, out += 3;
                if (i + j + 1 == s->f) continue;
                out[0] = right, out[1] = face_vertex(s, t, i + 1, j + 1), out[2] = up, out += 3;
            }
}

pl_status pl_generate_icosphere(const pl_generate_options* o, pl_mesh** out, pl_error* error) {
    pl_status status = o->frequency ? PL_OK : pl_check_edge(o->edge, 2.0 * o->radius, error);
    int f = o->frequency ? o->frequency : pl_cell_count(1.2 * o->radius, o->edge, 1);
    if (status == PL_OK) status = pl_check_element_count(20.0 * f * f, error);
    if (status != PL_OK) return status;
    icosphere s;
    setup_icosphere(&s, f, o->radius);
    pl_mesh* mesh = pl_mesh_new();
    if (!mesh || !pl_mesh_set_vertex_count(mesh, 10 * f * f + 2) ||
        !pl_mesh_set_triangle_count(mesh, 20 * f * f)) {
        pl_mesh_destroy(mesh);
        return pl_fail_memory(error, "an icosphere");
    }
    fill_icosphere(&s, mesh);
    *out = mesh;
    return PL_OK;
}
