// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The thick sphere of verify_sphere.c as an octant: three planes of symmetry hold it across, and
// the pressure follows the inner surface.
#include "base/memory.h"
#include "mesh/mesh_object.h"
#include "verify.h"

#include <math.h>

// number of the direction (i, j, n - i - j)
static int direction_index(int n, int i, int j) { return i * (n + 1) - i * (i - 1) / 2 + j; }
static int direction_count(int n) { return (n + 1) * (n + 2) / 2; }

static void place_vertices(pl_mesh* mesh, int n, int layers) {
    for (int l = 0; l <= layers; l++)
        for (int i = 0; i <= n; i++)
            for (int j = 0; i + j <= n; j++) {
                pl_vec3 d = pl_normalize((pl_vec3){i, j, n - i - j});
                int v = l * direction_count(n) + direction_index(n, i, j);
                pl_vec3_store(mesh->positions + 3 * (size_t)v,
                              pl_scale(1.0 + (double)l / layers, d));
            }
}

static void add_tet(pl_mesh* mesh, int a, int b, int c, int d) {
    int* tet = mesh->tets + 4 * (size_t)mesh->tet_count++;
    const double* x = mesh->positions;
    pl_vec3 o = pl_vec3_load(x + 3 * (size_t)a);
    pl_vec3 e = pl_sub(pl_vec3_load(x + 3 * (size_t)b), o);
    pl_vec3 f = pl_sub(pl_vec3_load(x + 3 * (size_t)c), o);
    bool turned = pl_dot(pl_cross(e, f), pl_sub(pl_vec3_load(x + 3 * (size_t)d), o)) < 0.0;
    tet[0] = a, tet[1] = turned ? c : b, tet[2] = turned ? b : c, tet[3] = d;
}

// A prism over a triangle of directions a < b < c: its sides are split at the lower number, which
// both neighbours see alike.
static void add_prism(pl_mesh* mesh, int n, int layer, int a, int b, int c) {
    int below = layer * direction_count(n), above = below + direction_count(n);
    add_tet(mesh, below + a, below + b, below + c, above + c);
    add_tet(mesh, below + a, below + b, above + b, above + c);
    add_tet(mesh, below + a, above + a, above + b, above + c);
    if (layer > 0) return;
    // the inner surface looks to the centre
    int* t = mesh->triangles + 3 * (size_t)mesh->triangle_count++;
    const double* x = mesh->positions;
    pl_vec3 p = pl_vec3_load(x + 3 * (size_t)a), q = pl_vec3_load(x + 3 * (size_t)b);
    bool outward = pl_dot(pl_cross(p, q), pl_vec3_load(x + 3 * (size_t)c)) > 0.0;
    t[0] = a, t[1] = outward ? c : b, t[2] = outward ? b : c;
}

static void sort(int v[3]) {
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 2; i++)
            if (v[i] > v[i + 1]) {
                int before = v[i];
                v[i] = v[i + 1];
                v[i + 1] = before;
            }
}

static void fill_octant(pl_mesh* mesh, int n, int layers) {
    place_vertices(mesh, n, layers);
    for (int l = 0; l < layers; l++)
        for (int i = 0; i < n; i++)
            for (int j = 0; i + j < n; j++)
                for (int up = 0; up < (i + j + 1 < n ? 2 : 1); up++) {
                    int v[3] = {up ? direction_index(n, i + 1, j + 1) : direction_index(n, i, j),
                                direction_index(n, i + 1, j), direction_index(n, i, j + 1)};
                    sort(v);
                    add_prism(mesh, n, l, v[0], v[1], v[2]);
                }
}

static pl_status make_octant(int n, int layers, pl_mesh** out, pl_error* error) {
    pl_mesh* mesh = *out = pl_mesh_new();
    if (!mesh || !pl_mesh_set_vertex_count(mesh, (layers + 1) * direction_count(n)) ||
        !pl_mesh_set_tet_count(mesh, 3 * n * n * layers) ||
        !pl_mesh_set_triangle_count(mesh, n * n)) {
        pl_mesh_destroy(mesh);
        return pl_fail_memory(error, "a mesh");
    }
    mesh->tet_count = mesh->triangle_count = 0; // which filling counts up again
    fill_octant(mesh, n, layers);
    return PL_OK;
}

// planes of symmetry: a vertex may be on several
static int find_pins(const pl_mesh* mesh, pl_pin* pins) {
    int count = 0;
    for (int v = 0; v < mesh->vertex_count; v++)
        for (int c = 0; c < 3; c++) {
            pl_vec3 at = pl_vec3_load(mesh->positions + 3 * (size_t)v);
            if (fabs(mesh->positions[3 * (size_t)v + (size_t)c]) > 1e-12) continue;
            pins[count] =
                (pl_pin){.vertex = v, .hard = true, .from = at, .target = at, .partial = true};
            pins[count++].held.m[4 * c] = 1.0;
        }
    return count;
}

static pl_status inflate(verify_body* body, pl_error* error) {
    int room = 3 * body->mesh->vertex_count;
    pl_pin* pins = PL_ALLOC(pl_pin, room);
    if (!pins) return pl_fail_memory(error, "pins");
    pl_pressure load = {verify_sphere_pressure, body->mesh->triangle_count, body->mesh->triangles};
    pl_pressure_add(&load, body->mesh->positions, 1.0, body->force);
    pl_method_step step = {.time_step = 1.0,
                           .force = body->force,
                           .pressures = &load,
                           .pressure_count = 1,
                           .pins = pins,
                           .pin_count = find_pins(body->mesh, pins)};
    pl_method_info info;
    pl_status status = pl_step_system_step(body->system, &step, &info, error);
    PL_FREE(pins, pl_pin, room);
    if (status == PL_OK && !info.converged)
        return pl_fail(error, PL_ERROR_DIVERGED, "the octant does not come to rest");
    return status;
}

pl_status verify_octant(int cells, pl_linear linear, pl_pool* pool, verify_answer* answer,
                        double* l2, pl_error* error) {
    pl_mesh* mesh;
    pl_status status = make_octant(cells, cells, &mesh, error);
    if (status != PL_OK) return status;
    pl_step_settings settings = pl_default_step_settings();
    settings.integrator = PL_INTEGRATOR_QUASISTATIC;
    settings.tolerance = 1e-9;
    settings.linear_tolerance = 1e-10;
    settings.linear = linear;
    verify_body body;
    status = verify_sphere_body(&body, mesh, &settings, pool, error);
    if (status != PL_OK) return status;
    status = inflate(&body, error);
    if (status == PL_OK) verify_sphere_errors(&body, answer, l2);
    verify_body_free(&body);
    return status;
}
