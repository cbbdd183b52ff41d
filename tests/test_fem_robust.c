// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// States and settings that are hard on a solver.
#include "base/memory.h"
#include "base/random.h"
#include "fem_samples.h"
#include "test.h"

static pl_mesh* sample_mesh(int which) {
    pl_mesh* mesh;
    pl_error error;
    if (which == 0) return fem_box(1, 1, 1, 3, 3, 3);
    if (which == 1) return fem_box(1, 0.3, 0.2, 5, 2, 2);
    pl_generate_options options;
    CHECK_OK(pl_generate_defaults("sphere", &options, &error), &error);
    options.edge = 0.25;
    CHECK_OK(pl_generate("sphere", &options, &mesh, &error), &error);
    return mesh;
}

static void check_recovery(int which, pl_material_kind law, verify_spoilt how, uint64_t seed) {
    double shape;
    int iterations;
    pl_error error;
    CHECK_OK(verify_recovery(sample_mesh(which), law, how, seed, &shape, &iterations, &error),
             &error);
    if (!(shape <= 1e-3))
        pl_test_fail(__FILE__, __LINE__,
                     "mesh %d, %s, way %d, seed %d: shape error %g after %d iterations", which,
                     pl_material_name(law), (int)how, (int)seed, shape, iterations);
}

TEST(fem_flattened_bodies_recover)
{
    for (int which = 0; which < 3; which++) {
        check_recovery(which, PL_MATERIAL_STABLE_NEOHOOKEAN, VERIFY_FLAT, 1);
        check_recovery(which, PL_MATERIAL_COROTATED, VERIFY_FLAT, 1);
    }
}

TEST(fem_collapsed_bodies_recover)
{
    for (int which = 0; which < 3; which++) {
        check_recovery(which, PL_MATERIAL_STABLE_NEOHOOKEAN, VERIFY_POINT, 1);
        check_recovery(which, PL_MATERIAL_COROTATED, VERIFY_POINT, 1);
    }
}

TEST(fem_scattered_bodies_recover)
{
    for (int which = 0; which < 3; which++)
        check_recovery(which, PL_MATERIAL_STABLE_NEOHOOKEAN, VERIFY_RANDOM, 1 + (uint64_t)which);
}

static void fill_positions(fem_sample* s, double value) {
    for (int i = 0; i < 3 * s->mesh->vertex_count; i++) pl_step_positions(s->system)[i] = value;
}

// all vertices in one point: there is no force, and that is said
TEST(fem_stationary_collapse_is_said)
{
    for (int k = 0; k < 2; k++) {
        pl_step_settings settings = pl_default_step_settings();
        settings.integrator = k == 0 ? PL_INTEGRATOR_EULER : PL_INTEGRATOR_QUASISTATIC;
        fem_sample s = fem_sample_create(fem_box(1, 1, 1, 2, 2, 2), PL_MATERIAL_STABLE_NEOHOOKEAN,
                                         1e5, 0.3, 1000, &settings, NULL);
        fill_positions(&s, 0.25);
        pl_method_info info;
        pl_error error;
        pl_status status = verify_body_step(&s, 0.01, 0.0, NULL, 0, &info, &error);
        CHECK_INT(info.collapsed_count, s.mesh->tet_count);
        CHECK(!info.converged);
        if (k == 1) {
            CHECK_INT(status, PL_ERROR_UNSUPPORTED);
            CHECK_TEXT(error.text, "48 elements are collapsed to a point");
        } else {
            CHECK_INT(status, PL_OK);
        }
        for (int i = 0; i < 3 * s.mesh->vertex_count; i++)
            CHECK(pl_step_positions(s.system)[i] == 0.25);
        fem_sample_free(&s);
    }
}

// soft to stiff at the step of a film: a beam that is held at one end and let go
TEST(fem_any_stiffness_at_film_steps)
{
    for (int power = 2; power <= 9; power++) {
        pl_step_settings settings = pl_default_step_settings();
        fem_sample s =
            fem_sample_create(fem_box(0.4, 0.1, 0.1, 4, 1, 1), PL_MATERIAL_STABLE_NEOHOOKEAN,
                              pow(10.0, power), 0.3, 1000, &settings, NULL);
        pl_pin pins[100];
        int pin_count = verify_pin_left(s.mesh, 1e-9, pins);
        for (int frame = 0; frame < 300; frame++) {
            pl_method_info info = fem_sample_step(&s, 1.0 / 30.0, 9.81, pins, pin_count);
            if (!info.converged || info.iterations > 20)
                pl_test_fail(__FILE__, __LINE__, "E 1e%d, frame %d: %d iterations, residual %g",
                             power, frame, info.iterations, info.residual);
            CHECK_INT(info.retries, 0);
        }
        for (int i = 0; i < 3 * s.mesh->vertex_count; i++)
            CHECK(fabs(pl_step_positions(s.system)[i]) < 100.0);
        fem_sample_free(&s);
    }
}

// a law that exists only for positive volumes, in a state that has none
TEST(fem_failing_step_leaves_the_state)
{
    pl_step_settings settings = pl_default_step_settings();
    fem_sample s = fem_sample_create(fem_box(1, 1, 1, 2, 2, 2), PL_MATERIAL_NEOHOOKEAN, 1e5, 0.3,
                                     1000, &settings, NULL);
    size_t size = pl_step_state_size(s.system);
    fem_sample_step(&s, 0.01, 9.81, NULL, 0);
    verify_spoil(s.mesh, VERIFY_RANDOM, 3, pl_step_positions(s.system));
    char *before = PL_ALLOC(char, size), *after = PL_ALLOC(char, size);
    pl_step_state_save(s.system, before);
    pl_method_info info;
    pl_error error;
    CHECK_INT(verify_body_step(&s, 0.01, 9.81, NULL, 0, &info, &error), PL_ERROR_DIVERGED);
    CHECK_TEXT(error.text, "not finite");
    pl_step_state_save(s.system, after);
    CHECK(memcmp(before, after, size) == 0);
    // so does an outer force that is no number, and a step that is none
    fill_positions(&s, 0.0);
    memcpy(pl_step_positions(s.system), s.mesh->positions,
           3 * (size_t)s.mesh->vertex_count * sizeof(double));
    pl_step_state_save(s.system, before);
    CHECK_INT(verify_body_step(&s, 0.01, NAN, NULL, 0, &info, &error), PL_ERROR_DIVERGED);
    CHECK_INT(verify_body_step(&s, -1.0, 9.81, NULL, 0, &info, &error), PL_ERROR_ARGUMENT);
    pl_step_state_save(s.system, after);
    CHECK(memcmp(before, after, size) == 0);
    // and the next good step goes on
    fem_sample_step(&s, 0.01, 9.81, NULL, 0);
    PL_FREE(before, char, size);
    PL_FREE(after, char, size);
    fem_sample_free(&s);
}

// a load that is no number, where it moves nothing: on a vertex that is held
TEST(fem_no_number_never_counts_as_converged)
{
    static const pl_integrator integrators[] = {PL_INTEGRATOR_EULER, PL_INTEGRATOR_QUASISTATIC};
    for (int k = 0; k < 2; k++) {
        pl_step_settings settings = pl_default_step_settings();
        settings.integrator = integrators[k];
        fem_sample s = fem_sample_create(fem_box(1, 1, 1, 2, 2, 2), PL_MATERIAL_COROTATED, 1e5, 0.3,
                                         1000, &settings, NULL);
        pl_pin pins[64];
        int pin_count = verify_pin_left(s.mesh, 1e-9, pins);
        pl_method_step step = {
            .time_step = 0.01, .force = s.force, .pins = pins, .pin_count = pin_count};
        pl_method_info info;
        pl_error error;
        s.force[3 * pins[0].vertex + 1] = NAN;
        CHECK_INT(pl_step_system_step(s.system, &step, &info, &error), PL_ERROR_DIVERGED);
        CHECK_TEXT(error.text, "not finite");
        CHECK(!info.converged);
        fem_sample_free(&s);
    }
}

static pl_mesh* two_tets(bool apart) {
    const double positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1,
                                2, 0, 0, 3, 0, 0, 2, 1, 0, 2, 0, 1};
    const int tets[] = {0, 1, 2, 3, 4, 5, 6, 7};
    pl_mesh* mesh;
    pl_error error;
    CHECK_OK(pl_mesh_create(positions, apart ? 8 : 4, tets, apart ? 2 : 1, NULL, 0, &mesh, &error),
             &error);
    return mesh;
}

TEST(fem_one_tet_and_two_components)
{
    static const pl_linear kinds[] = {PL_LINEAR_DIRECT, PL_LINEAR_PCG, PL_LINEAR_ICPCG,
                                      PL_LINEAR_GAUSS_SEIDEL, PL_LINEAR_CHEBYSHEV};
    for (int k = 0; k < 10; k++) {
        pl_step_settings settings = pl_default_step_settings();
        settings.linear = kinds[k / 2];
        fem_sample s = fem_sample_create(two_tets(k % 2), PL_MATERIAL_COROTATED, 1e5, 0.3, 1000,
                                         &settings, NULL);
        for (int n = 0; n < 5; n++) CHECK(fem_sample_step(&s, 0.01, 9.81, NULL, 0).converged);
        for (int v = 0; v < s.mesh->vertex_count; v++)
            CHECK_NEAR(pl_step_positions(s.system)[3 * v + 1] - s.mesh->positions[3 * v + 1],
                       -9.81 * 0.01 * 0.01 * 15, 1e-6);
        fem_sample_free(&s);
    }
}

// at rest nothing carries the weight of a free body; forces that add up to nothing are carried
TEST(fem_free_bodies_in_quasistatics)
{
    static const pl_linear kinds[] = {PL_LINEAR_DIRECT, PL_LINEAR_PCG, PL_LINEAR_ICPCG};
    for (int k = 0; k < 3; k++) {
        pl_step_settings settings = pl_default_step_settings();
        settings.integrator = PL_INTEGRATOR_QUASISTATIC;
        settings.linear = kinds[k];
        fem_sample s = fem_sample_create(two_tets(true), PL_MATERIAL_COROTATED, 1e5, 0.3, 1000,
                                         &settings, NULL);
        pl_method_info info;
        pl_error error;
        CHECK_INT(verify_body_step(&s, 1.0, 9.81, NULL, 0, &info, &error), PL_ERROR_UNSUPPORTED);
        CHECK_TEXT(error.text, "12 rigid modes");
        CHECK_INT(info.rigid_mode_count, 12);
        // the first is held, the other is not
        pl_pin pins[8];
        int pin_count = verify_pin_left(s.mesh, 1.5, pins);
        CHECK_INT(pin_count, 4);
        CHECK_INT(verify_body_step(&s, 1.0, 9.81, pins, 4, &info, &error), PL_ERROR_UNSUPPORTED);
        CHECK_TEXT(error.text, "the body of vertex 4 is pushed");
        CHECK_TEXT(error.text, "6 rigid modes: attach the body or use a dynamic integrator");
        // pulled apart along x
        memset(s.force, 0, 24 * sizeof(double));
        s.force[3 * 4] = -100.0, s.force[3 * 5] = 100.0;
        pl_method_step step = {.time_step = 1.0, .force = s.force, .pins = pins, .pin_count = 4};
        CHECK_OK(pl_step_system_step(s.system, &step, &info, &error), &error);
        CHECK(info.converged);
        CHECK_INT(info.rigid_mode_count, 6);
        const double* x = pl_step_positions(s.system);
        double length = pl_distance(pl_vec3_load(x + 12), pl_vec3_load(x + 15));
        CHECK(length > 1.0 + 1e-4 && length < 1.1);
        fem_sample_free(&s);
    }
}

TEST(fem_survives_every_failing_allocation)
{
    int64_t total = 1;
    for (int64_t n = 1; n <= total; n++) {
        pl_step_settings settings = pl_default_step_settings();
        settings.integrator = PL_INTEGRATOR_QUASISTATIC;
        settings.damping_stiffness = 0.01;
        pl_mesh* mesh = fem_box(1, 1, 1, 1, 1, 1);
        pl_pin pins[8];
        int pin_count = verify_pin_left(mesh, 1e-9, pins);
        verify_body body;
        pl_error error;
        pl_method_info info;
        pl_inject_failure(n);
        pl_status status = verify_body_create(&body, mesh, PL_MATERIAL_COROTATED, 1e5, 0.3, 1000,
                                              &settings, NULL, &error);
        if (status == PL_OK) {
            status = verify_body_step(&body, 1.0, 9.81, pins, pin_count, &info, &error);
            verify_body_free(&body);
        }
        int64_t count = pl_inject_failure(0);
        if (n == 1) total = 1000;
        if (status == PL_OK) {
            CHECK(n > 10);
            CHECK(count < n);
            return;
        }
        CHECK_INT(status, PL_ERROR_MEMORY);
    }
    pl_test_fail(__FILE__, __LINE__, "no run went through");
}
