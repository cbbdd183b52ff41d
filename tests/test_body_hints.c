// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A world says so when a body falls apart by its mesh, or has a size of other units.
#include "sample_meshes.h"

#include <pliant/pliant.h>

static pl_notes* notes;

// The notes of a world of one body with that mesh; to be destroyed.
static void set_up(pl_mesh* mesh, const char* keys) {
    char json[2000];
    pl_error error;
    pl_scene* scene;
    pl_world* world;
    CHECK_OK(pl_mesh_write(mesh, pl_test_path("body.vtu"), NULL, NULL, &error), &error);
    pl_mesh_destroy(mesh);
    snprintf(json, sizeof json,
             "{\"pliant\": 1, \"frames\": 1, \"bodies\": [{\"name\": \"b\", \"mesh\": \"%s\"%s}]}",
             pl_test_path("body.vtu"), keys);
    CHECK(pl_notes_create(&notes) == PL_OK);
    pl_test_write_file(pl_test_path("scene.json"), json, strlen(json));
    CHECK_OK(pl_scene_read(pl_test_path("scene.json"), NULL, 0, &scene, NULL, &error), &error);
    CHECK_OK(pl_world_create(scene, &world, notes, &error), &error);
    pl_world_destroy(world);
    pl_scene_destroy(scene);
}

static bool was_noted(const char* part) {
    for (int i = 0; i < pl_notes_count(notes); i++)
        if (strstr(pl_notes_text(notes, i, NULL), part)) return true;
    return false;
}

// every element with vertices of its own
static pl_mesh* take_apart(pl_mesh* whole) {
    double positions[1200];
    int corners = whole->tet_count ? 4 : 3, elements[400];
    int count = whole->tet_count ? whole->tet_count : whole->triangle_count;
    const int* from = whole->tet_count ? whole->tets : whole->triangles;
    CHECK(count * corners <= 400);
    for (int c = 0; c < count * corners; c++) {
        memcpy(positions + 3 * c, whole->positions + 3 * from[c], 3 * sizeof(double));
        elements[c] = c;
    }
    bool tets = corners == 4;
    pl_mesh_destroy(whole);
    return sample_mesh(positions, count * corners, tets ? elements : NULL, tets ? count : 0,
                       tets ? NULL : elements, tets ? 0 : count);
}

TEST(hints_at_soups)
{
    set_up(take_apart(sample_sheet(4, 4)), ", \"kind\": \"cloth\"");
    CHECK(was_noted(
        "consists of 32 unconnected pieces, because its triangles touch without sharing vertices"));
    CHECK(was_noted("--repair` joins them to 1"));
    pl_notes_destroy(notes);
    set_up(take_apart(sample_box(1, 1, 1)), "");
    CHECK(was_noted("consists of 6 unconnected pieces, because its tets touch"));
    pl_notes_destroy(notes);
    // whole ones are not spoken of, and pieces that are apart are only counted
    set_up(sample_sheet(4, 4), ", \"kind\": \"cloth\"");
    CHECK(!was_noted("pieces"));
    pl_notes_destroy(notes);
    pl_mesh* sheet = sample_sheet(2, 2);
    set_up(sample_join(sheet, sheet, 5.0), ", \"kind\": \"cloth\"");
    CHECK(was_noted("consists of 2 unconnected pieces"));
    pl_notes_destroy(notes);
    pl_mesh_destroy(sheet);
}

TEST(hints_at_units)
{
    set_up(sample_box(1, 1, 1), ", \"transform\": {\"scale\": 100}");
    CHECK(was_noted("is 100 x 100 x 100 m; lengths are metres"));
    CHECK(was_noted("in centimetres, set \"transform\": {\"scale\": 0.01}"));
    pl_notes_destroy(notes);
    set_up(sample_box(1, 1, 1), ", \"transform\": {\"scale\": 1000}");
    CHECK(was_noted("in millimetres, set \"transform\": {\"scale\": 0.001}"));
    pl_notes_destroy(notes);
    // a shirt of 70 m; solids of that size may be meant
    set_up(sample_sheet(4, 4), ", \"kind\": \"cloth\", \"transform\": {\"scale\": 70}");
    CHECK(was_noted("\"transform\": {\"scale\": 0.01}"));
    pl_notes_destroy(notes);
    set_up(sample_box(1, 1, 1), ", \"transform\": {\"scale\": 0.001}");
    CHECK(was_noted("meant to be larger"));
    CHECK(was_noted("\"transform\": {\"scale\": 1000}"));
    pl_notes_destroy(notes);
    set_up(sample_box(1, 1, 1), "");
    CHECK(!was_noted("lengths are metres"));
    pl_notes_destroy(notes);
}
