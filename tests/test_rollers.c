// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Attachments that hold some directions: planes of symmetry against exact states, rollers in
// motion, and what is refused.
#include "math/mat3.h"
#include "run_samples.h"
#include "test.h"
#include "verify.h"

#include <string.h>

// Neo-Hookean, E = 1e5, nu = 0.35: the stretch of a bar under this traction and across it; both
// solve P(1.6, c) = traction, P_across = 0.
static const double along = 1.6, across = 0.841572747380887, traction = 42864.70627004133;

// A block with three planes of symmetry, pulled at the side across from the first, all turned by R.
static pl_world* pulled_block(const char* linear, const char* law, const double angles[3],
                              const pl_mat3* R) {
    char text[2000];
    const double* m = R->m;
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"time_step\": 1, \"bodies\": [{\"name\": "
             "\"c\", \"generate\": {\"shape\": \"box\", \"edge\": 0.4, \"jitter\": 0.15}, "
             "\"transform\": {\"rotate\": [%.17g, %.17g, %.17g]}, \"integrator\": \"quasistatic\", "
             "\"linear\": \"%s\", \"linear_tolerance\": 1e-7, \"linear_iterations\": 4000, "
             "\"tolerance\": 1e-10, \"iterations\": 100,\n"
             "\"material\": {\"law\": \"%s\", \"young\": 1e5, \"poisson\": 0.35}}],\n"
             "\"attachments\": [{\"body\": \"c\", \"where\": {\"region\": \"x_min\"}, \"normal\": "
             "[%.17g, %.17g, %.17g]},\n"
             "{\"body\": \"c\", \"where\": {\"region\": \"y_min\"}, \"normal\": [%.17g, %.17g, "
             "%.17g]},\n"
             "{\"body\": \"c\", \"where\": {\"region\": \"z_min\"}, \"normal\": [%.17g, %.17g, "
             "%.17g]}],\n"
             "\"forces\": [{\"body\": \"c\", \"where\": {\"region\": \"x_max\"}, \"traction\": "
             "[%.17g, %.17g, %.17g]}]}",
             angles[0], angles[1], angles[2], linear, law, m[0], m[3], m[6], 2 * m[1], 2 * m[4],
             2 * m[7], m[2], m[5], m[8], traction * m[0], traction * m[3], traction * m[6]);
    return sample_start(text);
}

static pl_mat3 turn_about_z(double degrees) {
    double c = cos(degrees * acos(-1.0) / 180.0), s = sin(degrees * acos(-1.0) / 180.0);
    return (pl_mat3){{c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0}};
}

// The strain is that of theory, the same everywhere, and nothing hinders the contraction.
static void check_pulled(pl_world* world, const pl_mat3* R) {
    pl_frame_info info;
    const pl_mesh* rest = pl_world_mesh(world, 0);
    const double* x = pl_world_positions(world, 0);
    pl_mat3 back = pl_mat3_transpose(*R);
    for (int n = 0; n < 3 * rest->vertex_count; n++) {
        int v = n % rest->vertex_count;
        if (v == 0) sample_step(world, 1, &info); // the same in every frame
        CHECK(info.unconverged_count == 0);
        pl_vec3 from = pl_mat3_apply(&back, pl_vec3_load(rest->positions + 3 * (size_t)v));
        pl_vec3 at = pl_mat3_apply(&back, pl_vec3_load(x + 3 * (size_t)v));
        CHECK_NEAR(at.x, along * from.x, 1e-8);
        CHECK_NEAR(at.y, across * from.y, 1e-8);
        CHECK_NEAR(at.z, across * from.z, 1e-8);
    }
    pl_world_destroy(world);
}

TEST(rollers_leave_contraction_free)
{
    static const char* const solvers[] = {"direct", "mgpcg",     "multigrid",   "pcg",
                                          "icpcg",  "chebyshev", "gauss-seidel"};
    const double none[3] = {0.0, 0.0, 0.0}, turned[3] = {0.0, 0.0, 33.0};
    for (int k = 0; k < 7; k++) {
        pl_mat3 R = turn_about_z(turned[2]), I = pl_mat3_identity();
        check_pulled(pulled_block(solvers[k], "neohookean", none, &I), &I);
        check_pulled(pulled_block(solvers[k], "neohookean", turned, &R), &R);
    }
}

TEST(rollers_octant_converges_to_lame)
{
    verify_answer coarse, fine;
    double l2[2], other;
    pl_error error;
    CHECK_OK(verify_octant(6, PL_LINEAR_DIRECT, NULL, &coarse, &l2[0], &error), &error);
    CHECK_OK(verify_octant(12, PL_LINEAR_DIRECT, NULL, &fine, &l2[1], &error), &error);
    double order = log2(l2[0] / l2[1]);
    CHECK(l2[1] < 0.02);
    CHECK(order > 1.7 && order < 2.3);
    // multigrid finds the same
    CHECK_OK(verify_octant(12, PL_LINEAR_MGPCG, NULL, &coarse, &other, &error), &error);
    CHECK_NEAR(coarse.value, fine.value, 1e-6);
}

// A free block that flies along (1, 2, 0): rollers stop it along x, exactly, and do not touch the
// rest of its motion; a moving roller takes it along.
static void check_flight(const char* settings, const char* attachment, double speed) {
    char text[1200];
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"gravity\": [0, -10, 0], \"time_step\": 0.01, \"bodies\": "
             "[{\"name\": \"c\", \"generate\": {\"shape\": \"box\", \"edge\": 0.5}, %s, "
             "\"velocity\": [%g, 2, 0], \"tolerance\": 1e-9,\n"
             "\"material\": {\"young\": 1e4, \"poisson\": 0.3}}],\n"
             "\"attachments\": [{\"body\": \"c\", \"where\": {\"everything\": true}, %s}]}",
             settings, speed, attachment);
    pl_world* world = sample_start(text);
    sample_step(world, 10, NULL);
    const pl_mesh* rest = pl_world_mesh(world, 0);
    const double* x = pl_world_positions(world, 0);
    for (int v = 0; v < rest->vertex_count; v++) {
        const double *at = x + 3 * (size_t)v, *from = rest->positions + 3 * (size_t)v;
        CHECK_NEAR(at[0] - from[0], 0.1 * speed, 1e-9);
        CHECK(at[1] - from[1] > 0.13 && at[1] - from[1] < 0.16); // 2 t - 5 t^2, first order or more
        CHECK_NEAR(at[1] - from[1], x[1] - rest->positions[1], 1e-7);
        CHECK_NEAR(at[2] - from[2], 0.0, 1e-9);
    }
    pl_world_destroy(world);
}

LONG_TEST(rollers_do_not_hinder_motion_along_them)
{
    static const char* const settings[] = {
        "\"integrator\": \"euler\"",
        "\"integrator\": \"midpoint\"",
        "\"integrator\": \"bdf2\", \"linear\": \"multigrid\"",
        "\"integrator\": \"euler\", \"mass\": \"consistent\", \"linear\": \"direct\"",
        "\"integrator\": \"midpoint\", \"damping\": {\"stiffness\": 0.01}, \"linear\": \"mgpcg\"",
        "\"integrator\": \"euler\", \"nonlinear\": \"linearised\"",
    };
    for (int k = 0; k < 6; k++) {
        check_flight(settings[k], "\"hold\": \"x\"", 0.0);
        check_flight(settings[k], "\"hold\": [\"x\", \"z\"]", 0.0);
        check_flight(settings[k],
                     "\"normal\": [3, 0, 0], \"motion\": {\"interpolation\": \"linear\", "
                     "\"keyframes\": [{\"time\": 0}, {\"time\": 1, \"translate\": [1, 0, 0]}]}",
                     1.0);
        check_flight(settings[k], "\"hold\": \"x\", \"stiffness\": 1e6", 0.0);
    }
}

// Two planes that are not at right angles hold the line in which they meet free, and only that.
TEST(rollers_meet_at_any_angle)
{
    pl_world* world = sample_start(
        "{\"pliant\": 1, \"gravity\": [1, 2, 3], \"time_step\": 0.01, \"bodies\": [{\"name\": "
        "\"c\", \"generate\": {\"shape\": \"box\", \"edge\": 0.5}, \"integrator\": \"euler\", "
        "\"tolerance\": 1e-9}],\n"
        "\"attachments\": [{\"body\": \"c\", \"where\": {\"everything\": true}, \"normal\": [1, 0, "
        "0]},\n"
        "{\"body\": \"c\", \"where\": {\"everything\": true}, \"normal\": [1, 0.5, 0]}]}");
    sample_step(world, 5, NULL);
    const double *x = pl_world_positions(world, 0), *rest = pl_world_mesh(world, 0)->positions;
    for (int v = 0; v < pl_world_mesh(world, 0)->vertex_count; v++) {
        CHECK_NEAR(x[3 * v] - rest[3 * v], 0.0, 1e-12);
        CHECK_NEAR(x[3 * v + 1] - rest[3 * v + 1], 0.0, 1e-12);
        CHECK_NEAR(x[3 * v + 2] - rest[3 * v + 2], 3.0 * 1e-4 * 15.0, 1e-9); // a h^2 n (n + 1) / 2
    }
    pl_world_destroy(world);
}

static void check_refused(const char* body, const char* attachment, const char* expected) {
    char text[600];
    pl_scene* scene;
    pl_error error;
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"bodies\": [{\"name\": \"c\", \"generate\": \"box\"%s}], "
             "\"attachments\": [{\"body\": \"c\", %s}]}",
             body, attachment);
    const char* path = pl_test_path("rollers.json");
    pl_test_write_file(path, text, strlen(text));
    CHECK(pl_scene_read(path, NULL, 0, &scene, NULL, &error) != PL_OK);
    CHECK_TEXT(error.text, expected);
}

TEST(rollers_are_refused_by_name_where_they_do_not_go)
{
    check_refused(", \"method\": \"grid\"", "\"hold\": \"x\"",
                  "attachments[0].hold: does not work with method \"grid\"");
    check_refused(", \"method\": \"pbd\"", "\"normal\": [1, 0, 0]",
                  "attachments[0].normal: does not work with method \"pbd\"");
    check_refused(", \"nonlinear\": \"projective\"", "\"hold\": [\"x\"]",
                  "attachments[0].hold: does not work with nonlinear \"projective\"");
    check_refused("", "\"hold\": [\"x\", \"x\"]", "has x twice");
    check_refused("", "\"normal\": [0, 0, 0]", "attachments[0].normal: is zero");
    check_refused("", "\"hold\": \"x\", \"normal\": [1, 0, 0]", "replaces hold");
}

// Held along y alone, a body at rest cannot carry a load along x.
TEST(rollers_leave_no_equilibrium_across_them)
{
    pl_world* world = sample_start(
        "{\"pliant\": 1, \"gravity\": [1, 0, 0], \"bodies\": [{\"name\": \"c\", \"generate\": "
        "{\"shape\": \"box\", \"edge\": 0.5}, \"integrator\": \"quasistatic\"}],\n"
        "\"attachments\": [{\"body\": \"c\", \"where\": {\"side\": \"-y\"}, \"hold\": \"y\"}]}");
    pl_error error;
    CHECK(pl_world_step(world, NULL, &error) == PL_ERROR_UNSUPPORTED);
    CHECK_TEXT(error.text, "nothing holds it in that direction");
    pl_world_destroy(world);
}
