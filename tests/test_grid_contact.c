// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Lattices that touch something, in the world.
#include "run_samples.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// a ball of 220 cells, 8 across
#define BALL                                                                                       \
    "\"generate\": {\"shape\": \"icosphere\", \"radius\": 0.2, \"frequency\": 6}, \"method\":"     \
    " \"grid\", \"grid\": {\"cell\": 0.052}"

static double lowest_vertex(pl_world* world) {
    double lowest = INFINITY;
    for (int v = 0; v < pl_world_mesh(world, 0)->vertex_count; v++)
        lowest = fmin(lowest, pl_world_positions(world, 0)[3 * v + 1]);
    return lowest;
}

// What is small is a matter of forces, and not of the distance from the place at rest: after a fall
// of 5 m bodies must still notice what contacts and their own elasticity do to them.
LONG_TEST(grid_bodies_bounce_far_from_their_place_at_rest)
{
    const char* const laws[] = {"linear", "corotated"};
    for (int k = 0; k < 2; k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "{\"pliant\": 1, \"time_step\": 0.01, \"bodies\": [{\"name\": \"ball\", " BALL
                 ", \"transform\": {\"translate\": [0, 5.2, 0]}, \"integrator\": \"euler\","
                 " \"material\": {\"law\": \"%s\", \"young\": 2e4, \"poisson\": 0.4},"
                 " \"linear_tolerance\": 0.01}], \"colliders\": [{\"plane\": {}}]}",
                 laws[k]);
        pl_world* world = sample_start(text);
        pl_frame_info info;
        sample_step(world, 100, &info);
        // backward Euler: g dt (1 + 2 + ... + 100) dt, and none of it into the ball
        CHECK_NEAR(lowest_vertex(world), 5.0 - 9.81 * 1e-4 * 5050.0, 0.01);
        CHECK(info.elastic_energy < 1e-3 * info.kinetic_energy);
        double highest = -INFINITY;
        sample_step(world, 15, &info);
        for (int n = 0; n < 30; n++) {
            sample_step(world, 1, &info);
            highest = fmax(highest, lowest_vertex(world));
        }
        CHECK(highest > 0.02);
        pl_world_destroy(world);
    }
}

// a thick sheet that a ball hits, at about a cell a step
#define SHEET(cell)                                                                                \
    "\"pliant\": 1, \"time_step\": 0.005, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\":"         \
    " \"sheet\", \"generate\": {\"shape\": \"bar\", \"size_x\": 0.15, \"size_y\": 0.4,"            \
    " \"size_z\": 0.4, \"edge\": 0.04}, \"method\": \"grid\", \"integrator\": \"euler\","          \
    " \"grid\": {\"cell\": " cell "}, \"material\": {\"law\": \"corotated\", \"young\": 4e4,"      \
    " \"poisson\": 0.45, \"density\": 1000}, \"damping\": {\"stiffness\": 0.001},"                 \
    " \"linear_tolerance\": 0.01, \"linear_iterations\": 12}],"                                    \
    " \"colliders\": [{\"sphere\":"                                                                \
    " {\"center\": [0.28, 0.2, 0.2], \"radius\": 0.12}, \"friction\": 0.3, \"motion\":"            \
    " {\"keyframes\": [{\"time\": 0}, {\"time\": 0.04, \"translate\": [-0.2, 0, 0]}, {\"time\":"   \
    " 0.08}], \"interpolation\": \"linear\"}}], \"attachments\": [{\"body\": \"sheet\","           \
    " \"where\": {\"side\": \"-y\"}}, {\"body\": \"sheet\", \"where\": {\"side\": \"+y\"}}]"

LONG_TEST(grid_corot_contacts_converge)
{
    pl_world* world = sample_start("{" SHEET("0.02") "}");
    pl_frame_info info;
    int cycles = 0, frames = 0;
    for (int k = 0; k < 12; k++) {
        sample_step(world, 1, &info);
        CHECK_INT(info.unconverged_count, 0);
        if (info.contact_count == 0) continue;
        cycles += info.linear_iterations, frames++;
    }
    CHECK(frames > 8);
    CHECK(cycles < 8 * frames);
    pl_world_destroy(world);
}

TEST(grid_corot_contacts_have_the_same_bits_on_any_threads)
{
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        pl_world* world = sample_start(k ? "{\"threads\": 3, " SHEET("0.03") "}"
                                         : "{\"threads\": 1, " SHEET("0.03") "}");
        pl_frame_info info;
        sample_step(world, 5, &info);
        CHECK(info.contact_count > 20);
        hash[k] = sample_world_hash(world);
        pl_world_destroy(world);
    }
    CHECK(hash[0] == hash[1]);
}

TEST(grid_corot_contacts_go_on_from_a_state)
{
    pl_world* one = sample_start("{" SHEET("0.03") "}");
    pl_world* two = sample_start("{" SHEET("0.03") "}");
    pl_error error;
    sample_step(one, 4, NULL);
    static char state[8 << 20];
    CHECK(pl_world_state_size(one) <= sizeof state);
    pl_world_state_save(one, state);
    CHECK_OK(pl_world_state_load(two, state, pl_world_state_size(one), &error), &error);
    sample_step(one, 3, NULL);
    sample_step(two, 3, NULL);
    CHECK(sample_world_hash(one) == sample_world_hash(two));
    pl_world_destroy(one);
    pl_world_destroy(two);
}

// A state holds all that goes from step to step: a world that starts from it at any frame of a
// bounce goes on as the one that it is of.
TEST(grid_contact_goes_on_from_a_state)
{
    pl_scene* scene = sample_scene(
        "{\"pliant\": 1, \"threads\": 1, \"bodies\": [{\"name\": \"cube\", \"method\": \"grid\", "
        "\"generate\": {\"shape\": \"box\", \"size_x\": 0.2, \"size_y\": 0.2, \"size_z\": 0.2, "
        "\"edge\": 0.05}, \"grid\": {\"cell\": 0.04}, \"transform\": {\"translate\": [0, 0.1, 0], "
        "\"rotate\": [20, 0, 15]}, \"velocity\": [2, -5, 0], \"material\": {\"law\": "
        "\"corotated\", \"young\": 1e6, \"poisson\": 0.4}}], \"colliders\": [{\"name\": "
        "\"ground\", \"plane\": {\"normal\": [0, 1, 0]}, \"friction\": 0.3}]}");
    pl_world* world = sample_world(scene);
    size_t size = pl_world_state_size(world);
    void* state = malloc(size);
    for (int frame = 0; frame < 9; frame++) {
        pl_world* other = sample_world(scene);
        pl_error error;
        pl_world_state_save(world, state);
        CHECK_OK(pl_world_state_load(other, state, size, &error), &error);
        sample_step(world, 1, NULL);
        sample_step(other, 1, NULL);
        CHECK(sample_world_hash(world) == sample_world_hash(other));
        pl_world_destroy(other);
    }
    free(state);
    pl_world_destroy(world);
    pl_scene_destroy(scene);
}
