// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bodies of method pbd that meet one another and themselves.
#include "base/memory.h"
#include "base/notes.h"
#include "contact_samples.h"
#include "pbd_samples.h"
#include "run_samples.h"
#include "test.h"
#include "world/world_build.h"

#include <stdlib.h>

// two balls on one line, no weight
static const char balls[] =
    "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"bodies\": [\n"
    " {\"name\": \"left\", \"generate\": {\"shape\": \"sphere\", \"radius\": 0.1, \"edge\": "
    "0.05},\n"
    "  \"transform\": {\"translate\": [-0.13, 0, 0]}, \"velocity\": [2, 0, 0],\n"
    "  \"material\": {\"young\": 2e4}, \"method\": \"pbd\", \"contact\": {\"friction\": 0.5}},\n"
    " {\"name\": \"right\", \"generate\": {\"shape\": \"sphere\", \"radius\": 0.1, \"edge\": "
    "0.05},\n"
    "  \"transform\": {\"translate\": [0.13, 0.03, 0.01]}, \"velocity\": [-1, 0, 0],\n"
    "  \"material\": {\"young\": 2e4}, \"method\": \"pbd\"}]}";

static double lowest(pl_world* world, int body, int axis) {
    double least = INFINITY;
    const double* x = pl_world_positions(world, body);
    for (int v = 0; v < pl_world_mesh(world, body)->vertex_count; v++)
        least = fmin(least, x[3 * v + axis]);
    return least;
}

LONG_TEST(pbd_contact_balls_bounce_and_keep_momentum_and_energy)
{
    pl_world* world = sample_start(balls);
    pl_vec3 before, turn, after, turned;
    double size, energy = NAN;
    contact_momentum(world, &before, &turn, &size);
    int contacts = 0;
    for (int k = 0; k < 20; k++) {
        pl_frame_info info;
        sample_step(world, 1, &info);
        contacts += info.contact_count;
        CHECK_INT(pl_world_crossings(world), 0);
        double sum = info.kinetic_energy + info.elastic_energy;
        if (k == 0) energy = sum;
        CHECK(sum < 1.01 * energy);
    }
    CHECK(contacts > 10);
    double unused;
    contact_momentum(world, &after, &turned, &unused);
    CHECK_NEAR(pl_distance(before, after) / size, 0.0, 1e-9);
    CHECK_NEAR(pl_distance(turn, turned) / (0.1 * size), 0.0, 1e-2);
    CHECK(contact_middle(world, 0).x < contact_middle(world, 1).x - 0.18); // apart, on their sides
    pl_world_destroy(world);
}

LONG_TEST(pbd_contact_is_the_same_at_any_thread_count_and_after_resume)
{
    // two threads solve the balls side by side, others one after the other
    const char* threads[] = {"threads=1", "threads=2", "threads=3"};
    pl_scene* scene = pbd_scene(balls, NULL, 0);
    pl_world* one = sample_world(scene);
    pl_error error;
    sample_step(one, 4, NULL);
    for (int k = 0; k < 3; k++) {
        pl_world* many = pbd_world(balls, &threads[k], 1);
        sample_step(many, 4, NULL);
        CHECK(sample_world_hash(one) == sample_world_hash(many));
        pl_world_destroy(many);
    }
    const size_t size = pl_world_state_size(one);
    void* state = malloc(size);
    pl_world_state_save(one, state);
    sample_step(one, 4, NULL);
    pl_world* other = sample_world(scene);
    CHECK_OK(pl_world_state_load(other, state, size, &error), &error);
    sample_step(other, 4, NULL);
    CHECK(sample_world_hash(one) == sample_world_hash(other));
    free(state);
    pl_world_destroy(one);
    pl_world_destroy(other);
    pl_scene_destroy(scene);
}

LONG_TEST(pbd_contact_warm_frames_do_not_allocate)
{
    pl_world* world = sample_start(balls);
    pl_error error;
    const size_t size = pl_world_state_size(world);
    void* state = malloc(size);
    pl_world_state_save(world, state);
    sample_step(world, 6, NULL);
    CHECK_OK(pl_world_state_load(world, state, size, &error), &error);
    pl_inject_failure(0);
    sample_step(world, 6, NULL);
    CHECK_INT(pl_inject_failure(0), 0);
    free(state);
    pl_world_destroy(world);
}

TEST(pbd_contact_survives_lack_of_memory)
{
    pl_scene* scene = pbd_scene(balls, NULL, 0);
    bool done = false;
    int failures = 0;
    // every allocation fails once; those far from contact are the same as of any world
    for (int64_t nth = 1; !done; nth += 1 + nth / 40)
        failures += pbd_fails_at(scene, nth, 4, &done);
    CHECK(failures > 40);
    pl_scene_destroy(scene);
}

// one a little beside the other
LONG_TEST(pbd_contact_stack_of_boxes_stays)
{
    enum { BOXES = 4 };
    char text[4096] = "{\"pliant\": 1, \"bodies\": [";
    for (int k = 0; k < BOXES; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "%s{\"name\": \"box%d\", \"generate\": {\"shape\": \"box\", \"size_x\": 0.1, "
                 "\"size_y\": 0.1, \"size_z\": 0.1, \"edge\": 0.1}, \"method\": \"pbd\", "
                 "\"transform\": {\"translate\": [%g, %g, 0]}, \"pbd\": {\"substeps\": 20}, "
                 "\"damping\": {\"mass\": 5}, "
                 "\"material\": {\"young\": 2e5}}",
                 k ? ", " : "", k, 0.005 * (k % 2), 0.002 + 0.111 * k);
    strcat(text, "], \"colliders\": [{\"plane\": {}, \"friction\": 0.5}]}");
    pl_world* world = sample_start(text);
    sample_step(world, 30, NULL);
    pl_vec3 settled[BOXES];
    for (int k = 0; k < BOXES; k++) settled[k] = contact_middle(world, k);
    sample_step(world, 20, NULL);
    CHECK_INT(pl_world_crossings(world), 0);
    for (int k = 0; k < BOXES; k++) {
        CHECK(pl_distance(contact_middle(world, k), settled[k]) < 0.001); // a hundredth of an edge
        if (k > 0) CHECK(settled[k].y - settled[k - 1].y > 0.1);
    }
    pl_world_destroy(world);
}

// Two boxes on the ground: it bears the weight of both.
LONG_TEST(pbd_contact_ground_bears_all)
{
    static const char box[] =
        "{\"generate\": {\"shape\": \"box\", \"size_x\": 0.1, \"size_y\": 0.1, \"size_z\": 0.1,\n"
        "  \"edge\": 0.1}, \"transform\": {\"translate\": [0, %g, 0]}, \"material\": {\"young\": "
        "2e5,\n"
        "  \"density\": 1000}, \"damping\": {\"mass\": 10}, \"pbd\": {\"substeps\": 20},\n"
        "  \"method\": \"pbd\"}";
    char text[2048] = "{\"pliant\": 1, \"bodies\": [";
    snprintf(text + strlen(text), sizeof text - strlen(text), box, 0.002);
    strcat(text, ",\n ");
    snprintf(text + strlen(text), sizeof text - strlen(text), box, 0.115);
    strcat(text, "], \"colliders\": [{\"plane\": {}}]}");
    pl_world* world = sample_start(text);
    pl_error error;
    sample_step(world, 40, NULL);
    double mean = 0.0, force[3]; // it still trembles a little
    for (int k = 0; k < 20; k++) {
        sample_step(world, 1, NULL);
        CHECK_OK(pl_world_collider_force(world, 0, force, &error), &error);
        mean += force[1] / 20.0;
    }
    CHECK_NEAR(mean, 2.0 * 9.81, 0.4);
    pl_world_destroy(world);
}

// A block on one that is held, and how far it slips on a slope.
static double slipped(double slope) {
    static const char text[] =
        "{\"pliant\": 1, \"gravity\": [%.6f, %.6f, 0], \"bodies\": [\n"
        " {\"name\": \"held\", \"generate\": {\"shape\": \"box\", \"size_x\": 0.4, \"size_y\": "
        "0.1,\n"
        "  \"size_z\": 0.2, \"edge\": 0.1}, \"contact\": {\"friction\": 0.5}, \"method\": "
        "\"pbd\",\n"
        "  \"pbd\": {\"substeps\": 20}, \"damping\": {\"mass\": 1, \"stiffness\": 0.005}},\n"
        " {\"name\": \"block\", \"generate\": {\"shape\": \"box\", \"size_x\": 0.1, \"size_y\": "
        "0.05,\n"
        "  \"size_z\": 0.1, \"edge\": 0.05}, \"transform\": {\"translate\": [0.05, 0.108, 0.05]},\n"
        "  \"material\": {\"young\": 1e5}, \"contact\": {\"friction\": 0.1}, \"method\": \"pbd\",\n"
        "  \"pbd\": {\"substeps\": 20}, \"damping\": {\"mass\": 1, \"stiffness\": 0.005}}],\n"
        " \"attachments\": [{\"body\": \"held\", \"where\": {\"everything\": true}}]}";
    char full[2048];
    const double angle = atan(slope);
    snprintf(full, sizeof full, text, 9.81 * sin(angle), -9.81 * cos(angle));
    pl_world* world = sample_start(full);
    sample_step(world, 30, NULL); // it lands
    const double before = contact_middle(world, 1).x;
    sample_step(world, 12, NULL);
    const double way = contact_middle(world, 1).x - before;
    pl_world_destroy(world);
    return way;
}

LONG_TEST(pbd_contact_slips_at_the_angle_of_friction)
{
    const double below = slipped(0.475), above = slipped(0.525);
    CHECK_NEAR(below, 0.0, 1e-3); // the larger of two coefficients counts, 0.5
    CHECK(above > 2e-3);
}

TEST(pbd_contact_bullet_does_not_pass_cloth)
{
    const char text[] =
        "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"bodies\": [\n"
        " {\"name\": \"cloth\", \"generate\": {\"shape\": \"cloth\", \"count_x\": 9, \"count_y\": "
        "9},\n"
        "  \"method\": \"pbd\"},\n"
        " {\"name\": \"bullet\", \"generate\": {\"shape\": \"box\", \"size_x\": 0.05, \"size_y\": "
        "0.05,\n"
        "  \"size_z\": 0.05, \"edge\": 0.05}, \"transform\": {\"translate\": [0.52, 0.43, 0.3]},\n"
        "  \"velocity\": [0, 0, -1000], \"method\": \"pbd\"}]}";
    pl_world* world = sample_start(text);
    for (int k = 0; k < 4; k++) {
        sample_step(world, 1, NULL);
        CHECK_INT(pl_world_crossings(world), 0);
        CHECK(lowest(world, 1, 2) > lowest(world, 0, 2)); // it is in a bag of cloth
    }
    CHECK(contact_middle(world, 0).z < -0.01); // and pulls it along
    pl_world_destroy(world);
}

LONG_TEST(pbd_contact_cloth_does_not_pass_itself)
{
    // hangs by a line across its middle: both halves swing together
    const char text[] =
        "{\"pliant\": 1, \"bodies\": [\n"
        " {\"name\": \"cloth\", \"generate\": {\"shape\": \"cloth\", \"size_x\": 0.4, \"size_y\": "
        "0.4,\n"
        "  \"count_x\": 13, \"count_y\": 13}, \"transform\": {\"rotate\": [-90, 0, 0]},\n"
        "  \"method\": \"pbd\", \"contact\": {\"self\": %s}}],\n"
        " \"attachments\": [{\"body\": \"cloth\", \"where\": {\"box\": {\"min\": [0.19, -1, -1],\n"
        "  \"max\": [0.21, 1, 1]}}}]}";
    char on[1024], off[1024];
    snprintf(on, sizeof on, text, "true");
    snprintf(off, sizeof off, text, "false");
    pl_world* world = sample_start(on);
    int contacts = 0;
    for (int k = 0; k < 45; k++) {
        pl_frame_info info;
        sample_step(world, 1, &info);
        contacts += info.contact_count;
        CHECK_INT(pl_world_crossings(world), 0);
    }
    CHECK(contacts > 5);
    pl_world* through = sample_start(off);
    CHECK_INT(pl_world_crossings(through), -1);
    int crossed = 0;
    for (int k = 0; k < 45; k++) {
        sample_step(through, 1, NULL);
        memcpy(pl_world_positions(world, 0), pl_world_positions(through, 0),
               3 * (size_t)pl_world_mesh(world, 0)->vertex_count * sizeof(double));
        crossed += pl_world_crossings(world) > 0;
    }
    CHECK(crossed > 5); // without it, they do
    pl_world_destroy(world);
    pl_world_destroy(through);
}

TEST(pbd_contact_costs_a_lone_body_nothing)
{
    const char text[] =
        "{\"pliant\": 1, \"bodies\": [{\"generate\": {\"shape\": \"box\", \"edge\": 0.3}, "
        "\"method\":\n"
        " \"pbd\", \"contact\": {\"bodies\": %s}, \"transform\": {\"translate\": [0, 0.05, 0]}}],\n"
        " \"colliders\": [{\"plane\": {}}]}";
    char on[512], off[512];
    snprintf(on, sizeof on, text, "true");
    snprintf(off, sizeof off, text, "false");
    pl_world *with = sample_start(on), *without = sample_start(off);
    CHECK(with->systems[0].surfaces == NULL);
    sample_step(with, 10, NULL);
    sample_step(without, 10, NULL);
    CHECK(sample_world_hash(with) == sample_world_hash(without));
    pl_world_destroy(with);
    pl_world_destroy(without);
}

TEST(pbd_contact_says_what_starts_inside_and_lets_it_out)
{
    const char text[] = "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"bodies\": [\n"
                        " {\"name\": \"a\", \"generate\": {\"shape\": \"box\", \"edge\": 0.5}, "
                        "\"method\": \"pbd\",\n"
                        "  \"velocity\": [-10, 0, 0]},\n"
                        " {\"name\": \"b\", \"generate\": {\"shape\": \"box\", \"edge\": 0.5}, "
                        "\"method\": \"pbd\",\n"
                        "  \"transform\": {\"translate\": [0.3, 0.1, 0.1]}}]}";
    pl_scene* scene = sample_scene(text);
    pl_notes* notes;
    CHECK(pl_notes_create(&notes) == PL_OK);
    pl_error error;
    pl_world* world;
    CHECK_OK(pl_world_create(scene, &world, notes, &error), &error);
    CHECK_INT(pl_notes_count(notes), 1);
    CHECK_TEXT(pl_notes_text(notes, 0, NULL), "\"a\" and \"b\" start inside each other");
    CHECK(pl_world_crossings(world) > 0);
    sample_step(world, 5, NULL);
    CHECK_INT(pl_world_crossings(world), 0);
    pl_notes_destroy(notes);
    pl_world_destroy(world);
    pl_scene_destroy(scene);
}

// two sheets that start nearer than their thickness
LONG_TEST(pbd_contact_sheets_that_start_too_near_part_slowly)
{
    static const char text[] =
        "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"bodies\": [\n"
        " {\"name\": \"low\", \"generate\": {\"shape\": \"cloth\", \"size_x\": 0.3, \"size_y\": "
        "0.3, "
        "\"edge\": 0.05}, \"method\": \"pbd\"},\n"
        " {\"name\": \"high\", \"generate\": {\"shape\": \"cloth\", \"size_x\": 0.3, \"size_y\": "
        "0.3, "
        "\"edge\": 0.05}, \"transform\": {\"translate\": [0, 0, 0.001]}, \"method\": \"pbd\"}]}";
    pl_world* world = sample_start(text);
    pl_frame_info info;
    for (int k = 0; k < 30; k++) {
        sample_step(world, 1, &info);
        CHECK_INT(info.retry_count, 0);
        CHECK_INT(pl_world_crossings(world), 0);
    }
    const double gap = contact_middle(world, 1).z - contact_middle(world, 0).z;
    CHECK(gap > 0.002 && gap < 0.02); // apart, and not thrown away
    pl_world_destroy(world);
}

// A body that is held goes through a cloth whose border is held: nothing else notices.
LONG_TEST(pbd_contact_held_bodies_stop_no_others)
{
    static const char text[] =
        "{\"pliant\": 1, \"bodies\": [\n"
        " {\"name\": \"held\", \"generate\": {\"shape\": \"box\", \"size_x\": 0.1, \"size_y\": "
        "0.1, "
        "\"size_z\": 0.1, \"edge\": 0.1}, \"transform\": {\"translate\": [-0.05, -0.05, 0.03]}, "
        "\"method\": \"pbd\"},\n"
        " {\"name\": \"sheet\", \"generate\": {\"shape\": \"cloth\", \"size_x\": 0.3, \"size_y\": "
        "0.3, "
        "\"edge\": 0.1}, \"transform\": {\"translate\": [-0.15, -0.15, 0]}, \"method\": \"pbd\"},\n"
        " {\"name\": \"free\", \"generate\": {\"shape\": \"box\", \"size_x\": 0.1, \"size_y\": "
        "0.1, "
        "\"size_z\": 0.1, \"edge\": 0.1}, \"transform\": {\"translate\": [2, 0, 0]}, \"method\": "
        "\"pbd\"}],\n"
        "\"attachments\": [{\"body\": \"held\", \"motion\": {\"keyframes\": [{\"time\": 0}, "
        "{\"time\": "
        "0.3, \"translate\": [0, 0, -0.3]}]}}, {\"body\": \"sheet\", \"where\": {\"region\": "
        "\"x_min\"}}, {\"body\": \"sheet\", \"where\": {\"region\": \"x_max\"}}]}";
    pl_world* world = sample_start(text);
    const double start = contact_middle(world, 2).y;
    sample_step(world, 18, NULL);
    const double fallen = start - contact_middle(world, 2).y, t = 18.0 / 60.0;
    CHECK_NEAR(fallen, 0.5 * 9.81 * t * t, 0.1 * 0.5 * 9.81 * t * t);
    pl_world_destroy(world);
}

// Fast bodies list only the pairs of the next part.
LONG_TEST(pbd_contact_fast_bodies_list_few_pairs)
{
    static const char text[] =
        "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"bodies\": [\n"
        " {\"name\": \"fast\", \"generate\": {\"shape\": \"sphere\", \"radius\": 0.1, \"edge\": "
        "0.03}, "
        "\"velocity\": [100, 0, 0], \"method\": \"pbd\"},\n"
        " {\"name\": \"slow\", \"generate\": {\"shape\": \"sphere\", \"radius\": 0.1, \"edge\": "
        "0.03}, "
        "\"transform\": {\"translate\": [0.8, 0.02, 0]}, \"method\": \"pbd\"}]}";
    pl_world* world = sample_start(text);
    const size_t before = pl_byte_count();
    sample_step(world, 1, NULL);
    CHECK(pl_byte_count() - before < (size_t)20 << 20);
    CHECK_INT(pl_world_crossings(world), 0);
    pl_world_destroy(world);
}
