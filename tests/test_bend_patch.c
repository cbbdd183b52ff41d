// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Patches of three hinges: derivatives, the wide form, and sheets that are not plain.
#include "base/memory.h"
#include "base/random.h"
#include "fem/cloth_batches.h"
#include "fem/fem_build.h"
#include "fem/patch_elements.h"
#include "material/bend_patch.h"
#include "material/bend_sheet.h"
#include "math_reference.h"
#include "mesh/spring_net.h"
#include "test.h"
#include "verify_cloth.h"

#include <string.h>

static void random_patch(pl_random* random, pl_vec3 x[6], double form[6]) {
    static const pl_vec3 flat[6] = {{0, 0, 0},   {1, 0, 0},      {0.4, 0.9, 0},
                                    {1.3, 1, 0}, {-0.6, 0.8, 0}, {0.5, -0.9, 0}};
    double L[9];
    for (int i = 0; i < 6; i++) {
        pl_vec3 noise = {pl_random_uniform(random, -0.2, 0.2), pl_random_uniform(random, -0.2, 0.2),
                         pl_random_uniform(random, -0.5, 0.5)};
        x[i] = pl_add(flat[i], noise);
    }
    for (int i = 0; i < 9; i++) L[i] = pl_random_uniform(random, -1.0, 1.0);
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) {
            double* entry = &form[pl_patch_entry[i][j]];
            *entry = i == j ? 0.1 : 0.0;
            for (int k = 0; k < 3; k++) *entry += L[3 * i + k] * L[3 * j + k];
        }
}

TEST(bend_patch_has_its_derivatives)
{
    enum { N = PL_PATCH_DOFS };
    pl_random random = {.state = 7};
    for (int round = 0; round < 40; round++) {
        pl_vec3 x[6];
        double form[6], rest[3], g[N], H[N * N], T[N * N], plus[N], minus[N], h = 1e-5, angles[3];
        random_patch(&random, x, form);
        for (int i = 0; i < 3; i++) rest[i] = pl_random_uniform(&random, -0.5, 0.5);
        pl_patch_energy(x, rest, form, false, g, H);
        for (int j = 0; j < N; j++) {
            pl_vec3 y[6], z[6], d = {h * (j % 3 == 0), h * (j % 3 == 1), h * (j % 3 == 2)};
            memcpy(y, x, sizeof y);
            memcpy(z, x, sizeof z);
            y[j / 3] = pl_add(y[j / 3], d);
            z[j / 3] = pl_sub(z[j / 3], d);
            double high = pl_patch_energy(y, rest, form, false, plus, NULL);
            double low = pl_patch_energy(z, rest, form, false, minus, NULL);
            CHECK_NEAR(g[j], (high - low) / (2.0 * h), 1e-6);
            for (int i = 0; i < N; i++)
                CHECK_NEAR(H[N * i + j], (plus[i] - minus[i]) / (2.0 * h), 1e-5);
        }
        // the rest angles cost nothing, also when turned, and there the Hessian is the projected
        // one
        pl_patch_angles(x, angles);
        pl_mat3 R = pl_test_rotation(&random);
        for (int i = 0; i < 6; i++) x[i] = pl_mat3_apply(&R, x[i]);
        CHECK_NEAR(pl_patch_energy(x, angles, form, false, NULL, H), 0.0, 1e-25);
        pl_patch_energy(x, angles, form, true, NULL, T);
        for (int i = 0; i < N * N; i++) CHECK_NEAR(H[i], T[i], 1e-10);
    }
}

static pl_body_parts parts_of(const pl_mesh* mesh) {
    const pl_element_material material = {.law = PL_LAW_SPRINGS, .density = 1.0, .bend = 2.0};
    pl_body_parts parts;
    pl_error error;
    CHECK_OK(verify_sheet_parts(mesh, &material, &parts, &error), &error);
    return parts;
}

static const pl_element_set* patches_of(const pl_body_parts* parts) {
    for (int k = 0; k < parts->set_count; k++)
        if (parts->sets[k].kind == &pl_patch_elements) return &parts->sets[k];
    return NULL;
}

// Couplings in float are those of the projected matrix in double, also at the rim, where patches
// name a vertex twice.
TEST(bend_patches_couple_the_same_in_float)
{
    pl_mesh* mesh;
    pl_error error;
    CHECK_OK(verify_sheet(VERIFY_SHEET_IRREGULAR, 1.0, 0.7, 0.1, &mesh, &error), &error);
    pl_body_parts parts = parts_of(mesh);
    int n = mesh->vertex_count;
    pl_block_matrix A;
    CHECK_OK(pl_block_matrix_setup(&A, n, 3, parts.neighbour_offsets, parts.neighbours, &error),
             &error);
    pl_element_set* set = (pl_element_set*)patches_of(&parts);
    CHECK(set != NULL);
    CHECK_OK(pl_element_set_locate(set, &A, &error), &error);
    pl_cloth_batches batches;
    CHECK_OK(pl_cloth_batches_setup(&batches, set, NULL, PL_MEMBRANE_STVK, n, &A, &error), &error);
    size_t entries = (size_t)pl_block_matrix_entry_count(&A);
    double* x = PL_ALLOC(double, 3 * (size_t)n);
    float *wide = PL_ALLOC(float, 4 * (size_t)n), *blocks = PL_ALLOC(float, 9 * entries);
    pl_random random = {.state = 3};
    for (size_t v = 0; v < (size_t)n; v++)
        for (size_t c = 0; c < 3; c++) {
            x[3 * v + c] = mesh->positions[3 * v + c] + pl_random_uniform(&random, -0.02, 0.02);
            wide[4 * v + c] = (float)x[3 * v + c];
            x[3 * v + c] = (double)wide[4 * v + c];
        }
    for (int k = 0; k < 2; k++) {
        pl_block_matrix_zero(&A);
        pl_element_set_hessian(set, NULL, x, true, 1.0, &A);
        memset(blocks, 0, 9 * entries * sizeof(float));
        pl_cloth_batches_hessian(&batches, NULL, wide, (float)k, blocks);
        double largest = 0.0, error_of = 0.0;
        for (int v = 0; v < n; v++)
            for (int e = A.offsets[v]; e < A.offsets[v + 1]; e++)
                for (int i = 9 * e; e != A.diagonal[v] && i < 9 * e + 9; i++) {
                    largest = fmax(largest, fabs(A.values[i]));
                    error_of = fmax(error_of, fabs(A.values[i] - (double)blocks[i]));
                }
        CHECK(largest > 1.0 && error_of < 1e-4 * largest);
    }
    PL_FREE(x, double, 3 * (size_t)n);
    PL_FREE(wide, float, 4 * (size_t)n);
    PL_FREE(blocks, float, 9 * entries);
    pl_cloth_batches_free(&batches);
    pl_block_matrix_free(&A);
    pl_body_parts_free(&parts);
    pl_mesh_destroy(mesh);
}

// Several patches at a time are the same as one by one, also folded far, the other way and flat.
TEST(bend_patches_are_the_same_together_and_alone)
{
    pl_mesh* mesh;
    pl_error error;
    CHECK_OK(verify_sheet(VERIFY_SHEET_IRREGULAR, 1.0, 0.7, 0.1, &mesh, &error), &error);
    pl_body_parts parts = parts_of(mesh);
    const pl_element_set* set = patches_of(&parts);
    size_t n = 3 * (size_t)mesh->vertex_count;
    double *x = PL_ALLOC(double, n), *together = PL_ALLOC(double, n), *alone = PL_ALLOC(double, n);
    pl_random random = {.state = 11};
    for (int round = 0; round < 6; round++) {
        double size = round ? pow(0.3, round) : 0.0, energy = 0.0, local[18], gradient[18];
        for (size_t i = 0; i < n; i++)
            x[i] = mesh->positions[i] + pl_random_uniform(&random, -size, size);
        memset(together, 0, n * sizeof(double));
        memset(alone, 0, n * sizeof(double));
        double with_gradient = pl_element_set_energy_and_gradient(set, NULL, x, together);
        for (int e = 0; e < set->count; e++) {
            const int* v = set->corners + 6 * (size_t)e;
            for (int i = 0; i < 18; i++) local[i] = x[3 * v[i / 3] + i % 3];
            energy += set->kind->energy(set->data, e, local);
            set->kind->gradient(set->data, e, local, gradient);
            for (int i = 0; i < 18; i++) alone[3 * v[i / 3] + i % 3] += gradient[i];
        }
        CHECK_NEAR(pl_element_set_energy(set, NULL, x), energy, 1e-13 * energy);
        CHECK_NEAR(with_gradient, energy, 1e-13 * energy);
        double largest = 0.0;
        for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(alone[i]));
        for (size_t i = 0; i < n; i++) CHECK_NEAR(together[i], alone[i], 1e-12 * largest);
    }
    PL_FREE(x, double, n);
    PL_FREE(together, double, n);
    PL_FREE(alone, double, n);
    pl_body_parts_free(&parts);
    pl_mesh_destroy(mesh);
}

// A tetrahedron (all neighbours share their vertex), with a fin on an edge (three triangles there),
// one triangle twice, one without area and one alone.
TEST(bend_sheet_of_any_triangles_is_definite)
{
    static const double places[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1,
                                    1, 2, 0, 0, 5, 0, 0, 6, 0, 0, 5, 1, 0};
    static const int triangles[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3,
                                    1, 2, 4, 1, 2, 4, 0, 1, 5, 6, 7, 8};
    enum { COUNT = sizeof triangles / sizeof triangles[0] / 3 };
    pl_side_groups sides;
    pl_bend_sheet sheet;
    pl_spring_net net;
    pl_error error;
    CHECK_OK(pl_side_groups_create(triangles, COUNT, 3, 9, &sides, &error), &error);
    CHECK_OK(pl_bend_sheet_create(places, triangles, COUNT, &sides, &sheet, &error), &error);
    CHECK_OK(pl_spring_net_create(places, 9, triangles, COUNT, &sides, &net, &error), &error);
    CHECK(sheet.patch_count > 0 && sheet.hinge_count > 0);
    for (int k = 0; k < sheet.patch_count + sheet.hinge_count; k++) {
        const double* form = sheet.parts[k].form;
        double A[9], values[3];
        for (int i = 0; i < 9; i++) A[i] = form[pl_patch_entry[i / 3][i % 3]];
        CHECK(pl_symmetric_eigen(3, A, values, NULL));
        for (int i = 0; i < 3; i++) CHECK(values[i] >= -1e-12 && values[i] < 100.0);
    }
    for (int g = 0; g < net.edge_count; g++) CHECK(net.edges[g] > 0.0 && net.edges[g] < 1e3);
    for (int p = 0; p < net.pair_count; p++) CHECK(net.across[p] >= 0.0 && net.across[p] < 1e3);
    pl_spring_net_free(&net);
    pl_bend_sheet_free(&sheet);
    pl_side_groups_free(&sides);
}

TEST(bend_sheet_and_spring_net_survive_every_failing_allocation)
{
    pl_mesh* mesh;
    pl_error error;
    CHECK_OK(verify_sheet(VERIFY_SHEET_SAME, 1.0, 1.0, 0.25, &mesh, &error), &error);
    pl_side_groups sides;
    CHECK_OK(pl_side_groups_create(mesh->triangles, mesh->triangle_count, 3, mesh->vertex_count,
                                   &sides, &error),
             &error);
    size_t before = pl_byte_count();
    for (int which = 0; which < 2; which++)
        for (int64_t nth = 1;; nth++) {
            pl_bend_sheet sheet = {0};
            pl_spring_net net = {0};
            pl_inject_failure(nth);
            pl_status status =
                which ? pl_bend_sheet_create(mesh->positions, mesh->triangles, mesh->triangle_count,
                                             &sides, &sheet, &error)
                      : pl_spring_net_create(mesh->positions, mesh->vertex_count, mesh->triangles,
                                             mesh->triangle_count, &sides, &net, &error);
            pl_inject_failure(0);
            if (status == PL_OK) {
                CHECK(nth > 4);
                pl_bend_sheet_free(&sheet);
                pl_spring_net_free(&net);
                break;
            }
            CHECK_INT(status, PL_ERROR_MEMORY);
            CHECK_INT(pl_byte_count(), before);
        }
    pl_side_groups_free(&sides);
    pl_mesh_destroy(mesh);
}
