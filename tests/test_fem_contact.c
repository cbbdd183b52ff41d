// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bodies of method fem that meet one another and themselves, and small random heaps of all methods.
#include "base/memory.h"
#include "base/notes.h"
#include "base/random.h"
#include "contact_samples.h"
#include "pbd_samples.h"
#include "run_samples.h"
#include "test.h"
#include "world/guard_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// two balls on one line, no weight
static const char balls[] =
    "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"bodies\": [\n"
    " {\"name\": \"left\", \"generate\": {\"shape\": \"sphere\", \"radius\": 0.1, \"edge\": "
    "0.08},\n"
    "  \"transform\": {\"translate\": [-0.12, 0, 0]}, \"velocity\": [2, 0, 0],\n"
    "  \"material\": {\"young\": 2e4}, \"contact\": "
    "{\"friction\": 0.5}},\n"
    " {\"name\": \"right\", \"generate\": {\"shape\": \"sphere\", \"radius\": 0.1, \"edge\": "
    "0.08},\n"
    "  \"transform\": {\"translate\": [0.12, 0.03, 0.01]}, \"velocity\": [-1, 0, 0],\n"
    "  \"material\": {\"young\": 2e4}}]}";

// A stiff box comes to rest on soft barriers: what they store stays within the bound of the guard,
// which follows the energy that it knows of.
TEST(fem_contact_guard_counts_the_energy_of_barriers)
{
    const char text[] =
        "{\"pliant\": 1, \"time_step\": 0.02, \"bodies\": [\n"
        " {\"name\": \"low\", \"generate\": {\"shape\": \"box\", \"edge\": 0.1, \"size_x\": 0.1,\n"
        "  \"size_y\": 0.1, \"size_z\": 0.1}, \"material\": {\"young\": 1e6}, \"contact\":\n"
        "  {\"thickness\": 0.02, \"stiffness\": 1}},\n"
        " {\"name\": \"high\", \"generate\": {\"shape\": \"box\", \"edge\": 0.1, \"size_x\": 0.1,\n"
        "  \"size_y\": 0.1, \"size_z\": 0.1}, \"material\": {\"young\": 1e6}, \"contact\":\n"
        "  {\"thickness\": 0.02, \"stiffness\": 1}, \"transform\": {\"translate\": [0, 0.13, "
        "0]}}],\n"
        " \"attachments\": [{\"body\": \"low\", \"where\": {\"side\": \"-y\"}}]}";
    pl_world* world = sample_start(text);
    pl_frame_info info = {0};
    for (int k = 0; k < 150; k++) sample_step(world, 1, &info);
    CHECK(info.contact_energy > info.kinetic_energy + info.elastic_energy);
    const double all = info.kinetic_energy + info.elastic_energy + info.contact_energy;
    CHECK(world->systems[0].guard->bound > (1.0 - 1e-3) * all);
    pl_world_destroy(world);
}

// momentum: as exactly as steps are solved
LONG_TEST(fem_contact_balls_bounce_and_keep_momentum_and_energy)
{ contact_check_meeting(sample_start(balls), 9, 10, 1e-4); }

// Barriers that are many orders of magnitude stiffer than the balls: linear systems with them are
// solved all the same.
TEST(fem_contact_head_on_steps_are_solved_to_any_tolerance)
{
    const char* settings[] = {
        "bodies[0].tolerance=1e-10",      "bodies[1].tolerance=1e-10",
        "bodies[0].iterations=50",        "bodies[1].iterations=50",
        "bodies[0].contact.friction=0.3", "bodies[1].transform.translate=[0.12,0,0]"};
    pl_world* world = pbd_world(balls, settings, 6);
    double size, unused;
    pl_vec3 before, after, turn;
    contact_momentum(world, &before, &turn, &size);
    for (int k = 0; k < 9; k++) {
        pl_frame_info info;
        sample_step(world, 1, &info);
        CHECK_INT(info.unconverged_count, 0);
        CHECK_INT(pl_world_crossings(world), 0);
    }
    contact_momentum(world, &after, &turn, &unused);
    CHECK_NEAR(pl_distance(before, after) / size, 0.0, 1e-9);
    pl_world_destroy(world);
}

// Small steps of the midpoint rule keep the energy while the balls are pressed together, of which
// the barriers have a part that comes and goes. It never rises above that at the start.
TEST(fem_contact_barriers_complete_the_energy_of_a_bounce)
{
    const char* settings[] = {"time_step=0.0005",
                              "bodies[0].integrator=midpoint",
                              "bodies[1].integrator=midpoint",
                              "bodies[0].material.young=1e6",
                              "bodies[1].material.young=1e6",
                              "bodies[0].transform.translate=[-0.115,0,0]",
                              "bodies[1].transform.translate=[0.115,0,0]",
                              "bodies[1].velocity=[-2,0,0]",
                              "bodies[0].contact.thickness=0.01",
                              "bodies[1].contact.thickness=0.01",
                              "bodies[0].contact.friction=0",
                              "bodies[1].contact.friction=0"};
    pl_world* world = pbd_world(balls, settings, 12);
    double start = NAN, low = INFINITY, high = 0.0, least_stored = INFINITY, most_stored = 0.0;
    for (int k = 0; k < 55; k++) {
        pl_frame_info info;
        sample_step(world, 1, &info);
        const double sum = info.kinetic_energy + info.elastic_energy + info.contact_energy;
        if (k == 0) start = sum;
        CHECK(sum < 1.01 * start);
        if (k < 25) continue; // the balls have met, one pair of faces after the other
        low = fmin(low, sum), high = fmax(high, sum);
        least_stored = fmin(least_stored, info.contact_energy);
        most_stored = fmax(most_stored, info.contact_energy);
    }
    CHECK(most_stored - least_stored > 3e-3 * start);
    CHECK(high - low < 3e-4 * start);
    pl_world_destroy(world);
}

TEST(fem_contact_is_the_same_at_any_thread_count_and_after_resume)
{ contact_check_bits(balls, 2); }

TEST(fem_contact_survives_lack_of_memory)
{
    const char* near[] = {"bodies[0].transform.translate=[-0.104,0,0]"};
    pl_scene* scene = pbd_scene(balls, near, 1);
    bool done = false;
    int failures = 0;
    // every allocation fails once; those far from contact are the same as of any world
    for (int64_t nth = 1; !done; nth += 1 + nth / 20)
        failures += pbd_fails_at(scene, nth, 2, &done);
    CHECK(failures > 30);
    pl_scene_destroy(scene);
}

// A block on one that is held, and how far it slips on a slope.
static double slipped(double slope) {
    static const char text[] =
        "{\"pliant\": 1, \"gravity\": [%.6f, %.6f, 0], \"bodies\": [\n"
        " {\"name\": \"held\", \"generate\": {\"shape\": \"box\", \"size_x\": 0.4, \"size_y\": "
        "0.1,\n"
        "  \"size_z\": 0.2, \"edge\": 0.1}, \"contact\": {\"friction\": 0.5}},\n"
        " {\"name\": \"block\", \"generate\": {\"shape\": \"box\", \"size_x\": 0.1, \"size_y\": "
        "0.05,\n"
        "  \"size_z\": 0.1, \"edge\": 0.05}, \"transform\": {\"translate\": [0.05, 0.104, 0.05]},\n"
        "  \"material\": {\"young\": 1e5}, \"contact\": {\"friction\": 0.1}}],\n"
        " \"attachments\": [{\"body\": \"held\", \"where\": {\"everything\": true}}]}";
    char full[2048];
    const double angle = atan(slope);
    snprintf(full, sizeof full, text, 9.81 * sin(angle), -9.81 * cos(angle));
    pl_world* world = sample_start(full);
    sample_step(world, 15, NULL); // it lands
    const double before = contact_middle(world, 1).x;
    sample_step(world, 10, NULL);
    const double way = contact_middle(world, 1).x - before;
    pl_world_destroy(world);
    return way;
}

LONG_TEST(fem_contact_slips_at_the_angle_of_friction)
{
    const double below = slipped(0.475), above = slipped(0.525);
    CHECK_NEAR(below, 0.0, 2e-4); // the larger of two coefficients counts, 0.5
    CHECK(above > 1e-3);
}

TEST(fem_contact_bullet_does_not_pass_cloth)
{
    const char text[] =
        "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"bodies\": [\n"
        " {\"name\": \"cloth\", \"generate\": {\"shape\": \"cloth\", \"count_x\": 7, \"count_y\": "
        "7}},\n"
        " {\"name\": \"bullet\", \"generate\": {\"shape\": \"cloth\", \"size_x\": 0.05, "
        "\"size_y\": 0.05,\n"
        "  \"count_x\": 3, \"count_y\": 3}, \"transform\": {\"rotate\": [80, 0, 0],\n"
        "  \"translate\": [0.52, 0.43, 0.3]}, \"velocity\": [0, 0, -1000]}]}";
    pl_world* world = sample_start(text);
    CHECK(world->systems[0].surfaces && world->systems[0].surfaces->surface_count == 2);
    for (int k = 0; k < 2; k++) {
        sample_step(world, 1, NULL);
        CHECK_INT(pl_world_crossings(world), 0);
    }
    CHECK(contact_middle(world, 0).z < -1e-3); // it pulls the cloth along
    pl_world_destroy(world);
}

TEST(fem_contact_cloth_does_not_pass_itself)
{
    // hangs by a line across its middle: both halves swing together
    const char text[] =
        "{\"pliant\": 1, \"bodies\": [\n"
        " {\"name\": \"cloth\", \"generate\": {\"shape\": \"cloth\", \"size_x\": 0.4, \"size_y\": "
        "0.1,\n"
        "  \"count_x\": 13, \"count_y\": 4}, \"transform\": {\"rotate\": [-90, 0, 0]}}],\n"
        " \"attachments\": [{\"body\": \"cloth\", \"where\": {\"box\": {\"min\": [0.19, -1, -1],\n"
        "  \"max\": [0.21, 1, 1]}}}]}";
    pl_world* world = sample_start(text);
    int contacts = 0;
    for (int k = 0; k < 24; k++) {
        pl_frame_info info;
        sample_step(world, 1, &info);
        contacts += info.contact_count;
        CHECK_INT(pl_world_crossings(world), 0);
    }
    CHECK(contacts > 5);
    pl_world_destroy(world);
}

// An arm is turned so fast by what holds its core that held vertices would pass through triangles
// beside them, if those stayed during a whole step.
TEST(fem_contact_attachments_do_not_drag_vertices_through)
{
    pl_world* world = sample_start(
        "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"arm\", \"generate\": "
        "{\"shape\": \"cylinder\", \"radius\": 0.07, \"height\": 0.6, \"edge\": 0.035}, "
        "\"transform\": "
        "{\"rotate\": [-90, 0, 0]}, \"material\": {\"young\": 1e5, \"poisson\": 0.4}, \"contact\": "
        "{\"self\": true, \"friction\": 0}, \"tolerance\": 5e-3}], \"attachments\": [{\"body\": "
        "\"arm\", "
        "\"where\": {\"capsule\": {\"from\": [0, 0, 0], \"to\": [0, 0.22, 0], \"radius\": "
        "0.025}}}, "
        "{\"body\": \"arm\", \"where\": {\"capsule\": {\"from\": [0, 0.38, 0], \"to\": [0, 0.6, "
        "0], "
        "\"radius\": 0.025}}, \"motion\": {\"pivot\": [0.03, 0.3, 0], \"keyframes\": [{\"time\": "
        "0}, "
        "{\"time\": 0.45, \"rotate\": [0, 0, -110]}]}}]}");
    int retries = 0;
    for (int k = 0; k < 10; k++) {
        pl_frame_info info;
        sample_step(world, 1, &info);
        retries += info.retry_count;
        CHECK_INT(pl_world_crossings(world), 0);
    }
    CHECK(retries > 0); // in smaller steps the others give way
    pl_world_destroy(world);
}

// Vertices that touch settle with all others (pl_step_bound): without them it takes 586 iterations.
// Friction follows before steps reach a minimum (pl_step_go_on): else it takes 350.
TEST(fem_contact_cloth_folds_in_few_iterations)
{
    const char text[] =
        "{\"pliant\": 1, \"colliders\": [{\"plane\": {}, \"friction\": 0.6}], \"bodies\": [\n"
        " {\"generate\": {\"shape\": \"cloth\", \"size_x\": 0.2, \"size_y\": 1, \"edge\": 0.04},\n"
        "  \"transform\": {\"rotate\": [4, 0, 0], \"translate\": [0, 0.05, 0]}, \"tolerance\": "
        "0.002,\n"
        "  \"contact\": {\"self\": true, \"friction\": 0.4}}]}";
    pl_world* world = sample_start(text);
    int iterations = 0;
    for (int k = 0; k < 60; k++) {
        pl_frame_info info;
        sample_step(world, 1, &info);
        iterations += info.iterations;
        CHECK_INT(info.unconverged_count, 0);
        CHECK_INT(pl_world_crossings(world), 0);
    }
    CHECK(iterations < 300);
    pl_world_destroy(world);
}

// Where layers are pressed together, matrices are nearly indefinite. They are left for projected
// ones as soon as conjugate gradients leave most of a system; else it takes 2900 iterations.
LONG_TEST(fem_contact_pressed_cloth_takes_few_linear_iterations)
{
    const char text[] =
        "{\"pliant\": 1, \"bodies\": [{\"generate\": {\"shape\": \"cloth\", \"size_x\": 1,\n"
        "  \"size_y\": 1, \"edge\": 0.03}, \"transform\": {\"rotate\": [8, 0, 0], \"translate\":\n"
        "  [0, 0.45, 0]}, \"tolerance\": 1e-3, \"contact\": {\"self\": true, \"friction\": "
        "0.2}}],\n"
        " \"colliders\": [{\"sphere\": {\"center\": [0.5, 0.2, 0.05], \"radius\": 0.2}},\n"
        "  {\"plane\": {}}]}";
    pl_world* world = sample_start(text);
    int iterations = 0;
    for (int k = 0; k < 34; k++) {
        pl_frame_info info;
        sample_step(world, 1, &info);
        iterations += info.linear_iterations;
        CHECK_INT(info.unconverged_count, 0);
        CHECK_INT(pl_world_crossings(world), 0);
    }
    CHECK(iterations < 2500);
    pl_world_destroy(world);
}

#define FINE_BEAR                                                                                  \
    "{\"generate\": {\"shape\": \"gummy_bear\", \"height\": 0.1, \"edge\": 0.007}, "               \
    "\"material\": {\"young\": 2e4, \"poisson\": 0.45, \"density\": 1200}, "

// The impact of fine bears, the seventh frame, ended at a residual of 0.08 when friction waited for
// a minimum.
LONG_TEST(fem_contact_impact_of_fine_bears_converges)
{
    const char text[] =
        "{\"pliant\": 1, \"colliders\": [{\"plane\": {}, \"friction\": 0.5}], \"bodies\": "
        "[\n" FINE_BEAR
        "\"transform\": {\"rotate\": [-80, 0, 0], \"translate\": [0, 0.03, 0]}},\n" FINE_BEAR
        "\"transform\": {\"rotate\": [-70, 60, 0], \"translate\": [0.01, 0.1, 0]}},\n" FINE_BEAR
        "\"transform\": {\"rotate\": [20, 200, 15], \"translate\": [-0.01, 0.2, 0.01]}}]}";
    pl_world* world = sample_start(text);
    for (int k = 0; k < 8; k++) {
        pl_frame_info info;
        sample_step(world, 1, &info);
        CHECK_INT(info.unconverged_count, 0);
        CHECK_INT(pl_world_crossings(world), 0);
    }
    pl_world_destroy(world);
}

static bool meets_itself(const char* setting) {
    const char text[] =
        "{\"pliant\": 1, \"bodies\": [{\"name\": \"a\", \"generate\": {\"shape\": \"cloth\", "
        "\"count_x\": 3, \"count_y\": 3}}],\n"
        " \"attachments\": [{\"body\": \"a\", \"where\": {\"side\": \"+y\"}}]}";
    pl_world* world = pbd_world(text, &setting, setting ? 1 : 0);
    const pl_surface_set* surfaces = world->systems[0].surfaces;
    const bool meets = surfaces && surfaces->surfaces[0].meets_itself;
    pl_world_destroy(world);
    return meets;
}

TEST(fem_contact_cloth_meets_itself_unless_told_otherwise)
{
    CHECK(meets_itself(NULL));
    CHECK(meets_itself("bodies[0].contact.self=true"));
    CHECK(meets_itself("bodies[0].contact.self=auto"));
    CHECK(!meets_itself("bodies[0].contact.self=false"));
    CHECK(!meets_itself("bodies[0].method=pbd"));
    CHECK(!meets_itself("bodies[0].nonlinear=projective"));
    CHECK(!meets_itself("bodies[0].nonlinear=linearised"));
    CHECK(!meets_itself("bodies[0].integrator=quasistatic"));
    CHECK(!meets_itself("bodies[0].fixed=true"));
}

// What cloth keeps from itself, of its thickness, if that is its edge.
static double self_distance(const char* self) {
    char setting[80];
    const char text[] =
        "{\"pliant\": 1, \"bodies\": [{\"name\": \"a\", \"generate\": {\"shape\": \"cloth\", "
        "\"size_x\": 1, \"size_y\": 1,\n"
        "  \"count_x\": 11, \"count_y\": 11}, \"contact\": {\"thickness\": 0.1}}]}";
    snprintf(setting, sizeof setting, "bodies[0].contact.self=%s", self);
    const char* settings[] = {setting};
    pl_world* world = pbd_world(text, settings, 1);
    const pl_contact_surface* surface = &world->systems[0].surfaces->surfaces[0];
    CHECK_NEAR(surface->thickness, 0.1, 1e-12);
    const double distance = pl_surfaces_distance(surface, surface);
    pl_world_destroy(world);
    return distance;
}

TEST(fem_contact_thick_cloth_keeps_little_from_itself_unless_told_to)
{
    CHECK_NEAR(self_distance("true"), 0.2, 1e-12);
    const double distance = self_distance("auto");
    CHECK(distance > 0.015 && distance < 0.025);
}

TEST(fem_contact_says_what_starts_inside_and_lets_it_out)
{
    const char text[] = "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"bodies\": [\n"
                        " {\"name\": \"a\", \"generate\": {\"shape\": \"box\", \"edge\": 0.5},\n"
                        "  \"velocity\": [-10, 0, 0]},\n"
                        " {\"name\": \"b\", \"generate\": {\"shape\": \"box\", \"edge\": 0.5},\n"
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

// A single linear solve would end where its way is cut, for all bodies: such bodies push each other
// by forces from outside of their system.
TEST(fem_contact_linearised_bodies_push_each_other)
{
    const char* settings[] = {"bodies[0].nonlinear=linearised", "bodies[1].nonlinear=linearised"};
    pl_world* world = pbd_world(balls, settings, 2);
    CHECK(world->coupling && !world->systems[0].surfaces);
    pl_frame_info first, info;
    int contacts = 0;
    sample_step(world, 1, &first);
    for (int k = 0; k < 5; k++) {
        sample_step(world, 1, &info);
        contacts += info.contact_count;
        CHECK(info.kinetic_energy + info.elastic_energy < 1.01 * first.kinetic_energy);
        CHECK_INT(pl_world_crossings(world), 0);
    }
    CHECK(contacts > 0);
    pl_world_destroy(world);
}

// Contact holds nothing that stands still by itself: what no attachment holds is named.
TEST(fem_contact_quasistatic_bodies_are_to_be_held)
{
    const char* settings[] = {"bodies[0].integrator=quasistatic",
                              "bodies[1].integrator=quasistatic", "gravity=[0, -9.81, 0]"};
    pl_scene* scene = pbd_scene(balls, settings, 3);
    pl_world* world = sample_world(scene);
    pl_error error;
    CHECK(pl_world_step(world, NULL, &error) != PL_OK);
    CHECK_TEXT(error.text, "nothing holds it");
    pl_world_destroy(world);
    pl_scene_destroy(scene);
}

// A body beside others that it does not touch moves as it does alone.
TEST(fem_contact_leaves_far_bodies_alone)
{
    const char text[] =
        "{\"pliant\": 1, \"bodies\": [{\"generate\": {\"shape\": \"box\", \"edge\": 0.5},\n"
        " \"contact\": {\"bodies\": %s}, \"transform\": {\"translate\": [0, 0.05, 0]}},\n"
        " {\"generate\": {\"shape\": \"box\", \"edge\": 0.5},\n"
        " \"contact\": {\"bodies\": %s}, \"transform\": {\"translate\": [3, 0.05, 0]}}],\n"
        " \"colliders\": [{\"plane\": {}}]}";
    char on[512], off[512];
    snprintf(on, sizeof on, text, "true", "true");
    snprintf(off, sizeof off, text, "false", "false");
    pl_world *with = sample_start(on), *without = sample_start(off);
    CHECK(with->systems[0].surfaces && !without->systems[0].surfaces);
    sample_step(with, 10, NULL);
    sample_step(without, 10, NULL);
    CHECK(sample_world_hash(with) == sample_world_hash(without));
    pl_world_destroy(with);
    pl_world_destroy(without);
}

// ------------------------------------------------------------------ random heaps

static double pick(pl_random* random, double low, double high) {
    return pl_random_uniform(random, low, high);
}

// one body, in a cell of a grid that is as wide as its largest diagonal
static void add_body(pl_random* random, int k, const char* method, char* text, size_t size) {
    static const char* const shapes[] = {
        "\"shape\": \"box\", \"size_x\": 0.1, \"size_y\": 0.08, \"size_z\": 0.1, \"edge\": 0.1",
        "\"shape\": \"sphere\", \"radius\": 0.05, \"edge\": 0.05"};
    const size_t used = strlen(text);
    const double x = pick(random, -0.02, 0.02), z = pick(random, -0.02, 0.02);
    const double turns[3] = {pick(random, -90, 90), pick(random, -90, 90), pick(random, -90, 90)};
    snprintf(text + used, size - used,
             "%s{\"generate\": {%s}, \"method\": \"%s\", \"material\": {\"density\": %.0f}, "
             "\"velocity\": [%.3f, %.3f, 0], \"transform\": {\"rotate\": [%.1f, %.1f, %.1f], "
             "\"translate\": [%.4f, %.4f, %.4f]}}",
             k ? ", " : "", shapes[pl_random_int(random, 2)], method, pick(random, 300, 2000),
             pick(random, -0.5, 0.5), pick(random, -2.5, -1.0), turns[0], turns[1], turns[2], x,
             0.15 + 0.2 * k, z);
}

static void check_finite(pl_world* world, int body) {
    const double* x = pl_world_positions(world, body);
    for (int i = 0; i < 3 * pl_world_mesh(world, body)->vertex_count; i++) CHECK(isfinite(x[i]));
    const pl_vec3 middle = contact_middle(world, body);
    CHECK(middle.y > -0.05 && pl_norm(middle) < 2.0);
}

static void check_heap(uint64_t seed, const char* const* methods, int count, int frames) {
    char text[4096] = "{\"pliant\": 1, \"threads\": 1, \"colliders\": [{\"plane\": {}}], "
                      "\"bodies\": [";
    pl_random random = {seed};
    for (int k = 0; k < count; k++) add_body(&random, k, methods[k], text, sizeof text);
    strcat(text, "]}");
    pl_world* world = sample_start(text);
    int contacts = 0;
    for (int k = 0; k < frames; k++) {
        pl_frame_info info;
        sample_step(world, 1, &info);
        contacts += info.contact_count;
        CHECK(isfinite(info.kinetic_energy + info.elastic_energy + info.contact_energy));
        CHECK_INT(pl_world_crossings(world), 0);
    }
    CHECK(contacts > 0);
    for (int b = 0; b < count; b++) check_finite(world, b);
    pl_world_destroy(world);
}

TEST(fem_contact_heaps_never_cross)
{
    const char* const methods[] = {"fem", "fem", "fem"};
    for (uint64_t seed = 1; seed <= 2; seed++) check_heap(seed, methods, 3, 10);
}

TEST(fem_contact_heaps_with_all_methods_never_cross)
{
    const char* const methods[] = {"fem", "pbd", "rigid", "mixed", "rigid", "pbd"};
    check_heap(11, methods, 6, 8);
    const char* const grids[] = {"rigid", "grid", "fem"};
    check_heap(13, grids, 3, 8);
}

// A block at rest beside a plane that has not come near enough to push: its forces are round-off.
TEST(fem_contact_leaves_a_block_at_rest_converged)
{
    pl_world* world = sample_start(
        "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"block\", \"generate\": "
        "{\"shape\": \"box\", \"size_x\": 0.1, \"size_y\": 0.1, \"size_z\": 0.1, \"edge\": 0.05}, "
        "\"material\": {\"young\": 1e4, \"poisson\": 0.3}}], \"attachments\": [{\"body\": "
        "\"block\", "
        "\"where\": {\"side\": \"-y\"}}], \"colliders\": [{\"plane\": {\"point\": [0, 0.105, 0], "
        "\"normal\": [0, -1, 0]}, \"motion\": {\"keyframes\": [{\"time\": 0}, {\"time\": 4, "
        "\"translate\": [0, -0.05, 0]}]}}]}");
    for (int k = 0; k < 40; k++) {
        pl_frame_info info;
        sample_step(world, 1, &info);
        CHECK_INT(info.unconverged_count, 0);
    }
    pl_world_destroy(world);
}
