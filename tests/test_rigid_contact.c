// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Rigid bodies that touch colliders, each other, and bodies of other methods.
#include "contact_samples.h"
#include "pbd_samples.h"
#include "rigid/rigid_system.h"
#include "run_samples.h"
#include "test.h"
#include "world/world_build.h"

#include <math.h>
#include <string.h>

// ------------------------------------------------------------------ friction

// A box on a slope, whose friction has the tangent of another slope: its speed after a second.
static double speed_on_slope(double slope, double friction_slope) {
    char text[1024];
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"threads\": 1, \"gravity\": [%.17g, %.17g, 0], \"bodies\": "
             "[{\"rigid\": true, \"generate\": {\"shape\": \"box\", \"size_x\": 0.4, \"size_y\": "
             "0.1, \"size_z\": 0.3, \"edge\": 0.1}, \"contact\": {\"friction\": %.17g}}], "
             "\"colliders\": [{\"plane\": {}, \"friction\": %.17g}]}",
             9.81 * sin(slope), -9.81 * cos(slope), tan(friction_slope), tan(friction_slope));
    pl_world* world = sample_start(text);
    sample_step(world, 60, NULL);
    const double speed = pl_world_velocities(world, 0)[0];
    pl_world_destroy(world);
    return speed;
}

TEST(rigid_box_on_a_slope_slips_where_theory_says)
{
    const double slope = 0.4, mu = tan(slope);
    CHECK_NEAR(speed_on_slope(slope, atan(1.05 * mu)), 0.0, 1e-4);
    const double slow = atan(0.95 * mu);
    const double theory = 9.81 * (sin(slope) - tan(slow) * cos(slope));
    CHECK_NEAR(speed_on_slope(slope, slow) / theory, 1.0, 0.01);
}

// A ball that slides at first rolls at 5/7 of its speed.
TEST(rigid_ball_comes_to_roll)
{
    pl_world* world = sample_start(
        "{\"pliant\": 1, \"threads\": 1, \"bodies\": [{\"rigid\": true, \"generate\": {\"shape\": "
        "\"sphere\", \"radius\": 0.1, \"edge\": 0.015}, \"transform\": {\"translate\": [0, 0.1, "
        "0]}, \"velocity\": [1, 0, 0]}], \"colliders\": [{\"plane\": {}, \"friction\": 0.5}]}");
    sample_step(world, 40, NULL);
    const pl_rigid_body* b = ((const pl_rigid_system*)world->systems[0].data)->bodies;
    const double speed = pl_rigid_velocity(b).x;
    CHECK_NEAR(speed, 5.0 / 7.0, 0.1); // a polyhedron rolls with small bumps
    CHECK_NEAR(pl_rigid_angular_velocity(b, &b->state).z * -0.1 / speed, 1.0, 0.05);
    pl_world_destroy(world);
}

// ------------------------------------------------------------------ two bodies

static pl_world* balls(const char* second) {
    char text[2048];
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"threads\": 1, \"bodies\": [\n"
             " {\"name\": \"left\", \"rigid\": true, \"generate\": {\"shape\": \"sphere\", "
             "\"radius\": 0.1, \"edge\": 0.08}, \"transform\": {\"translate\": [-0.12, 0, 0]}, "
             "\"velocity\": [2, 0, 0]},\n"
             " {\"name\": \"right\", \"generate\": {\"shape\": \"sphere\", \"radius\": 0.1, "
             "\"edge\": 0.08}, \"transform\": {\"translate\": [0.12, 0.02, 0.01]}, \"velocity\": "
             "[-1, 0, 0], \"material\": {\"young\": 2e4}, %s}]}",
             second);
    return sample_start(text);
}

TEST(rigid_balls_keep_momentum_and_energy)
{ contact_check_meeting(balls("\"rigid\": true"), 10, 0, 1e-9); }
LONG_TEST(rigid_and_fem_keep_momentum_and_energy)
{
    contact_check_meeting(balls("\"method\": \"fem\", \"tolerance\": 1e-10, \"iterations\": 200"),
                          10, 5, 1e-9);
}
LONG_TEST(rigid_and_mixed_keep_momentum_and_energy)
{
    contact_check_meeting(balls("\"method\": \"mixed\", \"tolerance\": 1e-10, \"iterations\": 200"),
                          10, 5, 1e-9);
}
TEST(rigid_and_pbd_keep_momentum_and_energy)
{ contact_check_meeting(balls("\"method\": \"pbd\""), 10, 5, 1e-9); }
LONG_TEST(rigid_and_grid_keep_momentum_and_energy)
{
    contact_check_meeting(balls("\"method\": \"grid\", \"grid\": {\"cell\": 0.04}, "
                                "\"tolerance\": 1e-8"),
                          10, 5, 1e-9);
}

TEST(rigid_bodies_that_meet_keep_angular_momentum)
{
    pl_world* world = balls("\"rigid\": true, \"angular_velocity\": [100, 200, -300]");
    const pl_rigid_system* s = world->systems[0].data;
    pl_vec3 sums[2];
    for (int k = 0; k < 2; k++) {
        sums[k] = (pl_vec3){0, 0, 0};
        if (k) sample_step(world, 15, NULL);
        for (int b = 0; b < 2; b++) {
            pl_rigid_body body = s->bodies[b];
            pl_rigid_take_over(s, &body);
            sums[k] = pl_add(sums[k], pl_add(body.state.angular_momentum,
                                             pl_cross(body.state.centre, body.state.momentum)));
        }
    }
    CHECK(pl_rigid_velocity(&s->bodies[0]).x < 1.0); // they met
    CHECK_NEAR(pl_distance(sums[0], sums[1]) / pl_norm(sums[0]), 0.0, 1e-9);
    pl_world_destroy(world);
}

// A plate at 300 m/s that spins does not pass a large one of 1 cm, which is held.
TEST(rigid_bodies_do_not_pass_each_other)
{
    pl_world* world = sample_start(
        "{\"pliant\": 1, \"threads\": 1, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"wall\", "
        "\"rigid\": true, \"generate\": {\"shape\": \"box\", \"size_x\": 3, \"size_y\": 0.01, "
        "\"size_z\": 3, \"edge\": 1}}, {\"rigid\": true, \"generate\": {\"shape\": \"box\", "
        "\"size_x\": 0.5, \"size_y\": 0.01, \"size_z\": 0.5, \"edge\": 0.25}, \"transform\": "
        "{\"translate\": [1.3, 2, 1.2]}, \"velocity\": [0, -300, 0], \"angular_velocity\": [500, "
        "900, 700]}], \"attachments\": [{\"body\": \"wall\", \"where\": {\"side\": \"-x\"}}]}");
    for (int k = 0; k < 10; k++) {
        sample_step(world, 1, NULL);
        CHECK_INT(pl_world_crossings(world), 0);
        CHECK(contact_middle(world, 1).y > 0.01);
        CHECK_NEAR(contact_middle(world, 0).y, 0.005, 1e-9);
    }
    pl_world_destroy(world);
}

// ------------------------------------------------------------------ many

#define BRICK(x, y, z)                                                                             \
    "{\"rigid\": true, \"generate\": {\"shape\": \"box\", \"size_x\": 0.2, \"size_y\": 0.2, "      \
    "\"size_z\": 0.2, \"edge\": 0.2}, \"transform\": {\"translate\": [" #x ", " #y ", " #z "]}}"

TEST(rigid_stack_stands)
{
    pl_world* world =
        sample_start("{\"pliant\": 1, \"threads\": 1, \"time_step\": 0.03333, \"bodies\": [" BRICK(
            0, 0.001,
            0) ", " BRICK(0.01, 0.205,
                          0.01) ", " BRICK(-0.01, 0.41,
                                           0) ", " BRICK(0.02, 0.615,
                                                         0.01) ", " BRICK(0, 0.82,
                                                                          0) "], \"colliders\": "
                                                                             "[{\"plane\": {}}]}");
    pl_vec3 settled[5];
    sample_step(world, 30, NULL);
    for (int b = 0; b < 5; b++) settled[b] = contact_middle(world, b);
    pl_frame_info info;
    sample_step(world, 270, &info); // 10 s in all
    CHECK(info.kinetic_energy < 1e-6);
    CHECK_INT(pl_world_crossings(world), 0);
    for (int b = 0; b < 5; b++)
        CHECK_NEAR(pl_distance(settled[b], contact_middle(world, b)), 0.0, 0.01 * 0.2);
    pl_world_destroy(world);
}

static double energy_of(pl_world* world, const pl_frame_info* info) {
    double sum = info->kinetic_energy + info->elastic_energy;
    for (int s = 0; s < world->system_count; s++) {
        const pl_world_system* system = &world->systems[s];
        for (int v = 0; v < system->vertex_count; v++)
            sum += 9.81 * system->method->masses(system->data)[v] *
                   system->method->positions(system->data)[3 * v + 1];
    }
    return sum;
}

static void check_energy(const char* text, int frames) {
    pl_world* world = sample_start(text);
    double first = 0.0;
    for (int k = 0; k < frames; k++) {
        pl_frame_info info;
        sample_step(world, 1, &info);
        const double energy = energy_of(world, &info);
        if (k == 0) first = energy;
        CHECK(energy < first + 0.01 * fabs(first));
        CHECK(pl_world_crossings(world) <= 0); // -1: one body
    }
    pl_world_destroy(world);
}

TEST(rigid_box_that_tumbles_gains_no_energy)
{
    check_energy("{\"pliant\": 1, \"threads\": 1, \"bodies\": [{\"rigid\": true, \"generate\": "
                 "{\"shape\": \"box\", \"size_x\": 0.3, \"size_y\": 0.2, \"size_z\": 0.1, "
                 "\"edge\": 0.1}, \"transform\": {\"translate\": [0, 0.5, 0], \"rotate\": [20, 30, "
                 "40]}, \"velocity\": [3, 0, 1], \"angular_velocity\": [300, 200, -900]}], "
                 "\"colliders\": [{\"plane\": {}, \"friction\": 0.5}]}",
                 150);
}

// Boxes that fall on one another at up to 8 m/s.
TEST(rigid_heap_gains_no_energy)
{
    char text[4096] = "{\"pliant\": 1, \"threads\": 1, \"bodies\": [", one[400];
    for (int k = 0; k < 8; k++) {
        snprintf(one, sizeof one,
                 "%s{\"rigid\": true, \"generate\": {\"shape\": \"box\", \"size_x\": 0.2, "
                 "\"size_y\": 0.12, \"size_z\": 0.16, \"edge\": 0.2}, \"transform\": "
                 "{\"rotate\": [%d, %d, %d], \"translate\": [%g, %g, %g]}}",
                 k ? ", " : "", 50 * k, 110 * k, 70 * k, 0.05 * (k % 3), 0.3 + 0.4 * k,
                 0.04 * (k % 2));
        strcat(text, one);
    }
    strcat(text, "], \"colliders\": [{\"plane\": {}, \"friction\": 0.5}]}");
    check_energy(text, 120);
}

// A ball on jelly and a box on the ball.
static const char pile[] =
    "{\"pliant\": 1, \"threads\": 1, \"bodies\": [\n"
    " {\"name\": \"jelly\", \"generate\": {\"shape\": \"box\", \"size_x\": 0.3, \"size_y\": 0.1, "
    "\"size_z\": 0.3, \"edge\": 0.1}, \"material\": {\"young\": 2e4}},\n"
    " {\"name\": \"ball\", \"rigid\": true, \"generate\": {\"shape\": \"sphere\", \"radius\": "
    "0.05, \"edge\": 0.04}, \"transform\": {\"translate\": [0.15, 0.16, 0.15]}, \"velocity\": [0, "
    "-1, 0]},\n"
    " {\"name\": \"box\", \"rigid\": true, \"generate\": {\"shape\": \"box\", \"size_x\": 0.1, "
    "\"size_y\": 0.05, \"size_z\": 0.1, \"edge\": 0.05}, \"transform\": {\"translate\": [0.11, "
    "0.22, 0.1]}, \"velocity\": [0, -1.5, 0]}],\n"
    " \"attachments\": [{\"body\": \"jelly\", \"where\": {\"side\": \"-y\"}}]}";

LONG_TEST(rigid_bodies_on_jelly_gain_no_energy)
{ check_energy(pile, 40); }
TEST(rigid_bodies_on_jelly_have_the_same_bits)
{ contact_check_bits(pile, 3); }

TEST(rigid_bodies_survive_lack_of_memory)
{
    pl_scene* scene = pbd_scene(pile, NULL, 0);
    bool done = false;
    int failures = 0;
    for (int64_t nth = 1; !done; nth += 1 + nth / 20)
        failures += pbd_fails_at(scene, nth, 6, &done);
    CHECK(failures > 20);
    pl_scene_destroy(scene);
}
