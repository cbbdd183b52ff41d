// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// `pliant-bench verify` in small, and contact against what weight and stiffness say.
#include "collider/collider_kind.h"
#include "contact/collision.h"
#include "fem_samples.h"
#include "test.h"

TEST(fem_patch_test_is_exact)
{
    for (int law = 0; law < PL_MATERIAL_COUNT; law++) {
        double largest;
        pl_error error;
        CHECK_OK(verify_patch((pl_material_kind)law, 3, &largest, &error), &error);
        CHECK_NEAR(largest, 0.0, 1e-13);
        CHECK_OK(verify_patch_nonlinear((pl_material_kind)law, 3, &largest, &error), &error);
        CHECK_NEAR(largest, 0.0, 1e-10);
    }
}

// the limits of the elastica for little and for much weight
TEST(fem_elastica_has_its_limits)
{
    CHECK_NEAR(verify_elastica(0.01) / (0.01 / 8.0), 1.0, 1e-3);
    double last = 0.0;
    for (double gamma = 10.0; gamma < 500.0; gamma *= 3.0) {
        double part = verify_elastica(gamma) / sqrt(gamma / 2.0);
        CHECK(part > last && part < 1.0);
        last = part;
    }
    CHECK(last > 0.9);
}

LONG_TEST(fem_cantilever_converges_to_the_elastica)
{
    static const double gammas[] = {0.1, 10.0};
    for (int k = 0; k < 2; k++) {
        double errors[2];
        for (int fine = 0; fine < 2; fine++) {
            verify_cantilever_case c = {gammas[k], 40, 2 << fine, 40 << fine, 1};
            verify_answer answer;
            pl_error error;
            int iterations;
            CHECK_OK(verify_cantilever(&c, NULL, &answer, &iterations, &error), &error);
            CHECK(iterations <= 40);
            errors[fine] = verify_relative_error(answer);
        }
        CHECK(errors[1] < 0.07);
        CHECK(errors[1] < 0.5 * errors[0]);
    }
}

LONG_TEST(fem_beam_vibrates_as_euler_bernoulli)
{
    verify_answer coarse[2], fine[2];
    pl_error error;
    CHECK_OK(verify_beam(80, 2, 80, PL_MASS_LUMPED, NULL, coarse, &error), &error);
    CHECK_OK(verify_beam(80, 4, 160, PL_MASS_LUMPED, NULL, fine, &error), &error);
    for (int k = 0; k < 2; k++) {
        CHECK(verify_relative_error(fine[k]) < 0.03);
        CHECK(verify_relative_error(fine[k]) < verify_relative_error(coarse[k]) / 3.0);
    }
}

LONG_TEST(fem_cube_has_its_lame_mode)
{
    static const double poissons[] = {0.2, 0.3, 0.49};
    for (int k = 0; k < 3; k++) {
        verify_answer coarse, fine;
        pl_error error;
        CHECK_OK(verify_cube(3, poissons[k], PL_MASS_LUMPED, NULL, &coarse, &error), &error);
        CHECK_OK(verify_cube(6, poissons[k], PL_MASS_LUMPED, NULL, &fine, &error), &error);
        double order = log2(verify_relative_error(coarse) / verify_relative_error(fine));
        CHECK(verify_relative_error(fine) < 0.05);
        CHECK(order > 1.6 && order < 2.4);
    }
}

LONG_TEST(fem_sphere_under_pressure_has_order_two)
{
    verify_answer answer;
    double coarse, fine;
    pl_error error;
    CHECK_OK(verify_sphere(0.4, NULL, &answer, &coarse, &error), &error);
    CHECK_OK(verify_sphere(0.2, NULL, &answer, &fine, &error), &error);
    CHECK(verify_relative_error(answer) < 0.03);
    CHECK(log2(coarse / fine) > 1.6);
}

LONG_TEST(fem_motion_keeps_momentum_and_energy)
{
    double linear, angular, growth, change, coarse, fine;
    pl_error error;
    CHECK_OK(verify_momentum(30, &linear, &angular, &error), &error);
    CHECK(linear < 1e-11 && angular < 1e-9);
    CHECK_OK(verify_energy(300, &growth, &change, &error), &error);
    CHECK(growth <= 1e-14 && change < 1e-8);
    CHECK_OK(verify_midpoint_energy(0.002, &coarse, &error), &error);
    CHECK_OK(verify_midpoint_energy(0.001, &fine, &error), &error);
    CHECK_NEAR(log2(coarse / fine), 2.0, 0.2);
}

// A ball that falls from half a metre: BDF2 lets it bounce and creates no energy, implicit Euler
// takes all of it.
LONG_TEST(fem_dropped_ball_bounces_and_gains_no_energy)
{
    for (int k = 0; k < 4; k++) {
        verify_kept_case c = {.motion = VERIFY_BOUNCING,
                              .integrator = k < 3 ? PL_INTEGRATOR_BDF2 : PL_INTEGRATOR_EULER,
                              .law = PL_MATERIAL_STABLE_NEOHOOKEAN,
                              .young = pow(10.0, k < 3 ? 4 + k : 5),
                              .time_step = 1.0 / 60.0,
                              .duration = 1.5};
        verify_kept r;
        pl_error error;
        CHECK_OK(verify_what_is_kept(&c, &r, &error), &error);
        CHECK(r.highest <= 1.01);
        CHECK_INT(r.unconverged, 0);
        if (k == 1) CHECK(r.bounce > 0.3);
        if (k == 3) CHECK(r.bounce < 0.1);
    }
}

LONG_TEST(fem_integrators_keep_what_they_say)
{
    static const pl_integrator integrators[] = {PL_INTEGRATOR_EULER, PL_INTEGRATOR_BDF2,
                                                PL_INTEGRATOR_MIDPOINT};
    for (int k = 0; k < 6; k++) {
        pl_integrator integrator = integrators[k % 3];
        bool spins = k / 3, is_midpoint = integrator == PL_INTEGRATOR_MIDPOINT;
        verify_kept_case c = {.motion = spins ? VERIFY_SPINNING : VERIFY_VIBRATING,
                              .integrator = integrator,
                              .law = PL_MATERIAL_STABLE_NEOHOOKEAN,
                              .young = spins ? 1e6 : 1e5,
                              .time_step = 1.0 / 60.0,
                              .duration = 5.0};
        verify_kept r;
        pl_error error;
        CHECK_OK(verify_what_is_kept(&c, &r, &error), &error);
        CHECK(r.linear <= 1e-9 && r.highest <= 1.001);
        if (is_midpoint) CHECK(r.angular <= 1e-7 && r.lowest >= (spins ? 0.995 : 0.985));
        if (spins && integrator == PL_INTEGRATOR_BDF2) CHECK(r.lowest > 0.97 && r.angular < 0.01);
    }
}

// Stiff blocks in soft flesh: multigrid goes where the direct solver goes, or the direct one takes
// over and that is counted.
LONG_TEST(fem_stiff_parts_in_soft_flesh)
{
    static const verify_stiff_case cases[] = {
        {VERIFY_STIFF_FLOATING, 1e4, PL_MATERIAL_STABLE_NEOHOOKEAN, 4},
        {VERIFY_STIFF_FLOATING, 1e6, PL_MATERIAL_LINEAR, 4},
        {VERIFY_STIFF_FIVE, 1e4, PL_MATERIAL_COROTATED, 4},
        {VERIFY_STIFF_FIVE, 1e8, PL_MATERIAL_LINEAR, 4},
        {VERIFY_STIFF_THROUGH, 1e6, PL_MATERIAL_STABLE_NEOHOOKEAN, 4},
        {VERIFY_STIFF_THROUGH, 1e8, PL_MATERIAL_COROTATED, 4}};
    for (int k = 0; k < 6; k++) {
        verify_stiff r;
        pl_error error;
        CHECK_OK(verify_stiff_parts(&cases[k], &r, &error), &error);
        CHECK(r.reference_converged && r.converged);
        if (!(r.difference <= 1e-4))
            pl_test_fail(__FILE__, __LINE__, "case %d: %g off", k, r.difference);
        CHECK(r.linear_iterations > 0);
        if (k == 3) CHECK(r.switches > 0);
    }
}

TEST(fem_block_slips_at_the_friction_angle)
{
    static const double frictions[] = {0.2, 0.8};
    for (int k = 0; k < 2; k++) {
        verify_answer answer;
        pl_error error;
        CHECK_OK(verify_friction(frictions[k], 6, &answer, &error), &error);
        CHECK(verify_relative_error(answer) < 0.05);
    }
}

typedef struct falling {
    fem_sample body;
    int vertices[64];
    pl_moving_obstacle obstacle;
    pl_colliding_vertices group;
    pl_collision_job job;
} falling;

// a block of 0.1 m at a height over an obstacle
static void falling_create(falling* s, pl_obstacle obstacle, double height, double stiffness) {
    pl_step_settings settings = pl_default_step_settings();
    pl_mesh* mesh = fem_box(0.1, 0.1, 0.1, 2, 2, 2);
    for (int v = 0; v < mesh->vertex_count; v++) {
        mesh->positions[3 * v + 1] += height;
        s->vertices[v] = v;
    }
    s->body =
        fem_sample_create(mesh, PL_MATERIAL_STABLE_NEOHOOKEAN, 1e5, 0.3, 1000.0, &settings, NULL);
    s->obstacle = (pl_moving_obstacle){
        .obstacle = obstacle, .begin = pl_rigid_identity(), .end = pl_rigid_identity()};
    pl_moving_obstacle_bound(&s->obstacle);
    s->group = (pl_colliding_vertices){
        .vertices = s->vertices, .count = mesh->vertex_count, .stiffness = stiffness};
    s->job = (pl_collision_job){&s->obstacle, 1, &s->group, 1, NULL};
}

static pl_method_info falling_step(falling* s, double time_step, double gravity) {
    for (int v = 0; v < s->body.mesh->vertex_count; v++)
        s->body.force[3 * v + 1] = -gravity * s->body.mass[v];
    pl_method_step step = {.time_step = time_step,
                           .force = s->body.force,
                           .detect = pl_detect_collisions,
                           .detect_user = &s->job};
    pl_method_info info;
    pl_error error;
    CHECK_OK(pl_step_system_step(s->body.system, &step, &info, &error), &error);
    return info;
}

static double lowest_y(const fem_sample* s) {
    double y = HUGE_VAL;
    for (int v = 0; v < s->mesh->vertex_count; v++)
        y = fmin(y, pl_step_positions(s->system)[3 * v + 1]);
    return y;
}

// it lies on nine vertices: together they bear the weight, none more than all of it
TEST(fem_dropped_body_comes_to_rest)
{
    const double gravity = 9.81, stiffness = 1e4;
    falling s;
    pl_obstacle ground = {.kind = &pl_collider_plane.solid, .b = {0, 1, 0}};
    falling_create(&s, ground, 0.05, stiffness);
    for (int n = 0; n < 300; n++) CHECK(falling_step(&s, 0.01, gravity).converged);
    double weight = 0.0, depth = 0.0;
    for (int v = 0; v < s.body.mesh->vertex_count; v++) {
        weight += gravity * s.body.mass[v];
        depth += fmax(-pl_step_positions(s.body.system)[3 * v + 1], 0.0);
    }
    CHECK_NEAR(depth, weight / stiffness, 1e-3 * weight / stiffness);
    CHECK(-lowest_y(&s.body) < weight / stiffness);
    CHECK(pl_step_system_energies(s.body.system).kinetic < 1e-10);
    fem_sample_free(&s.body);
}

// the block meets a plate at speeds that take it 0.4, 1 and 3 thicknesses further in a step
TEST(fem_nothing_tunnels_through_a_thin_plate)
{
    static const double parts[] = {0.4, 1.0, 3.0};
    const double thickness = 0.02, h = 0.01;
    pl_obstacle plate = {.kind = &pl_collider_box.solid, .a = {-1, -thickness, -1}, .b = {1, 0, 1}};
    for (int k = 0; k < 3; k++) {
        falling s;
        double way = parts[k] * thickness;
        falling_create(&s, plate, 0.7 * way, 1e5);
        double* v = pl_step_velocities(s.body.system);
        for (int i = 0; i < s.body.mesh->vertex_count; i++) v[3 * i + 1] = -way / h;
        for (int n = 0; n < 60; n++) {
            falling_step(&s, h, 9.81);
            CHECK(lowest_y(&s.body) > -thickness);
        }
        fem_sample_free(&s.body);
    }
}
