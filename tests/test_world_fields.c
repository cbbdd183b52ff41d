// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Stress of bodies against what theory says of homogeneous deformations.
#include "base/memory.h"
#include "math/mat3.h"
#include "record/run_values.h"
#include "run_samples.h"
#include "scene/animation.h"
#include "test.h"

#include <math.h>
#include <pliant/pliant.h>
#include <string.h>

static const char* scene_of(const char* law, const char* output) {
    static char text[1024];
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"bodies\": [{\"generate\": {\"shape\": \"box\", \"size_x\": 0.2,"
             " \"size_y\": 0.1, \"size_z\": 0.1, \"edge\": 0.1}, \"material\": {\"law\": \"%s\","
             " \"mu\": 4e4, \"lambda\": 9e4, \"mu2\": 1e4}}]%s}",
             law, output);
    return text;
}

// all vertices at F X
static void deform(pl_world* world, pl_mat3 F) {
    const pl_mesh* mesh = pl_world_mesh(world, 0);
    double* x = pl_world_positions(world, 0);
    for (size_t v = 0; v < (size_t)mesh->vertex_count; v++)
        pl_vec3_store(x + 3 * v, pl_mat3_apply(&F, pl_vec3_load(mesh->positions + 3 * v)));
}

// the same stress in every tet and at every vertex
static void check_stress(pl_world* world, double expected, double tolerance) {
    const pl_mesh* mesh = pl_world_mesh(world, 0);
    double* of_tets = PL_ALLOC(double, mesh->tet_count);
    double* at_vertices = PL_ALLOC(double, mesh->vertex_count);
    pl_error error;
    CHECK_OK(pl_world_field(world, 0, PL_OUTPUT_ELEMENT_STRESS, of_tets, &error), &error);
    CHECK_OK(pl_world_field(world, 0, PL_OUTPUT_STRESS, at_vertices, &error), &error);
    for (int e = 0; e < mesh->tet_count; e++) CHECK_NEAR(of_tets[e], expected, tolerance);
    for (int v = 0; v < mesh->vertex_count; v++) CHECK_NEAR(at_vertices[v], expected, tolerance);
    PL_FREE(of_tets, double, mesh->tet_count);
    PL_FREE(at_vertices, double, mesh->vertex_count);
}

// Small strains: every law has the stress of linear elasticity. Uniaxial strain e gives the
// stresses (2 mu + lambda) e and lambda e, so von Mises 2 mu e; simple shear g gives sqrt(3) mu g.
TEST(world_stress_of_small_strains_is_hookes)
{
    const char* laws[] = {"linear",        "corotated",         "stvk", "neohookean",
                          "mooney_rivlin", "stable_neohookean", "arap"};
    const double mu = 4e4, e = 1e-7;
    const double angles[3] = {20.0, 70.0, -40.0};
    pl_mat3 R = pl_rotation_of_angles(angles);
    for (int k = 0; k < 7; k++) {
        pl_world* world = sample_start(scene_of(laws[k], ""));
        deform(world, pl_mat3_diagonal(1.0 + e, 1.0, 1.0));
        check_stress(world, 2.0 * mu * e, 1e-6 * mu * e);
        pl_mat3 F = pl_mat3_diagonal(1.0, 1.0, 1.0);
        F.m[1] = e; // x' = x + e y
        deform(world, F);
        check_stress(world, sqrt(3.0) * mu * e, 1e-6 * mu * e);
        // the stress of all but small-strain elasticity does not mind turns
        if (k > 0) {
            deform(world, pl_mat3_mul(R, F));
            check_stress(world, sqrt(3.0) * mu * e, 1e-5 * mu * e);
        }
        pl_world_destroy(world);
    }
}

// Large strains, St. Venant-Kirchhoff stretched by s along x: E = (s^2 - 1)/2, S_x = (2 mu +
// lambda) E, S_y = lambda E, Cauchy s S_x and S_y / s; in law linear 2 mu (s - 1).
TEST(world_stress_of_large_strains_is_cauchys)
{
    const double mu = 4e4, lambda = 9e4, s = 1.4, E = 0.5 * (s * s - 1.0);
    pl_world* world = sample_start(scene_of("stvk", ""));
    deform(world, pl_mat3_diagonal(s, 1.0, 1.0));
    check_stress(world, s * (2.0 * mu + lambda) * E - lambda * E / s, 1e-8 * mu);
    deform(world, pl_mat3_diagonal(-s, 1.0, 1.0)); // inside out
    check_stress(world, 0.0, 0.0);
    pl_world_destroy(world);
    world = sample_start(scene_of("linear", ""));
    deform(world, pl_mat3_diagonal(s, 1.0, 1.0));
    check_stress(world, 2.0 * mu * (s - 1.0), 1e-8 * mu);
    pl_world_destroy(world);
}

TEST(world_stress_of_tets_is_recorded_with_all_vertices)
{
    pl_scene* scene = sample_scene(scene_of(
        "linear",
        ", \"output\": {\"record\": \"all\", \"fields\": [\"stress\", \"element_stress\"]}"));
    pl_world* world = sample_world(scene);
    pl_run_values values;
    pl_error error;
    CHECK_OK(pl_run_values_setup(&values, world, scene, &error), &error);
    deform(world, pl_mat3_diagonal(1.1, 1.0, 1.0));
    pl_run_values_update(&values, world);
    const pl_record_body* body = &values.record_bodies[0];
    CHECK(body->field_count == 2 && body->fields[1].kind == PL_ELEMENT_TET && body->tet_count > 0);
    CHECK_NEAR(values.values[0].fields[1][body->tet_count - 1], 8e3, 1e-6);
    pl_run_values_free(&values);
    pl_world_destroy(world);
    CHECK_INT(pl_scene_set(scene, "output.record", "surface", &error), PL_OK);
    CHECK_INT(pl_scene_resolve(scene, &error), PL_ERROR_ARGUMENT);
    CHECK(strstr(error.text, "output.fields: element_stress belongs to tets"));
    pl_scene_destroy(scene);
}

TEST(world_field_refuses_what_is_not_there)
{
    pl_world* world = sample_start(scene_of("linear", ""));
    double value;
    pl_error error;
    CHECK_INT(pl_world_field(world, 1, PL_OUTPUT_STRESS, &value, &error), PL_ERROR_ARGUMENT);
    CHECK(strstr(error.text, "no body 1"));
    CHECK_INT(pl_world_field(world, 0, PL_OUTPUT_COUNT, &value, &error), PL_ERROR_ARGUMENT);
    pl_world_destroy(world);
}
