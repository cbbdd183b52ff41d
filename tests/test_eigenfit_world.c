// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bodies with the key eigenfit: closer to the fine mesh, the same bits again, and errors that say
// what to do.
#include "base/memory.h"
#include "run_samples.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// a bar that is held at one end and falls
static const char bar_scene[] =
    "{\"pliant\": 1, \"time_step\": 0.02, \"threads\": %d, \"bodies\": [{\"name\": \"bar\",\n"
    " \"generate\": {\"shape\": \"box\", \"size_x\": 0.4, \"size_y\": 0.1, \"size_z\": 0.1,\n"
    " \"edge\": %g}, \"material\": {\"law\": \"%s\", \"young\": 1e5, \"poisson\": 0.3},\n"
    " \"tolerance\": 1e-6, \"integrator\": \"%s\"%s}],\n"
    " \"attachments\": [{\"body\": \"bar\", \"where\": {\"side\": \"-x\"}}]}";

static pl_world* bar(int threads, double edge, const char* law, const char* integrator,
                     const char* more) {
    char text[1024];
    snprintf(text, sizeof text, bar_scene, threads, edge, law, integrator, more);
    return sample_start(text);
}

enum { FRAMES = 12 };

// heights of the far corner, frame after frame
static void run(pl_world* world, double heights[FRAMES]) {
    pl_error error = {0};
    const pl_mesh* mesh = pl_world_mesh(world, 0);
    int corner = 0;
    for (int v = 0; v < mesh->vertex_count; v++) {
        const double *x = mesh->positions + 3 * v, *best = mesh->positions + 3 * corner;
        if (x[0] + x[1] + x[2] > best[0] + best[1] + best[2]) corner = v;
    }
    for (int k = 0; k < FRAMES; k++) {
        CHECK_OK(pl_world_step(world, NULL, &error), &error);
        heights[k] = pl_world_positions(world, 0)[3 * corner + 1] - mesh->positions[3 * corner + 1];
    }
    pl_world_destroy(world);
}

static double rms(const double* a, const double* b) {
    double sum = 0.0;
    for (int k = 0; k < FRAMES; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(sum / FRAMES);
}

TEST(eigenfit_moves_a_coarse_bar_as_the_fine_one)
{
    const char* const cases[][2] = {
        {"linear", "euler"}, {"linear", "midpoint"}, {"corotated", "euler"}};
    for (int k = 0; k < 3; k++) {
        double fine[FRAMES], coarse[FRAMES], fitted[FRAMES];
        const char *law = cases[k][0], *integrator = cases[k][1];
        run(bar(1, 0.05, law, integrator, ""), fine);
        run(bar(1, 0.1, law, integrator, ""), coarse);
        run(bar(1, 0.1, law, integrator, ", \"eigenfit\": {\"modes\": 4, \"edge\": 0.05}"), fitted);
        CHECK(rms(coarse, fine) > 1e-3);
        // one cell across: shapes differ too, not only frequencies
        CHECK(rms(fitted, fine) < 0.35 * rms(coarse, fine));
    }
}

TEST(eigenfit_world_same_bits_for_any_threads_and_resumed)
{
    static const char more[] = ", \"eigenfit\": {\"modes\": 4}";
    pl_world* worlds[3];
    pl_error error = {0};
    for (int k = 0; k < 3; k++) worlds[k] = bar(k == 1 ? 3 : 1, 0.1, "neohookean", "euler", more);
    size_t size = pl_world_state_size(worlds[0]);
    void* state = malloc(size);
    for (int frame = 0; frame < 6; frame++) {
        if (frame == 3) {
            pl_world_state_save(worlds[0], state);
            CHECK_OK(pl_world_state_load(worlds[2], state, size, &error), &error);
        }
        for (int k = 0; k < (frame < 3 ? 2 : 3); k++)
            CHECK_OK(pl_world_step(worlds[k], NULL, &error), &error);
    }
    for (int k = 1; k < 3; k++) CHECK(sample_world_hash(worlds[k]) == sample_world_hash(worlds[0]));
    for (int k = 0; k < 3; k++) pl_world_destroy(worlds[k]);
    free(state);
}

// A free body: six rigid modes are left alone, and it falls as any other.
TEST(eigenfit_of_a_free_body_keeps_its_rigid_motion)
{
    pl_world* world = sample_start(
        "{\"pliant\": 1, \"time_step\": 0.01, \"bodies\": [{\"name\": \"box\", \"generate\":\n"
        " {\"shape\": \"box\", \"size_x\": 0.3, \"size_y\": 0.1, \"size_z\": 0.1, \"edge\": 0.1},\n"
        " \"material\": {\"law\": \"corotated\", \"young\": 1e5}, \"angular_velocity\":\n"
        " [0, 0, 360], \"integrator\": \"midpoint\", \"eigenfit\": {\"modes\": 4}}]}");
    pl_error error = {0};
    pl_frame_info info;
    for (int k = 0; k < 10; k++) {
        CHECK_OK(pl_world_step(world, &info, &error), &error);
        CHECK_INT(info.unfit_count, 0);
    }
    const pl_mesh* mesh = pl_world_mesh(world, 0);
    const double* x = pl_world_positions(world, 0);
    double fall = 0.0;
    for (int v = 0; v < mesh->vertex_count; v++)
        fall += (x[3 * v + 1] - mesh->positions[3 * v + 1]) / mesh->vertex_count;
    // the mean of the vertices is near the centre of mass
    CHECK_NEAR(fall, -0.5 * 9.81 * 0.01, 2e-3);
    pl_world_destroy(world);
}

// The modes of a bar that is bent far are not those at rest, and the frame says so.
TEST(eigenfit_tells_when_modes_are_no_longer_those_at_rest)
{
    pl_scene* scene = sample_scene(
        "{\"pliant\": 1, \"time_step\": 0.02, \"gravity\": [0, -300, 0], \"bodies\": [{\"name\":\n"
        " \"bar\", \"generate\": {\"shape\": \"box\", \"size_x\": 0.6, \"size_y\": 0.1,\n"
        " \"size_z\": 0.1, \"edge\": 0.1}, \"material\": {\"law\": \"stable_neohookean\",\n"
        " \"young\": 1e4, \"poisson\": 0.3}, \"eigenfit\": {\"modes\": 5, \"tolerance\": 0.1}}],\n"
        " \"attachments\": [{\"body\": \"bar\", \"where\": {\"side\": \"-x\"}}]}");
    pl_world* world = sample_world(scene);
    pl_error error = {0};
    pl_frame_info info = {0};
    CHECK_OK(pl_world_step(world, &info, &error), &error);
    CHECK_INT(info.unfit_count, 0);
    int unfit = 0;
    for (int k = 0; k < 15; k++) {
        CHECK_OK(pl_world_step(world, &info, &error), &error);
        unfit += info.unfit_count;
    }
    CHECK(unfit > 0);
    pl_world_destroy(world);
    pl_scene_destroy(scene);
}

static void check_refused(const char* more, const char* part) {
    char text[1024];
    snprintf(text, sizeof text, bar_scene, 1, 0.1, "linear", "euler", more);
    pl_scene* scene = sample_scene(text);
    pl_world* world;
    pl_error error = {0};
    size_t before = pl_byte_count();
    CHECK(pl_world_create(scene, &world, NULL, &error) != PL_OK);
    CHECK_TEXT(error.text, part);
    CHECK(world == NULL && pl_byte_count() == before);
    pl_scene_destroy(scene);
}

TEST(eigenfit_errors_say_what_to_do)
{
    check_refused(", \"eigenfit\": {\"modes\": 190}", "ask for 1 to");
    // a fine mesh of two pieces, of which one is not held
    pl_mesh* mesh;
    pl_error error = {0};
    static const double corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1,
                                     2, 0, 0, 3, 0, 0, 2, 1, 0, 2, 0, 1};
    static const int tets[] = {0, 1, 2, 3, 4, 5, 6, 7};
    CHECK_OK(pl_mesh_create(corners, 8, tets, 2, NULL, 0, &mesh, &error), &error);
    CHECK_OK(pl_mesh_write(mesh, pl_test_path("tet.msh"), NULL, NULL, &error), &error);
    pl_mesh_destroy(mesh);
    char more[700];
    snprintf(more, sizeof more, ", \"eigenfit\": {\"modes\": 2, \"fine\": \"%s\"}",
             pl_test_path("tet.msh"));
    check_refused(more, "the fine mesh 6; both must be the same shape");
}

// A fine mesh with fewer modes than are to be fitted is refused; nothing is read beyond them.
TEST(eigenfit_refuses_a_fine_mesh_with_too_few_modes)
{
    pl_mesh* mesh;
    pl_error error = {0};
    static const double corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const int tet[] = {0, 1, 2, 3};
    CHECK_OK(pl_mesh_create(corners, 4, tet, 1, NULL, 0, &mesh, &error), &error);
    CHECK_OK(pl_mesh_write(mesh, pl_test_path("tet.msh"), NULL, NULL, &error), &error);
    pl_mesh_destroy(mesh);
    char text[1200];
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"bodies\": [{\"name\": \"bar\", \"generate\": {\"shape\": \"box\", "
             "\"size_x\": 1, \"size_y\": 0.2, \"size_z\": 0.2, \"edge\": 0.1}, \"eigenfit\": "
             "{\"modes\": 10, \"fine\": \"%s\"}}]}",
             pl_test_path("tet.msh"));
    pl_scene* scene = sample_scene(text);
    pl_world* world;
    CHECK(pl_world_create(scene, &world, NULL, &error) != PL_OK);
    CHECK_TEXT(error.text, "give a mesh that is finer than the body");
    pl_scene_destroy(scene);
}

// An attachment that follows a collider holds the fine mesh, too.
TEST(eigenfit_body_held_by_a_collider)
{
    pl_world* world = sample_start(
        "{\"pliant\": 1, \"bodies\": [{\"name\": \"bar\", \"generate\": {\"shape\": \"box\", "
        "\"size_x\": 0.4, \"size_y\": 0.1, \"size_z\": 0.1, \"edge\": 0.1}, \"material\": "
        "{\"young\": 1e6}, \"eigenfit\": {\"modes\": 3}}], \"attachments\": [{\"body\": \"bar\", "
        "\"where\": {\"side\": \"-x\"}, \"collider\": \"g\"}], \"colliders\": [{\"name\": \"g\", "
        "\"sphere\": {\"center\": [-3, 0, 0], \"radius\": 0.3}}]}");
    sample_step(world, 2, NULL);
    pl_world_destroy(world);
}

// Where the correction takes most of the stiffness away, the guard does not take the energy of the
// coarse mesh for one that came out of nothing.
TEST(eigenfit_of_a_very_coarse_bar_passes_the_guard)
{
    pl_world* world = sample_start(
        "{\"pliant\": 1, \"time_step\": 0.004, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": "
        "\"bar\", "
        "\"generate\": {\"shape\": \"box\", \"size_x\": 1, \"size_y\": 0.05, \"size_z\": 0.05, "
        "\"edge\": 0.25}, \"velocity\": [0, 0.5, 0], \"integrator\": \"midpoint\", \"material\": "
        "{\"law\": \"linear\", \"young\": 1e6, \"poisson\": 0.3, \"density\": 1000}, \"eigenfit\": "
        "{\"modes\": 6, \"edge\": 0.05}}], \"attachments\": [{\"body\": \"bar\", \"where\": "
        "{\"side\": "
        "\"-x\"}}]}");
    pl_frame_info info;
    for (int k = 0; k < 20; k++) {
        sample_step(world, 1, &info);
        CHECK_INT(info.retry_count, 0);
    }
    pl_world_destroy(world);
}
