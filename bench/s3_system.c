// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "s3_system.h"
#include "base/fail.h"
#include "base/memory.h"
#include "mesh/topology.h"

#include <math.h>
#include <string.h>

static pl_status setup_pattern(s3_system* s, const pl_mesh* mesh, pl_error* error) {
    pl_edges edges;
    pl_adjacency graph;
    int n = mesh->vertex_count;
    pl_status status = pl_edges_create(mesh->tets, mesh->tet_count, 4, n, &edges, error);
    if (status != PL_OK) return status;
    status = pl_vertex_neighbours(&edges, n, &graph, error);
    pl_edges_free(&edges);
    if (status != PL_OK) return status;
    status = pl_block_matrix_setup(&s->A, n, 4, graph.offsets, graph.items, error);
    if (status == PL_OK)
        status = pl_block_matrix_setup(&s->K, n, 3, graph.offsets, graph.items, error);
    if (status == PL_OK)
        status = pl_block_matrix_setup(&s->B, n, 1, graph.offsets, graph.items, error);
    pl_adjacency_free(&graph);
    return status;
}

static pl_status setup_set(s3_system* s, const s3_body* body, pl_error* error) {
    const pl_mesh* mesh = body->mesh;
    pl_material* materials = PL_ALLOC(pl_material, mesh->tet_count);
    if (!materials) return pl_fail_memory(error, "materials");
    double lambda = body->nu < 0.5 ? 2.0 * body->nu / (1.0 - 2.0 * body->nu) : 1e12;
    for (int e = 0; e < mesh->tet_count; e++) {
        double mu = body->contrast ? body->contrast[e] : 1.0;
        materials[e] =
            (pl_material){.kind = PL_MATERIAL_STABLE_NEOHOOKEAN, .mu = mu, .lambda = lambda * mu};
    }
    pl_status status = pl_tet_elements_setup(&s->set, mesh->positions, mesh->vertex_count,
                                             mesh->tets, mesh->tet_count, materials, error);
    PL_FREE(materials, pl_material, mesh->tet_count);
    if (status == PL_OK)
        status = pl_mixed_tets_take(&s->set, mesh->vertex_count, s->pressure, error);
    if (status == PL_OK) status = pl_element_set_locate(&s->set, &s->K, error);
    return status;
}

// a quarter of each tet's volume
static void find_mass(s3_system* s, const pl_mesh* mesh) {
    for (int e = 0; e < mesh->tet_count; e++) {
        const int* v = mesh->tets + 4 * (size_t)e;
        pl_vec3 x[4];
        for (int i = 0; i < 4; i++) x[i] = pl_vec3_load(mesh->positions + 3 * (size_t)v[i]);
        double volume =
            fabs(pl_dot(pl_sub(x[1], x[0]), pl_cross(pl_sub(x[2], x[0]), pl_sub(x[3], x[0])))) /
            6.0;
        for (int i = 0; i < 4; i++) s->mass[v[i]] += 0.25 * volume;
    }
}

static void find_held(s3_system* s, const s3_body* body) {
    const pl_mesh* mesh = body->mesh;
    double low = INFINITY, high = -INFINITY;
    for (int v = 0; v < mesh->vertex_count; v++) {
        low = fmin(low, mesh->positions[3 * (size_t)v + 1]);
        high = fmax(high, mesh->positions[3 * (size_t)v + 1]);
    }
    for (int v = 0; v < mesh->vertex_count; v++) {
        double height = (mesh->positions[3 * (size_t)v + 1] - low) / (high - low);
        s->held[v] = height <= 0.02 || (body->holds_top && height >= 0.98);
    }
}

// sqrt(K_ii / B_ii) of each vertex
static void find_units(s3_system* s) {
    for (int v = 0; v < s->vertex_count; v++) {
        const double* k = s->K.values + 9 * (size_t)s->K.diagonal[v];
        s->units[v] = sqrt((k[0] + k[4] + k[8]) / (3.0 * s->B.values[s->B.diagonal[v]]));
    }
}

static void join(s3_system* s) {
    find_units(s);
    for (int v = 0; v < s->vertex_count; v++)
        for (int e = s->K.offsets[v]; e < s->K.offsets[v + 1]; e++) {
            double* a = s->A.values + 16 * (size_t)e;
            const double* k = s->K.values + 9 * (size_t)e;
            int w = s->K.columns[e];
            for (int i = 0; i < 9; i++)
                a[4 * (i / 3) + i % 3] =
                    (s->held[v] || s->held[w]) && (v != w || i % 4 != 0) ? 0.0 : k[i];
            for (int c = 0; c < 3; c++) {
                a[12 + c] *= s->held[w] ? 0.0 : s->units[v];
                a[4 * c + 3] *= s->held[v] ? 0.0 : s->units[w];
            }
            a[15] = -s->units[v] * s->units[w] * s->B.values[e];
        }
}

void s3_system_linearise(s3_system* s, const double* x, pl_pool* pool) {
    pl_block_matrix_zero(&s->K);
    pl_element_set_hessian(&s->set, pool, x, true, 1.0, &s->K);
    for (int v = 0; v < s->vertex_count; v++)
        for (int c = 0; c < 3; c++)
            s->K.values[9 * (size_t)s->K.diagonal[v] + 4 * (size_t)c] += s->inertia * s->mass[v];
    pl_block_matrix_zero(&s->A);
    pl_mixed_add_couplings(&s->set, pool, x, &s->A);
    join(s);
}

// (-dU/dx - G' p, B p - phi)
void s3_system_residual(s3_system* s, const double* x, pl_pool* pool, double* b) {
    size_t n = (size_t)s->vertex_count;
    double *forces = s->scratch, *phi = s->scratch + 3 * n, *Bp = s->scratch + 4 * n;
    memset(forces, 0, 3 * n * sizeof(double));
    pl_element_set_gradient(&s->set, pool, x, forces);
    pl_mixed_add_pressure(&s->set, pool, x, s->pressure, forces);
    pl_mixed_constraint(&s->set, pool, x, phi);
    pl_block_matrix_apply(&s->B, pool, 1, s->pressure, Bp);
    for (size_t v = 0; v < n; v++) {
        for (size_t c = 0; c < 3; c++) b[4 * v + c] = s->held[v] ? 0.0 : -forces[3 * v + c];
        b[4 * v + 3] = s->units[v] * (Bp[v] - phi[v]);
    }
}

static pl_status fill(s3_system* s, const s3_body* body, pl_pool* pool, pl_error* error) {
    const pl_mesh* mesh = body->mesh;
    int n = s->vertex_count;
    s->rest = PL_ALLOC(double, 3 * (size_t)n);
    s->b = PL_ALLOC(double, 4 * (size_t)n);
    s->pressure = PL_ALLOC(double, n);
    s->mass = PL_ALLOC(double, n);
    s->held = PL_ALLOC(bool, n);
    s->scratch = PL_ALLOC(double, 5 * (size_t)n);
    s->units = PL_ALLOC(double, n);
    if (!s->units || !s->scratch || !s->rest || !s->b || !s->pressure || !s->mass || !s->held)
        return pl_fail_memory(error, "a mixed system");
    memcpy(s->rest, mesh->positions, 3 * (size_t)n * sizeof(double));
    pl_status status = setup_pattern(s, mesh, error);
    if (status == PL_OK) status = setup_set(s, body, error);
    if (status != PL_OK) return status;
    find_mass(s, mesh);
    find_held(s, body);
    pl_mixed_flexibility(&s->set, 1.0, &s->B);
    s3_system_linearise(s, s->rest, pool);
    for (int v = 0; v < n; v++) s->b[4 * (size_t)v + 1] = s->held[v] ? 0.0 : -s->mass[v];
    return PL_OK;
}

bool s3_system_create(s3_system* s, const s3_body* body, pl_pool* pool, pl_error* error) {
    *s = (s3_system){.vertex_count = body->mesh->vertex_count, .inertia = body->inertia};
    bool ok = fill(s, body, pool, error) == PL_OK;
    if (!ok) s3_system_free(s);
    return ok;
}

void s3_system_free(s3_system* s) {
    size_t n = (size_t)s->vertex_count;
    pl_element_set_free(&s->set);
    pl_block_matrix_free(&s->A);
    pl_block_matrix_free(&s->K);
    pl_block_matrix_free(&s->B);
    PL_FREE(s->rest, double, 3 * n);
    PL_FREE(s->b, double, 4 * n);
    PL_FREE(s->pressure, double, n);
    PL_FREE(s->mass, double, n);
    PL_FREE(s->held, bool, n);
    PL_FREE(s->scratch, double, 5 * n);
    PL_FREE(s->units, double, n);
    *s = (s3_system){0};
}
