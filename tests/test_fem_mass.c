// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The consistent mass matrix beside lumped masses.
#include "base/memory.h"
#include "base/random.h"
#include "fem_samples.h"
#include "run_samples.h"
#include "sparse/block_matrix.h"
#include "test.h"

static const pl_integrator integrators[] = {PL_INTEGRATOR_EULER, PL_INTEGRATOR_MIDPOINT,
                                            PL_INTEGRATOR_BDF2};

static fem_sample consistent_sample(pl_mesh* mesh, pl_material_kind law,
                                    const pl_step_settings* settings) {
    fem_sample s = fem_sample_create(mesh, law, 1e5, 0.3, 1000, settings, NULL);
    pl_error error;
    CHECK_OK(verify_body_use_consistent_mass(&s, &error), &error);
    return s;
}

TEST(mass_matrix_has_the_lumps_as_row_sums)
{
    pl_mesh* mesh = fem_box(1, 0.5, 0.7, 3, 2, 2);
    pl_material material;
    pl_block_matrix K, M;
    double *mass, total = 0.0;
    pl_error error;
    CHECK_OK(pl_material_from_young(PL_MATERIAL_LINEAR, 1e5, 0.3, &material, &error), &error);
    CHECK_OK(verify_stiffness(mesh, &material, 1000, NULL, &K, &M, &mass, &error), &error);
    for (int v = 0; v < mesh->vertex_count; v++) {
        double sum = 0.0;
        for (int e = M.offsets[v]; e < M.offsets[v + 1]; e++) {
            CHECK(M.values[e] > 0.0);
            sum += M.values[e];
        }
        CHECK_NEAR(sum, mass[v], 1e-12 * mass[v]);
        CHECK(M.values[M.diagonal[v]] < 0.5 * mass[v]);
        total += sum;
    }
    CHECK_NEAR(total, 350.0, 1e-9);
    PL_FREE(mass, double, mesh->vertex_count);
    pl_block_matrix_free(&K);
    pl_block_matrix_free(&M);
    pl_mesh_destroy(mesh);
}

TEST(mass_matrix_keeps_free_fall_exact)
{
    for (int k = 0; k < 4; k++) {
        pl_step_settings settings = pl_default_step_settings();
        if (k < 3) settings.integrator = integrators[k];
        else settings.nonlinear = PL_NONLINEAR_PROJECTIVE;
        settings.tolerance = 1e-12;
        fem_sample s =
            consistent_sample(fem_box(1, 1, 1, 2, 2, 2), PL_MATERIAL_COROTATED, &settings);
        fem_sample lumped = fem_sample_create(fem_box(1, 1, 1, 2, 2, 2), PL_MATERIAL_COROTATED, 1e5,
                                              0.3, 1000, &settings, NULL);
        for (int n = 0; n < 10; n++) {
            fem_sample_step(&s, 0.01, 9.81, NULL, 0);
            fem_sample_step(&lumped, 0.01, 9.81, NULL, 0);
        }
        const double *x = pl_step_positions(s.system), *y = pl_step_positions(lumped.system);
        for (int i = 0; i < 3 * s.mesh->vertex_count; i++) CHECK_NEAR(x[i], y[i], 1e-10);
        CHECK(x[1] < s.mesh->positions[1] - 0.04);
        fem_sample_free(&s);
        fem_sample_free(&lumped);
    }
}

// momentum and angular momentum: sums of M_ij v_j and x_i x M_ij v_j
static void momenta(fem_sample* s, const pl_block_matrix* M, pl_vec3* linear, pl_vec3* angular) {
    const double *x = pl_step_positions(s->system), *v = pl_step_velocities(s->system);
    *linear = *angular = (pl_vec3){0, 0, 0};
    for (int i = 0; i < M->row_count; i++)
        for (int e = M->offsets[i]; e < M->offsets[i + 1]; e++) {
            pl_vec3 p = pl_scale(M->values[e], pl_vec3_load(v + 3 * M->columns[e]));
            *linear = pl_add(*linear, p);
            *angular = pl_add(*angular, pl_cross(pl_vec3_load(x + 3 * i), p));
        }
}

TEST(mass_matrix_keeps_momentum_and_energy)
{
    for (int k = 0; k < 3; k++) {
        pl_step_settings settings = pl_default_step_settings();
        settings.integrator = integrators[k];
        settings.tolerance = 1e-11;
        settings.max_iterations = 50;
        fem_sample s =
            consistent_sample(fem_box(1, 0.5, 0.5, 3, 2, 2), PL_MATERIAL_STVK, &settings);
        pl_random random = {3};
        double* v = pl_step_velocities(s.system);
        for (int i = 0; i < 3 * s.mesh->vertex_count; i++) v[i] = 0.5 * pl_random_normal(&random);
        pl_block_matrix K, M;
        double* mass;
        pl_vec3 linear, angular, linear_now, angular_now;
        pl_error error;
        CHECK_OK(verify_stiffness(s.mesh, &s.material, 1000, NULL, &K, &M, &mass, &error), &error);
        momenta(&s, &M, &linear, &angular);
        pl_method_energies e = pl_step_system_energies(s.system);
        double first = e.kinetic + e.elastic;
        for (int n = 0; n < 20; n++) fem_sample_step(&s, 0.002, 0.0, NULL, 0);
        momenta(&s, &M, &linear_now, &angular_now);
        CHECK(pl_distance(linear_now, linear) <= 1e-10 * pl_norm(linear));
        e = pl_step_system_energies(s.system);
        if (settings.integrator == PL_INTEGRATOR_MIDPOINT) {
            CHECK(pl_distance(angular_now, angular) <= 1e-8 * pl_norm(angular));
            CHECK_NEAR(e.kinetic + e.elastic, first, 0.02 * first);
        } else {
            CHECK(e.kinetic + e.elastic < first);
        }
        PL_FREE(mass, double, s.mesh->vertex_count);
        pl_block_matrix_free(&K);
        pl_block_matrix_free(&M);
        fem_sample_free(&s);
    }
}

// damping that is the same everywhere slows uniform motion by the same factor with either mass
TEST(mass_matrix_is_damped_as_lumps_are)
{
    for (int k = 0; k < 2; k++) {
        pl_step_settings settings = pl_default_step_settings();
        settings.damping_mass = 4.0;
        settings.tolerance = 1e-12;
        fem_sample s = k ? consistent_sample(fem_box(1, 1, 1, 2, 2, 2), PL_MATERIAL_STVK, &settings)
                         : fem_sample_create(fem_box(1, 1, 1, 2, 2, 2), PL_MATERIAL_STVK, 1e5, 0.3,
                                             1000, &settings, NULL);
        double* v = pl_step_velocities(s.system);
        for (int i = 0; i < s.mesh->vertex_count; i++) v[3 * i] = 1.0;
        for (int n = 0; n < 10; n++) fem_sample_step(&s, 0.01, 0.0, NULL, 0);
        for (int i = 0; i < s.mesh->vertex_count; i++) CHECK_NEAR(v[3 * i], pow(1.04, -10), 1e-9);
        fem_sample_free(&s);
    }
}

// Rayleigh: a conforming mesh with consistent masses is never too soft, so that frequencies come
// down to those of theory; lumps take them below
LONG_TEST(mass_matrix_frequencies_converge_from_above)
{
    verify_answer cube[2], lumped, coarse[2], fine[2];
    pl_error error;
    for (int k = 0; k < 2; k++) {
        CHECK_OK(verify_cube(3 << k, 0.3, PL_MASS_CONSISTENT, NULL, &cube[k], &error), &error);
        CHECK(cube[k].value > cube[k].reference);
    }
    double order = log2(verify_relative_error(cube[0]) / verify_relative_error(cube[1]));
    CHECK(order > 1.5 && order < 2.4); // 1.6 here, 1.74 from 4 to 8 cells
    CHECK_OK(verify_cube(3, 0.3, PL_MASS_LUMPED, NULL, &lumped, &error), &error);
    CHECK(lumped.value < cube[0].value);
    CHECK_OK(verify_beam(80, 2, 80, PL_MASS_CONSISTENT, NULL, coarse, &error), &error);
    CHECK_OK(verify_beam(80, 4, 160, PL_MASS_CONSISTENT, NULL, fine, &error), &error);
    for (int k = 0; k < 2; k++) {
        CHECK(coarse[k].value > fine[k].value && fine[k].value > fine[k].reference);
        CHECK(verify_relative_error(fine[k]) < verify_relative_error(coarse[k]) / 3.0);
    }
}

// the key of a scene, for tets and for cloth: same fall, another vibration
TEST(mass_matrix_by_the_scene)
{
    static const char text[] =
        "{\"pliant\": 1, \"frames\": 4, \"bodies\": ["
        "{\"name\": \"box\", \"generate\": {\"shape\": \"box\", \"edge\": 0.5}, \"linear\": "
        "\"direct\","
        " \"material\": {\"young\": 1e4}},"
        "{\"name\": \"sheet\", \"generate\": {\"shape\": \"cloth\", \"edge\": 0.25}, \"linear\": "
        "\"direct\"}]}";
    pl_scene* scene = sample_scene(text);
    pl_error error;
    pl_world* lumped = sample_world(scene);
    CHECK_OK(pl_scene_set(scene, "bodies[0].mass", "consistent", &error), &error);
    CHECK_OK(pl_scene_set(scene, "bodies[1].mass", "consistent", &error), &error);
    pl_world* consistent = sample_world(scene);
    for (int body = 0; body < 2; body++) {
        double *a = pl_world_velocities(lumped, body), *b = pl_world_velocities(consistent, body);
        a[0] = b[0] = 0.1; // one corner is hit
    }
    for (int k = 0; k < 4; k++) {
        CHECK_OK(pl_world_step(lumped, NULL, &error), &error);
        CHECK_OK(pl_world_step(consistent, NULL, &error), &error);
    }
    for (int body = 0; body < 2; body++) {
        int count = 3 * pl_world_mesh(lumped, body)->vertex_count;
        double *a = pl_world_positions(lumped, body), *b = pl_world_positions(consistent, body);
        double most = 0.0;
        for (int i = 0; i < count; i++) {
            most = fmax(most, fabs(a[i] - b[i]));
            CHECK_NEAR(a[i], b[i], 0.01);
        }
        CHECK(most > 1e-5);
    }
    pl_world_destroy(lumped);
    pl_world_destroy(consistent);
    CHECK_OK(pl_scene_set(scene, "bodies[1].mass", "lumped", &error), &error);
    CHECK(pl_scene_set(scene, "bodies[0].method", "grid", &error) != PL_OK ||
          pl_scene_resolve(scene, &error) != PL_OK);
    CHECK_TEXT(error.text, "lumped");
    pl_scene_destroy(scene);
}
