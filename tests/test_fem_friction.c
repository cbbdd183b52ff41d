// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Coulomb friction of method fem against theory, and whose coefficient counts in scenes.
#include "run_samples.h"
#include "test.h"
#include "verify.h"

#include <math.h>

static const double GRAVITY = 9.81, MU = 0.3;
static const pl_integrator integrators[] = {PL_INTEGRATOR_EULER, PL_INTEGRATOR_BDF2,
                                            PL_INTEGRATOR_MIDPOINT};

static verify_slide_case slide_case(bool soft, int integrator, double time_step) {
    return (verify_slide_case){.integrator = integrators[integrator],
                               .nonlinear = PL_NONLINEAR_NEWTON,
                               .linear = PL_LINEAR_DIRECT,
                               .young = soft ? 3e4 : 1e6,
                               .damping = soft ? 1e-2 : 1e-3,
                               .settling = 0.4,
                               .time_step = time_step,
                               .friction = MU,
                               .duration = 1.0,
                               .cells = 3};
}

static verify_slide_result slide(const verify_slide_case* c) {
    verify_slide_result result;
    pl_error error;
    CHECK_OK(verify_slide(c, &result, &error), &error);
    CHECK_INT(result.unconverged, 0);
    CHECK(result.ratio <= 1.01 * MU);
    CHECK(result.ratio_error <= 0.01);
    return result;
}

// v^2 / (2 mu g). Implicit Euler is off by v h / 2.
static void check_distances(double time_step, double tolerance) {
    double theory = 2.0 * 2.0 / (2.0 * MU * GRAVITY);
    for (int soft = 0; soft < 2; soft++)
        for (int k = 0; k < 3; k++) {
            verify_slide_case c = slide_case(soft, k, time_step);
            c.speed = 2.0, c.duration = 0.75;
            // its weight comes at once, and many vertices share it
            if (!soft) c.settling = 0.0;
            if (!soft && time_step > 0.01) c.cells = 6;
            CHECK_NEAR(slide(&c).distance, theory, tolerance * theory);
        }
}

LONG_TEST(fem_friction_stops_a_sliding_block)
{ check_distances(1.0 / 60.0, 0.03); }

LONG_TEST(fem_friction_stops_a_sliding_block_in_short_steps)
{ check_distances(1.0 / 240.0, 0.01); }

// From rest in balance it stays from the first step on. If the slope comes at once, the block
// swings and slips, and sticks when the swing is over.
LONG_TEST(fem_friction_holds_a_block_below_its_angle)
{
    for (int soft = 0; soft < 2; soft++)
        for (int k = 0; k < 3; k++) {
            verify_slide_case c = slide_case(soft, k, 1.0 / 60.0);
            c.angle = atan(0.95 * MU);
            CHECK(fabs(slide(&c).speed) < 5e-5);
            if (soft) continue;
            c.rests = true;
            c.duration = 0.25;
            verify_slide_result result = slide(&c);
            CHECK(fabs(result.speed) < 5e-5);
            CHECK(fabs(result.distance) < 5e-5 * c.duration);
        }
}

LONG_TEST(fem_friction_lets_a_block_slide_above_its_angle)
{
    for (int soft = 0; soft < 2; soft++)
        for (int k = 0; k < 3; k++) {
            verify_slide_case c = slide_case(soft, k, 1.0 / 60.0);
            c.angle = atan(1.05 * MU);
            c.speed = 0.2;
            double theory = GRAVITY * (sin(c.angle) - MU * cos(c.angle));
            CHECK_NEAR(slide(&c).acceleration, theory, 0.01 * theory);
        }
}

// Projective Dynamics: friction is its part of the normal force in every step.
LONG_TEST(fem_friction_of_projective_dynamics)
{
    const pl_linear solvers[] = {PL_LINEAR_DIRECT, PL_LINEAR_MGPCG};
    for (int l = 0; l < 2; l++)
        for (int k = 0; k < 3; k++) {
            verify_slide_case c = slide_case(true, k, 1.0 / 60.0);
            c.nonlinear = PL_NONLINEAR_PROJECTIVE;
            c.linear = solvers[l];
            c.speed = 2.0, c.duration = 0.3;
            slide(&c);
        }
}

// A block slides along a corner of a floor with friction and a wall without. What presses it
// against the wall does not add to the friction of the floor.
TEST(fem_friction_counts_each_contact_of_a_vertex)
{
    pl_world* world = sample_start(
        "{\"pliant\": 1, \"gravity\": [-9.81, -9.81, 0], \"time_step\": 0.00833, \"bodies\": [{\n"
        " \"name\": \"block\", \"integrator\": \"bdf2\", \"velocity\": [0, 0, 1],\n"
        " \"generate\": {\"shape\": \"box\", \"size_x\": 0.1, \"size_y\": 0.1, \"size_z\": 0.2,\n"
        " \"edge\": 0.1}, \"material\": {\"young\": 1e6}, \"damping\": {\"stiffness\": 1e-3},\n"
        " \"contact\": {\"thickness\": 0}}], \"colliders\": [\n"
        " {\"plane\": {}, \"friction\": 0.3, \"thickness\": 0},\n"
        " {\"plane\": {\"normal\": [1, 0, 0]}, \"friction\": 0, \"thickness\": 0}]}");
    double start = pl_world_positions(world, 0)[2];
    pl_frame_info info;
    sample_step(world, 60, &info);
    CHECK_NEAR(pl_world_positions(world, 0)[2] - start, 1.0 / (2.0 * MU * GRAVITY), 0.003);
    pl_world_destroy(world);
}

static uint64_t hash_with(const char* method, const char* collider, double body) {
    char text[1024];
    snprintf(
        text, sizeof text,
        "{\"pliant\": 1, \"threads\": 1, \"gravity\": [1.7, -9.66, 0], \"bodies\": [{\"name\": "
        "\"b\", \"method\": \"%s\", \"generate\": {\"shape\": \"box\", \"size_x\": 0.2, "
        "\"size_y\": 0.1, \"size_z\": 0.2, \"edge\": 0.05}, \"grid\": {\"cell\": 0.025}, "
        "\"contact\": {\"thickness\": 0, "
        "\"friction\": %g}}], \"colliders\": [{\"plane\": {}, \"thickness\": 0%s}]}",
        method, body, collider);
    pl_world* world = sample_start(text);
    sample_step(world, 3, NULL);
    uint64_t hash = sample_world_hash(world);
    pl_world_destroy(world);
    return hash;
}

LONG_TEST(friction_of_a_collider_is_its_own_in_all_methods)
{
    static const char* methods[] = {"fem", "pbd", "grid"};
    for (int k = 0; k < 3; k++) {
        uint64_t own = hash_with(methods[k], ", \"friction\": 0.1", 0.0);
        CHECK(hash_with(methods[k], ", \"friction\": 0.1", 0.5) == own);
        CHECK(hash_with(methods[k], "", 0.1) == own);
        CHECK(hash_with(methods[k], "", 0.0) != own);
    }
}
