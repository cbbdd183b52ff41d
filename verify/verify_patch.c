// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Patch test: affine displacement of the boundary, which the inside has to follow to round-off.
#include "base/memory.h"
#include "base/random.h"
#include "sparse/direct.h"
#include "sparse/vector.h"
#include "verify.h"

#include <math.h>

// a box whose inner vertices are moved at random
static pl_status irregular_block(int cells, pl_mesh** out, bool** boundary, pl_error* error) {
    pl_status status = verify_box(1.0, 1.2, 0.9, cells, cells, cells, PL_PATTERN_KUHN, out, error);
    if (status != PL_OK) return status;
    pl_mesh* mesh = *out;
    *boundary = PL_ALLOC(bool, mesh->vertex_count);
    if (!*boundary) {
        pl_mesh_destroy(mesh);
        return pl_fail_memory(error, "a boundary");
    }
    for (int i = 0; i < 3 * mesh->triangle_count; i++) (*boundary)[mesh->triangles[i]] = true;
    pl_random random = {5};
    for (int i = 0; i < 3 * mesh->vertex_count; i++) {
        double shift = pl_random_uniform(&random, -0.15, 0.15) / cells;
        if (!(*boundary)[i / 3]) mesh->positions[i] += shift;
    }
    return PL_OK;
}

static const pl_mat3 patch_gradient = {
    {0.01, 0.004, -0.003, 0.002, -0.008, 0.005, -0.006, 0.003, 0.007}};

static void affine_displacement(const double* rest, int vertex_count, double* u) {
    for (int v = 0; v < vertex_count; v++)
        pl_vec3_store(u + 3 * v, pl_mat3_apply(&patch_gradient, pl_vec3_load(rest + 3 * v)));
}

static double largest_difference(const double* a, const double* b, int count) {
    double largest = 0.0;
    for (int i = 0; i < count; i++) largest = fmax(largest, fabs(a[i] - b[i]));
    return largest;
}

// K_ii u_i = -K_ib u_b; u holds the boundary's displacement and gets the inside's
static pl_status solve_inside(const pl_mesh* mesh, const pl_material* material,
                              const bool* boundary, double* u, double* work, pl_error* error) {
    pl_block_matrix K;
    double* mass;
    int count = 3 * mesh->vertex_count;
    pl_status status = verify_stiffness(mesh, material, 1.0, NULL, &K, NULL, &mass, error);
    if (status != PL_OK) return status;
    pl_block_matrix_apply(&K, NULL, 1, u, work);
    for (int i = 0; i < count; i++) work[i] = boundary[i / 3] ? u[i] : -work[i];
    pl_block_matrix_free(&K);
    PL_FREE(mass, double, mesh->vertex_count);
    status = verify_stiffness(mesh, material, 1.0, boundary, &K, NULL, &mass, error);
    if (status != PL_OK) return status;
    pl_direct* direct;
    status = pl_direct_setup(&K, &direct, error);
    if (status == PL_OK) status = pl_direct_update(direct, &K, NULL, error);
    if (status == PL_OK) pl_direct_solve(direct, 1, work, u);
    pl_direct_destroy(direct);
    pl_block_matrix_free(&K);
    PL_FREE(mass, double, mesh->vertex_count);
    return status;
}

pl_status verify_patch(pl_material_kind law, int cells, double* largest, pl_error* error) {
    pl_mesh* mesh;
    bool* boundary;
    pl_material material;
    pl_status status = pl_material_from_young(law, 1e5, 0.3, &material, error);
    if (status == PL_OK) status = irregular_block(cells, &mesh, &boundary, error);
    if (status != PL_OK) return status;
    int count = 3 * mesh->vertex_count;
    double *expected = PL_ALLOC(double, count), *u = PL_ALLOC(double, count),
           *work = PL_ALLOC(double, count);
    if (expected && u && work) {
        affine_displacement(mesh->positions, mesh->vertex_count, expected);
        for (int i = 0; i < count; i++) u[i] = boundary[i / 3] ? expected[i] : 0.0;
        status = solve_inside(mesh, &material, boundary, u, work, error);
        *largest = largest_difference(u, expected, count) / pl_vector_max_abs(count, expected);
    } else {
        status = pl_fail_memory(error, "a patch test");
    }
    PL_FREE(expected, double, count);
    PL_FREE(u, double, count);
    PL_FREE(work, double, count);
    PL_FREE(boundary, bool, mesh->vertex_count);
    pl_mesh_destroy(mesh);
    return status;
}

static pl_status relax_inside(verify_body* body, const bool* boundary, double* expected,
                              pl_pin* pins, double* largest, pl_error* error) {
    int vertex_count = body->mesh->vertex_count, pin_count = 0;
    affine_displacement(body->mesh->positions, vertex_count, expected);
    for (int v = 0; v < vertex_count; v++) {
        pl_vec3 from = pl_vec3_load(body->mesh->positions + 3 * v),
                to = pl_add(from, pl_vec3_load(expected + 3 * v));
        if (boundary[v])
            pins[pin_count++] = (pl_pin){.vertex = v, .hard = true, .from = from, .target = to};
    }
    double scale = pl_vector_max_abs(3 * vertex_count, expected);
    for (int i = 0; i < 3 * vertex_count; i++) expected[i] += body->mesh->positions[i];
    pl_method_info info;
    pl_status status = verify_body_step(body, 1.0, 0.0, pins, pin_count, &info, error);
    *largest =
        largest_difference(pl_step_positions(body->system), expected, 3 * vertex_count) / scale;
    return status;
}

pl_status verify_patch_nonlinear(pl_material_kind law, int cells, double* largest,
                                 pl_error* error) {
    pl_mesh* mesh;
    bool* boundary;
    verify_body body;
    pl_step_settings settings = pl_default_step_settings();
    settings.integrator = PL_INTEGRATOR_QUASISTATIC;
    settings.tolerance = 1e-12;
    settings.max_iterations = 50;
    pl_status status = irregular_block(cells, &mesh, &boundary, error);
    if (status != PL_OK) return status;
    int vertex_count = mesh->vertex_count;
    status = verify_body_create(&body, mesh, law, 1e5, 0.3, 1000.0, &settings, NULL, error);
    double* expected = PL_ALLOC(double, 3 * vertex_count);
    pl_pin* pins = PL_ALLOC(pl_pin, vertex_count);
    if (status == PL_OK && !(expected && pins)) status = pl_fail_memory(error, "a patch test");
    if (status == PL_OK) status = relax_inside(&body, boundary, expected, pins, largest, error);
    PL_FREE(expected, double, 3 * vertex_count);
    PL_FREE(pins, pl_pin, vertex_count);
    PL_FREE(boundary, bool, vertex_count);
    verify_body_free(&body);
    return status;
}
