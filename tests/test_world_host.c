// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A host that drives colliders, attachments and numbers of the scene gets the bits of a scene that
// says the same.
#include "base/memory.h"
#include "run_samples.h"
#include "sample_meshes.h"
#include "scene/animation.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

// a box on a ball that moves and turns, which a wall of the scene may do as well
static const char on_a_ball[] =
    "{\"pliant\": 1, \"time_step\": 0.02, \"bodies\": [{\"name\": \"box\", \"integrator\": "
    "\"bdf2\",\n"
    " \"generate\": {\"shape\": \"box\", \"size_x\": 0.2, \"size_y\": 0.1, \"size_z\": 0.2,\n"
    "  \"edge\": 0.05}, \"transform\": {\"translate\": [0, 0.05, 0]},\n"
    " \"material\": {\"young\": 2e4}}],\n"
    " \"colliders\": [{\"name\": \"floor\", \"box\": {\"min\": [-1, -0.1, -1], \"max\": [1, 0, 1]},"
    "\n  \"friction\": 0.8%s}],\n"
    " \"attachments\": [{\"name\": \"hand\", \"body\": \"box\", \"where\": {\"side\": \"+x\"},\n"
    "  \"stiffness\": 20%s}]}";
static const char motion_of_floor[] =
    ", \"motion\": {\"pivot\": [0.1, 0, 0], \"keyframes\": [{\"time\": 0}, {\"time\": 0.1,\n"
    "  \"translate\": [0.05, 0.1, 0], \"rotate\": [0, 30, 10]}, {\"time\": 0.3, \"rotate\": [0, "
    "50, 0]}]}";
static const char motion_of_hand[] =
    ", \"motion\": {\"pivot\": [0, 0, 0], \"keyframes\": [{\"time\": 0}, {\"time\": 0.2,\n"
    "  \"translate\": [0.05, 0.2, 0]}]}";

enum { FRAMES = 16 };

static pl_scene* scene_of(const char* floor, const char* hand) {
    char text[2048];
    snprintf(text, sizeof text, on_a_ball, floor, hand);
    return sample_scene(text);
}

static void step(pl_world* world, int count) {
    pl_error error;
    for (int k = 0; k < count; k++) CHECK_OK(pl_world_step(world, NULL, &error), &error);
}

// where a motion of the scene is at a time
static pl_placement placement_at(const pl_motion* motion, pl_vec3 middle, double time) {
    pl_pose pose = pl_motion_pose(motion, middle, time);
    pl_placement out;
    memcpy(out.rotation, pose.rotation.m, sizeof out.rotation);
    pl_vec3_store(out.translation, pl_pose_point(&pose, (pl_vec3){0, 0, 0}));
    return out;
}

static void drive(pl_world* world, const pl_scene* as, int frames) {
    pl_error error;
    int floor = pl_world_find_collider(world, "floor"),
        hand = pl_world_find_attachment(world, "hand");
    CHECK(floor == 0 && hand == 0);
    for (int k = 0; k < frames; k++) {
        double end = (double)(pl_world_frame(world) + 1) * 0.02;
        pl_vec3 none = {0, 0, 0};
        pl_placement to = placement_at(&as->colliders[0].motion, none, end);
        CHECK_OK(pl_world_move_collider(world, floor, &to, &error), &error);
        to = placement_at(&as->attachments[0].motion, none, end);
        CHECK_OK(pl_world_move_attachment(world, hand, &to, &error), &error);
        CHECK_OK(pl_world_step(world, NULL, &error), &error);
    }
}

TEST(host_moves_as_keyframes_do)
{
    pl_scene *moving = scene_of(motion_of_floor, motion_of_hand), *still = scene_of("", "");
    pl_world *keyed = sample_world(moving), *driven = sample_world(still),
             *alone = sample_world(still);
    step(keyed, FRAMES);
    step(alone, FRAMES);
    drive(driven, moving, FRAMES);
    CHECK(sample_world_hash(keyed) == sample_world_hash(driven));
    CHECK(sample_world_hash(alone) != sample_world_hash(driven));
    pl_placement at;
    pl_error error;
    CHECK_OK(pl_world_collider_placement(driven, 0, &at, &error), &error);
    pl_placement want = placement_at(&moving->colliders[0].motion, (pl_vec3){0, 0, 0}, 0.32);
    CHECK_NEAR(at.rotation[2], want.rotation[2], 1e-15);
    CHECK_OK(pl_world_collider_placement(keyed, 0, &at, &error), &error);
    CHECK_NEAR(at.rotation[2], want.rotation[2], 1e-12);
    pl_world_destroy(keyed);
    pl_world_destroy(driven);
    pl_world_destroy(alone);
    pl_scene_destroy(moving);
    pl_scene_destroy(still);
}

// a checkpoint between two frames knows what the host did
TEST(host_is_in_the_state)
{
    pl_scene *moving = scene_of(motion_of_floor, motion_of_hand), *still = scene_of("", "");
    pl_world *driven = sample_world(still), *other = sample_world(still);
    pl_error error;
    drive(driven, moving, 6);
    const double velocity[3] = {0.1, 0, 0}, spin[3] = {0, 90, 0};
    CHECK_OK(pl_world_drive_collider(driven, 0, velocity, spin, &error), &error);
    CHECK(pl_world_grab(driven, 0, 3, 50.0) == 0);
    pl_world_move(driven, 0, 0.1, 0.4, 0.0);
    pl_world_forces(driven, 0)[4] = 0.01;
    CHECK_OK(pl_world_set(driven, "gravity[0]", 2.0, &error), &error);
    size_t size = pl_world_state_size(driven);
    void* state = malloc(size);
    pl_world_state_save(driven, state);
    step(driven, 6);
    CHECK_OK(pl_world_state_load(other, state, size, &error), &error);
    step(other, 6);
    CHECK(sample_world_hash(driven) == sample_world_hash(other));
    // and back before all of it: as a fresh world
    pl_world* fresh = sample_world(still);
    size_t first_size = pl_world_state_size(fresh);
    void* first = malloc(first_size);
    CHECK(first_size < size);
    pl_world_state_save(fresh, first);
    CHECK_OK(pl_world_state_load(other, first, first_size, &error), &error);
    step(other, 6);
    step(fresh, 6);
    CHECK(sample_world_hash(fresh) == sample_world_hash(other));
    for (size_t cut = 0; cut < size; cut += 97) // cut anywhere: refused, and the world as before
        CHECK(pl_world_state_load(other, state, cut, &error) == PL_ERROR_FORMAT);
    CHECK(sample_world_hash(fresh) == sample_world_hash(other));
    free(state);
    free(first);
    pl_world_destroy(fresh);
    pl_world_destroy(driven);
    pl_world_destroy(other);
    pl_scene_destroy(moving);
    pl_scene_destroy(still);
}

// a steady turn of the host is the scene's spin, also within the substeps of a frame
TEST(host_drives_on_as_a_spin_does)
{
    pl_scene *still = scene_of("", ""),
             *turning =
                 scene_of(", \"motion\": {\"spin_axis\": [0, 1, 0], \"spin_rate\": 200}", "");
    pl_error error;
    CHECK_OK(pl_scene_set(still, "substeps", "3", &error), &error);
    CHECK_OK(pl_scene_set(turning, "substeps", "3", &error), &error);
    pl_world *spun = sample_world(turning), *driven = sample_world(still);
    const double velocity[3] = {0, 0, 0}, spin[3] = {0, 200, 0};
    CHECK_OK(pl_world_drive_collider(driven, 0, velocity, spin, &error), &error);
    step(spun, 10);
    step(driven, 10);
    const double *a = pl_world_positions(spun, 0), *b = pl_world_positions(driven, 0);
    for (int i = 0; i < 3 * pl_world_mesh(spun, 0)->vertex_count; i++)
        CHECK_NEAR(a[i], b[i], 1e-7); // the solver's tolerance
    pl_world_destroy(spun);
    pl_world_destroy(driven);
    pl_scene_destroy(still);
    pl_scene_destroy(turning);
}

enum { SAMPLES = 6 };

// a ball that is squeezed to and fro, under a box
static double* squeezed_ball(const pl_mesh* ball) {
    int count = 3 * ball->vertex_count;
    double* places = malloc((size_t)(SAMPLES * count) * sizeof(double));
    for (int s = 0; s < SAMPLES; s++)
        for (int i = 0; i < count; i++) // floats, as the cache has them
            places[s * count + i] =
                (float)(ball->positions[i] * (i % 3 == 1 ? 1.0 + 0.02 * s : 1.0 - 0.01 * s));
    return places;
}

static const char on_squeezed[] =
    "{\"pliant\": 1, \"gravity\": [0, -1, 0], \"time_step\": 0.02, \"bodies\": [{\"name\": "
    "\"box\",\n"
    " \"generate\": {\"shape\": \"box\", \"size_x\": 0.4, \"size_y\": 0.4, \"size_z\": 0.4, "
    "\"edge\": 0.2},\n"
    " \"transform\": {\"translate\": [0, 1.21, 0]}, \"material\": {\"young\": 1e6}}],\n"
    " \"colliders\": [{\"mesh\": {\"file\": \"ball.obj\"%s}}]}";

LONG_TEST(host_deforms_as_a_cache_does)
{
    pl_mesh* ball = sample_sphere(2);
    pl_error error;
    for (int i = 0; i < 3 * ball->vertex_count; i++) ball->positions[i] = (float)ball->positions[i];
    double* places = squeezed_ball(ball);
    int count = ball->vertex_count;
    sample_point_cache("ball.pc2", 1.0f, places, count, SAMPLES);
    CHECK_OK(pl_mesh_write(ball, pl_test_path("ball.obj"), NULL, NULL, &error), &error);
    char text[1024];
    snprintf(text, sizeof text, on_squeezed, ", \"cache\": \"ball.pc2\"");
    pl_scene* moving = sample_scene(text);
    snprintf(text, sizeof text, on_squeezed, "");
    pl_scene* still = sample_scene(text);
    pl_world *cached = sample_world(moving), *driven = sample_world(still),
             *other = sample_world(still);
    size_t size = 0;
    void* state = NULL;
    for (int k = 1; k < SAMPLES; k++) {
        if (k == 4) {
            size = pl_world_state_size(driven);
            state = malloc(size);
            pl_world_state_save(driven, state);
        }
        CHECK_OK(pl_world_deform_collider(driven, 0, places + 3 * count * k, count, &error),
                 &error);
        step(driven, 1);
        step(cached, 1);
    }
    CHECK(sample_world_hash(cached) == sample_world_hash(driven));
    double lowest = 1e9;
    const double* x = pl_world_positions(driven, 0);
    for (int v = 0; v < pl_world_mesh(driven, 0)->vertex_count; v++)
        lowest = fmin(lowest, x[3 * v + 1]);
    CHECK(lowest > 1.03); // it was at 1.01
    // a world that never heard of it takes the state over
    CHECK_OK(pl_world_state_load(other, state, size, &error), &error);
    for (int k = 4; k < SAMPLES; k++) {
        CHECK_OK(pl_world_deform_collider(other, 0, places + 3 * count * k, count, &error), &error);
        step(other, 1);
    }
    CHECK(sample_world_hash(other) == sample_world_hash(driven));
    CHECK(pl_world_deform_collider(other, 0, places, count - 1, &error) == PL_ERROR_ARGUMENT);
    CHECK_TEXT(error.text, "for a shape of");
    free(state);
    free(places);
    pl_world_destroy(cached);
    pl_world_destroy(driven);
    pl_world_destroy(other);
    pl_scene_destroy(moving);
    pl_scene_destroy(still);
    pl_mesh_destroy(ball);
}

// each held vertex at its own place, as a cache has it: the same bits
TEST(host_deforms_attachments_as_a_cache_does)
{
    pl_scene* still = scene_of("", "");
    pl_world* driven = sample_world(still);
    pl_error error;
    const int* vertices;
    int count = pl_world_attachment_vertices(driven, 0, &vertices);
    CHECK(count > 4);
    double* places = malloc((size_t)(3 * count * SAMPLES) * sizeof(double));
    for (int s = 0; s < SAMPLES; s++)
        for (int i = 0; i < count; i++)
            for (int c = 0; c < 3; c++)
                places[3 * (s * count + i) + c] =
                    (float)(pl_world_mesh(driven, 0)->positions[3 * vertices[i] + c] +
                            (c == 1 ? 0.01 * s * i : 0.0));
    sample_point_cache("hand.pc2", 1.0f, places, count, SAMPLES);
    pl_scene* moving = scene_of("", ", \"cache\": \"hand.pc2\"");
    pl_world* cached = sample_world(moving);
    for (int k = 1; k < SAMPLES; k++) {
        CHECK_OK(pl_world_deform_attachment(driven, 0, places + 3 * count * k, count, &error),
                 &error);
        step(driven, 1);
        step(cached, 1);
    }
    CHECK(sample_world_hash(driven) == sample_world_hash(cached));
    free(places);
    pl_world_destroy(cached);
    pl_world_destroy(driven);
    pl_scene_destroy(moving);
    pl_scene_destroy(still);
}

TEST(host_sets_numbers_of_the_scene)
{
    static const char flag[] =
        "{\"pliant\": 1, \"bodies\": [{\"generate\": {\"shape\": \"cloth\", \"size_x\": 0.5,\n"
        " \"size_y\": 0.5, \"edge\": 0.1}}], \"wind\": [{\"velocity\": [%g, 0, 0]}]}";
    char text[512];
    uint64_t hash[2];
    pl_error error;
    for (int k = 0; k < 2; k++) {
        snprintf(text, sizeof text, flag, k ? 0.0 : 5.0);
        pl_scene* scene = sample_scene(text);
        pl_world* world = sample_world(scene);
        if (k) CHECK_OK(pl_world_set(world, "wind[0].velocity[0]", 5.0, &error), &error);
        step(world, 5);
        hash[k] = sample_world_hash(world);
        if (k) {
            CHECK(pl_world_set(world, "wind[0].velocity[0]", 1e9, &error) == PL_ERROR_ARGUMENT);
            CHECK_TEXT(error.text, "it must be from");
            CHECK(pl_world_set(world, "wind[0].velocity[0]", NAN, &error) == PL_ERROR_ARGUMENT);
            CHECK(pl_world_set(world, "frames", 3, &error) == PL_ERROR_ARGUMENT);
            CHECK_TEXT(error.text, "cannot change during a run");
            CHECK(pl_world_set(world, "wnd[0]", 3, &error) != PL_OK);
            CHECK_OK(pl_world_set(world, "bodies[0].material.bend", 1e-3, &error), &error);
            CHECK(pl_world_set(world, "bodies[0].material.bend", -1, &error) == PL_ERROR_ARGUMENT);
        }
        pl_world_destroy(world);
        pl_scene_destroy(scene);
    }
    CHECK(hash[0] == hash[1]);
}

TEST(host_is_told_what_is_wrong)
{
    pl_scene* scene = scene_of("", "");
    pl_world* world = sample_world(scene);
    pl_error error;
    pl_placement to = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
    const double zero[3] = {0, 0, 0}, bad[3] = {0, NAN, 0};
    CHECK(pl_world_move_collider(world, 1, &to, &error) == PL_ERROR_ARGUMENT);
    CHECK_TEXT(error.text, "there is no collider 1");
    CHECK(pl_world_move_attachment(world, -1, &to, &error) == PL_ERROR_ARGUMENT);
    to.rotation[0] = 2.0;
    CHECK(pl_world_move_collider(world, 0, &to, &error) == PL_ERROR_ARGUMENT);
    CHECK_TEXT(error.text, "rotation");
    to.rotation[0] = -1.0; // a mirror
    CHECK(pl_world_move_collider(world, 0, &to, &error) == PL_ERROR_ARGUMENT);
    to.rotation[0] = 1.0;
    to.translation[2] = INFINITY;
    CHECK(pl_world_move_attachment(world, 0, &to, &error) == PL_ERROR_ARGUMENT);
    CHECK(pl_world_drive_collider(world, 0, bad, zero, &error) == PL_ERROR_ARGUMENT);
    CHECK(pl_world_deform_collider(world, 0, zero, 1, &error) == PL_ERROR_ARGUMENT);
    CHECK_TEXT(error.text, "only meshes and chains");
    CHECK_INT(pl_world_find_collider(world, "nobody"), -1);
    CHECK_INT(pl_world_find_attachment(world, "nobody"), -1);
    pl_world* fresh = sample_world(scene); // none of it counted
    step(world, 3);
    step(fresh, 3);
    CHECK(sample_world_hash(world) == sample_world_hash(fresh));
    pl_world_destroy(fresh);
    pl_world_destroy(world);
    pl_scene_destroy(scene);
}

// What the host writes into positions and velocities is where the body is now: BDF2 must not reach
// back to where it was. A world that starts there moves in the same way.
TEST(host_that_writes_positions_starts_bdf2_anew)
{
    static const char falling[] =
        "{\"pliant\": 1, \"time_step\": 0.015625, \"bodies\": [{\"integrator\": \"bdf2\",\n"
        " \"generate\": {\"shape\": \"box\", \"size_x\": 1, \"size_y\": 1, \"size_z\": 1, "
        "\"edge\": 0.5}, \"angular_velocity\": [0, 200, 90]}]}";
    pl_scene* scene = sample_scene(falling);
    pl_world *world = sample_world(scene), *fresh = sample_world(scene),
             *other = sample_world(scene);
    pl_error error;
    int count = 3 * pl_world_mesh(world, 0)->vertex_count;
    step(world, 5);
    for (int i = 0; i < count; i++) {
        pl_world_positions(world, 0)[i] += i % 3 == 0 ? 0.5 : 0.0;
        pl_world_velocities(world, 0)[i] *= 0.5;
        pl_world_positions(fresh, 0)[i] = pl_world_positions(world, 0)[i];
        pl_world_velocities(fresh, 0)[i] = pl_world_velocities(world, 0)[i];
    }
    // a checkpoint right now does not lose that something was written
    size_t size = pl_world_state_size(world);
    void* state = malloc(size);
    pl_world_state_save(world, state);
    CHECK_OK(pl_world_state_load(other, state, size, &error), &error);
    step(world, 4);
    step(fresh, 4);
    step(other, 4);
    CHECK(sample_world_hash(world) == sample_world_hash(fresh));
    CHECK(sample_world_hash(other) == sample_world_hash(fresh));
    free(state);
    pl_world_destroy(world);
    pl_world_destroy(fresh);
    pl_world_destroy(other);
    pl_scene_destroy(scene);
}

// A cloth that hangs is cut across: what is below falls freely, v = -g t in steps of Euler, and
// what is above stays. A checkpoint knows the cut.
TEST(host_cuts_a_cloth)
{
    pl_scene* scene = sample_scene(
        "{\"pliant\": 1, \"time_step\": 0.01, \"gravity\": [0, -10, 0], \"bodies\": [{\"name\": "
        "\"cloth\",\n"
        " \"method\": \"pbd\", \"generate\": {\"shape\": \"cloth\", \"size_x\": 0.5, \"size_y\": "
        "0.5,\n"
        " \"edge\": 0.1}, \"pbd\": {\"tear\": 1000}}],\n"
        " \"attachments\": [{\"body\": \"cloth\", \"where\": {\"side\": \"+y\"}}]}");
    pl_world *world = sample_world(scene), *other = sample_world(scene);
    pl_error error;
    int count = pl_world_mesh(world, 0)->vertex_count, cut_count = 0;
    const double* x = pl_world_positions(world, 0);
    double top = -1e9, bottom = 1e9;
    for (int v = 0; v < count; v++) {
        top = fmax(top, x[3 * v + 1]);
        bottom = fmin(bottom, x[3 * v + 1]);
    }
    double y = 0.5 * (top + bottom) + 0.013;
    const double beside[9] = {5, y, -9, 6, y, 9, 7, y, 9}, far = 9.0;
    CHECK_OK(pl_world_cut(world, 0, beside, &cut_count, &error), &error);
    CHECK(cut_count == 0);
    // slanted, in nine strokes: no triangle may be left hanging between the halves
    double across[9] = {0, y, -far, 0, 0, far, 0, 0, far};
    int new_count = 0;
    for (int k = 0; k < 9; k++) {
        for (int i = 0; i < 2; i++) {
            across[3 * i + 3] = 12.0 * ((k + i) / 9.0 - 0.5);
            across[3 * i + 4] = y + 0.3 * across[3 * i + 3];
        }
        CHECK_OK(pl_world_cut(world, 0, across, &cut_count, &error), &error);
        new_count += cut_count;
    }
    CHECK(new_count >= 6);
    size_t size = pl_world_state_size(world);
    void* state = malloc(size);
    pl_world_state_save(world, state);
    CHECK_OK(pl_world_state_load(other, state, size, &error), &error);
    step(world, 30);
    step(other, 30);
    CHECK(sample_world_hash(world) == sample_world_hash(other));
    int fallen = 0, hanging = 0;
    for (int v = 0; v < count; v++) {
        double speed = pl_world_velocities(world, 0)[3 * v + 1];
        if (fabs(speed + 10.0 * 0.3) < 0.05) fallen++;
        else if (fabs(speed) < 0.5) hanging++;
    }
    CHECK(fallen > count / 4 && hanging > count / 4 && fallen + hanging == count);
    free(state);
    const double bad[9] = {0, NAN, 0, 0, 0, 0, 0, 0, 0};
    CHECK(pl_world_cut(world, 0, bad, NULL, &error) == PL_ERROR_ARGUMENT);
    CHECK(pl_world_cut(world, 3, across, NULL, &error) == PL_ERROR_ARGUMENT);
    pl_world_destroy(world);
    pl_world_destroy(other);
    pl_scene_destroy(scene);
    scene = scene_of("", "");
    world = sample_world(scene);
    CHECK(pl_world_cut(world, 0, across, NULL, &error) == PL_ERROR_UNSUPPORTED);
    CHECK_TEXT(error.text, "pbd.tear");
    pl_world_destroy(world);
    pl_scene_destroy(scene);
}
