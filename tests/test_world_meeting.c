// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bodies of one system on those of another that is solved before.
#include "base/memory.h"
#include "run_samples.h"
#include "test.h"
#include "world/world_build.h"

#include <stdlib.h>

// a soft table that swings up and down on its feet, and a cube that falls on it
static const char stacked[] =
    "{\"pliant\": 1, \"substeps\": 2, \"bodies\": [\n"
    " {\"name\": \"table\", \"generate\": {\"shape\": \"box\", \"size_x\": 0.4, \"size_y\": 0.2,\n"
    "  \"size_z\": 0.4, \"edge\": 0.1}, \"transform\": {\"translate\": [0, 0.1, 0]},\n"
    "  \"material\": {\"young\": 1e5}, \"integrator\": \"euler\"},\n"
    " {\"name\": \"cube\", \"generate\": {\"shape\": \"box\", \"size_x\": 0.2, \"size_y\": 0.2,\n"
    "  \"size_z\": 0.2, \"edge\": 0.1}, \"transform\": {\"translate\": [0, 0.35, 0]},\n"
    "  \"material\": {\"young\": 1e5}, \"integrator\": \"bdf2\", \"contact\": {\"bodies\": %s}}],\n"
    " \"attachments\": [{\"body\": \"table\", \"where\": {\"side\": \"-y\"}, \"motion\":\n"
    "  {\"oscillations\": [{\"translate\": [0, 0.05, 0], \"frequency\": 1}]}}]}";

static pl_scene* scene_of(const char* bodies) {
    char text[2048];
    snprintf(text, sizeof text, stacked, bodies);
    return sample_scene(text);
}

static void step(pl_world* world, int count) {
    pl_error error;
    for (int k = 0; k < count; k++) CHECK_OK(pl_world_step(world, NULL, &error), &error);
}

static double extreme(pl_world* world, int body, double sign) {
    double most = -1e9;
    const double* x = pl_world_positions(world, body);
    for (int v = 0; v < pl_world_mesh(world, body)->vertex_count; v++)
        most = fmax(most, sign * x[3 * v + 1]);
    return sign * most;
}

static double middle_height(pl_world* world, int body) {
    const int count = pl_world_mesh(world, body)->vertex_count;
    double sum = 0.0;
    for (int v = 0; v < count; v++) sum += pl_world_positions(world, body)[3 * v + 1] / count;
    return sum;
}

LONG_TEST(meeting_cube_rides_on_a_table)
{
    pl_scene *on = scene_of("true"), *off = scene_of("false");
    pl_world *world = sample_world(on), *through = sample_world(off);
    for (int k = 0; k < 60; k++) {
        step(world, 1);
        // never through it: the middle of the table's top hangs below its rim
        if (k > 20) CHECK(extreme(world, 1, -1.0) > extreme(world, 0, 1.0) - 0.04);
    }
    CHECK(extreme(world, 1, -1.0) < extreme(world, 0, 1.0) + 0.02); // and on it
    step(through, 60);
    CHECK(extreme(through, 1, 1.0) < extreme(through, 0, -1.0)); // without: far below
    // the table bears it
    CHECK(middle_height(world, 0) < middle_height(through, 0) - 1e-4);
    pl_world_destroy(world);
    pl_world_destroy(through);
    pl_scene_destroy(on);
    pl_scene_destroy(off);
}

TEST(meeting_resumes_to_the_same_bits)
{
    pl_scene* scene = scene_of("true");
    pl_error error;
    pl_world *world = sample_world(scene), *other = sample_world(scene);
    step(world, 15);
    size_t size = pl_world_state_size(world);
    void* state = malloc(size);
    pl_world_state_save(world, state);
    step(world, 10);
    CHECK_OK(pl_world_state_load(other, state, size, &error), &error);
    pl_inject_failure(0);
    step(other, 10);
    CHECK(sample_world_hash(world) == sample_world_hash(other));
    free(state);
    pl_world_destroy(world);
    pl_world_destroy(other);
    pl_scene_destroy(scene);
}

// a way through the whole table within one step is seen; stiff, so that the step converges
LONG_TEST(meeting_sweeps)
{
    static const char* const settings[][2] = {{"substeps", "1"},
                                              {"bodies[0].material.young", "1e6"},
                                              {"bodies[1].material.young", "1e6"},
                                              {"bodies[1].velocity", "[0, -30, 0]"}};
    pl_scene* scene = scene_of("true");
    pl_error error;
    for (int k = 0; k < 4; k++)
        CHECK_OK(pl_scene_set(scene, settings[k][0], settings[k][1], &error), &error);
    pl_world* world = sample_world(scene);
    step(world, 1);
    CHECK(extreme(world, 1, -1.0) > 0.0); // free it would be at -0.25
    pl_world_destroy(world);
    pl_scene_destroy(scene);
}

TEST(meeting_says_who_passes_whom)
{
    pl_scene* scene = scene_of("true");
    pl_error error;
    pl_notes* notes;
    pl_world* world;
    CHECK(pl_notes_create(&notes) == PL_OK);
    CHECK_OK(pl_scene_set(scene, "bodies[1].integrator", "euler", &error), &error);
    CHECK_OK(pl_world_create(scene, &world, notes, &error), &error); // one system now
    CHECK_INT(pl_notes_count(notes), 0);
    pl_world_destroy(world);
    for (int b = 0; b < 2; b++) {
        const char* law = b ? "bodies[1].material.law" : "bodies[0].material.law";
        const char* nonlinear = b ? "bodies[1].nonlinear" : "bodies[0].nonlinear";
        CHECK_OK(pl_scene_set(scene, law, "corotated", &error), &error);
        CHECK_OK(pl_scene_set(scene, nonlinear, "projective", &error), &error);
    }
    // a method that does not keep them apart, then two systems: they push each other
    CHECK_OK(pl_world_create(scene, &world, notes, &error), &error);
    CHECK(world->coupling);
    CHECK_INT(pl_notes_count(notes), 0);
    pl_world_destroy(world);
    CHECK_OK(pl_scene_set(scene, "bodies[1].integrator", "bdf2", &error), &error);
    CHECK_OK(pl_world_create(scene, &world, notes, &error), &error);
    CHECK(world->coupling);
    CHECK_INT(pl_notes_count(notes), 0);
    pl_world_destroy(world);
    // one inside the other
    CHECK_OK(pl_scene_set(scene, "bodies[1].transform.translate", "[0, 0.12, 0]", &error), &error);
    CHECK_OK(pl_world_create(scene, &world, notes, &error), &error);
    CHECK_INT(pl_notes_count(notes), 1);
    CHECK_TEXT(pl_notes_text(notes, 0, NULL), "\"table\" and \"cube\" start inside each other");
    pl_world_destroy(world);
    // without inertia: one way
    CHECK_OK(pl_scene_set(scene, "bodies[0].nonlinear", "newton", &error), &error);
    CHECK_OK(pl_scene_set(scene, "bodies[0].integrator", "quasistatic", &error), &error);
    CHECK_OK(pl_world_create(scene, &world, notes, &error), &error);
    CHECK(!world->coupling);
    CHECK_INT(pl_notes_count(notes), 2);
    CHECK_TEXT(pl_notes_text(notes, 1, NULL), "\"cube\" starts inside \"table\"");
    pl_world_destroy(world);
    CHECK_OK(pl_scene_set(scene, "bodies[1].transform.translate", "[0, 0.35, 0]", &error), &error);
    CHECK_OK(pl_world_create(scene, &world, notes, &error), &error);
    CHECK_INT(pl_notes_count(notes), 3);
    CHECK_TEXT(pl_notes_text(notes, 2, NULL), "the first pushes the second but does not feel it");
    pl_world_destroy(world);
    // the body that comes first is out of it, too, if it says so
    CHECK_OK(pl_scene_set(scene, "bodies[1].transform.translate", "[0, 0.5, 0]", &error), &error);
    CHECK_OK(pl_scene_set(scene, "bodies[0].contact.bodies", "false", &error), &error);
    CHECK_OK(pl_world_create(scene, &world, notes, &error), &error);
    CHECK(!world->bodies[0].meeting);
    pl_world_destroy(world);
    CHECK_OK(pl_scene_set(scene, "bodies[0].contact.bodies", "true", &error), &error);
    // and nothing is said of what is not meant to touch
    CHECK_OK(pl_scene_set(scene, "bodies[1].contact.bodies", "false", &error), &error);
    CHECK_OK(pl_world_create(scene, &world, notes, &error), &error);
    CHECK_INT(pl_notes_count(notes), 3);
    pl_world_destroy(world);
    pl_notes_destroy(notes);
    pl_scene_destroy(scene);
}
