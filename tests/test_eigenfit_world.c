// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bodies with the key eigenfit: closer to the fine mesh, the same bits again, and errors that say
// what to do.
#include "base/memory.h"
#include "run_samples.h"
#include "test.h"

#include <pliant/generate.h>
#include <pliant/modes.h>

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

LONG_TEST(eigenfit_moves_a_coarse_bar_as_the_fine_one)
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

// A bar in a file of the test's folder, of which the half with the larger x is the region "tip".
static void write_bar(const char* name, double edge) {
    static const char shape[] = "box";
    pl_generate_options options;
    pl_mesh* mesh;
    pl_error error = {0};
    CHECK_OK(pl_generate_defaults(shape, &options, &error), &error);
    const char* const keys[] = {"size_x", "size_y", "size_z", "edge"};
    const double values[] = {0.8, 0.2, 0.2, edge};
    for (int k = 0; k < 4; k++)
        CHECK_OK(pl_generate_set_number(shape, &options, keys[k], values[k], &error), &error);
    CHECK_OK(pl_generate(shape, &options, &mesh, &error), &error);
    int *tip = malloc((size_t)mesh->tet_count * sizeof(int)), count = 0;
    double middle = 0.0;
    for (int v = 0; v < mesh->vertex_count; v++)
        middle += mesh->positions[3 * v] / mesh->vertex_count;
    for (int e = 0; e < mesh->tet_count; e++)
        if (mesh->positions[3 * mesh->tets[4 * e]] > middle) tip[count++] = e;
    CHECK_OK(pl_mesh_add_region(mesh, PL_ELEMENT_TET, "tip", 7, tip, count, &error), &error);
    CHECK_OK(pl_mesh_write(mesh, pl_test_path(name), NULL, NULL, &error), &error);
    pl_mesh_destroy(mesh);
    free(tip);
}

// Materials that change leave the levels alone, which a resumed run makes at a later time.
TEST(eigenfit_resumes_with_the_same_bits_where_materials_change)
{
    write_bar("coarse.msh", 0.07);
    write_bar("fine.msh", 0.05);
    char text[1800];
    snprintf(
        text, sizeof text,
        "{\"pliant\": 1, \"time_step\": 0.02, \"threads\": 1, \"bodies\": [{\"name\": \"bar\",\n"
        " \"mesh\": \"coarse.msh\", \"material\": {\"law\": \"stable_neohookean\", \n"
        " \"young\": 1e5}, \"regions\": [{\"region\": \"tip\", \"material\": {\"young\":\n"
        " {\"keyframes\": [[0, 1e5], [0.02, 1e5], [0.06, 1e8]]}}}],\n"
        " \"eigenfit\": {\"modes\": 4, \"fine\": \"fine.msh\"}}],\n"
        " \"attachments\": [{\"body\": \"bar\", \"where\": {\"side\": \"-x\"}}]}");
    pl_world *whole = sample_start(text), *resumed = sample_start(text);
    pl_error error = {0};
    size_t size = pl_world_state_size(whole);
    void* state = malloc(size);
    sample_step(whole, 2, NULL);
    pl_world_state_save(whole, state);
    CHECK_OK(pl_world_state_load(resumed, state, size, &error), &error);
    sample_step(whole, 2, NULL);
    sample_step(resumed, 2, NULL);
    CHECK(sample_world_hash(whole) == sample_world_hash(resumed));
    pl_world_destroy(whole);
    pl_world_destroy(resumed);
    free(state);
}

// A bar that is held at one end, and as `more` says.
static pl_world* held_bar(const char* law, const char* more) {
    char text[1200];
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"time_step\": 0.01, \"threads\": 1, \"bodies\": [{\"name\": \"bar\","
             "\"generate\": {\"shape\": \"box\", \"size_x\": 0.4, \"size_y\": 0.1, \"size_z\": 0.1,"
             " \"edge\": 0.1}, \"material\": {\"law\": \"%s\", \"young\": 1e5, \"poisson\": 0.3},"
             " \"tolerance\": 1e-9, \"integrator\": \"euler\", \"eigenfit\": {\"modes\": 4, "
             "\"edge\": 0.05}}],"
             " \"attachments\": [{\"body\": \"bar\", \"where\": {\"side\": \"-x\"}}%s]}",
             law, more);
    return sample_start(text);
}

// When an attachment ends, the body goes on as one that never had it: ratios are found anew.
LONG_TEST(eigenfit_follows_attachments_that_end)
{
    static const char* const cases[][2] = {
        {"linear", ", {\"body\": \"bar\", \"where\": {\"side\": \"+x\"}, \"hold\": [\"y\"], "
                   "\"until\": 0.025}"},
        {"neohookean", ", {\"body\": \"bar\", \"where\": {\"side\": \"+x\"}, \"until\": 0.025}"}};
    for (int k = 0; k < 2; k++) {
        pl_world *released = held_bar(cases[k][0], cases[k][1]), *other = held_bar(cases[k][0], "");
        int count = 3 * pl_world_mesh(other, 0)->vertex_count;
        sample_step(released, 2, NULL);
        sample_step(other, 2, NULL);
        size_t size = (size_t)count * sizeof(double);
        memcpy(pl_world_positions(other, 0), pl_world_positions(released, 0), size);
        memcpy(pl_world_velocities(other, 0), pl_world_velocities(released, 0), size);
        sample_step(released, 4, NULL);
        sample_step(other, 4, NULL);
        const double *x = pl_world_positions(released, 0), *y = pl_world_positions(other, 0);
        for (int i = 0; i < count; i++) CHECK_NEAR(x[i], y[i], 1e-9);
        pl_world_destroy(released);
        pl_world_destroy(other);
    }
}

// Vertices by number hold the same places of the fine mesh as the side that they are; a spring
// changes no mode.
TEST(eigenfit_holds_the_same_places_of_the_fine_mesh)
{
    pl_world* by_side = held_bar("linear", "");
    const pl_mesh* mesh = pl_world_mesh(by_side, 0);
    char list[600] = "", text[1800];
    double least = INFINITY;
    for (int v = 0; v < mesh->vertex_count; v++) least = fmin(least, mesh->positions[3 * v]);
    for (int v = 0; v < mesh->vertex_count; v++)
        if (mesh->positions[3 * v] < least + 0.01)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%d", list[0] ? ", " : "",
                     v);
    snprintf(
        text, sizeof text,
        "{\"pliant\": 1, \"time_step\": 0.01, \"threads\": 1, \"bodies\": [{\"name\": \"bar\","
        "\"generate\": {\"shape\": \"box\", \"size_x\": 0.4, \"size_y\": 0.1, \"size_z\": 0.1,"
        " \"edge\": 0.1}, \"material\": {\"law\": \"linear\", \"young\": 1e5, \"poisson\": 0.3},"
        " \"tolerance\": 1e-9, \"integrator\": \"euler\", \"eigenfit\": {\"modes\": 4, \"edge\": "
        "0.05}}],"
        " \"attachments\": [{\"body\": \"bar\", \"where\": {\"vertices\": [%s]}}]}",
        list);
    pl_world* by_number = sample_start(text);
    pl_world* sprung = held_bar("linear", ", {\"body\": \"bar\", \"where\": {\"side\": \"+x\"}, "
                                          "\"stiffness\": 1e-9}");
    sample_step(by_side, 5, NULL);
    sample_step(by_number, 5, NULL);
    sample_step(sprung, 5, NULL);
    const double *x = pl_world_positions(by_side, 0), *y = pl_world_positions(by_number, 0),
                 *z = pl_world_positions(sprung, 0);
    for (int i = 0; i < 3 * mesh->vertex_count; i++) {
        CHECK_NEAR(x[i], y[i], 1e-10);
        CHECK_NEAR(x[i], z[i], 1e-10);
    }
    pl_world_destroy(by_side);
    pl_world_destroy(by_number);
    pl_world_destroy(sprung);
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

// A flat bar that is held at one end and turned about its length by so many degrees, with the load
// that turns alike.
static pl_world* turned_bar(double degrees, const char* gravity) {
    char text[1200];
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"time_step\": 0.3, \"threads\": 1, \"gravity\": [%s], \"bodies\": "
             "[{\"name\": \"bar\", \"generate\": {\"shape\": \"box\", \"size_x\": 1, \"size_y\": "
             "0.3, \"size_z\": 0.1, \"edge\": 0.15}, \"material\": {\"law\": \"corotated\", "
             "\"young\": 5e5, \"poisson\": 0.3, \"density\": 1000}, \"integrator\": \"euler\", "
             "\"tolerance\": 1e-6, \"damping\": {\"mass\": 3, \"stiffness\": 0.02}, \"eigenfit\": "
             "{\"modes\": 4, \"edge\": 0.1}}], \"attachments\": [{\"body\": \"bar\", \"where\": "
             "{\"side\": \"-x\"}, \"motion\": {\"keyframes\": [{\"time\": 0}, {\"time\": 0.6, "
             "\"rotate\": [%g, 0, 0]}]}}]}",
             gravity, degrees);
    return sample_start(text);
}

// A body that is turned by what holds it keeps the ratios of its modes.
LONG_TEST(eigenfit_turns_with_what_holds_the_body)
{
    pl_world *still = turned_bar(0.0, "0, 0, -1"), *turned = turned_bar(90.0, "0, 1, 0");
    pl_frame_info a, b;
    sample_step(still, 14, &a);
    sample_step(turned, 14, &b);
    CHECK(a.elastic_energy > 0.1);
    CHECK_NEAR(b.elastic_energy / a.elastic_energy, 1.0, 0.005);
    CHECK_INT(b.unfit_count, 0);
    pl_world_destroy(still);
    pl_world_destroy(turned);
}

// An attachment that comes later, where the fine mesh has no vertex, holds what the coarse mesh
// has there.
TEST(eigenfit_goes_on_where_the_fine_mesh_has_no_vertex)
{
    pl_world* world = sample_start(
        "{\"pliant\": 1, \"time_step\": 0.01, \"threads\": 1, \"bodies\": [{\"name\": \"bar\", "
        "\"generate\": {\"shape\": \"box\", \"size_x\": 0.4, \"size_y\": 0.1, \"size_z\": 0.1, "
        "\"edge\": 0.1}, \"material\": {\"law\": \"corotated\", \"young\": 1e6}, \"eigenfit\": "
        "{\"modes\": 3, \"edge\": 0.07}}], \"attachments\": [{\"body\": \"bar\", \"where\": "
        "{\"side\": \"-x\"}}, {\"body\": \"bar\", \"where\": {\"sphere\": {\"center\": [0.1, 0, "
        "0], \"radius\": 0.005}}, \"from\": 0.015}]}");
    sample_step(world, 4, NULL);
    pl_world_destroy(world);
}

// The modes of a bar that is bent far are not those at rest, and the frame says so.
LONG_TEST(eigenfit_tells_when_modes_are_no_longer_those_at_rest)
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
    check_refused(", \"eigenfit\": {\"coarse_edge\": 0.1}", "give a longer edge");
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

// The text of a scene is refused when it is read.
static void check_unread(const char* text, const char* part) {
    pl_scene* scene;
    pl_error error = {0};
    pl_test_write_file(pl_test_path("bad.json"), text, strlen(text));
    CHECK(pl_scene_read(pl_test_path("bad.json"), NULL, 0, &scene, NULL, &error) != PL_OK);
    CHECK_TEXT(error.text, part);
}

TEST(eigenfit_keys_that_cannot_be_meant_are_refused)
{
    char text[1024];
    snprintf(text, sizeof text, bar_scene, 1, 0.1, "linear", "euler",
             ", \"eigenfit\": {\"fine\": \"\"}");
    check_unread(text, "eigenfit.fine: is empty");
    check_unread("{\"pliant\": 1, \"bodies\": [{\"name\": \"bar\", \"generate\": {\"shape\": "
                 "\"box\", \"edge\": 0.2}, \"eigenfit\": {\"coarse_edge\": 0.5}}], "
                 "\"attachments\": [{\"body\": \"bar\", \"where\": {\"not\": {\"vertices\": "
                 "[1]}}}]}",
                 "select by position");
}

TEST(eigenfit_notes_keys_that_it_does_not_read)
{
    static const char* const cases[][2] = {
        {", \"eigenfit\": {\"ratios\": [0.5], \"modes\": 3}", "eigenfit.modes has no effect"},
        {", \"eigenfit\": {\"dac\": true, \"modes\": 2, \"fallback\": true}",
         "eigenfit.fallback has no effect"}};
    for (int k = 0; k < 2; k++) {
        char text[1024];
        snprintf(text, sizeof text, bar_scene, 1, 0.1, "linear", "euler", cases[k][0]);
        pl_scene* scene = sample_scene(text);
        pl_notes* notes;
        pl_world* world;
        pl_error error = {0};
        CHECK(pl_notes_create(&notes) == PL_OK);
        CHECK_OK(pl_world_create(scene, &world, notes, &error), &error);
        bool found = false;
        for (int n = 0; n < pl_notes_count(notes); n++)
            found |= strstr(pl_notes_text(notes, n, NULL), cases[k][1]) != NULL;
        CHECK(found);
        pl_world_destroy(world);
        pl_notes_destroy(notes);
        pl_scene_destroy(scene);
    }
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
LONG_TEST(eigenfit_of_a_very_coarse_bar_passes_the_guard)
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

// ---------------------------------------------------------------- other ways to fit

static double most_apart(pl_world* a, pl_world* b) {
    const double *x = pl_world_positions(a, 0), *y = pl_world_positions(b, 0);
    double most = 0.0;
    for (int i = 0; i < 3 * pl_world_mesh(a, 0)->vertex_count; i++)
        most = fmax(most, fabs(x[i] - y[i]));
    return most;
}

// Worlds of two texts after some steps: how far their vertices are apart.
static double apart_after(pl_world* a, pl_world* b, int steps) {
    sample_step(a, steps, NULL);
    sample_step(b, steps, NULL);
    double most = most_apart(a, b);
    pl_world_destroy(a);
    pl_world_destroy(b);
    return most;
}

// Ratios by hand: ones change nothing, small ones let the bar sag further.
TEST(eigenfit_takes_ratios_by_hand)
{
    const char *law = "neohookean", *ones = ", \"eigenfit\": {\"ratios\": [1, 1, 1]}",
               *small = ", \"eigenfit\": {\"ratios\": [0.5, 0.5, 0.5]}";
    CHECK(apart_after(bar(1, 0.1, law, "euler", ""), bar(1, 0.1, law, "euler", ones), 4) < 1e-12);
    CHECK(apart_after(bar(1, 0.1, law, "euler", ""), bar(1, 0.1, law, "euler", small), 4) > 1e-3);
}

// DAC is Young's modulus times the ratio of the first mode.
LONG_TEST(eigenfit_dac_scales_all_stiffness)
{
    double frequency[2];
    pl_error error = {0};
    for (int k = 0; k < 2; k++) {
        pl_world* world = bar(1, k ? 0.05 : 0.1, "corotated", "euler", "");
        pl_modes* modes;
        CHECK_OK(pl_world_modes(world, 0, 1, &modes, &error), &error);
        frequency[k] = modes->frequency[0];
        pl_modes_destroy(modes);
        pl_world_destroy(world);
    }
    char by_hand[1024];
    snprintf(by_hand, sizeof by_hand, bar_scene, 1, 0.1, "corotated", "euler", "");
    char* young = strstr(by_hand, "1e5");
    char text[1100];
    snprintf(text, sizeof text, "%.*s%.17g%s", (int)(young - by_hand), by_hand,
             1e5 * pow(frequency[1] / frequency[0], 2.0), young + 3);
    const char* dac = ", \"eigenfit\": {\"edge\": 0.05, \"dac\": true, \"modes\": 3}";
    CHECK(apart_after(sample_start(text), bar(1, 0.1, "corotated", "euler", dac), 5) < 1e-9);
    CHECK(apart_after(bar(1, 0.1, "corotated", "euler", ""), bar(1, 0.1, "corotated", "euler", dac),
                      5) > 1e-4);
}

// Also where no mode has a partner of its shape.
TEST(eigenfit_dac_asks_for_no_shapes)
{
    const char *law = "corotated",
               *strict = ", \"eigenfit\": {\"edge\": 0.05, \"dac\": true, "
                         "\"modes\": 3, \"tolerance\": 0}",
               *usual = ", \"eigenfit\": {\"edge\": 0.05, \"dac\": true, \"modes\": 3}";
    CHECK(apart_after(bar(1, 0.1, law, "euler", strict), bar(1, 0.1, law, "euler", usual), 3) ==
          0.0);
}

// One of two bodies is made anew while a number of the other waits for the next step.
TEST(eigenfit_dac_through_a_change_of_settings)
{
    const char* body = "{\"name\": \"%s\", \"generate\": {\"shape\": \"box\", \"size_x\": 0.4, "
                       "\"size_y\": 0.1, \"size_z\": 0.1, \"edge\": 0.1}, \"material\": {\"law\": "
                       "\"corotated\", \"young\": 1e5}, \"integrator\": \"euler\", \"transform\": "
                       "{\"translate\": [0, 0, %g]}, "
                       "\"eigenfit\": {\"edge\": 0.05, \"dac\": true, \"modes\": 3}}";
    char first[500], second[500], text[1200];
    snprintf(first, sizeof first, body, "a", 0.0);
    snprintf(second, sizeof second, body, "b", 1.0);
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"time_step\": 0.01, \"threads\": 1, \"bodies\": [%s, %s], "
             "\"attachments\": [{\"body\": \"a\", \"where\": {\"side\": \"-x\"}}, "
             "{\"body\": \"b\", \"where\": {\"side\": \"-x\"}}]}",
             first, second);
    pl_world *changed = sample_start(text), *same = sample_start(text);
    pl_error error = {0};
    sample_step(changed, 2, NULL);
    sample_step(same, 2, NULL);
    CHECK_OK(pl_world_set(changed, "bodies[1].material.young", 2e5, &error), &error);
    const char* change = "bodies[0].iterations=60";
    CHECK_OK(pl_world_change(changed, &change, 1, NULL, &error), &error);
    CHECK(apart_after(changed, same, 3) < 1e-9);
}

// Where the modes are not those at rest, a step that falls back is one of plain fem.
TEST(eigenfit_falls_back_if_asked)
{
    const char* law = "stable_neohookean";
    const char* strict = ", \"eigenfit\": {\"modes\": 4, \"edge\": 0.05, \"tolerance\": 0.4}";
    pl_world* fitted = bar(1, 0.1, law, "euler", strict);
    pl_world* plain = bar(1, 0.1, law, "euler", "");
    CHECK(apart_after(fitted, plain, 3) > 1e-4);
    // no mode of a bent bar is one at rest to the last digit
    static const char none[] = ", \"eigenfit\": {\"ratios\": [0.5, 0.5], \"tolerance\": 0, "
                               "\"fallback\": true}";
    plain = bar(1, 0.1, law, "euler", "");
    CHECK(apart_after(bar(1, 0.1, law, "euler", none), plain, 3) < 1e-12);
}

// The body is the fine one: it moves on a coarse mesh as if that were the body, and shows its own
// surface.
LONG_TEST(eigenfit_makes_the_coarse_mesh)
{
    static const char coarse_edge[] = ", \"eigenfit\": {\"modes\": 4, \"coarse_edge\": 0.1}",
                      edge[] = ", \"eigenfit\": {\"modes\": 4, \"edge\": 0.05}";
    pl_world* fine = bar(1, 0.05, "corotated", "euler", coarse_edge);
    pl_world* coarse = bar(1, 0.1, "corotated", "euler", edge);
    pl_world* whole = bar(1, 0.05, "corotated", "euler", "");
    const pl_mesh* shown = pl_world_filled_surface(fine, 0);
    CHECK_INT(pl_world_mesh(fine, 0)->vertex_count, pl_world_mesh(coarse, 0)->vertex_count);
    CHECK(shown && shown->tet_count == 0);
    CHECK(shown->vertex_count > pl_world_mesh(coarse, 0)->vertex_count);
    CHECK(shown->vertex_count < pl_world_mesh(whole, 0)->vertex_count);
    pl_world_destroy(whole);
    CHECK(apart_after(fine, coarse, 5) == 0.0);
    // tets of a file: pliant fills their boundary
    write_bar("whole.msh", 0.05);
    pl_world* filled = sample_start(
        "{\"pliant\": 1, \"bodies\": [{\"name\": \"bar\", \"mesh\": \"whole.msh\", \"eigenfit\": "
        "{\"modes\": 3, \"coarse_edge\": 0.064}}], \"attachments\": [{\"body\": \"bar\", "
        "\"where\": "
        "{\"side\": {\"face\": \"-x\", \"depth\": 0.05}}}]}");
    CHECK(pl_world_filled_surface(filled, 0) != NULL);
    sample_step(filled, 2, NULL);
    pl_world_destroy(filled);
}

// The fine partner, its pins and modes: whichever allocation fails, nothing is left behind. Later
// ones are tried with gaps.
TEST(eigenfit_world_survives_failing_allocations)
{
    char text[1024];
    snprintf(text, sizeof text, bar_scene, 1, 0.1, "neohookean", "euler",
             ", \"eigenfit\": {\"modes\": 2, \"edge\": 0.09}");
    pl_scene* scene = sample_scene(text);
    size_t before = pl_byte_count();
    for (int64_t nth = 1;; nth += 1 + nth / 32) {
        pl_world* world = NULL;
        pl_error error;
        pl_inject_failure(nth);
        pl_status status = pl_world_create(scene, &world, NULL, &error);
        pl_inject_failure(0);
        pl_world_destroy(world);
        CHECK(pl_byte_count() == before);
        if (status == PL_OK) {
            CHECK(nth > 200);
            break;
        }
        CHECK(status == PL_ERROR_MEMORY);
    }
    pl_scene_destroy(scene);
}
