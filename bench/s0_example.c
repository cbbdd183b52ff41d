// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Where this differs from the paper: the meshes are others of its vertex counts, with more tets
// (those of PLIANT_DATA, or creatures of pliant); sizes, places of attachments and the cloth's size
// are not stated there (here: the longest side is 1 m, ears or the highest part are held, the cloth
// hangs from two corners). Its Jacobi counts differ from level to level, here the finest one's hold
// for all. The cloths are smoothed by GS(2) in place of J(5): Projective Dynamics is as good with
// half the passes over the matrix, and Newton gets nearer with it.
#include "s0_example.h"
#include "base/memory.h"
#include "base/timer.h"
#include "bench_meshes.h"
#include "elements/tet_elements.h"
#include "fem/cloth_elements.h"
#include "math/mat3.h"
#include "mesh/topology.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double TIME_STEP = 1.0 / 30.0, GRAVITY = 9.8;
// attachments of solids, of cloth, and bending springs of cloth (Table 4)
static const double HOLD_SOLID = 1.0, HOLD_CLOTH = 100.0, BEND = 20.0;
static const double HELD_RADIUS = 0.03;

// clang-format off
const s0_row s0_rows[S0_ROW_COUNT] = {
    {"armadillo_1k", "tets_generated/armadillo_1k.msh", 0, 1017,
     {10}, 1, 3, false, 1, 500.0, 303.0, 1.9,
     {0, 0.29, 0.18, 2.32, 0.24, 0.26}},
    {"armadillo_7k", "tets_generated/armadillo_7k.msh.gz", 0, 7033,
     {25}, 1, 3, false, 1, 500.0, 232.6, 2.0,
     {0, 0.55, 0.25, 2.91, 0.28, 0.31}},
    {"armadillo_15k", "tets_generated/armadillo_15k.msh.gz", 0, 14590,
     {50}, 1, 3, false, 1, 500.0, 181.8, 3.0,
     {0, 1.27, 0.28, 3.30, 0.30, 0.36}},
    {"armadillo_50k", "tets_generated/armadillo_50k.msh.gz", 0, 50731,
     {25, 500}, 2, 3, false, 1, 500.0, 86.2, 6.3,
     {0, 0.58, 1.05, 8.77, 0.26, 0.94}},
    {"armadillo_95k", "tets_generated/armadillo_95k.msh.gz", 0, 95947,
     {50, 1000}, 2, 3, false, 1, 500.0, 55.2, 11.6,
     {0, 1.36, 2.43, 12.73, 0.28, 1.30}},
    {"armadillo_127k", "tets_generated/armadillo_127k.msh.gz", 0, 126670,
     {25, 300, 2000}, 3, 3, false, 1, 500.0, 41.0,
     16.3, {0, 0.74, 3.21, 18.30, 0.25, 1.90}},
    {"cloth_40k_pd", NULL, 201, 0, {25, 100, 1000}, 3, 2, false, 4, 100.0, 74.8, 8.3,
     {0, 0, 0.58, 9.88, 0.67, 2.23}},
    {"cloth_40k_newton", NULL, 201, 0, {25, 100, 1000}, 3, 2, true, 4, 100.0, 35.7, 8.3,
     {1.56, 8.35, 0.43, 8.70, 0.52, 1.92}},
    {"cloth_63k_newton", NULL, 251, 0, {100, 1000}, 2, 2, true, 3, 100.0, 31.5, 13.4,
     {2.13, 15.22, 0.73, 11.39, 0.77, 1.51}},
    {"dragon_200k", "tets_generated/dragon_200k.msh.gz", 0, 199937,
     {50, 1000}, 2, 2, false, 1, 250.0, 39.4, 5.5,
     {0, 3.07, 1.83, 16.53, 0.50, 1.22}},
    {"octopus_40k", "tets_generated/octopus_40k.msh.gz", 0, 39289,
     {100, 1000}, 2, 2, false, 3, 1000.0, 43.2, 22.8,
     {0, 1.55, 0.05, 15.21, 0.28, 2.29}},
};
// clang-format on

pl_step_settings s0_row_settings(const s0_row* row) {
    pl_step_settings s = pl_default_step_settings();
    s.nonlinear = row->newton ? PL_NONLINEAR_NEWTON : PL_NONLINEAR_PROJECTIVE;
    s.linear = PL_LINEAR_MULTIGRID;
    s.max_iterations = row->iterations;
    s.all_iterations = true;
    s.line_search = row->newton;
    s.linear_max_iterations = 1;
    s.multigrid.levels = row->levels;
    s.multigrid.level_count = row->level_count;
    s.multigrid.smoother = PL_SMOOTHER_GAUSS_SEIDEL;
    s.multigrid.pre_sweeps = s.multigrid.post_sweeps = row->sweeps;
    return s;
}

static void hold(s0_example* e, int vertex, double stiffness) {
    pl_vec3 at = pl_vec3_load(e->rest + 3 * (size_t)vertex);
    e->pins[e->pin_count++] =
        (pl_pin){.vertex = vertex, .stiffness = stiffness, .from = at, .target = at};
}

static bool allocate(s0_example* e) {
    size_t n = (size_t)e->vertex_count;
    e->rest = PL_ALLOC(double, 3 * n);
    e->mass = PL_ALLOC(double, n);
    e->force = PL_ALLOC(double, 3 * n);
    e->pins = PL_ALLOC(pl_pin, n);
    e->neighbour_offsets = PL_ALLOC(int, n + 1);
    return e->rest && e->mass && e->force && e->pins && e->neighbour_offsets;
}

// ---------------------------------------------------------------- cloth

static bool are_joined(int di, int dj) {
    int a = abs(di), b = abs(dj);
    return (a <= 1 && b <= 1 && a + b > 0) || (a + b == 2 && a * b == 0);
}

// The vertices that a spring joins with (i, j), ascending; later ones only, if wanted. Counts if
// out is NULL.
static int joined(int side, int i, int j, bool later, int* out) {
    int count = 0;
    for (int dj = later ? 0 : -2; dj <= 2; dj++)
        for (int di = -2; di <= 2; di++) {
            int k = i + di, l = j + dj;
            if (!are_joined(di, dj) || k < 0 || l < 0 || k >= side || l >= side) continue;
            if (later && dj == 0 && di < 0) continue;
            if (out) out[count] = l * side + k;
            count++;
        }
    return count;
}

static bool is_skip(const int* ends, int side) {
    int d = ends[1] - ends[0];
    return d == 2 || d == 2 * side;
}

static bool cloth_springs(s0_example* e, int side, double stretch, pl_element_set* set) {
    int count = 0, n = side * side, later[12];
    for (int v = 0; v < n; v++) count += joined(side, v % side, v / side, true, NULL);
    int* ends = PL_ALLOC(int, 2 * (size_t)count);
    double* stiffness = PL_ALLOC(double, count);
    bool ok = ends && stiffness;
    for (int v = 0, at = 0; ok && v < n; v++) {
        int found = joined(side, v % side, v / side, true, later);
        for (int k = 0; k < found; k++, at++) {
            ends[2 * at] = v;
            ends[2 * at + 1] = later[k];
            stiffness[at] = is_skip(ends + 2 * (size_t)at, side) ? BEND : stretch;
        }
    }
    e->element_count = count;
    ok =
        ok && pl_spring_elements_setup(set, e->rest, n, ends, count, stiffness, &e->error) == PL_OK;
    PL_FREE(ends, int, 2 * (size_t)count);
    PL_FREE(stiffness, double, count);
    return ok;
}

// level, along x and z; held at two corners
static bool make_cloth(s0_example* e, const s0_row* row) {
    int side = row->side, n = side * side;
    e->vertex_count = n;
    if (!allocate(e)) return false;
    for (int v = 0; v < n; v++) {
        bool edge_i = v % side == 0 || v % side == side - 1;
        bool edge_j = v / side == 0 || v / side == side - 1;
        e->rest[3 * (size_t)v] = (double)(v % side) / (side - 1);
        e->rest[3 * (size_t)v + 2] = (double)(v / side) / (side - 1);
        e->mass[v] = (edge_i ? 0.5 : 1.0) * (edge_j ? 0.5 : 1.0) / ((side - 1) * (side - 1));
        e->neighbour_offsets[v + 1] =
            e->neighbour_offsets[v] + joined(side, v % side, v / side, false, NULL);
    }
    e->neighbour_count = e->neighbour_offsets[n];
    e->neighbours = PL_ALLOC(int, e->neighbour_count);
    if (!e->neighbours) return false;
    for (int v = 0; v < n; v++)
        joined(side, v % side, v / side, false, e->neighbours + e->neighbour_offsets[v]);
    hold(e, 0, HOLD_CLOTH);
    hold(e, side - 1, HOLD_CLOTH);
    return true;
}

// ---------------------------------------------------------------- solids

// what is near to the highest vertex of each half: the ears of an armadillo
static void hold_highest(s0_example* e) {
    const double* x = e->rest;
    double middle = 0.0;
    for (int v = 0; v < e->vertex_count; v++) middle += x[3 * v] / e->vertex_count;
    for (int side = 0; side < 2; side++) {
        int top = -1;
        for (int v = 0; v < e->vertex_count; v++)
            if ((x[3 * v] > middle) == (side == 1) && (top < 0 || x[3 * v + 1] > x[3 * top + 1]))
                top = v;
        for (int v = 0; v < e->vertex_count; v++)
            if ((x[3 * v] > middle) == (side == 1) &&
                pl_distance(pl_vec3_load(x + 3 * (size_t)v), pl_vec3_load(x + 3 * (size_t)top)) <
                    HELD_RADIUS)
                hold(e, v, HOLD_SOLID);
    }
}

static bool copy_neighbours(s0_example* e, const pl_mesh* mesh) {
    pl_edges edges;
    pl_adjacency graph;
    if (pl_edges_create(mesh->tets, mesh->tet_count, 4, mesh->vertex_count, &edges, &e->error) !=
        PL_OK)
        return false;
    pl_status status = pl_vertex_neighbours(&edges, mesh->vertex_count, &graph, &e->error);
    pl_edges_free(&edges);
    if (status != PL_OK) return false;
    e->neighbour_count = graph.offsets[mesh->vertex_count];
    e->neighbours = PL_ALLOC(int, e->neighbour_count);
    if (e->neighbours) {
        memcpy(e->neighbours, graph.items, (size_t)e->neighbour_count * sizeof(int));
        memcpy(e->neighbour_offsets, graph.offsets, ((size_t)mesh->vertex_count + 1) * sizeof(int));
    }
    pl_adjacency_free(&graph);
    return e->neighbours;
}

static bool make_solid(s0_example* e, const pl_mesh* mesh) {
    e->vertex_count = mesh->vertex_count;
    e->element_count = mesh->tet_count;
    if (!allocate(e)) return false;
    memcpy(e->rest, mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof(double));
    for (int t = 0; t < mesh->tet_count; t++) {
        pl_vec3 p[4];
        for (int k = 0; k < 4; k++)
            p[k] = pl_vec3_load(e->rest + 3 * (size_t)mesh->tets[4 * (size_t)t + (size_t)k]);
        for (int k = 0; k < 4; k++)
            e->mass[mesh->tets[4 * (size_t)t + (size_t)k]] +=
                pl_det4(p[0], p[1], p[2], p[3]) / 24.0;
    }
    hold_highest(e);
    return copy_neighbours(e, mesh);
}

static bool tet_set(s0_example* e, const pl_mesh* mesh, double mu, pl_element_set* set) {
    pl_material* materials = PL_ALLOC(pl_material, mesh->tet_count);
    if (!materials) return false;
    for (int t = 0; t < mesh->tet_count; t++)
        materials[t] = (pl_material){.kind = PL_MATERIAL_ARAP, .mu = mu};
    pl_status status = pl_tet_elements_setup(set, e->rest, e->vertex_count, mesh->tets,
                                             mesh->tet_count, materials, &e->error);
    PL_FREE(materials, pl_material, mesh->tet_count);
    return status == PL_OK;
}

// ---------------------------------------------------------------- both

static bool make_set(s0_example* e, const s0_row* row, const pl_mesh* mesh, pl_element_set* set) {
    return mesh ? tet_set(e, mesh, row->mu, set) : cloth_springs(e, row->side, row->mu, set);
}

static bool build(s0_example* e, const s0_row* row, const pl_mesh* mesh,
                  const pl_step_settings* settings) {
    if (!(mesh ? make_solid(e, mesh) : make_cloth(e, row))) return false;
    for (int v = 0; v < e->vertex_count; v++) e->force[3 * (size_t)v + 1] = -GRAVITY * e->mass[v];
    if (!make_set(e, row, mesh, &e->set)) return false;
    double start = pl_seconds();
    pl_element_set set = {0};
    if (!make_set(e, row, mesh, &set)) return false;
    pl_status status =
        pl_fem_system_create(e->rest, e->mass, e->vertex_count, e->neighbour_offsets, e->neighbours,
                             &set, 1, settings, e->pool, &e->system, &e->error);
    e->create_seconds = pl_seconds() - start;
    return status == PL_OK;
}

bool s0_example_create(bench* b, s0_example* e, const s0_row* row, const pl_step_settings* settings,
                       pl_pool* pool) {
    *e = (s0_example){.pool = pool};
    snprintf(e->error.text, sizeof e->error.text, "out of memory");
    pl_mesh* mesh = NULL;
    bool ok = !row->mesh ||
              bench_solid_mesh(b, row->mesh, row->solid_vertices, &mesh, &e->error) == PL_OK;
    if (ok && mesh) bench_make_unit_size(mesh);
    ok = ok && build(e, row, mesh, settings);
    pl_mesh_destroy(mesh);
    if (ok) return true;
    fprintf(stderr, "pliant-bench: %s: %s\n", row->name, e->error.text);
    s0_example_free(e);
    return false;
}

bool s0_example_step(s0_example* e, pl_method_info* info) {
    pl_method_step step = {
        .time_step = TIME_STEP, .force = e->force, .pins = e->pins, .pin_count = e->pin_count};
    *info = (pl_method_info){0};
    if (pl_step_system_step(e->system, &step, info, &e->error) == PL_OK) return true;
    fprintf(stderr, "pliant-bench: %s\n", e->error.text);
    return false;
}

void s0_example_free(s0_example* e) {
    size_t n = (size_t)e->vertex_count;
    pl_step_system_destroy(e->system);
    pl_element_set_free(&e->set);
    PL_FREE(e->rest, double, 3 * n);
    PL_FREE(e->mass, double, n);
    PL_FREE(e->force, double, 3 * n);
    PL_FREE(e->pins, pl_pin, n);
    PL_FREE(e->neighbour_offsets, int, n + 1);
    PL_FREE(e->neighbours, int, e->neighbour_count);
    *e = (s0_example){0};
}
