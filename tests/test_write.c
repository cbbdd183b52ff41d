// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Writers of VTU, OBJ, PLY and STL: what is written is read back.
#include "base/memory.h"
#include "read_battery.h"
#include "sample_meshes.h"

static pl_mesh* read_back(const pl_mesh* mesh, const char* name, bool ascii, pl_notes* notes) {
    pl_mesh_write_options options = {.ascii = ascii};
    pl_error error = {0};
    const char* path = pl_test_path(name);
    CHECK_OK(pl_mesh_write(mesh, path, &options, notes, &error), &error);
    return pl_test_read_file(path, NULL);
}

static bool same_doubles(const double* a, const double* b, size_t count) {
    return memcmp(a, b, count * sizeof(double)) == 0;
}

static bool same_triangles(const pl_mesh* a, const pl_mesh* b) {
    return a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
           same_doubles(a->positions, b->positions, 3 * (size_t)a->vertex_count) &&
           memcmp(a->triangles, b->triangles, 3 * (size_t)a->triangle_count * sizeof(int)) == 0;
}

// two tets and a triangle with numbers that are hard to print
static pl_mesh* sample_solid(void) {
    double positions[] = {0.1, 1.0 / 3.0, -0.0, 1e-310, 2.0 / 3.0, 0, 0, 1e308,
                          0,   0,         0,    0.7,    1,         1, 1};
    int tets[] = {0, 1, 2, 3, 1, 2, 3, 4}, triangle[] = {0, 2, 1}, items[] = {0, 1};
    double per_tet[] = {1.5, 2.5}, per_triangle[] = {3.5},
           per_vertex[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1e-9};
    pl_mesh* mesh;
    pl_error error = {0};
    CHECK_OK(pl_mesh_create(positions, 5, tets, 2, triangle, 1, &mesh, &error), &error);
    CHECK_OK(pl_mesh_add_field(mesh, PL_ELEMENT_TET, "s & t", 1, per_tet, &error), &error);
    CHECK_OK(pl_mesh_add_field(mesh, PL_ELEMENT_TRIANGLE, "s & t", 1, per_triangle, &error),
             &error);
    CHECK_OK(pl_mesh_add_field(mesh, PL_ELEMENT_VERTEX, "pair", 2, per_vertex, &error), &error);
    CHECK_OK(pl_mesh_add_region(mesh, PL_ELEMENT_TET, "left", 7, items, 1, &error), &error);
    CHECK_OK(pl_mesh_add_region(mesh, PL_ELEMENT_TRIANGLE, "foot", 9, items, 1, &error), &error);
    return mesh;
}

TEST(write_vtu_keeps_all)
{
    pl_mesh* mesh = sample_solid();
    static const char* const names[] = {"a.vtu", "b.vtu", "c.vtu.gz"};
    for (int i = 0; i < 3; i++) {
        pl_notes* notes;
        CHECK_INT(pl_notes_create(&notes), PL_OK);
        pl_mesh* back = read_back(mesh, names[i], i == 1, notes);
        CHECK(same_triangles(mesh, back) && back->tet_count == 2);
        CHECK(memcmp(mesh->tets, back->tets, 8 * sizeof(int)) == 0);
        CHECK_NEAR(pl_mesh_field(back, PL_ELEMENT_TET, "s & t")->values[1], 2.5, 0.0);
        CHECK_NEAR(pl_mesh_field(back, PL_ELEMENT_TRIANGLE, "s & t")->values[0], 3.5, 0.0);
        CHECK_NEAR(pl_mesh_field(back, PL_ELEMENT_VERTEX, "pair")->values[9], 1e-9, 0.0);
        const pl_field* region = pl_mesh_field(back, PL_ELEMENT_TET, "region");
        CHECK(region && region->values[0] == 7.0 && region->values[1] == 0.0);
        CHECK_NEAR(pl_mesh_field(back, PL_ELEMENT_TRIANGLE, "region")->values[0], 9.0, 0.0);
        CHECK(pl_test_noted(notes, "7 is \"left\", 9 is \"foot\""));
        pl_notes_destroy(notes);
        pl_mesh_destroy(back);
    }
    // regions that share a tet
    pl_error error = {0};
    CHECK_OK(pl_mesh_add_region(mesh, PL_ELEMENT_TET, "all", 1, mesh->tets, 2, &error), &error);
    pl_mesh* back = read_back(mesh, "d.vtu", false, NULL);
    CHECK(!pl_mesh_field(back, PL_ELEMENT_TET, "region"));
    CHECK_NEAR(pl_mesh_field(back, PL_ELEMENT_TET, "region_left")->values[1], 0.0, 0.0);
    CHECK_NEAR(pl_mesh_field(back, PL_ELEMENT_TET, "region_all")->values[1], 1.0, 0.0);
    pl_mesh_destroy(back);
    pl_mesh_destroy(mesh);
}

static void give_uvs(pl_mesh* mesh) {
    mesh->uv_count = mesh->vertex_count;
    mesh->uvs = PL_ALLOC(double, 2 * mesh->vertex_count);
    mesh->triangle_uvs = PL_ALLOC(int, 3 * mesh->triangle_count);
    CHECK(mesh->uvs && mesh->triangle_uvs);
    for (int i = 0; i < 2 * mesh->vertex_count; i++) mesh->uvs[i] = i / 7.0;
    memcpy(mesh->triangle_uvs, mesh->triangles, 3 * (size_t)mesh->triangle_count * sizeof(int));
    for (int k = 0; k < 3; k++) mesh->triangle_uvs[k] = -1; // one without
}

TEST(write_obj_keeps_uvs_and_groups)
{
    pl_mesh* mesh = sample_sphere(2);
    give_uvs(mesh);
    int items[] = {1, 2, 3, 7, 9, 10};
    pl_error error = {0};
    CHECK_OK(pl_mesh_add_region(mesh, PL_ELEMENT_TRIANGLE, "some", 0, items, 6, &error), &error);
    CHECK_OK(pl_mesh_add_region(mesh, PL_ELEMENT_TRIANGLE, "two words", 0, items + 2, 3, &error),
             &error);
    pl_mesh* back = read_back(mesh, "a.obj", false, NULL);
    CHECK(same_triangles(mesh, back) && back->uv_count == mesh->uv_count);
    CHECK(same_doubles(mesh->uvs, back->uvs, 2 * (size_t)mesh->uv_count));
    CHECK(memcmp(mesh->triangle_uvs, back->triangle_uvs,
                 3 * (size_t)mesh->triangle_count * sizeof(int)) == 0);
    CHECK_INT(back->region_count, 2);
    const pl_region* some = pl_mesh_region(back, PL_ELEMENT_TRIANGLE, "some");
    CHECK(some && some->count == 6 && memcmp(some->items, items, sizeof items) == 0);
    const pl_region* words = pl_mesh_region(back, PL_ELEMENT_TRIANGLE, "two_words");
    CHECK(words && words->count == 3 && words->items[0] == 3);
    pl_mesh_destroy(back);
    pl_mesh_destroy(mesh);
}

TEST(write_ply_keeps_fields_and_uvs)
{
    pl_mesh* mesh = sample_sphere(2);
    give_uvs(mesh);
    pl_error error = {0};
    CHECK_OK(pl_mesh_add_field(mesh, PL_ELEMENT_VERTEX, "heat", 1, mesh->positions, &error),
             &error);
    CHECK_OK(pl_mesh_add_field(mesh, PL_ELEMENT_VERTEX, "x", 1, mesh->positions, &error), &error);
    for (int ascii = 0; ascii < 2; ascii++) {
        pl_mesh* back = read_back(mesh, "a.ply", ascii, NULL);
        CHECK(same_triangles(mesh, back));
        CHECK(same_doubles(mesh->positions, pl_mesh_field(back, PL_ELEMENT_VERTEX, "heat")->values,
                           (size_t)mesh->vertex_count));
        CHECK(pl_mesh_field(back, PL_ELEMENT_VERTEX, "field_x"));
        CHECK(back->triangle_uvs[0] == -1 && back->triangle_uvs[3] == 0);
        CHECK(same_doubles(mesh->uvs + 2 * (size_t)mesh->triangle_uvs[3], back->uvs, 2));
        pl_mesh_destroy(back);
    }
    pl_mesh_destroy(mesh);
}

TEST(write_stl_keeps_triangles)
{
    pl_mesh* mesh = sample_sphere(2);
    for (int ascii = 0; ascii < 2; ascii++) {
        pl_mesh* back = read_back(mesh, "a.stl", ascii, NULL);
        CHECK(back->vertex_count == mesh->vertex_count);
        CHECK(back->triangle_count == mesh->triangle_count);
        CHECK_NEAR(pl_test_area(back), pl_test_area(mesh), ascii ? 1e-13 : 1e-5);
        pl_mesh_destroy(back);
    }
    pl_mesh_destroy(mesh);
}

TEST(write_surface_of_tets)
{
    pl_mesh* mesh = sample_box(2, 1, 1);
    static const char* const names[] = {"a.obj", "a.ply", "a.stl"};
    for (int i = 0; i < 3; i++) {
        pl_notes* notes;
        CHECK_INT(pl_notes_create(&notes), PL_OK);
        pl_mesh* back = read_back(mesh, names[i], false, notes);
        CHECK(back->tet_count == 0 && back->vertex_count == 12);
        CHECK_NEAR(pl_test_area(back), 10.0, 1e-12);
        CHECK(pl_test_noted(notes, "boundary of the 12 tets"));
        pl_notes_destroy(notes);
        pl_mesh_destroy(back);
    }
    pl_mesh_destroy(mesh);
}

TEST(write_survives_every_failing_allocation)
{
    static const char* const names[] = {"a.vtu", "a.obj", "a.ply", "a.stl"};
    pl_mesh* mesh = sample_solid();
    size_t before = pl_byte_count();
    for (int i = 0; i < 4; i++) {
        char path[600];
        snprintf(path, sizeof path, "%s", pl_test_path(names[i]));
        for (int64_t nth = 1;; nth++) {
            pl_error error = {0};
            pl_inject_failure(nth);
            pl_status status = pl_mesh_write(mesh, path, NULL, NULL, &error);
            pl_inject_failure(0);
            CHECK_INT(pl_byte_count(), before);
            if (status == PL_OK) break;
            CHECK_INT(status, PL_ERROR_MEMORY);
            FILE* file = fopen(path, "rb");
            CHECK(!file);
        }
    }
    pl_mesh_destroy(mesh);
}
