// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bodies that start face to face or inside each other are moved apart, or named.
#include "base/memory.h"
#include "base/notes.h"
#include "contact_samples.h"
#include "pbd_samples.h"
#include "run_samples.h"
#include "test.h"
#include "world/world_build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BOX                                                                                        \
    "\"generate\": {\"shape\": \"box\", \"size_x\": 0.1, \"size_y\": 0.1, \"size_z\": 0.1, "       \
    "\"edge\": 0.1}, \"material\": {\"young\": 1e5}"
#define AT(place) "\"transform\": {\"translate\": [" place "]}"
// thin, so that pbd does not lift boxes much to have the gap
#define THIN "\"contact\": {\"thickness\": 0.0005}"
#define THIN_BOX(name, place) " {\"name\": \"" name "\", " BOX ", " THIN ", " AT(place) "}"

static const char stack[] = "{\"pliant\": 1, \"threads\": 1, \"bodies\": [\n" //
    THIN_BOX("low", "0, 0, 0") ",\n"                                          //
    THIN_BOX("middle", "0, 0.1, 0") ",\n"                                     //
    THIN_BOX("high", "0.01, 0.2, 0") "], \"colliders\": [{\"plane\": {}}]}";

static double lowest(pl_world* world, int body) {
    double low = INFINITY;
    for (int v = 0; v < pl_world_mesh(world, body)->vertex_count; v++)
        low = fmin(low, pl_world_positions(world, body)[3 * v + 1]);
    return low;
}

// of all bodies, in the field of gravity
static double energy(pl_world* world, const pl_frame_info* info) {
    double sum = info->kinetic_energy + info->elastic_energy;
    for (int s = 0; s < world->system_count; s++) {
        const pl_world_system* system = &world->systems[s];
        const double *mass = system->method->masses(system->data),
                     *x = system->method->positions(system->data);
        for (int v = 0; v < system->vertex_count; v++) sum += 9.81 * mass[v] * x[3 * v + 1];
    }
    return sum;
}

static void check_stack(const char* first, const char* second) {
    char methods[3][64];
    const char* settings[3];
    for (int k = 0; k < 3; k++) {
        snprintf(methods[k], sizeof methods[k], "bodies[%d].method=%s", k, k == 1 ? second : first);
        settings[k] = methods[k];
    }
    pl_world* world = pbd_world(stack, settings, 3);
    pl_frame_info info = {0};
    const double start = energy(world, &info);
    for (int k = 0; k < 20; k++) {
        sample_step(world, 1, &info);
        CHECK_INT(pl_world_crossings(world), 0);
        CHECK(energy(world, &info) < 1.01 * start);
        CHECK(lowest(world, 1) > 0.085 && lowest(world, 1) < 0.12);
        CHECK(lowest(world, 2) > 0.17 && lowest(world, 2) < 0.24);
    }
    CHECK(info.contact_count > 0);
    pl_world_destroy(world);
}

LONG_TEST(untangle_exact_stack_stays_fem)
{ check_stack("fem", "fem"); }
LONG_TEST(untangle_exact_stack_stays_mixed)
{ check_stack("mixed", "mixed"); }
LONG_TEST(untangle_exact_stack_stays_pbd)
{ check_stack("pbd", "pbd"); }
LONG_TEST(untangle_exact_stack_stays_between_methods)
{ check_stack("fem", "pbd"); }
TEST(untangle_same_bits)
{ contact_check_bits(stack, 3); }

// A pile of boxes in any order, and a wall of them, get small gaps.
TEST(untangle_walls_come_apart)
{
    enum { COLUMNS = 3, ROWS = 5 };
    char text[8192] = "{\"pliant\": 1, \"bodies\": [";
    for (int k = 0; k < COLUMNS * ROWS; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "%s{\"name\": \"box%d\", " BOX
                 ", \"method\": \"pbd\", \"transform\": {\"translate\": [%g, %g, 0]}}",
                 k ? "," : "", k, 0.1 * (k % COLUMNS), 0.1 * (ROWS - 1 - k / COLUMNS));
    strcat(text, "]}");
    pl_scene* scene = sample_scene(text);
    pl_notes* notes;
    pl_world* world;
    pl_error error;
    CHECK(pl_notes_create(&notes) == PL_OK);
    CHECK_OK(pl_world_create(scene, &world, notes, &error), &error);
    CHECK_INT(pl_world_crossings(world), 0);
    CHECK(pl_notes_count(notes) <= 5);
    for (int b = 0; b < COLUMNS * ROWS; b++) {
        const pl_vec3 at = {0.1 * (b % COLUMNS) + 0.05, 0.1 * (ROWS - 1 - b / COLUMNS) + 0.05,
                            0.05};
        CHECK(pl_distance(contact_middle(world, b), at) < 0.03);
    }
    pl_world_destroy(world);
    pl_notes_destroy(notes);
    pl_scene_destroy(scene);
}

static const char balls[] =
    "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"threads\": 1, \"bodies\": [\n"
    " {\"name\": \"a\", \"generate\": {\"shape\": \"sphere\", \"radius\": 0.1, \"edge\": 0.06}, "
    "\"velocity\": [1, 0, 0], \"material\": {\"young\": 1e5}},\n"
    " {\"name\": \"b\", \"generate\": {\"shape\": \"sphere\", \"radius\": 0.1, \"edge\": 0.06}, "
    "\"velocity\": [-1, 0, 0], \"material\": {\"young\": 1e5}, " AT("0.15, 0, 0") "}]}";

LONG_TEST(untangle_balls_then_bounce)
{
    pl_scene* scene = sample_scene(balls);
    pl_notes* notes;
    pl_world* world;
    pl_error error;
    CHECK(pl_notes_create(&notes) == PL_OK);
    CHECK_OK(pl_world_create(scene, &world, notes, &error), &error);
    CHECK_INT(pl_notes_count(notes), 1);
    CHECK_TEXT(pl_notes_text(notes, 0, NULL), "body \"b\" starts inside \"a\"");
    // the mesh is inside of the ball
    const double apart = pl_distance(contact_middle(world, 0), contact_middle(world, 1));
    CHECK(apart > 0.17 && apart < 0.202);
    contact_check_meeting(world, 12, 5, 1e-5); // destroys it
    world = sample_world(scene);
    sample_step(world, 12, NULL);
    CHECK(pl_world_velocities(world, 0)[0] < 0.0);
    CHECK(pl_world_velocities(world, 1)[0] > 0.0);
    pl_world_destroy(world);
    pl_notes_destroy(notes);
    pl_scene_destroy(scene);
}

// The cloth lies 2 mm below the top of the ball.
TEST(untangle_cloth_comes_out_of_a_ball)
{
    static const char text[] =
        "{\"pliant\": 1, \"threads\": 1, \"bodies\": [\n"
        " {\"name\": \"ball\", \"generate\": {\"shape\": \"sphere\", \"radius\": 0.1, \"edge\": "
        "0.05}, \"material\": {\"young\": 1e5}, " AT(
            " 0, 0.1, 0") "},\n"
                          " {\"name\": \"cloth\", \"kind\": \"cloth\", \"generate\": {\"shape\": "
                          "\"cloth\", "
                          "\"size_x\": 0.3, \"size_y\": 0.3, \"edge\": 0.05}, \"method\": \"pbd\", "
                          "\"transform\": "
                          "{\"rotate\": [-90, 0, 0], \"translate\": [-0.15, 0.198, "
                          "0.15]}}"
                          "], \"colliders\": [{\"plane\": {}}]}";
    const char* same[] = {"bodies[0].method=pbd"};
    for (int k = 0; k < 2; k++) {
        pl_world* world = pbd_world(text, same, k);
        CHECK_INT(pl_world_crossings(world), 0);
        CHECK(contact_middle(world, 1).y > 0.1985 && contact_middle(world, 1).y < 0.206);
        for (int frame = 0; frame < 8; frame++) {
            sample_step(world, 1, NULL);
            CHECK_INT(pl_world_crossings(world), 0);
        }
        CHECK(contact_middle(world, 1).y > contact_middle(world, 0).y);
        pl_world_destroy(world);
    }
}

static pl_world* world_with_note(const char* text, const char* note);

// The same with cloth and ball held, so that neither can be moved as a whole.
LONG_TEST(untangle_held_cloth_is_put_in_front_of_a_ball)
{
    static const char text[] =
        "{\"pliant\": 1, \"threads\": 1, \"gravity\": [0, 0, 0], \"bodies\": [\n"
        " {\"name\": \"ball\", \"generate\": {\"shape\": \"sphere\", \"radius\": 0.1, \"edge\": "
        "0.03}, \"material\": {\"young\": 1e5}},\n"
        " {\"name\": \"cloth\", \"kind\": \"cloth\", \"generate\": {\"shape\": \"cloth\", "
        "\"size_x\": 0.3, \"size_y\": 0.3, \"edge\": 0.02}, \"method\": \"pbd\", \"transform\": "
        "{\"rotate\": [-90, 0, 0], \"translate\": [-0.15, 0.095, 0.15]}}],\n"
        " \"attachments\": [{\"body\": \"ball\", \"where\": {\"side\": \"-y\"}}, {\"body\": "
        "\"cloth\", \"where\": {\"region\": \"corners\"}}]}";
    pl_world* world = world_with_note(text, "cloth \"cloth\" starts inside \"ball\"");
    CHECK_INT(pl_world_crossings(world), 0);
    double first = 0.0;
    for (int k = 0; k < 10; k++) {
        pl_frame_info info;
        sample_step(world, 1, &info);
        CHECK_INT(pl_world_crossings(world), 0);
        const double sum = info.kinetic_energy + info.elastic_energy;
        if (k == 0) first = sum;
        CHECK(sum < 1.01 * first); // the cloth was stretched
    }
    pl_world_destroy(world);
}

static pl_world* world_with_note(const char* text, const char* note) {
    pl_scene* scene = sample_scene(text);
    pl_notes* notes;
    pl_world* world;
    pl_error error;
    CHECK(pl_notes_create(&notes) == PL_OK);
    CHECK_OK(pl_world_create(scene, &world, notes, &error), &error);
    bool found = false;
    for (int k = 0; k < pl_notes_count(notes); k++)
        found = found || strstr(pl_notes_text(notes, k, NULL), note);
    CHECK(found);
    pl_notes_destroy(notes);
    pl_scene_destroy(scene);
    return world;
}

// No energy comes in, and frames go on.
static void check_quiet(pl_world* world, int frames) {
    pl_frame_info info;
    for (int k = 0; k < frames; k++) sample_step(world, 1, &info);
    CHECK(info.kinetic_energy + info.elastic_energy < 1e-6);
    pl_world_destroy(world);
}

TEST(untangle_links_too_thick_for_each_other_are_named)
{
    static const char text[] =
        "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"bodies\": [\n"
        " {\"name\": \"a\", \"generate\": {\"shape\": \"torus\", \"radius\": 0.06, "
        "\"ring_radius\": 0.1, \"edge\": 0.06}},\n"
        " {\"name\": \"b\", \"generate\": {\"shape\": \"torus\", \"radius\": 0.06, "
        "\"ring_radius\": 0.1, \"edge\": 0.06}, \"transform\": {\"rotate\": [90, 0, 0], "
        "\"translate\": [0.1, 0, 0]}}]}";
    pl_world* world =
        world_with_note(text, "\"a\" and \"b\" start inside each other and could not");
    CHECK(pl_world_crossings(world) > 0);
    check_quiet(world, 5);
}

TEST(untangle_nested_bodies_are_named)
{
    static const char text[] =
        "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"bodies\": [\n"
        " {\"name\": \"egg\", \"generate\": {\"shape\": \"sphere\", \"radius\": 0.2, \"edge\": "
        "0.1}},\n"
        " {\"name\": \"yolk\", \"generate\": {\"shape\": \"sphere\", \"radius\": 0.1, \"edge\": "
        "0.06}}]}";
    pl_world* world = world_with_note(text, "\"yolk\" starts wholly inside \"egg\"");
    CHECK_INT(pl_world_crossings(world), 0);
    check_quiet(world, 5);
}

// What is attached stays, and the other one moves; two that are attached stay both.
TEST(untangle_leaves_attached_bodies)
{
#define HELD(body) "{\"body\": \"" body "\", \"where\": {\"side\": \"+x\"}}"
    static const char bodies[] =
        "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"bodies\": [\n"
        " {\"name\": \"low\", " BOX "}, {\"name\": \"high\", " BOX ", " AT("0, 0.095, 0") "}]";
    char text[1024];
    snprintf(text, sizeof text, "%s, \"attachments\": [%s]}", bodies, HELD("high"));
    pl_world* world = world_with_note(text, "body \"low\" starts inside \"high\"");
    CHECK(contact_middle(world, 0).y < 0.045);
    CHECK_NEAR(contact_middle(world, 1).y, 0.145, 1e-12);
    CHECK_INT(pl_world_crossings(world), 0);
    pl_world_destroy(world);
    snprintf(text, sizeof text, "%s, \"attachments\": [%s, %s]}", bodies, HELD("high"),
             HELD("low"));
    world = world_with_note(text, "could not be moved apart");
    CHECK_NEAR(contact_middle(world, 0).y, 0.05, 1e-12);
    CHECK(pl_world_crossings(world) > 0);
    check_quiet(world, 5);
}

TEST(untangle_survives_lack_of_memory)
{
    pl_scene* scene = sample_scene(stack);
    int failures = 0;
    bool done = false;
    for (int64_t nth = 1; !done; nth += 5) failures += pbd_fails_at(scene, nth, 1, &done);
    CHECK(failures > 40);
    pl_scene_destroy(scene);
}
