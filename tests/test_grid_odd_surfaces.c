// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Surfaces that are not as they should be, in a lattice: nothing is read or written out of bounds
// (the address sanitizer looks), and what is mended or refused is said.
#include "base/memory.h"
#include "base/notes.h"
#include "run_samples.h"
#include "sample_meshes.h"
#include "surface_samples.h"

#include <pliant/tetrahedralise.h>

static const char* scene_of(const char* mesh, double cell, const char* more) {
    static char text[900];
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"bodies\": [{\"name\": \"b\", \"mesh\": \"%s\", \"method\":"
             " \"grid\", \"grid\": {\"cell\": %g}, \"linear_iterations\": 3}]%s}",
             mesh, cell, more);
    return text;
}

TEST(grid_takes_along_a_vertex_that_no_triangle_uses)
{
    pl_mesh* box = sample_box_surface(0, 0, 0, 1, 1, 1);
    double positions[27];
    memcpy(positions, box->positions, 24 * sizeof(double));
    for (int i = 24; i < 27; i++) positions[i] = 10.0;
    sample_write(sample_mesh(positions, 9, NULL, 0, box->triangles, 12), "loose.obj");
    pl_mesh_destroy(box);
    pl_notes* notes;
    pl_error error;
    CHECK(pl_notes_create(&notes) == PL_OK);
    pl_world* world = sample_try(scene_of("loose.obj", 0.25, ""), notes, &error);
    CHECK(world != NULL);
    CHECK(sample_find_note(notes, "1 vertices lie away from the surface, first 8") != NULL);
    sample_step(world, 3, NULL);
    const double* x = pl_world_positions(world, 0);
    CHECK(x[1] < -0.01); // all of it falls
    CHECK_NEAR(x[25] - 10.0, x[22] - 1.0, 1e-9);
    pl_world_destroy(world);
    pl_notes_destroy(notes);
    // holding it holds the cell of the nearest corner
    world = sample_try(scene_of("loose.obj", 0.25,
                                ", \"attachments\": [{\"body\": \"b\", \"where\": {\"box\":"
                                " {\"min\": [5, 5, 5], \"max\": [15, 15, 15]}}}]"),
                       NULL, &error);
    CHECK(world != NULL);
    sample_step(world, 2, NULL);
    x = pl_world_positions(world, 0);
    CHECK_NEAR(x[25] - 10.0, x[22] - 1.0, 1e-9);
    CHECK(fabs(x[22] - 1.0) < 0.05);
    pl_world_destroy(world);
}

// an open surface of 8 triangles with one corner raised: parts of it lie in the box's side
TEST(grid_open_surfaces_stay_in_bounds)
{
    static const int triangles[] = {0, 1, 4, 0, 4, 3, 1, 2, 4, 2, 5, 4,
                                    3, 4, 6, 4, 7, 6, 4, 5, 8, 4, 8, 7};
    double positions[27] = {0};
    for (int v = 0; v < 9; v++)
        positions[3 * v] = 0.5 * (v % 3), positions[3 * v + 1] = 0.5 * (v / 3);
    positions[11] = 1.0;
    for (int k = 0; k < 6; k++) {
        pl_error error = {0};
        sample_write(sample_mesh(positions, 9, NULL, 0, triangles, k < 3 ? 8 : k - 2), "open.obj");
        pl_world* world =
            sample_try(scene_of("open.obj", k % 3 == 0 ? 0.2 : 0.07 * k, ""), NULL, &error);
        if (world) sample_step(world, 1, NULL);
        else CHECK(strstr(error.text, "encloses nothing") || strstr(error.text, "could deform"));
        pl_world_destroy(world);
    }
}

TEST(grid_refuses_surfaces_without_an_inside)
{
    const double positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 2, 0, 0};
    const int triangles[][3] = {{0, 1, 2}, {0, 1, 3}};
    static const char* const texts[] = {"encloses nothing", "has no area"};
    for (int k = 0; k < 2; k++) {
        pl_error error;
        sample_write(sample_mesh(positions, 4, NULL, 0, triangles[k], 1), "flat.obj");
        CHECK(sample_try(scene_of("flat.obj", 0.125, ""), NULL, &error) == NULL);
        CHECK_TEXT(error.text, texts[k]);
        CHECK_TEXT(error.text, "\"b\"");
    }
}

// notes of a filling with tets
static pl_notes* notes_of_filling(const pl_mesh* mesh) {
    pl_tetrahedralise_options options = pl_default_tetrahedralise_options();
    options.edge = 0.25;
    pl_notes* notes;
    pl_mesh* tets;
    CHECK(pl_notes_create(&notes) == PL_OK);
    if (pl_tetrahedralise(mesh, &options, &tets, notes, NULL) == PL_OK) pl_mesh_destroy(tets);
    return notes;
}

TEST(grid_says_holes_and_intersections_as_a_filling_does)
{
    static const char* const parts[] = {"holes with", "triangles intersect"};
    for (int k = 0; k < 2; k++) {
        pl_mesh *box = sample_box_surface(0, 0, 0, 1, 1, 1), *mesh = sample_sphere(2);
        if (k == 0) mesh = sample_cut(mesh, mesh->triangle_count - 1);
        else pl_mesh_destroy(mesh), mesh = sample_join(box, box, 0.5);
        pl_mesh_destroy(box);
        pl_notes *expected = notes_of_filling(mesh), *notes;
        pl_error error;
        CHECK(pl_notes_create(&notes) == PL_OK);
        sample_write(mesh, "odd.obj");
        pl_world* world = sample_try(scene_of("odd.obj", 0.25, ""), notes, &error);
        CHECK(world != NULL);
        const char *own = sample_find_note(notes, parts[k]),
                   *other = sample_find_note(expected, parts[k]);
        CHECK(own && other);
        CHECK(strcmp(own, other) == 0);
        pl_world_destroy(world);
        pl_notes_destroy(notes), pl_notes_destroy(expected);
    }
}

TEST(grid_refuses_a_box_that_is_too_large_before_it_starts)
{
    // 47620 x 47620 cells are more than an int counts, and no part of them is empty
    sample_write(sample_box_surface(0, 0, 0, 1e-6, 1, 1), "plate.obj");
    pl_error error;
    CHECK(sample_try(scene_of("plate.obj", 2.1e-5, ""), NULL, &error) == NULL);
    CHECK_TEXT(error.text, "body \"b\": a lattice of 2.1e-05 m cells would be 1 x 47620 x 47620");
    CHECK_TEXT(error.text, "grid.cell");
}

// A world whose nth allocation fails says so and leaves nothing behind; true if it needed fewer.
static bool fails_cleanly(const pl_scene* scene, int64_t nth) {
    pl_world* world = NULL;
    pl_error error;
    pl_inject_failure(nth);
    pl_status status = pl_world_create(scene, &world, NULL, &error);
    const bool done = pl_inject_failure(0) < nth;
    if (status == PL_OK) pl_world_destroy(world);
    else CHECK_INT(status, PL_ERROR_MEMORY);
    return done;
}

TEST(grid_survives_every_failing_allocation)
{
    // a loose vertex, large triangles and two pieces: all that a lattice is made of
    pl_mesh *box = sample_box_surface(0, 0, 0, 1, 1, 1), *both = sample_join(box, box, 2.0);
    double positions[51];
    memcpy(positions, both->positions, 48 * sizeof(double));
    for (int i = 48; i < 51; i++) positions[i] = 10.0;
    sample_write(sample_mesh(positions, 17, NULL, 0, both->triangles, 24), "boxes.obj");
    pl_mesh_destroy(box), pl_mesh_destroy(both);
    pl_scene* scene = sample_scene(
        "{\"pliant\": 1, \"threads\": 1, \"bodies\": [{\"name\": \"b\", \"mesh\": \"boxes.obj\","
        " \"method\": \"grid\", \"integrator\": \"quasistatic\", \"grid\": {\"cell\": 0.5}}]}");
    int64_t nth = 1;
    while (!fails_cleanly(scene, nth)) nth++;
    CHECK(nth > 50);
    pl_scene_destroy(scene);
}
