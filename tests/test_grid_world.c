// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Method grid in the world.
#include "run_samples.h"
#include "test.h"

// a bar of 16 x 4 x 4 cells
#define BAR                                                                                        \
    "\"generate\": {\"shape\": \"bar\", \"size_x\": 1, \"size_y\": 0.25, \"size_z\": 0.25,"        \
    " \"edge\": 0.125}, \"method\": \"grid\", \"grid\": {\"cell\": 0.0625},"                       \
    " \"material\": {\"law\": \"linear\", \"young\": 1e6, \"poisson\": 0.3},"                      \
    " \"linear_tolerance\": 1e-6"

// how far a vertex went along an axis
static double moved(pl_world* world, int body, int i) {
    return pl_world_positions(world, body)[i] - pl_world_mesh(world, body)->positions[i];
}

TEST(grid_free_body_falls_as_it_should)
{
    pl_world* world = sample_start(
        "{\"pliant\": 1, \"time_step\": 0.01, \"bodies\": [{\"name\": \"bar\", " BAR "}]}");
    sample_step(world, 10, NULL);
    // backward Euler: g dt^2 (1 + 2 + ... + 10), everywhere the same
    for (int i = 0; i < 3 * pl_world_mesh(world, 0)->vertex_count; i++)
        CHECK_NEAR(moved(world, 0, i), i % 3 == 1 ? -9.81 * 1e-4 * 55.0 : 0.0, 1e-6);
    pl_world_destroy(world);
}

TEST(grid_start_velocities_reach_the_lattice)
{
    pl_world* world =
        sample_start("{\"pliant\": 1, \"time_step\": 0.01, \"gravity\": [0, 0, 0],"
                     " \"bodies\": [{\"name\": \"bar\", \"velocity\": [2, 0, 0], " BAR "}]}");
    sample_step(world, 5, NULL);
    for (int i = 0; i < 3 * pl_world_mesh(world, 0)->vertex_count; i++)
        CHECK_NEAR(moved(world, 0, i), i % 3 == 0 ? 0.1 : 0.0, 1e-6);
    pl_world_destroy(world);
}

TEST(grid_attachments_carry_the_body_along)
{
    // one end goes up by 0.1: in equilibrium without weight the whole bar does
    pl_world* world = sample_start(
        "{\"pliant\": 1, \"time_step\": 0.01, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\":"
        " \"bar\", \"integrator\": \"quasistatic\", " BAR "}], \"attachments\": [{\"body\":"
        " \"bar\", \"where\": {\"side\": \"-x\"}, \"motion\": {\"keyframes\": [{\"time\": 0},"
        " {\"time\": 0.01, \"translate\": [0, 0.1, 0]}]}}]}");
    sample_step(world, 1, NULL);
    for (int i = 0; i < 3 * pl_world_mesh(world, 0)->vertex_count; i++)
        CHECK_NEAR(moved(world, 0, i), i % 3 == 1 ? 0.1 : 0.0, 1e-5);
    pl_world_destroy(world);
}

TEST(grid_body_at_rest_costs_no_cycles)
{
    // held where it is, away from the origin: what is not zero is round-off
    pl_frame_info info;
    pl_world* world = sample_start(
        "{\"pliant\": 1, \"time_step\": 0.01, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\":"
        " \"bar\", \"transform\": {\"translate\": [0.3, 0.7, -0.1], \"rotate\": [10, 20, 30]}, " BAR
        "}], \"attachments\": [{\"body\": \"bar\", \"where\": {\"sphere\": {\"center\": [0.3, 0.7,"
        " -0.1], \"radius\": 0.2}}}]}");
    for (int k = 0; k < 3; k++) {
        sample_step(world, 1, &info);
        CHECK_INT(info.linear_iterations, 1); // the look at the residual
    }
    pl_world_destroy(world);
}

LONG_TEST(grid_springs_hold_a_vertex)
{
    // without weight a spring brings the bar to its target; held by springs alone
    pl_world* world = sample_start(
        "{\"pliant\": 1, \"time_step\": 0.02, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\":"
        " \"bar\", \"damping\": {\"mass\": 5}, " BAR "}], \"attachments\": [{\"body\":"
        " \"bar\", \"where\": {\"side\": \"-x\"}, \"stiffness\": 5000, \"motion\": {\"keyframes\":"
        " [{\"time\": 0}, {\"time\": 0.02, \"translate\": [0, 0.05, 0]}]}}]}");
    pl_frame_info info;
    for (int k = 0; k < 100; k++) {
        sample_step(world, 1, &info);
        CHECK_INT(info.unconverged_count, 0);
    }
    double mean = 0.0;
    int count = pl_world_mesh(world, 0)->vertex_count;
    for (int v = 0; v < count; v++) mean += moved(world, 0, 3 * v + 1) / count;
    CHECK_NEAR(mean, 0.05, 0.01);
    pl_world_destroy(world);
}

TEST(grid_body_without_hold_has_no_equilibrium)
{
    pl_world* world =
        sample_start("{\"pliant\": 1, \"bodies\": [{\"name\": \"bar\", \"integrator\":"
                     " \"quasistatic\", " BAR "}]}");
    pl_error error;
    CHECK_INT(pl_world_step(world, NULL, &error), PL_ERROR_ARGUMENT);
    CHECK_TEXT(error.text, "held nowhere");
    pl_world_destroy(world);
}

LONG_TEST(grid_bodies_land_on_the_ground)
{
    pl_world* world =
        sample_start("{\"pliant\": 1, \"time_step\": 0.01, \"bodies\": ["
                     "{\"name\": \"a\", \"transform\": {\"translate\": [0, 0.2, 0]}, " BAR "},"
                     "{\"name\": \"b\", \"transform\": {\"translate\": [2, 0.3, 0]}, " BAR "}],"
                     " \"colliders\": [{\"plane\": {}}]}");
    double lowest_ever = 0.0;
    for (int k = 0; k < 45; k++) {
        sample_step(world, 1, NULL);
        for (int b = 0; b < 2; b++)
            for (int v = 0; v < pl_world_mesh(world, b)->vertex_count; v++)
                lowest_ever = fmin(lowest_ever, pl_world_positions(world, b)[3 * v + 1]);
    }
    CHECK(lowest_ever > -0.02);
    for (int b = 0; b < 2; b++) {
        double lowest = 1e9;
        for (int v = 0; v < pl_world_mesh(world, b)->vertex_count; v++)
            lowest = fmin(lowest, pl_world_positions(world, b)[3 * v + 1]);
        CHECK(lowest < 0.1);
    }
    pl_world_destroy(world);
}

// a world goes on with the same bits from its state
static void check_state(const char* text) {
    pl_world *one = sample_start(text), *two = sample_start(text);
    pl_error error;
    sample_step(one, 3, NULL);
    static char state[8 << 20];
    CHECK(pl_world_state_size(one) <= sizeof state);
    pl_world_state_save(one, state);
    CHECK_OK(pl_world_state_load(two, state, pl_world_state_size(one), &error), &error);
    sample_step(one, 2, NULL);
    sample_step(two, 2, NULL);
    CHECK(memcmp(pl_world_positions(one, 0), pl_world_positions(two, 0),
                 3 * (size_t)pl_world_mesh(one, 0)->vertex_count * sizeof(double)) == 0);
    pl_world_destroy(one);
    pl_world_destroy(two);
}

// a slanted rod three to four cells thick, of which one end is held: coarse levels are too soft for
// it, and cycles alone diverge
#define ROD                                                                                        \
    "\"generate\": {\"shape\": \"cylinder\", \"radius\": 0.08, \"height\": 2, \"edge\": 0.06},"    \
    " \"transform\": {\"rotate\": [25, 37, 10]}, \"method\": \"grid\", \"grid\": {\"cell\": "      \
    "0.0625},"                                                                                     \
    " \"material\": {\"law\": \"linear\", \"young\": 1e6, \"poisson\": 0.3},"                      \
    " \"linear_tolerance\": 1e-5}], \"attachments\": [{\"body\": \"rod\", \"where\":"              \
    " {\"sphere\": {\"center\": [0, 0, 0], \"radius\": 0.3}}}]"

LONG_TEST(grid_state_can_be_saved_and_loaded)
{
    check_state("{\"pliant\": 1, \"time_step\": 0.01, \"bodies\": [{\"name\": \"bar\", " BAR
                "}], \"attachments\": [{\"body\": \"bar\", \"where\": {\"side\": \"-x\"}}]}");
    check_state("{\"pliant\": 1, \"time_step\": 0.1, \"bodies\": [{\"name\": \"rod\", " ROD "}");
    check_state(
        "{\"pliant\": 1, \"time_step\": 0.01, \"bodies\": [{\"name\": \"bar\", \"generate\":"
        " {\"shape\": \"bar\", \"size_x\": 1, \"size_y\": 0.25, \"size_z\": 0.25, \"edge\":"
        " 0.125}, \"method\": \"grid\", \"grid\": {\"cell\": 0.0625, \"update_every\": 3},"
        " \"angular_velocity\": [0, 5, 0], \"material\": {\"law\": \"corotated\"}}]}");
    // BDF2 needs the step before, and cells that are held outside change the layout
    check_state("{\"pliant\": 1, \"time_step\": 0.01, \"bodies\": [{\"name\": \"bar\","
                " \"integrator\": \"bdf2\", \"generate\": {\"shape\": \"bar\", \"size_x\": 1,"
                " \"size_y\": 0.25, \"size_z\": 0.25, \"edge\": 0.125}, \"method\": \"grid\","
                " \"grid\": {\"cell\": 0.0625}, \"material\": {\"law\": \"corotated\"}}],"
                " \"attachments\": [{\"body\": \"bar\", \"where\": {\"side\": \"-x\"}, \"until\":"
                " 0.035}]}");
}

TEST(grid_refuses_what_it_cannot_do)
{
    static const char* const scenes[][2] = {
        {"\"grid\": {\"cell\": 10}, \"material\": {\"law\": \"linear\"}", "smaller cells"},
        {"\"grid\": {\"smoother\": \"box\"}", "distributive"}};
    for (int k = 0; k < 2; k++) {
        char text[512];
        snprintf(text, sizeof text,
                 "{\"pliant\": 1, \"bodies\": [{\"name\": \"bar\", \"generate\": {\"shape\":"
                 " \"bar\"}, \"method\": \"grid\", %s}]}",
                 scenes[k][0]);
        const char* path = pl_test_path("scene.json");
        pl_error error;
        pl_scene* scene;
        pl_world* world;
        pl_test_write_file(path, text, strlen(text));
        CHECK_OK(pl_scene_read(path, NULL, 0, &scene, NULL, &error), &error);
        CHECK(pl_world_create(scene, &world, NULL, &error) != PL_OK);
        CHECK_TEXT(error.text, scenes[k][1]);
        pl_scene_destroy(scene);
    }
}

TEST(grid_says_that_contacts_are_limited)
{
    static const char text[] = "{\"pliant\": 1, \"bodies\": [{\"name\": \"bar\", " BAR
                               ", \"contact\": {\"stiffness\": 1e9}}]}";
    const char* path = pl_test_path("scene.json");
    pl_error error;
    pl_scene* scene;
    pl_world* world;
    pl_notes* notes;
    pl_test_write_file(path, text, strlen(text));
    CHECK_OK(pl_scene_read(path, NULL, 0, &scene, NULL, &error), &error);
    CHECK(pl_notes_create(&notes) == PL_OK);
    CHECK_OK(pl_world_create(scene, &world, notes, &error), &error);
    CHECK_INT(pl_notes_count(notes), 2); // the lattice, and this
    CHECK_TEXT(pl_notes_text(notes, 1, NULL), "contact.stiffness is an upper limit");
    pl_world_destroy(world);
    pl_notes_destroy(notes);
    pl_scene_destroy(scene);
}

TEST(grid_thin_limbs_converge)
{
    pl_world* world =
        sample_start("{\"pliant\": 1, \"time_step\": 0.01, \"bodies\": [{\"name\": \"rod\","
                     " \"integrator\": \"quasistatic\", " ROD "}");
    pl_frame_info info;
    sample_step(world, 2, &info);
    CHECK(info.unconverged_count == 0);
    CHECK(info.residual <= 1e-5);
    pl_world_destroy(world);
}
