// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bodies that start inside colliders are told so, and pushed out without being thrown.
#include "base/memory.h"
#include "read_checks.h"
#include "run_samples.h"
#include "test.h"
#include "world/world_build.h"

#include <pliant/world.h>
#include <stdlib.h>

// a cube of 0.2 m whose lowest 5 cm are in the ground
static const char sunk[] =
    "{\"pliant\": 1, \"threads\": 1, \"bodies\": [{\"name\": \"cube\", \"generate\": {\"shape\":"
    " \"box\", \"size_x\": 0.2, \"size_y\": 0.2, \"size_z\": 0.2, \"edge\": 0.1}, \"transform\":"
    " {\"translate\": [0, -0.05, 0]}, \"material\": {\"young\": 1e5}, %s}], \"colliders\":"
    " [{\"name\": \"ground\", %s}]}";

static const char* const methods[] = {
    "\"method\": \"fem\"", "\"nonlinear\": \"projective\", \"linear\": \"multigrid\"",
    "\"method\": \"grid\", \"grid\": {\"cell\": 0.05}", "\"method\": \"pbd\""};
static const char* const grounds[] = {"\"plane\": {}",
                                      "\"box\": {\"min\": [-1, -1, -1], \"max\": [1, 0, 1]}",
                                      "\"sphere\": {\"center\": [0.1, -10, 0.1], \"radius\": 10}"};

static pl_world* start(const char* method, const char* ground) {
    char text[1024];
    snprintf(text, sizeof text, sunk, method, ground);
    return sample_start(text);
}

static double lowest(pl_world* world) {
    const double* x = pl_world_positions(world, 0);
    double low = HUGE_VAL;
    for (int v = 0; v < pl_world_mesh(world, 0)->vertex_count; v++) low = fmin(low, x[3 * v + 1]);
    return low;
}

static double fastest(pl_world* world) {
    const double* v = pl_world_velocities(world, 0);
    double fast = 0.0;
    for (int i = 0; i < 3 * pl_world_mesh(world, 0)->vertex_count; i++)
        fast = fmax(fast, fabs(v[i]));
    return fast;
}

// put in front of the ground within one step of 1/60 s it would be at 3 m/s
LONG_TEST(world_starts_inside_are_pushed_out_gently)
{
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++)
        for (size_t g = 0; g < sizeof grounds / sizeof grounds[0]; g++) {
            pl_world* world = start(methods[m], grounds[g]);
            double most = 0.0;
            for (int frame = 0; frame < 42; frame++) {
                sample_step(world, 1, NULL);
                most = fmax(most, fastest(world));
            }
            if (most > 0.5 || fabs(lowest(world)) > 0.004)
                pl_test_fail(__FILE__, __LINE__, "%s on %s: %g m/s, ends at %g m", methods[m],
                             grounds[g], most, lowest(world));
            pl_world_destroy(world);
        }
}

TEST(world_starts_inside_are_noted)
{
    static const char* const parts[] = {
        "body \"cube\" starts inside collider \"ground\": 13 of the 50 vertices of its surface, up "
        "to 0.05 m deep",
        "move it up by 0.05 m (transform.translate along y)"};
    char text[1024];
    snprintf(text, sizeof text, sunk, methods[0], grounds[1]);
    pl_scene* scene = sample_scene(text);
    pl_notes* notes;
    pl_error error;
    pl_world* world;
    CHECK_INT(pl_notes_create(&notes), PL_OK);
    CHECK_OK(pl_world_create(scene, &world, notes, &error), &error);
    for (int k = 0; k < 2; k++)
        if (!pl_test_noted(notes, parts[k]))
            pl_test_fail(__FILE__, __LINE__, "%s", pl_notes_text(notes, 0, NULL));
    pl_world_destroy(world);
    pl_notes_destroy(notes);
    pl_scene_destroy(scene);
}

static void check_quiet(const char* translate, const char* more) {
    char text[1024];
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"bodies\": [{\"name\": \"cube\", \"generate\": {\"shape\": \"box\","
             " \"edge\": 0.5}, \"transform\": {\"translate\": [0, %s, 0]}}], \"colliders\":"
             " [{\"plane\": {}}]%s}",
             translate, more);
    pl_world* world = sample_start(text);
    CHECK(!world->recesses);
    pl_world_destroy(world);
}

// what touches, or is held inside, is left alone
TEST(world_starts_outside_change_nothing)
{
    check_quiet("0", "");
    check_quiet("0.3", "");
    check_quiet("-0.2", ", \"attachments\": [{\"body\": \"cube\", \"where\": {\"side\": \"-y\"}}]");
}

// while a collider is held back
TEST(world_starts_inside_can_be_saved)
{
    pl_world *world = start(methods[0], grounds[0]), *other = start(methods[0], grounds[0]);
    pl_error error;
    sample_step(world, 8, NULL);
    size_t size = pl_world_state_size(world);
    void* state = malloc(size);
    pl_world_state_save(world, state);
    pl_status status = pl_world_state_load(other, state, size, &error);
    free(state);
    CHECK_OK(status, &error);
    sample_step(world, 8, NULL);
    sample_step(other, 8, NULL);
    CHECK(sample_world_hash(world) == sample_world_hash(other));
    pl_world_destroy(world);
    pl_world_destroy(other);
}

TEST(world_starts_survive_lack_of_memory)
{
    char text[1024];
    snprintf(text, sizeof text, sunk, methods[3], grounds[0]);
    pl_scene* scene = sample_scene(text);
    int failures = 0;
    bool done = false;
    for (int64_t nth = 1; !done; nth++) {
        pl_world* world;
        pl_error error;
        pl_inject_failure(nth);
        pl_status status = pl_world_create(scene, &world, NULL, &error);
        done = pl_inject_failure(0) < nth;
        pl_world_destroy(world);
        CHECK(status == (done ? PL_OK : PL_ERROR_MEMORY));
        failures += !done;
    }
    CHECK(failures > 20);
    pl_scene_destroy(scene);
}
