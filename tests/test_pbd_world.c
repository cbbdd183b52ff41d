// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Method pbd in scenes: colliders at any speed, friction, attachments, the same bits for any number
// of threads and after a checkpoint, and memory that runs out.
#include "base/memory.h"
#include "math/vec3.h"
#include "pbd_samples.h"
#include "run_samples.h"
#include "test.h"

#include <stdlib.h>

static const char cloth_text[] =
    "{\"pliant\": 1, \"threads\": 1, \"substeps\": 1, \"gravity\": [0, -9.81, 0],\n"
    " \"bodies\": [{\"name\": \"cloth\", \"method\": \"pbd\", \"hierarchy\": 3, \"iterations\": "
    "6, \"pbd\": {\"model\": \"stiffness\"},\n"
    "  \"generate\": {\"shape\": \"cloth\", \"size_x\": 1, \"size_y\": 1, \"count_x\": 17,\n"
    "  \"count_y\": 17}, \"transform\": {\"rotate\": [-90, 0, 0], \"translate\": [-0.5, 0.5, "
    "0.5]}}],\n"
    " \"colliders\": [{\"name\": \"plate\", \"box\": {\"min\": [-3, -0.01, -3], \"max\": [3, 0, "
    "3]},\n"
    "  \"friction\": 0.2}]}\n";

static pl_world* cloth_world(const char* const* overrides, int count) {
    return pbd_world(cloth_text, overrides, count);
}

static const char* const models[] = {"bodies[0].pbd.model=stiffness",
                                     "bodies[0].pbd.model=compliance"};

// of the vertices on the surface
static double lowest(pl_world* world) {
    double low = HUGE_VAL;
    const double* x = pl_world_positions(world, 0);
    const pl_mesh* mesh = pl_world_mesh(world, 0);
    for (int k = 0; k < 3 * mesh->triangle_count; k++)
        low = fmin(low, x[3 * mesh->triangles[k] + 1]);
    return low;
}

TEST(pbd_no_particle_passes_a_plate_at_50_metres_per_second)
{
    // the plate is a hundredth of the way of a step
    static const char* const hierarchies[] = {"bodies[0].hierarchy=0", "bodies[0].hierarchy=3"};
    for (int k = 0; k < 4; k++) {
        const char* overrides[] = {hierarchies[k % 2], models[k / 2],
                                   "bodies[0].velocity=[3,-50,0]",
                                   "bodies[0].angular_velocity=[0,0,200]"};
        pl_world* world = cloth_world(overrides, 4);
        for (int n = 0; n < 40; n++) {
            pbd_world_step(world, 1);
            CHECK(lowest(world) > -1e-6);
        }
        pl_world_destroy(world);
    }
}

static void throw_a_plate(const char* model) {
    const char* overrides[] = {
        model,
        "colliders[0].motion={\"keyframes\": [{\"time\": 0, \"translate\": [0, -1, 0]}, {\"time\": "
        "0.1, \"translate\": [0, 4, 0]}], \"interpolation\": \"linear\"}",
        "gravity=[0,0,0]"};
    pl_world* world = cloth_world(overrides, 3);
    for (int n = 1; n <= 12; n++) {
        pbd_world_step(world, 1);
        double plate = fmin(-1.0 + 50.0 * n / 60.0, 4.0);
        CHECK(lowest(world) > plate - 1e-6);
    }
    CHECK(lowest(world) >= 3.99);
    pl_world_destroy(world);
}

TEST(pbd_no_particle_is_passed_by_a_plate_at_50_metres_per_second)
{
    for (int k = 0; k < 2; k++) throw_a_plate(models[k]);
}

static double ball_height(int frame) { return -0.5 + 2.0 * fmin(frame / 60.0 / 0.04, 1.0); }

// how near to the middle of the ball the way of a particle comes, seen from the ball
static double nearest_on_way(const double* from, const double* to, int frame) {
    pl_vec3 a = pl_vec3_load(from), b = pl_vec3_load(to);
    a.y -= ball_height(frame), b.y -= ball_height(frame + 1);
    pl_vec3 d = pl_sub(b, a);
    double t = pl_norm2(d) > 0.0 ? fmin(fmax(-pl_dot(a, d) / pl_norm2(d), 0.0), 1.0) : 0.0;
    return pl_norm(pl_madd(a, t, d));
}

// In a step of several parts cloth can slide around the ball, whose way is four times as long as
// the ball is wide: then only the ends of ways have to be outside.
static void throw_a_ball(const char* model, bool is_divided) {
    const char* overrides[] = {
        model,
        "colliders[0]={\"name\": \"ball\", \"sphere\": {\"center\": [0, -0.5, 0], \"radius\": "
        "0.2}, "
        "\"motion\": {\"keyframes\": [{\"time\": 0}, {\"time\": 0.04, \"translate\": [0, 2, 0]}], "
        "\"interpolation\": \"linear\"}}",
        "gravity=[0,0,0]", "bodies[0].generate.count_x=41", "bodies[0].generate.count_y=41"};
    pl_world* world = cloth_world(overrides, 5);
    enum { COUNT = 41 * 41 };
    double before[3 * COUNT];
    int moved = 0;
    for (int frame = 0; frame < 6; frame++) {
        const double* x = pl_world_positions(world, 0);
        memcpy(before, x, sizeof before);
        pbd_world_step(world, 1);
        for (int v = 0; v < COUNT; v++) {
            pl_vec3 end = pl_vec3_load(x + 3 * v);
            end.y -= ball_height(frame + 1);
            CHECK(pl_norm(end) > 0.2 - 1e-6);
            if (!is_divided) CHECK(nearest_on_way(before + 3 * v, x + 3 * v, frame) > 0.2 - 1e-6);
            moved += x[3 * v + 1] > 0.6;
        }
    }
    CHECK(moved > 100);
    pl_world_destroy(world);
}

TEST(pbd_no_particle_passes_a_ball_at_50_metres_per_second)
{
    for (int k = 0; k < 2; k++) throw_a_ball(models[k], k == 1);
}

TEST(pbd_friction_stops_a_sliding_cloth)
{
    // v^2 / (2 mu g) = 0.51 m
    const char* overrides[] = {"bodies[0].velocity=[1,0,0]", "colliders[0].friction=0.1",
                               "bodies[0].contact.friction=0.1", "bodies[0].contact.thickness=0",
                               "bodies[0].transform.translate=[-0.5,0,0.5]"};
    pl_world* world = cloth_world(overrides, 5);
    double before = pl_world_positions(world, 0)[0];
    pbd_world_step(world, 90);
    double way = pl_world_positions(world, 0)[0] - before;
    CHECK_NEAR(way, 1.0 / (2.0 * 0.1 * 9.81), 0.03);
    CHECK(fabs(pl_world_velocities(world, 0)[0]) < 1e-3);
    pl_world_destroy(world);
}

TEST(pbd_soft_attachments_are_springs)
{
    const char* overrides[] = {"attachments=[{\"body\": \"cloth\", \"where\": {\"box\": {\"min\": "
                               "[-1, 0, -1], \"max\": [1, "
                               "1, 1]}}, \"stiffness\": 2}]",
                               "colliders=[]", "bodies[0].damping.mass=5",
                               "bodies[0].material.area_density=0.5"};
    pl_world* world = cloth_world(overrides, 4);
    pbd_world_step(world, 300);
    // 0.5 kg on 289 springs of 2 N/m
    const double* x = pl_world_positions(world, 0);
    double mean = 0.0;
    for (int v = 0; v < 289; v++) mean += x[3 * v + 1] / 289.0;
    CHECK_NEAR(0.5 - mean, 0.5 * 9.81 / (289.0 * 2.0), 5e-4);
    pl_world_destroy(world);
}

static double lowest_after(const char* const* overrides, int count, int steps) {
    pl_world* world = cloth_world(overrides, count);
    pbd_world_step(world, steps);
    double low = lowest(world);
    pl_world_destroy(world);
    return low;
}

// how far the middle of the lower rim hangs below the upper one, which is held
static double hang(const char* compliance, const char* density, const char* hierarchy) {
    const char* overrides[] = {
        "bodies[0].transform={}",
        "colliders=[]",
        "bodies[0].iterations=60",
        hierarchy,
        compliance,
        density,
        "bodies[0].damping.mass=4",
        "bodies[0].pbd.model=compliance",
        "attachments=[{\"body\": \"cloth\", \"where\": {\"box\": {\"min\": [-1, 0.99, -1], "
        "\"max\": [2, 2, 1]}}}]"};
    return 1.0 - lowest_after(overrides, 9, 240);
}

LONG_TEST(pbd_materials_may_change_during_a_run)
{
    // stiffer and heavier from the first second on: it ends where one hangs that always was so
    static const char* const hierarchies[] = {"bodies[0].hierarchy=0", "bodies[0].hierarchy=2"};
    for (int k = 0; k < 2; k++) {
        double changed = hang("bodies[0].pbd.compliance={\"keyframes\": [[0, 0.05], [1, 0.01]], "
                              "\"interpolation\": \"step\"}",
                              "bodies[0].material.area_density={\"keyframes\": [[0, 0.2], [1, "
                              "0.5]], \"interpolation\": \"step\"}",
                              hierarchies[k]);
        double light = hang("bodies[0].pbd.compliance=0.05", "bodies[0].material.area_density=0.2",
                            hierarchies[k]);
        double heavy = hang("bodies[0].pbd.compliance=0.01", "bodies[0].material.area_density=0.5",
                            hierarchies[k]);
        CHECK(fabs(light - heavy) > 0.005);
        CHECK_NEAR(changed, heavy, 0.02 * (heavy - 1.0) + 1e-4);
    }
}

TEST(pbd_solids_keep_their_volume)
{
    static const char* const laws[] = {"springs", "stvk"};
    for (int k = 0; k < 2; k++) {
        char law[64];
        snprintf(law, sizeof law, "bodies[0].material.law=%s", laws[k]);
        const char* overrides[] = {
            "bodies[0].generate={\"shape\": \"box\", \"size_x\": 0.4, \"size_y\": 0.4, "
            "\"size_z\": 0.4, \"edge\": 0.1}",
            "bodies[0].transform={\"translate\": [-0.2, 0.3, -0.2], \"rotate\": [20, 0, 30]}", law};
        pl_world* world = cloth_world(overrides, 3);
        pl_frame_info info;
        pl_error error;
        for (int n = 0; n < 60; n++) {
            CHECK_OK(pl_world_step(world, &info, &error), &error);
            CHECK(lowest(world) > -1e-6);
        }
        printf("%s: volume %.4f of 0.064\n", laws[k], info.volume);
        CHECK_NEAR(info.volume, 0.064, 0.004);
        pl_world_destroy(world);
    }
}

// How far down a cloth hangs after a second that is clamped along one side: by several columns, so
// that coarse levels are clamped too and not held as by a hinge.
static double droop(const char* coarse_bending) {
    const char* overrides[] = {
        coarse_bending, "bodies[0].pbd.bend=1", "colliders=[]", "bodies[0].damping.mass=2",
        "attachments=[{\"body\": \"cloth\", \"where\": {\"box\": {\"min\": [-0.51, 0.4, -1], "
        "\"max\": [-0.3, 0.6, 1]}}}]"};
    return 0.5 - lowest_after(overrides, 5, 60);
}

TEST(pbd_bending_on_coarse_levels_is_stiffer)
{
    double plain = droop("bodies[0].pbd.coarse_bending=false");
    double coarse = droop("bodies[0].pbd.coarse_bending=true");
    printf("droop of a metre of cloth: %.3f m, %.3f m with bending on coarse levels\n", plain,
           coarse);
    CHECK(coarse < 0.5 * plain);
    CHECK(coarse > 0.0);
}

static uint64_t hash_of_run(const char* threads, const char* shape, const char* model) {
    const char* overrides[] = {threads,
                               model,
                               shape,
                               "bodies[0].pbd.shear=0.3",
                               "bodies[0].pbd.coarse_bending=true",
                               "bodies[0].velocity=[0,-5,0]",
                               "wind=[{\"velocity\": [2, 0, 1], \"turbulence\": 1}]",
                               "attachments=[{\"body\": \"cloth\", \"where\": {\"nearest\": "
                               "{\"point\": [-0.5, 0.5, 0.5], \"count\": 1}}}]"};
    pl_world* world = cloth_world(overrides, 8);
    pbd_world_step(world, 4);
    uint64_t hash = sample_world_hash(world);
    pl_world_destroy(world);
    return hash;
}

TEST(pbd_bits_do_not_depend_on_threads)
{
    static const char* const shapes[] = {
        ("bodies[0].generate={\"shape\": \"cloth\", \"count_x\": 90, \"count_y\": 90, "
         "\"size_x\": 1, \"size_y\": 1}"),
        ("bodies[0].generate={\"shape\": \"cloth_irregular\", \"edge\": 0.012, "
         "\"size_x\": 1, \"size_y\": 1}"),
        "bodies[0].generate={\"shape\": \"box\", \"edge\": 0.08}"};
    for (int k = 0; k < 6; k++) {
        uint64_t one = hash_of_run("threads=1", shapes[k / 2], models[k % 2]);
        CHECK(hash_of_run(k % 2 ? "threads=2" : "threads=4", shapes[k / 2], models[k % 2]) == one);
    }
}

TEST(pbd_a_state_goes_on_with_the_same_bits)
{
    // one corner is let go in between, which changes the levels
    static const char corners[] =
        "attachments=[{\"body\": \"cloth\", \"where\": {\"nearest\": {\"point\": [-0.5, 0.5, 0.5], "
        "\"count\": 1}}, \"until\": 0.3}, {\"body\": \"cloth\", \"where\": {\"nearest\": "
        "{\"point\": [0.5, 0.5, 0.5], \"count\": 1}}}]";
    const char* overrides[] = {
        corners,
        "bodies[0].generate={\"shape\": \"cloth_irregular\", \"edge\": 0.08, \"size_x\": 1, "
        "\"size_y\": 1}",
        "bodies[0].pbd.model=compliance"};
    pl_world *whole = cloth_world(overrides, 3), *first = cloth_world(overrides, 3);
    pl_error error;
    pbd_world_step(whole, 30);
    pbd_world_step(first, 12);
    size_t size = pl_world_state_size(first);
    void* state = malloc(size);
    CHECK(state);
    pl_world_state_save(first, state);
    pl_world* second = cloth_world(overrides, 3);
    pbd_world_step(second, 25); // elsewhere, and with other levels
    CHECK_OK(pl_world_state_load(second, state, size, &error), &error);
    pbd_world_step(second, 18);
    CHECK(sample_world_hash(second) == sample_world_hash(whole));
    free(state);
    pl_world_destroy(whole), pl_world_destroy(first), pl_world_destroy(second);
}

TEST(pbd_survives_memory_running_out)
{
    const char* overrides[] = {
        "bodies[0].generate={\"shape\": \"cloth_irregular\", \"edge\": 0.08, \"size_x\": 1, "
        "\"size_y\": 1}",
        "bodies[0].pbd.coarse_bending=true", "bodies[0].transform.translate=[-0.5,0.001,0.5]",
        "attachments=[{\"body\": \"cloth\", \"where\": {\"nearest\": {\"point\": [-0.5, 0, 0.5], "
        "\"count\": 2}}, \"stiffness\": 10}, {\"body\": \"cloth\", \"where\": {\"nearest\": "
        "{\"point\": [0.5, 0, 0.5], \"count\": 2}}}]",
        NULL};
    for (int k = 0; k < 2; k++) {
        overrides[4] = models[k];
        pl_scene* scene = pbd_scene(cloth_text, overrides, 5);
        int failures = 0;
        bool done = false;
        for (int64_t nth = 1; !done; nth += nth < 100 ? 1 : 3)
            failures += pbd_fails_at(scene, nth, 1, &done);
        CHECK(failures > 50);
        pl_scene_destroy(scene);
    }
}

TEST(pbd_says_what_it_cannot_do)
{
    pl_scene* scene;
    pl_error error;
    pl_world* world;
    pl_notes* notes;
    CHECK_INT(pl_notes_create(&notes), PL_OK);
    const char* path = pl_test_path("cloth.json");
    pl_test_write_file(path, cloth_text, sizeof cloth_text - 1);
    const char* overrides[] = {"bodies[0].hierarchy=20", "bodies[0].damping.stiffness=0.1"};
    CHECK_OK(pl_scene_read(path, overrides, 2, &scene, NULL, &error), &error);
    CHECK_OK(pl_world_create(scene, &world, notes, &error), &error);
    bool levels = false, damping = false;
    for (int k = 0; k < pl_notes_count(notes); k++) {
        const char* text = pl_notes_text(notes, k, NULL);
        levels = levels || strstr(text, "coarse levels can be made, not 20");
        damping = damping || strstr(text, "damping.stiffness has no effect");
    }
    CHECK(levels && damping);
    pl_world_destroy(world);
    // forces that no float can hold
    CHECK_OK(pl_scene_set(scene, "gravity", "[0, -1e300, 0]", &error), &error);
    CHECK_OK(pl_world_create(scene, &world, NULL, &error), &error);
    uint64_t before = sample_world_hash(world);
    CHECK_INT(pl_world_step(world, NULL, &error), PL_ERROR_DIVERGED);
    CHECK_TEXT(error.text, "not finite");
    CHECK(sample_world_hash(world) == before);
    pl_world_destroy(world);
    pl_scene_destroy(scene);
    pl_notes_destroy(notes);
}
