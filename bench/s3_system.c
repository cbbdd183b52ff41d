// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "s3_system.h"
#include "base/fail.h"
#include "base/memory.h"
#include "mesh/topology.h"
#include "mixed/mixed_tets.h"

#include <math.h>
#include <string.h>

// what is needed to fill A
typedef struct parts {
    pl_element_set set;
    pl_block_matrix K, B;
    double *pressure, *mass;
    bool* held;
} parts;

static pl_status setup_pattern(s3_system* s, parts* p, const pl_mesh* mesh, pl_error* error) {
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
        status = pl_block_matrix_setup(&p->K, n, 3, graph.offsets, graph.items, error);
    if (status == PL_OK)
        status = pl_block_matrix_setup(&p->B, n, 1, graph.offsets, graph.items, error);
    pl_adjacency_free(&graph);
    return status;
}

static pl_status setup_set(parts* p, const pl_mesh* mesh, double nu, pl_error* error) {
    pl_material* materials = PL_ALLOC(pl_material, mesh->tet_count);
    if (!materials) return pl_fail_memory(error, "materials");
    double lambda = nu < 0.5 ? 2.0 * nu / (1.0 - 2.0 * nu) : 1e12;
    for (int e = 0; e < mesh->tet_count; e++)
        materials[e] =
            (pl_material){.kind = PL_MATERIAL_STABLE_NEOHOOKEAN, .mu = 1.0, .lambda = lambda};
    pl_status status = pl_tet_elements_setup(&p->set, mesh->positions, mesh->vertex_count,
                                             mesh->tets, mesh->tet_count, materials, error);
    PL_FREE(materials, pl_material, mesh->tet_count);
    if (status == PL_OK) status = pl_mixed_tets_take(&p->set, p->pressure, error);
    if (status == PL_OK) status = pl_element_set_locate(&p->set, &p->K, error);
    return status;
}

// a quarter of each tet's volume
static void find_mass(parts* p, const pl_mesh* mesh) {
    for (int e = 0; e < mesh->tet_count; e++) {
        const int* v = mesh->tets + 4 * (size_t)e;
        pl_vec3 x[4];
        for (int i = 0; i < 4; i++) x[i] = pl_vec3_load(mesh->positions + 3 * (size_t)v[i]);
        double volume =
            fabs(pl_dot(pl_sub(x[1], x[0]), pl_cross(pl_sub(x[2], x[0]), pl_sub(x[3], x[0])))) /
            6.0;
        for (int i = 0; i < 4; i++) p->mass[v[i]] += 0.25 * volume;
    }
}

static void find_held(parts* p, const pl_mesh* mesh) {
    double low = INFINITY, high = -INFINITY;
    for (int v = 0; v < mesh->vertex_count; v++) {
        low = fmin(low, mesh->positions[3 * (size_t)v + 1]);
        high = fmax(high, mesh->positions[3 * (size_t)v + 1]);
    }
    for (int v = 0; v < mesh->vertex_count; v++)
        p->held[v] = mesh->positions[3 * (size_t)v + 1] <= low + 0.02 * (high - low);
}

// the geometric mean of sqrt(K_ii / B_ii)
static double pressure_unit(const parts* p) {
    double sum = 0.0;
    for (int v = 0; v < p->K.row_count; v++) {
        const double* k = p->K.values + 9 * (size_t)p->K.diagonal[v];
        sum += 0.5 * log((k[0] + k[4] + k[8]) / (3.0 * p->B.values[p->B.diagonal[v]]));
    }
    return exp(sum / p->K.row_count);
}

static void join(s3_system* s, const parts* p) {
    double unit = pressure_unit(p);
    for (int v = 0; v < s->vertex_count; v++)
        for (int e = p->K.offsets[v]; e < p->K.offsets[v + 1]; e++) {
            double* a = s->A.values + 16 * (size_t)e;
            const double* k = p->K.values + 9 * (size_t)e;
            int w = p->K.columns[e];
            for (int i = 0; i < 9; i++)
                a[4 * (i / 3) + i % 3] =
                    (p->held[v] || p->held[w]) && (v != w || i % 4 != 0) ? 0.0 : k[i];
            for (int c = 0; c < 3; c++) {
                a[12 + c] *= p->held[w] ? 0.0 : unit;
                a[4 * c + 3] *= p->held[v] ? 0.0 : unit;
            }
            a[15] = -unit * unit * p->B.values[e];
        }
    for (int v = 0; v < s->vertex_count; v++)
        s->b[4 * (size_t)v + 1] = p->held[v] ? 0.0 : -p->mass[v];
}

static pl_status fill(s3_system* s, parts* p, const pl_mesh* mesh, const double* x, double nu,
                      double inertia, pl_pool* pool, pl_error* error) {
    int n = s->vertex_count;
    s->rest = PL_ALLOC(double, 3 * (size_t)n);
    s->b = PL_ALLOC(double, 4 * (size_t)n);
    p->pressure = PL_ALLOC(double, n);
    p->mass = PL_ALLOC(double, n);
    p->held = PL_ALLOC(bool, n);
    if (!s->rest || !s->b || !p->pressure || !p->mass || !p->held)
        return pl_fail_memory(error, "a mixed system");
    memcpy(s->rest, mesh->positions, 3 * (size_t)n * sizeof(double));
    pl_status status = setup_pattern(s, p, mesh, error);
    if (status == PL_OK) status = setup_set(p, mesh, nu, error);
    if (status != PL_OK) return status;
    find_mass(p, mesh);
    find_held(p, mesh);
    if (!x) x = s->rest;
    pl_block_matrix_zero(&p->K);
    pl_element_set_hessian(&p->set, pool, x, true, 1.0, &p->K);
    for (int v = 0; v < n; v++)
        for (int c = 0; c < 3; c++)
            p->K.values[9 * (size_t)p->K.diagonal[v] + 4 * (size_t)c] += inertia * p->mass[v];
    pl_block_matrix_zero(&s->A);
    pl_mixed_add_couplings(&p->set, pool, x, &s->A);
    pl_mixed_flexibility(&p->set, 1.0, &p->B);
    join(s, p);
    return PL_OK;
}

bool s3_system_create(s3_system* s, const pl_mesh* mesh, const double* x, double nu, double inertia,
                      pl_pool* pool, pl_error* error) {
    parts p = {0};
    int n = mesh->vertex_count;
    *s = (s3_system){.vertex_count = n};
    pl_status status = fill(s, &p, mesh, x, nu, inertia, pool, error);
    pl_element_set_free(&p.set);
    pl_block_matrix_free(&p.K);
    pl_block_matrix_free(&p.B);
    PL_FREE(p.pressure, double, n);
    PL_FREE(p.mass, double, n);
    PL_FREE(p.held, bool, n);
    if (status != PL_OK) s3_system_free(s);
    return status == PL_OK;
}

void s3_system_free(s3_system* s) {
    pl_block_matrix_free(&s->A);
    PL_FREE(s->rest, double, 3 * (size_t)s->vertex_count);
    PL_FREE(s->b, double, 4 * (size_t)s->vertex_count);
    *s = (s3_system){0};
}
