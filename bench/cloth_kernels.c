// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "cloth_kernels.h"
#include "base/memory.h"
#include "fem/cloth_batches.h"
#include "fem/cloth_elements.h"
#include "fem/spring_gather.h"
#include "elements/tet_batches.h"
#include "mesh/topology.h"

#include <math.h>
#include <pliant/generate.h>
#include <stdio.h>

enum { SPRINGS, HINGES, KIND_COUNT };

typedef struct cloth_kernels {
    pl_mesh* mesh;
    pl_element_set sets[KIND_COUNT];
    pl_cloth_batches batches[KIND_COUNT];
    pl_spring_gather* gather;
    pl_block_matrix A;
    double energy;
    double *x, *gradient;
    float *x4, *blocks;
    int kind; // that is measured
} cloth_kernels;

// the vertices of each inner edge and those opposite, and every edge
static int list_hinges(const pl_mesh* mesh, const pl_side_groups* sides, int* hinges) {
    int count = 0;
    for (int g = 0; g < sides->groups.count; g++) {
        const int* members = sides->groups.items + sides->groups.offsets[g];
        if (sides->groups.offsets[g + 1] - sides->groups.offsets[g] != 2) continue;
        pl_triangle_edge(mesh->triangles + 3 * (members[0] / 3), members[0] % 3,
                         hinges + 4 * count);
        hinges[4 * count + 2] = mesh->triangles[members[0]];
        hinges[4 * count + 3] = mesh->triangles[members[1]];
        count++;
    }
    return count;
}

static pl_status make_sets(cloth_kernels* k, const int* hinges, int count, const pl_edges* edges,
                           pl_error* error) {
    const pl_mesh* mesh = k->mesh;
    int most = edges->count > count ? edges->count : count;
    double* stiffness = PL_ALLOC(double, most);
    if (!stiffness) return pl_fail_memory(error, "the bench");
    for (int e = 0; e < most; e++) stiffness[e] = 1.0;
    pl_status status =
        pl_spring_elements_setup(&k->sets[SPRINGS], mesh->positions, mesh->vertex_count,
                                 edges->ends, edges->count, stiffness, error);
    if (status == PL_OK)
        status = pl_hinge_elements_setup(&k->sets[HINGES], mesh->positions, mesh->vertex_count,
                                         hinges, count, stiffness, error);
    PL_FREE(stiffness, double, most);
    return status;
}

// the springs once more, by vertices
static pl_status make_gather(cloth_kernels* k, pl_error* error) {
    const pl_element_set* set = &k->sets[SPRINGS];
    double *rest = PL_ALLOC(double, set->count), *stiffness = PL_ALLOC(double, set->count);
    pl_status status = rest && stiffness ? PL_OK : pl_fail_memory(error, "the bench");
    for (int e = 0; status == PL_OK && e < set->count; e++) {
        rest[e] = pl_cloth_rest(set, e);
        stiffness[e] = pl_cloth_stiffness(set, e);
    }
    if (status == PL_OK)
        status = pl_spring_gather_create(&k->gather, set->corners, rest, stiffness, set->count,
                                         k->mesh->vertex_count, error);
    PL_FREE(rest, double, set->count);
    PL_FREE(stiffness, double, set->count);
    return status;
}

// four corners of each hinge as "tets" give the pattern
static pl_status make_matrix(cloth_kernels* k, const int* hinges, int count, pl_error* error) {
    pl_edges pairs;
    pl_adjacency near = {0};
    int n = k->mesh->vertex_count;
    pl_status status = pl_edges_create(hinges, count, 4, n, &pairs, error);
    if (status != PL_OK) return status;
    status = pl_vertex_neighbours(&pairs, n, &near, error);
    pl_edges_free(&pairs);
    if (status == PL_OK)
        status = pl_block_matrix_setup(&k->A, n, 3, near.offsets, near.items, error);
    pl_adjacency_free(&near);
    for (int i = 0; status == PL_OK && i < KIND_COUNT; i++) {
        status = pl_element_set_locate(&k->sets[i], &k->A, error);
        if (status == PL_OK)
            status = pl_cloth_batches_setup(&k->batches[i], &k->sets[i], NULL, 0, n, &k->A, error);
    }
    return status;
}

static pl_status prepare_elements(cloth_kernels* k, pl_error* error) {
    const pl_mesh* mesh = k->mesh;
    pl_edges edges;
    pl_side_groups sides;
    pl_status status = pl_edges_create(mesh->triangles, mesh->triangle_count, 3, mesh->vertex_count,
                                       &edges, error);
    if (status != PL_OK) return status;
    status = pl_side_groups_create(mesh->triangles, mesh->triangle_count, 3, mesh->vertex_count,
                                   &sides, error);
    if (status == PL_OK) {
        int room = sides.groups.count, *hinges = PL_ALLOC(int, 4 * (size_t)room);
        int count = hinges ? list_hinges(mesh, &sides, hinges) : 0;
        status = hinges ? make_sets(k, hinges, count, &edges, error)
                        : pl_fail_memory(error, "the bench");
        if (status == PL_OK) status = make_matrix(k, hinges, count, error);
        if (status == PL_OK) status = make_gather(k, error);
        PL_FREE(hinges, int, 4 * (size_t)room);
        pl_side_groups_free(&sides);
    }
    pl_edges_free(&edges);
    return status;
}

static pl_status prepare(const bench* b, cloth_kernels* k, pl_error* error) {
    pl_generate_options options;
    pl_status status = pl_generate_defaults("cloth", &options, error);
    if (status != PL_OK) return status;
    options.count_x = options.count_y = bench_quick(b) ? 60 : 240;
    status = pl_generate("cloth", &options, &k->mesh, error);
    if (status == PL_OK) status = prepare_elements(k, error);
    if (status != PL_OK) return status;
    size_t n = (size_t)k->mesh->vertex_count;
    k->x = PL_ALLOC(double, 3 * n), k->gradient = PL_ALLOC(double, 3 * n);
    k->x4 = PL_ALLOC(float, 4 * n);
    k->blocks = PL_ALLOC(float, 9 * (size_t)pl_block_matrix_entry_count(&k->A));
    if (!k->x || !k->gradient || !k->x4 || !k->blocks) return pl_fail_memory(error, "the bench");
    for (size_t v = 0; v < n; v++) { // waves
        pl_vec3 p = pl_vec3_load(k->mesh->positions + 3 * v);
        p.z += 0.05 * sin(9.0 * p.x) * cos(7.0 * p.y);
        pl_vec3_store(k->x + 3 * v, p);
    }
    static const double origin[3] = {0.0, 0.0, 0.0};
    pl_float4_from_points(NULL, k->x, (int)n, origin, k->x4);
    return PL_OK;
}

static void run_wide(void* user) {
    cloth_kernels* k = user;
    pl_cloth_batches_hessian(&k->batches[k->kind], NULL, k->x4, 1.0f, k->blocks);
}
static void run_double(void* user) {
    cloth_kernels* k = user;
    pl_element_set_hessian(&k->sets[k->kind], NULL, k->x, true, 1.0, &k->A);
}
static void run_gradient(void* user) {
    cloth_kernels* k = user;
    pl_element_set_gradient(&k->sets[SPRINGS], NULL, k->x, k->gradient);
}
// energy and gradient, by vertices and by springs
static void run_gather(void* user) {
    cloth_kernels* k = user;
    k->energy = pl_spring_gather_add(k->gather, 0, k->mesh->vertex_count, k->x, k->gradient);
}
static void run_both(void* user) {
    cloth_kernels* k = user;
    run_gradient(k);
    k->energy = pl_element_set_energy(&k->sets[SPRINGS], NULL, k->x);
}
static void run_gradient_single(void* user) {
    cloth_kernels* k = user;
    const pl_element_set* set = &k->sets[SPRINGS];
    for (int e = 0; e < set->count; e++) {
        const int* v = set->corners + 2 * (size_t)e;
        double x[6], g[6];
        for (int i = 0; i < 6; i++) x[i] = k->x[3 * (size_t)v[i / 3] + (size_t)(i % 3)];
        set->kind->gradient(set->data, e, x, g);
        for (int i = 0; i < 6; i++) k->gradient[3 * (size_t)v[i / 3] + (size_t)(i % 3)] += g[i];
    }
}

static void report(bench* b, cloth_kernels* k, int repeats) {
    static const char *const ratios[] = {"springs_vs_scalar", "hinges_vs_scalar"},
                             *const rates[] = {"springs_m_1t", "hinges_m_1t"};
    for (k->kind = 0; k->kind < KIND_COUNT; k->kind++) {
        bench_result(b, ratios[k->kind], bench_ratio(run_wide, k, run_double, k, repeats), "x",
                     NAN);
        bench_result(b, rates[k->kind],
                     k->sets[k->kind].count / bench_seconds(run_wide, k, repeats) / 1e6, "M/s",
                     NAN);
    }
    bench_result(b, "spring_gradient_vs_scalar",
                 bench_ratio(run_gradient, k, run_gradient_single, k, repeats), "x", NAN);
    bench_result(b, "spring_gather_vs_scatter", bench_ratio(run_gather, k, run_both, k, repeats),
                 "x", NAN);
}

static void free_kernels(cloth_kernels* k) {
    size_t n = k->mesh ? (size_t)k->mesh->vertex_count : 0;
    PL_FREE(k->x, double, 3 * n);
    PL_FREE(k->gradient, double, 3 * n);
    PL_FREE(k->x4, float, 4 * n);
    if (k->blocks) PL_FREE(k->blocks, float, 9 * (size_t)pl_block_matrix_entry_count(&k->A));
    for (int i = 0; i < KIND_COUNT; i++) {
        pl_element_set_free(&k->sets[i]);
        pl_cloth_batches_free(&k->batches[i]);
    }
    pl_spring_gather_destroy(k->gather);
    pl_block_matrix_free(&k->A);
    pl_mesh_destroy(k->mesh);
}

bool bench_cloth_kernels(bench* b) {
    cloth_kernels k = {0};
    pl_error error;
    bool done = prepare(b, &k, &error) == PL_OK;
    if (done) report(b, &k, bench_quick(b) ? 9 : 21);
    else fprintf(stderr, "pliant-bench fem-kernels: %s\n", error.text);
    free_kernels(&k);
    return done;
}
