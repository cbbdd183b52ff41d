// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "s4_fem.h"
#include "base/memory.h"
#include "bench_systems.h"
#include "grid/grid_embedding.h"
#include "s4_sparse.h"
#include "s4_sphere.h"

#include <math.h>
#include <pliant/generate.h>
#include <stdio.h>
#include <string.h>

// linear elasticity on tets, with vertices that are held where the answer is
typedef struct tets {
    pl_mesh* mesh;
    double *b, *x; // forces and displacements, 3 per vertex
    bool* held;
    double residual;
} tets;

static pl_status allocate(tets* t, pl_error* error) {
    size_t count = (size_t)t->mesh->vertex_count;
    t->b = PL_ALLOC(double, 3 * count), t->x = PL_ALLOC(double, 3 * count);
    t->held = PL_ALLOC(bool, count);
    return t->b && t->x && t->held ? PL_OK : pl_fail_memory(error, "tets");
}

static void release(tets* t) {
    size_t count = t->mesh ? (size_t)t->mesh->vertex_count : 0;
    PL_FREE(t->b, double, 3 * count);
    PL_FREE(t->x, double, 3 * count);
    PL_FREE(t->held, bool, count);
    pl_mesh_destroy(t->mesh);
}

static pl_vec3 vertex(const pl_mesh* m, int v) {
    return pl_vec3_load(m->positions + 3 * (size_t)v);
}

typedef struct held_matrix {
    const pl_block_matrix* A;
    const bool* held; // per vertex
} held_matrix;

// A without the rows and columns of held vertices
static void apply_held(const void* matrix, const double* x, double* y) {
    const held_matrix* m = matrix;
    pl_block_matrix_apply(m->A, NULL, 1, x, y);
    for (int i = 0; i < 3 * m->A->row_count; i++)
        if (m->held[i / 3]) y[i] = 0.0;
}

// minus the force of the volume
static void load_volume(tets* t, double lambda) {
    const pl_mesh* m = t->mesh;
    for (int e = 0; e < m->tet_count; e++) {
        const int* v = m->tets + 4 * (size_t)e;
        pl_vec3 x[4];
        for (int i = 0; i < 4; i++) x[i] = vertex(m, v[i]);
        double volume =
            pl_dot(pl_sub(x[1], x[0]), pl_cross(pl_sub(x[2], x[0]), pl_sub(x[3], x[0]))) / 6.0;
        for (int i = 0; i < 4; i++) {
            double* b = t->b + 3 * (size_t)v[i];
            pl_vec3_store(b, pl_madd(pl_vec3_load(b), -0.25 * volume, s4_force(x[i], lambda)));
        }
    }
}

// x from the forces b, which are lost
static pl_status solve(tets* t, double nu, pl_error* error) {
    enum { ITERATIONS = 1500 };
    static double residuals[ITERATIONS + 1], seconds[ITERATIONS + 1];
    const bench_solid solid = {
        .young = 2.0 * (1.0 + nu), .poisson = nu, .density = 1e-9, .time_step = 1e9};
    bench_system system;
    int count = 3 * t->mesh->vertex_count;
    pl_status status = bench_elasticity(t->mesh, &solid, NULL, &system, error);
    if (status != PL_OK) return status;
    double *given = PL_ALLOC(double, count), *reaction = PL_ALLOC(double, count);
    if (!given || !reaction) status = pl_fail_memory(error, "tets");
    else {
        for (int v = 0; v < count / 3; v++)
            if (t->held[v])
                pl_vec3_store(given + 3 * (size_t)v, s4_displacement(vertex(t->mesh, v)));
        pl_block_matrix_apply(&system.A, NULL, 1, given, reaction);
        for (int i = 0; i < count; i++) t->b[i] = t->held[i / 3] ? 0.0 : t->b[i] - reaction[i];
        status = s4_conjugate_gradients(apply_held, &(held_matrix){&system.A, t->held}, count, t->b,
                                        t->x, ITERATIONS, residuals, seconds, error);
        for (int i = 0; status == PL_OK && i < count; i++) t->x[i] += given[i];
        t->residual = residuals[ITERATIONS];
    }
    PL_FREE(given, double, count);
    PL_FREE(reaction, double, count);
    bench_system_free(&system);
    return status;
}

// ------------------------------------------------------------------ tets that fit

static pl_status make_fitted(double edge, double nu, tets* t, pl_error* error) {
    pl_generate_options options;
    double lambda = 2.0 * nu / (1.0 - 2.0 * nu);
    pl_status status = pl_generate_defaults("sphere", &options, error);
    options.radius = S4_RADIUS, options.edge = edge;
    if (status == PL_OK) status = pl_generate("sphere", &options, &t->mesh, error);
    if (status == PL_OK) status = allocate(t, error);
    if (status != PL_OK) return status;
    pl_mesh* m = t->mesh;
    for (size_t i = 0; i < 3 * (size_t)m->vertex_count; i++) m->positions[i] += 0.5;
    for (int k = 0; k < 3 * m->triangle_count; k++)
        t->held[m->triangles[k]] = s4_is_held(vertex(m, m->triangles[k]));
    load_volume(t, lambda);
    s4_load_surface(m, lambda, t->b);
    return PL_OK;
}

pl_status s4_fitted_error(double edge, double nu, double* out, pl_error* error) {
    tets t = {0};
    pl_status status = make_fitted(edge, nu, &t, error);
    if (status == PL_OK) status = solve(&t, nu, error);
    *out = 0.0;
    for (int v = 0; status == PL_OK && v < t.mesh->vertex_count; v++)
        *out = fmax(*out, pl_distance(pl_vec3_load(t.x + 3 * (size_t)v),
                                      s4_displacement(vertex(t.mesh, v))));
    if (status == PL_OK)
        printf("nu %g, fitted tets, %d vertices: error %.3e, residual %.1e\n", nu,
               t.mesh->vertex_count, *out, t.residual);
    release(&t);
    return status;
}

// ------------------------------------------------------------------ embedded

// A sphere in the tets of a lattice, each cell cut into six.
typedef struct embedded {
    tets tets;
    pl_mesh* surface;
    pl_grid_cells cells;
    pl_grid_frame frame;
    int* nodes;    // vertices of the lattice's nodes
    double* force; // 3 per vertex of the surface
} embedded;

// The corners of the tet of a point, and its weights: along the axes in order of its coordinates.
static void place(const embedded* e, pl_vec3 X, int corners[4], double weights[4]) {
    double position[3], x[3];
    int cell[3], order[3] = {0, 1, 2};
    pl_vec3_store(position, X);
    pl_grid_cell_of(&e->cells, &e->frame, position, cell);
    for (int a = 0; a < 3; a++) x[a] = (position[a] - e->frame.origin[a]) / e->frame.cell - cell[a];
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < 2; i++)
            if (x[order[i]] < x[order[i + 1]]) {
                int swap = order[i];
                order[i] = order[i + 1], order[i + 1] = swap;
            }
    for (int i = 0; i < 4; i++) {
        corners[i] = e->nodes[s4_node(&e->cells, cell[0], cell[1], cell[2])];
        weights[i] = (i == 0 ? 1.0 : x[order[i - 1]]) - (i == 3 ? 0.0 : x[order[i]]);
        if (i < 3) cell[order[i]]++;
    }
}

// corners of held cells are held
static void hold(embedded* e) {
    const pl_grid_cells* c = &e->cells;
    for (size_t n = 0; n < 8 * pl_grid_cells_count(c); n++) {
        size_t cell = n / 8, row = cell / (size_t)c->size[0];
        int at[3] = {c->low[0] + (int)(cell % (size_t)c->size[0]),
                     c->low[1] + (int)(row % (size_t)c->size[1]),
                     c->low[2] + (int)(row / (size_t)c->size[1])};
        if (pl_grid_cell(c, at[0], at[1], at[2]) != PL_CELL_DIRICHLET) continue;
        int node =
            s4_node(c, at[0] + (int)(n & 1), at[1] + (int)(n >> 1 & 1), at[2] + (int)(n >> 2 & 1));
        e->tets.held[e->nodes[node]] = true;
    }
}

static pl_status make_embedded(int across, double nu, embedded* e, pl_error* error) {
    double lambda = 2.0 * nu / (1.0 - 2.0 * nu);
    pl_status status = s4_sphere_surface(2 * across, &e->surface, error);
    if (status == PL_OK)
        status = s4_sphere_cells(e->surface, across, 0, &e->frame, &e->cells, error);
    if (status == PL_OK)
        status = s4_kuhn_cells(&e->cells, &e->frame, &e->tets.mesh, &e->nodes, error);
    if (status == PL_OK) status = allocate(&e->tets, error);
    if (status != PL_OK) return status;
    e->force = PL_ALLOC(double, 3 * (size_t)e->surface->vertex_count);
    if (!e->force) return pl_fail_memory(error, "forces");
    hold(e);
    load_volume(&e->tets, lambda);
    s4_load_surface(e->surface, lambda, e->force);
    s4_unload_held(e->surface, &e->cells, &e->frame, e->force);
    for (int v = 0; v < e->surface->vertex_count; v++) {
        int corners[4];
        double weights[4];
        place(e, vertex(e->surface, v), corners, weights);
        for (int i = 0; i < 12; i++)
            e->tets.b[3 * (size_t)corners[i / 3] + (size_t)(i % 3)] +=
                weights[i / 3] * e->force[3 * (size_t)v + (size_t)(i % 3)];
    }
    return PL_OK;
}

// the largest error of the surface, and of the vertices of the lattice that are inside
static double embedded_error(const embedded* e) {
    double largest = 0.0;
    for (int v = 0; v < e->surface->vertex_count; v++) {
        int corners[4];
        double weights[4];
        pl_vec3 X = vertex(e->surface, v), off = pl_scale(-1.0, s4_displacement(X));
        place(e, X, corners, weights);
        for (int i = 0; i < 4; i++)
            off = pl_madd(off, weights[i], pl_vec3_load(e->tets.x + 3 * (size_t)corners[i]));
        largest = fmax(largest, pl_norm(off));
    }
    for (int v = 0; v < e->tets.mesh->vertex_count; v++) {
        pl_vec3 X = vertex(e->tets.mesh, v);
        if (pl_distance(X, (pl_vec3){0.5, 0.5, 0.5}) > S4_RADIUS) continue;
        largest =
            fmax(largest, pl_distance(pl_vec3_load(e->tets.x + 3 * (size_t)v), s4_displacement(X)));
    }
    return largest;
}

pl_status s4_embedded_error(int across, double nu, double* out, pl_error* error) {
    embedded e = {0};
    pl_status status = make_embedded(across, nu, &e, error);
    if (status == PL_OK) status = solve(&e.tets, nu, error);
    if (status == PL_OK) {
        *out = embedded_error(&e);
        printf("nu %g, embedded tets, %d cells across, %d vertices: error %.3e, residual %.1e\n",
               nu, across, e.tets.mesh->vertex_count, *out, e.tets.residual);
    }
    if (e.surface) PL_FREE(e.force, double, 3 * (size_t)e.surface->vertex_count);
    PL_FREE(e.nodes, int, s4_node_count(&e.cells));
    release(&e.tets);
    pl_grid_cells_free(&e.cells);
    pl_mesh_destroy(e.surface);
    return status;
}
