// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What a user sees of EigenFit: the frames whose modes are no longer those at rest, and the surface
// that is drawn.
#include "record/run_values.h"
#include "run_samples.h"
#include "test.h"

#include <math.h>
#include <pliant/mesh_surface.h>
#include <stdio.h>

// A bar that is held as `where` says, under a gravity along y, with more keys of the body.
static pl_scene* hanging_bar(double gravity, double edge, const char* where, const char* more) {
    char text[1200];
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"time_step\": 0.02, \"frames\": 1, \"threads\": 1, \"gravity\": [0, "
             "%g, 0], \"bodies\": [{\"name\": \"bar\", \"generate\": {\"shape\": \"box\", "
             "\"size_x\": 0.6, \"size_y\": 0.1, \"size_z\": 0.1, \"edge\": %g}, \"material\": "
             "{\"law\": \"stable_neohookean\", \"young\": 1e5, \"poisson\": 0.3}%s}], "
             "\"attachments\": [{\"body\": \"bar\", \"where\": %s}]}",
             gravity, edge, more, where);
    return sample_scene(text);
}

// Frames of so many in which the modes are not those at rest.
static int count_unfit(pl_scene* scene, int frames) {
    pl_world* world = sample_world(scene);
    int unfit = 0;
    for (int k = 0; k < frames; k++) {
        pl_frame_info info;
        sample_step(world, 1, &info);
        unfit += info.unfit_count;
    }
    pl_world_destroy(world);
    pl_scene_destroy(scene);
    return unfit;
}

static const char FITTED[] = ", \"eigenfit\": {}";

// An upright bar that is held at its foot, under a gravity.
static pl_scene* standing_bar(const char* gravity) {
    char text[1200];
    snprintf(
        text, sizeof text,
        "{\"pliant\": 1, \"time_step\": 0.02, \"threads\": 1, \"gravity\": [%s], \"bodies\": "
        "[{\"name\": \"bar\", \"generate\": {\"shape\": \"box\", \"size_x\": 0.2, \"size_y\": 1, "
        "\"size_z\": 0.2, \"edge\": 0.15}, \"material\": {\"law\": \"neohookean\", \"young\": "
        "3e4, \"poisson\": 0.3, \"density\": 1000}, \"integrator\": \"euler\", \"nonlinear\": "
        "\"linearised\", \"eigenfit\": {\"edge\": 0.08}}], \"attachments\": [{\"body\": \"bar\", "
        "\"where\": {\"side\": \"-y\"}}]}",
        gravity);
    return sample_scene(text);
}

// The test of the paper, with its own tolerance: modes of a bar that bends are those at rest, those
// of a bar that collapses under its weight are not. In the frame of the fallen bar they would be.
LONG_TEST(eigenfit_warns_of_a_bar_that_collapses_and_not_of_one_that_bends)
{
    CHECK_INT(count_unfit(standing_bar("3, 0, 1"), 75), 0);
    CHECK(count_unfit(standing_bar("0, -20, 1"), 75) > 3);
}

// A pendulum turns about the line that holds it, and is none the worse for that.
LONG_TEST(eigenfit_does_not_warn_of_a_pendulum)
{
    const char* line = "{\"box\": {\"min\": [-0.01, -0.01, -1], \"max\": [0.01, 0.01, 1]}}";
    pl_scene* scene = hanging_bar(-10, 0.1, line, FITTED);
    pl_world* world = sample_world(scene);
    double lowest = 0.0;
    for (int k = 0; k < 25; k++) {
        pl_frame_info info;
        sample_step(world, 1, &info);
        CHECK_INT(info.unfit_count, 0);
        for (int v = 0; v < pl_world_mesh(world, 0)->vertex_count; v++)
            lowest = fmin(lowest, pl_world_positions(world, 0)[3 * v + 1]);
    }
    CHECK(lowest < -0.5); // it hangs down
    pl_world_destroy(world);
    pl_scene_destroy(scene);
}

// What is recorded of a bar: the number of vertices of its surface.
static int count_drawn(double edge, const char* more) {
    pl_scene* scene = hanging_bar(-10, edge, "{\"side\": \"-x\"}", more);
    pl_world* world = sample_world(scene);
    pl_run_values values;
    pl_error error;
    CHECK_OK(pl_run_values_setup(&values, world, scene, &error), &error);
    int count = values.record_bodies[0].vertex_count;
    pl_run_values_free(&values);
    pl_world_destroy(world);
    pl_scene_destroy(scene);
    return count;
}

// A coarse body is drawn as the surface of the fine one that it moves like.
TEST(eigenfit_draws_the_fine_surface)
{
    int coarse = count_drawn(0.1, ""), fine = count_drawn(0.05, ""), finer = count_drawn(0.04, "");
    CHECK(coarse < fine && fine < finer);
    static const char fitted[] = ", \"eigenfit\": {\"modes\": 2, \"edge\": 0.05}";
    char chosen[200];
    CHECK_INT(count_drawn(0.1, fitted), fine);
    CHECK_INT(count_drawn(0.1, ", \"eigenfit\": {\"edge\": 0.05, \"dac\": true}"), fine);
    CHECK_INT(count_drawn(0.1, ", \"eigenfit\": {\"ratios\": [0.8]}"), coarse);
    snprintf(chosen, sizeof chosen, "%s, \"render\": {\"keep_surface\": false}", fitted);
    CHECK_INT(count_drawn(0.1, chosen), coarse);
    snprintf(chosen, sizeof chosen, "%s, \"render\": {\"edge\": 0.04}", fitted);
    CHECK_INT(count_drawn(0.1, chosen), finer);
}

// The lowest mode of a body that was moved out of another one is fitted like that of a body alone,
// and its surface stays around its tets.
TEST(eigenfit_of_a_body_that_is_moved_apart)
{
    pl_world* world = sample_start(
        "{\"pliant\": 1, \"threads\": 1, \"bodies\": [{\"name\": \"below\", \"generate\": "
        "{\"shape\": \"box\", \"size_x\": 2, \"size_y\": 1, \"size_z\": 2, \"edge\": 0.5}}, "
        "{\"name\": \"above\", \"generate\": {\"shape\": \"box\", \"size_x\": 0.6, \"size_y\": "
        "0.4, "
        "\"size_z\": 0.5, \"edge\": 0.2}, \"transform\": {\"translate\": [0, 0.6, 0]}, "
        "\"eigenfit\": {\"modes\": 2, \"edge\": 0.1}}]}");
    const pl_mesh *tets = pl_world_mesh(world, 1), *drawn = pl_world_filled_surface(world, 1);
    double moved[2] = {INFINITY, INFINITY};
    for (int v = 0; v < tets->vertex_count; v++)
        moved[0] = fmin(moved[0], tets->positions[3 * v + 1]);
    for (int v = 0; v < drawn->vertex_count; v++)
        moved[1] = fmin(moved[1], drawn->positions[3 * v + 1]);
    CHECK(moved[0] > 0.45); // it began at 0.4
    CHECK_NEAR(moved[1], moved[0], 1e-12);
    pl_world_destroy(world);
}

// A place where the coarse mesh has one vertex, about which it can turn, and the fine mesh several.
TEST(eigenfit_names_an_attachment_that_holds_too_little)
{
    pl_scene* scene =
        hanging_bar(-10, 0.1, "{\"sphere\": {\"center\": [0, 0, 0], \"radius\": 0.03}}",
                    ", \"eigenfit\": {\"modes\": 2, \"edge\": 0.025}");
    pl_world* world;
    pl_error error = {0};
    CHECK(pl_world_create(scene, &world, NULL, &error) == PL_ERROR_ARGUMENT);
    CHECK_TEXT(error.text, "hold only 1 of the body");
    CHECK(world == NULL);
    pl_scene_destroy(scene);
}
