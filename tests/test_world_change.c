// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Numbers that change during a run: materials, damping, the time step. A run whose number jumps is
// two runs put together, to the bit.
#include "base/memory.h"
#include "run_samples.h"
#include "test.h"

#include <stdlib.h>

enum { FRAMES_BEFORE = 5, FRAMES = 11 };

// dyadic times, so that both ways of adding them up are exact
static const char solid[] =
    "{\"pliant\": 1, \"time_step\": 0.015625, \"bodies\": [{\"name\": \"box\", \"generate\":\n"
    " {\"shape\": \"box\", \"size_x\": 0.4, \"size_y\": 0.1, \"size_z\": 0.1, \"edge\": 0.05},\n"
    " \"integrator\": \"bdf2\", \"material\": {\"young\": 2e4, \"poisson\": 0.4}}],\n"
    " \"attachments\": [{\"body\": \"box\", \"where\": {\"side\": \"-x\"}}]}";
static const char cloth[] =
    "{\"pliant\": 1, \"time_step\": 0.015625, \"bodies\": [{\"name\": \"sheet\", \"generate\":\n"
    " {\"shape\": \"cloth\", \"size_x\": 0.4, \"size_y\": 0.4, \"edge\": 0.1},\n"
    " \"transform\": {\"rotate\": [-80, 0, 0]},\n" // else it stays flat
    " \"material\": {\"law\": \"springs\", \"bend\": 0, \"shear\": 0}}],\n"
    " \"attachments\": [{\"body\": \"sheet\", \"where\": {\"side\": \"-x\"}}]}";
static const char membrane[] =
    "{\"pliant\": 1, \"time_step\": 0.015625, \"bodies\": [{\"name\": \"sheet\", \"generate\":\n"
    " {\"shape\": \"cloth\", \"size_x\": 0.4, \"size_y\": 0.4, \"edge\": 0.1},\n"
    " \"material\": {\"law\": \"membrane\", \"young\": 1e5}}],\n"
    " \"attachments\": [{\"body\": \"sheet\", \"where\": {\"side\": \"-x\"}}]}";
static const char heavy[] =
    "{\"pliant\": 1, \"time_step\": 0.015625, \"bodies\": [{\"name\": \"box\", \"generate\":\n"
    " {\"shape\": \"box\", \"size_x\": 0.4, \"size_y\": 0.1, \"size_z\": 0.1, \"edge\": 0.05},\n"
    " \"mass\": \"consistent\", \"material\": {\"young\": 2e4, \"poisson\": 0.4}}],\n"
    " \"attachments\": [{\"body\": \"box\", \"where\": {\"side\": \"-x\"}}]}";
static const char projected[] =
    "{\"pliant\": 1, \"time_step\": 0.015625, \"bodies\": [{\"name\": \"sheet\", \"generate\":\n"
    " {\"shape\": \"cloth\", \"size_x\": 0.4, \"size_y\": 0.4, \"edge\": 0.1},\n"
    " \"nonlinear\": \"projective\", \"material\": {\"law\": \"springs\", \"bend\": 0.1}}],\n"
    " \"attachments\": [{\"body\": \"sheet\", \"where\": {\"side\": \"-x\"}}]}";
static const char lattice[] =
    "{\"pliant\": 1, \"time_step\": 0.015625, \"bodies\": [{\"name\": \"box\", \"generate\":\n"
    " {\"shape\": \"box\", \"size_x\": 0.4, \"size_y\": 0.1, \"size_z\": 0.1, \"edge\": 0.05},\n"
    " \"method\": \"grid\", \"grid\": {\"cell\": 0.025}, \"material\": {\"law\": \"%s\",\n"
    " \"young\": 2e4, \"poisson\": 0.4}, \"damping\": {\"stiffness\": 0.01}%s}],\n"
    " \"attachments\": [{\"body\": \"box\", \"where\": {\"side\": \"-x\"}}]}";

static void step(pl_world* world, int count) {
    pl_error error;
    for (int k = 0; k < count; k++) CHECK_OK(pl_world_step(world, NULL, &error), &error);
}

static void animate(pl_scene* scene, const char* path, double first, double second) {
    pl_error error;
    double keys[4] = {0.0, first, (FRAMES_BEFORE - 0.5) * 0.015625, second};
    pl_curve curve = pl_default_curve();
    curve.key_count = 2;
    curve.keys = keys;
    curve.interpolation = PL_KEYS_STEP;
    CHECK_OK(pl_scene_animate(scene, path, &curve, &error), &error);
}

static void* state_of(pl_world* world, size_t* size) {
    *size = pl_world_state_size(world);
    void* state = malloc(*size);
    CHECK(state != NULL);
    pl_world_state_save(world, state);
    return state;
}

// the end of a run in which the number jumps
static uint64_t hash_of_jump(const char* text, const char* path, double first, double second) {
    pl_scene* scene = sample_scene(text);
    animate(scene, path, first, second);
    pl_world* world = sample_world(scene);
    step(world, FRAMES);
    uint64_t hash = sample_world_hash(world);
    pl_world_destroy(world);
    pl_scene_destroy(scene);
    return hash;
}

// the same in two worlds: the second takes over where the first ends. Constant curves, so that
// both have the same elements.
static uint64_t hash_of_two(const char* text, const char* path, double first, double second,
                            int frames_before) {
    void* state = NULL;
    size_t size = 0;
    uint64_t hash = 0;
    for (int k = 0; k < 2; k++) {
        pl_scene* scene = sample_scene(text);
        pl_error error;
        animate(scene, path, k ? second : first, k ? second : first);
        pl_world* world = sample_world(scene);
        if (k) CHECK_OK(pl_world_state_load(world, state, size, &error), &error);
        step(world, k ? FRAMES - frames_before : frames_before);
        if (k) free(state);
        else state = state_of(world, &size);
        hash = sample_world_hash(world);
        pl_world_destroy(world);
        pl_scene_destroy(scene);
    }
    return hash;
}

static void check_jump(const char* text, const char* path, double first, double second,
                       int frames_before) {
    uint64_t jumped = hash_of_jump(text, path, first, second);
    if (jumped != hash_of_two(text, path, first, second, frames_before))
        pl_test_fail(__FILE__, __LINE__, "%s: the jump is not as two runs", path);
    // and it matters
    if (jumped == hash_of_jump(text, path, first, first))
        pl_test_fail(__FILE__, __LINE__, "%s: has no effect", path);
}

// values are those at the end of a step: the last frame before the jump is the fourth
LONG_TEST(world_changing_material_is_two_runs)
{
    static const char m[] = "bodies[0].material.";
    char path[64];
    static const struct {
        const char *text, *key;
        double first, second;
    } cases[] = {
        {solid, "young", 2e4, 2e5},
        {solid, "poisson", 0.4, 0.2},
        {solid, "density", 1e3, 3e3},
        {cloth, "stretch", 1e3, 200},
        {cloth, "shear", 0, 300},
        {cloth, "bend", 0, 1e-3},
        {cloth, "area_density", 1, 3},
        {membrane, "young", 1e5, 1e4},
        {membrane, "thickness", 1e-3, 3e-3},
        {heavy, "density", 1e3, 3e3},
        {projected, "bend", 0.1, 0.5},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        snprintf(path, sizeof path, "%s%s", m, cases[k].key);
        check_jump(cases[k].text, path, cases[k].first, cases[k].second, FRAMES_BEFORE - 1);
    }
}

TEST(world_changing_damping_is_two_runs)
{
    check_jump(solid, "bodies[0].damping.mass", 0.0, 20.0, FRAMES_BEFORE - 1);
    check_jump(solid, "bodies[0].damping.stiffness", 0.0, 0.1, FRAMES_BEFORE - 1);
}

LONG_TEST(world_changing_lattice_is_two_runs)
{
    static const char vary[] =
        ", \"vary\": [{\"parameter\": \"young\", \"gradient\": {\"from\": 2e4,"
        " \"to\": 1e4, \"direction\": [1, 0, 0]}}]";
    static const char* const laws[][2] = {{"linear", ""}, {"corotated", ""}, {"corotated", vary}};
    for (int k = 0; k < 3; k++) {
        char text[1024];
        snprintf(text, sizeof text, lattice, laws[k][0], laws[k][1]);
        if (k < 2) check_jump(text, "bodies[0].material.young", 2e4, 2e5, FRAMES_BEFORE - 1);
        check_jump(text, "bodies[0].material.poisson", 0.4, 0.2, FRAMES_BEFORE - 1);
        check_jump(text, "bodies[0].material.density", 1e3, 3e3, FRAMES_BEFORE - 1);
        check_jump(text, "bodies[0].damping.mass", 0.0, 20.0, FRAMES_BEFORE - 1);
        check_jump(text, "bodies[0].damping.stiffness", 0.01, 0.1, FRAMES_BEFORE - 1);
    }
}

// the time step of a frame is the one at its begin, and BDF2 starts anew when it changes
TEST(world_changing_time_step_is_two_runs)
{
    check_jump(solid, "time_step", 0.015625, 0.0078125, FRAMES_BEFORE);
    pl_scene* scene = sample_scene(solid);
    animate(scene, "time_step", 0.015625, 0.0078125);
    pl_world* world = sample_world(scene);
    step(world, FRAMES_BEFORE);
    CHECK_NEAR(pl_world_time(world), FRAMES_BEFORE * 0.015625, 0.0);
    step(world, 2);
    CHECK_NEAR(pl_world_time(world), (FRAMES_BEFORE + 1) * 0.015625, 0.0);
    pl_world_destroy(world);
    pl_scene_destroy(scene);
}

// with a smooth curve the second order method stays with the true motion: free fall, y = -g t^2 / 2
TEST(world_changing_time_step_falls_right)
{
    pl_scene* scene = sample_scene(
        "{\"pliant\": 1, \"gravity\": [0, -10, 0], \"bodies\": [{\"generate\": {\"shape\": "
        "\"box\",\n"
        " \"size_x\": 1, \"size_y\": 1, \"size_z\": 1, \"edge\": 1}, \"integrator\": \"bdf2\"}],\n"
        " \"time_step\": {\"value\": 0.01, \"amplitude\": 0.005, \"frequency\": 3}}");
    pl_world* world = sample_world(scene);
    double y = pl_world_positions(world, 0)[1];
    step(world, 40);
    double t = pl_world_time(world);
    CHECK(t > 0.3 && t < 0.5);
    CHECK_NEAR(pl_world_velocities(world, 0)[1], -10.0 * t, 1e-9 * t);
    // each step is of first order here, for the step changes in every frame: error g h t / 2
    CHECK_NEAR(pl_world_positions(world, 0)[1] - y, -5.0 * t * t, 10.0 * 0.015 * t);
    pl_world_destroy(world);
    pl_scene_destroy(scene);
}

TEST(world_changing_numbers_resume_to_the_same_bits)
{
    pl_scene* scene = sample_scene(solid);
    pl_error error;
    pl_curve curve = pl_default_curve();
    curve.value = 5e4, curve.amplitude = 4e4, curve.frequency = 5.0;
    CHECK_OK(pl_scene_animate(scene, "bodies[0].material.young", &curve, &error), &error);
    curve.value = 0.01, curve.amplitude = 0.004, curve.frequency = 3.0;
    CHECK_OK(pl_scene_animate(scene, "time_step", &curve, &error), &error);
    curve.value = 3.0, curve.amplitude = 3.0;
    CHECK_OK(pl_scene_animate(scene, "bodies[0].damping.mass", &curve, &error), &error);
    pl_world *world = sample_world(scene), *other = sample_world(scene);
    step(world, 6);
    size_t size;
    void* state = state_of(world, &size);
    step(world, 6);
    CHECK_OK(pl_world_state_load(other, state, size, &error), &error);
    step(other, 6);
    CHECK(sample_world_hash(world) == sample_world_hash(other));
    CHECK_NEAR(pl_world_time(world), pl_world_time(other), 0.0);
    free(state);
    pl_world_destroy(world);
    pl_world_destroy(other);
    pl_scene_destroy(scene);
}

TEST(world_changing_numbers_allocate_nothing)
{
    pl_scene* scene = sample_scene(solid);
    pl_error error;
    CHECK_OK(pl_scene_set(scene, "bodies[0].linear", "pcg", &error), &error);
    pl_curve curve = pl_default_curve();
    curve.value = 5e4, curve.amplitude = 4e4, curve.frequency = 5.0;
    CHECK_OK(pl_scene_animate(scene, "bodies[0].material.young", &curve, &error), &error);
    pl_world* world = sample_world(scene);
    step(world, 3);
    pl_inject_failure(0);
    step(world, 5);
    CHECK_INT(pl_inject_failure(0), 0);
    pl_world_destroy(world);
    pl_scene_destroy(scene);
}

// two bodies of one scene with two dampings: each has its own
LONG_TEST(world_bodies_keep_their_own_damping)
{
    pl_scene* scene = sample_scene(
        "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"bodies\": [\n"
        " {\"name\": \"free\", \"velocity\": [1, 0, 0], \"generate\": {\"shape\": \"box\"}},\n"
        " {\"name\": \"slow\", \"velocity\": [1, 0, 0], \"generate\": {\"shape\": \"box\"},\n"
        "  \"integrator\": \"euler\", \"damping\": {\"mass\": 10}}]}");
    pl_world* world = sample_world(scene);
    step(world, 3);
    CHECK_NEAR(pl_world_velocities(world, 0)[0], 1.0, 1e-9);
    double factor = 1.0 / (1.0 + 10.0 / 60.0); // implicit Euler
    CHECK_NEAR(pl_world_velocities(world, 1)[0], factor * factor * factor, 1e-6);
    pl_world_destroy(world);
    pl_scene_destroy(scene);
}
