// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The kernels of tets in float batches against the double elements: gradient of Projective Dynamics
// (corotated, one rotation iteration), rotations alone, and the matrix with projection (stable
// Neo-Hookean). The mesh is the dragon of PLIANT_DATA, or without that a generated box of the same
// size.
#include "base/memory.h"
#include "bench_meshes.h"
#include "bench_systems.h"
#include "cloth_kernels.h"
#include "elements/tet_elements.h"
#include "elements/tet_batches.h"
#include "rotation_data.h"

#include <pliant/generate.h>
#include <stdio.h>
#include <stdlib.h>

// The double side does a part of the tets, so that both sides take about as long (see
// rotation_data.h). Its data then fit into a nearer cache, which is in its favour.
enum { TET_PART = 16 };

typedef struct lean_element {
    pl_mat3 shape; // Dm^-1
    double volume;
    pl_quat rotation;
} lean_element;

typedef struct kernels {
    pl_mesh* mesh; // reordered
    pl_material* materials;
    pl_element_set elements; // the first part of the tets
    pl_tet_batches batches;
    pl_block_matrix A;
    double *x, *gradient;
    float *x4, *gradient4;
    float* blocks;
    lean_element* lean; // as many as elements
    pl_pool* pool;      // two threads
} kernels;

static bool failed(const pl_error* error) {
    fprintf(stderr, "pliant-bench fem-kernels: %s\n", error->text);
    return false;
}

static const char DRAGON[] = "tets_generated/dragon_200k.msh.gz";

static pl_status load_mesh(bench* b, pl_mesh** out, pl_error* error) {
    if (!bench_quick(b)) return bench_solid_mesh(b, DRAGON, 199937, out, error);
    pl_generate_options options;
    pl_status status = pl_generate_defaults("box", &options, error);
    if (status != PL_OK) return status;
    int cells = 10; // a long box of 12 tets a cell
    options.size_x = 4.0, options.size_y = options.size_z = 1.0;
    options.count_x = 4 * cells, options.count_y = options.count_z = cells;
    status = pl_generate("box", &options, out, error);
    if (status == PL_OK) bench_mesh_used(b, DRAGON, "generated box", (*out)->vertex_count);
    return status;
}

static pl_status prepare_mesh(bench* b, kernels* k, pl_error* error) {
    pl_mesh* mesh;
    pl_status status = load_mesh(b, &mesh, error);
    return status == PL_OK ? bench_reorder(mesh, &k->mesh, error) : status;
}

static bool allocate(kernels* k) {
    size_t count = (size_t)k->mesh->vertex_count;
    k->materials = PL_ALLOC(pl_material, k->mesh->tet_count);
    k->x = PL_ALLOC(double, 3 * count);
    k->gradient = PL_ALLOC(double, 3 * count);
    k->x4 = PL_ALLOC(float, 4 * count);
    k->gradient4 = PL_ALLOC(float, 4 * count);
    k->lean = PL_ALLOC(lean_element, k->mesh->tet_count / TET_PART);
    return k->materials && k->x && k->gradient && k->x4 && k->gradient4 && k->lean;
}

// bent and stretched by some 10 %, as seen from the middle of the mesh
static void deform(kernels* k) {
    pl_vec3 low = pl_vec3_load(k->mesh->positions), high = low;
    for (int v = 1; v < k->mesh->vertex_count; v++) {
        pl_vec3 p = pl_vec3_load(k->mesh->positions + 3 * (size_t)v);
        low = (pl_vec3){fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z)};
        high = (pl_vec3){fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z)};
    }
    pl_vec3 middle = pl_scale(0.5, pl_add(low, high));
    double size = pl_distance(low, high);
    for (int v = 0; v < k->mesh->vertex_count; v++) {
        pl_vec3 p = pl_sub(pl_vec3_load(k->mesh->positions + 3 * (size_t)v), middle);
        pl_vec3 s = pl_scale(4.0 / size, p);
        pl_vec3 q = {p.x * cos(s.y) + 0.05 * size * s.z * s.z, p.y + 0.03 * size * sin(3.0 * s.x),
                     p.z * (1.0 + 0.1 * sin(s.x)) + 0.05 * s.x * p.y};
        pl_vec3_store(k->x + 3 * (size_t)v, q);
    }
    static const double origin[3] = {0.0, 0.0, 0.0};
    pl_float4_from_points(k->pool, k->x, k->mesh->vertex_count, origin, k->x4);
}

static pl_mat3 edge_matrix(const double* positions, const int* v) {
    pl_vec3 first = pl_vec3_load(positions + 3 * (size_t)v[0]), edges[3];
    for (int i = 0; i < 3; i++)
        edges[i] = pl_sub(pl_vec3_load(positions + 3 * (size_t)v[i + 1]), first);
    return pl_mat3_from_columns(edges[0], edges[1], edges[2]);
}

// rotations start where the double elements would find them
static void prepare_lean(kernels* k) {
    for (int e = 0; e < k->elements.count; e++) {
        const int* v = k->mesh->tets + 4 * (size_t)e;
        pl_mat3 R, Dm = edge_matrix(k->mesh->positions, v);
        pl_mat3_inverse(Dm, &k->lean[e].shape);
        pl_polar(pl_mat3_mul(edge_matrix(k->x, v), k->lean[e].shape), &R, NULL);
        k->lean[e].volume = pl_mat3_det(Dm) / 6.0;
        k->lean[e].rotation = pl_quat_from_mat3(R);
    }
}

static pl_status use_law(kernels* k, pl_material_kind kind, pl_error* error) {
    const pl_mesh* mesh = k->mesh;
    pl_material material;
    pl_status status = pl_material_from_young(kind, 1e5, 0.4, &material, error);
    if (status != PL_OK) return status;
    for (int e = 0; e < mesh->tet_count; e++) k->materials[e] = material;
    pl_element_set_free(&k->elements);
    pl_tet_batches_free(&k->batches);
    status = pl_tet_elements_setup(&k->elements, mesh->positions, mesh->vertex_count, mesh->tets,
                                   mesh->tet_count / TET_PART, k->materials, error);
    if (status != PL_OK) return status;
    return pl_tet_batches_setup(&k->batches, kind, mesh->positions, mesh->vertex_count, mesh->tets,
                                mesh->tet_count, k->materials, NULL, error);
}

static pl_status prepare_matrix(kernels* k, pl_error* error) {
    pl_status status = bench_matrix(k->mesh, 3, &k->A, error);
    if (status != PL_OK) return status;
    k->blocks = PL_ALLOC(float, 9 * (size_t)pl_block_matrix_entry_count(&k->A));
    return k->blocks ? PL_OK : pl_fail_memory(error, "a matrix in float");
}

static void run_gradient_1(void* user) {
    kernels* k = user;
    pl_tet_batches_gradient_warm(&k->batches, NULL, k->x4, k->gradient4);
}
static void run_gradient_2(void* user) {
    kernels* k = user;
    pl_tet_batches_gradient_warm(&k->batches, k->pool, k->x4, k->gradient4);
}
static void run_gradient_exact(void* user) {
    kernels* k = user;
    pl_tet_batches_gradient(&k->batches, NULL, k->x4, k->gradient4);
}
static void run_gradient_double(void* user) {
    kernels* k = user;
    pl_element_set_gradient(&k->elements, NULL, k->x, k->gradient);
}
// The strictest comparison: the same gradient with the same single rotation iteration in scalar
// double, laid out for it.
static void lean_tet(kernels* k, int e) {
    const int* v = k->mesh->tets + 4 * (size_t)e;
    const pl_mat3* shape = &k->lean[e].shape;
    pl_mat3 R, F = pl_mat3_mul(edge_matrix(k->x, v), *shape);
    pl_polar_newton(&F, &k->lean[e].rotation, 1, &R);
    double volume = k->lean[e].volume, two_mu = 2.0 * volume * k->materials[e].mu;
    double trace = volume * k->materials[e].lambda * (pl_mat3_dot(R, F) - 3.0);
    pl_mat3 P = pl_mat3_madd(pl_mat3_scale(two_mu, F), trace - two_mu, R);
    pl_mat3 f = pl_mat3_mult(P, *shape);
    pl_vec3 f0 = {0.0, 0.0, 0.0};
    for (int i = 0; i < 3; i++) {
        double* to = k->gradient + 3 * (size_t)v[i + 1];
        pl_vec3 fi = pl_mat3_column(&f, i);
        pl_vec3_store(to, pl_add(pl_vec3_load(to), fi));
        f0 = pl_sub(f0, fi);
    }
    double* to = k->gradient + 3 * (size_t)v[0];
    pl_vec3_store(to, pl_add(pl_vec3_load(to), f0));
}
static void run_gradient_lean(void* user) {
    kernels* k = user;
    for (int e = 0; e < k->elements.count; e++) lean_tet(k, e);
}

static void run_hessian_1(void* user) {
    kernels* k = user;
    pl_tet_batches_hessian(&k->batches, NULL, k->x4, 1.0f, 1.0f, k->blocks);
}
static void run_hessian_2(void* user) {
    kernels* k = user;
    pl_tet_batches_hessian(&k->batches, k->pool, k->x4, 1.0f, 1.0f, k->blocks);
}
static void run_hessian_double(void* user) {
    kernels* k = user;
    pl_element_set_hessian(&k->elements, NULL, k->x, true, 1.0, &k->A);
}

static double part_ratio(const kernels* k) {
    return (double)k->mesh->tet_count / k->elements.count;
}

static double mtets(kernels* k, bench_run run, int repeats) {
    return k->mesh->tet_count / bench_seconds(run, k, repeats) / 1e6;
}

static double ratio(kernels* k, bench_run fast, bench_run slow, int repeats) {
    return part_ratio(k) * bench_ratio(fast, k, slow, k, repeats);
}

static bool bench_gradient(bench* b, kernels* k, int repeats) {
    pl_error error;
    if (use_law(k, PL_MATERIAL_COROTATED, &error) != PL_OK) return failed(&error);
    run_gradient_exact(k); // warm starts
    prepare_lean(k);
    bench_result(b, "gradient_colours", k->batches.chunks.colours.groups.count, "", NAN);
    bench_result(b, "gradient_vs_scalar_1t", ratio(k, run_gradient_1, run_gradient_double, repeats),
                 "x", NAN);
    bench_result(b, "gradient_vs_scalar", ratio(k, run_gradient_2, run_gradient_double, repeats),
                 "x", NAN);
    bench_result(b, "gradient_vs_lean_scalar_1t",
                 ratio(k, run_gradient_1, run_gradient_lean, repeats), "x", NAN);
    bench_result(b, "gradient_mtets_1t", mtets(k, run_gradient_1, repeats), "M/s", NAN);
    bench_result(b, "gradient_mtets", mtets(k, run_gradient_2, repeats), "M/s", NAN);
    bench_result(b, "gradient_exact_mtets_1t", mtets(k, run_gradient_exact, repeats), "M/s", NAN);
    return true;
}

static bool bench_assembly(bench* b, kernels* k, int repeats) {
    static const struct {
        pl_material_kind kind;
        const char *ratio_name, *one_name, *two_name;
    } rows[] = {{PL_MATERIAL_STABLE_NEOHOOKEAN, "assembly_vs_scalar", "assembly_mtets_1t",
                 "assembly_mtets"},
                {PL_MATERIAL_COROTATED, "assembly_corotated_vs_scalar",
                 "assembly_corotated_mtets_1t", "assembly_corotated_mtets"}};
    pl_error error;
    if (prepare_matrix(k, &error) != PL_OK) return failed(&error);
    for (int i = 0; i < 2; i++) {
        if (use_law(k, rows[i].kind, &error) != PL_OK ||
            pl_element_set_locate(&k->elements, &k->A, &error) != PL_OK ||
            pl_tet_batches_locate(&k->batches, k->pool, &k->A, &error) != PL_OK)
            return failed(&error);
        bench_result(b, rows[i].ratio_name, ratio(k, run_hessian_1, run_hessian_double, repeats),
                     "x", NAN);
        bench_result(b, rows[i].one_name, mtets(k, run_hessian_1, repeats), "M/s", NAN);
        bench_result(b, rows[i].two_name, mtets(k, run_hessian_2, repeats), "M/s", NAN);
    }
    return true;
}

static bool bench_rotation(bench* b, int repeats) {
    rotation_data m;
    bool done = rotation_data_create(&m);
    if (done) {
        rotation_data_fill(&m, 0.1);
        double faster =
            rotation_ratio(rotation_run_newton_2, rotation_run_scalar_newton_2, &m, repeats);
        bench_result(b, "rotation_vs_scalar", faster, "x", NAN);
        bench_result(b, "rotation_m", rotation_rate(rotation_run_newton_2, &m, repeats), "M/s",
                     NAN);
        bench_result(b, "rotation_error", rotation_wide_error(&m), "", NAN);
    } else fprintf(stderr, "pliant-bench fem-kernels: out of memory\n");
    rotation_data_free(&m);
    return done;
}

static void free_kernels(kernels* k) {
    size_t count = k->mesh ? (size_t)k->mesh->vertex_count : 0;
    PL_FREE(k->materials, pl_material, k->mesh ? k->mesh->tet_count : 0);
    PL_FREE(k->x, double, 3 * count);
    PL_FREE(k->gradient, double, 3 * count);
    PL_FREE(k->x4, float, 4 * count);
    PL_FREE(k->gradient4, float, 4 * count);
    PL_FREE(k->lean, lean_element, k->mesh ? k->mesh->tet_count / TET_PART : 0);
    if (k->blocks) PL_FREE(k->blocks, float, 9 * (size_t)pl_block_matrix_entry_count(&k->A));
    pl_block_matrix_free(&k->A);
    pl_element_set_free(&k->elements);
    pl_tet_batches_free(&k->batches);
    pl_mesh_destroy(k->mesh);
    pl_pool_destroy(k->pool);
}

static bool measure(bench* b, kernels* k) {
    pl_error error;
    if (pl_pool_create(2, &k->pool, &error) != PL_OK || prepare_mesh(b, k, &error) != PL_OK)
        return failed(&error);
    if (!allocate(k)) {
        pl_fail_memory(&error, "the bench");
        return failed(&error);
    }
    deform(k);
    bench_result(b, "vertices", k->mesh->vertex_count, "", NAN);
    bench_result(b, "tets", k->mesh->tet_count, "", NAN);
    int repeats = bench_quick(b) ? 9 : 31;
    return bench_gradient(b, k, repeats) && bench_rotation(b, 3 * repeats) &&
           bench_assembly(b, k, bench_quick(b) ? 5 : 15) && bench_cloth_kernels(b);
}

bool bench_fem_kernels(bench* b) {
    kernels k = {0};
    bool done = measure(b, &k);
    free_kernels(&k);
    return done;
}
