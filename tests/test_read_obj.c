// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "base/array.h"
#include "read_battery.h"

#define SQUARE "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\n"

static const char small[] =
    "# made by hand\nmtllib x.mtl\no thing\n" SQUARE "v 1 0.5 0 0.1 0.2 0.3\nvn 0 0 1\n"
    "vt 0 0\nvt 1 0 0\nvt 1 1\nvt 0.5\ng left all\nf 1/1 2/2 3/3\ng all right\nusemtl red\n"
    "f 1//1 3//1 \\\n 4//1\nf -5/-4/1 -4/-3/1 -3/-2/1 -2/-1/1 # quad\ns off\n";

TEST(obj_reads_faces_uvs_and_groups)
{
    pl_notes* notes;
    CHECK_INT(pl_notes_create(&notes), PL_OK);
    pl_mesh* mesh = pl_test_read_text("small.obj", small, notes);
    CHECK(mesh->vertex_count == 5 && mesh->triangle_count == 4 && mesh->uv_count == 4);
    static const int triangles[] = {0, 1, 2, 0, 2, 3, 0, 1, 2, 0, 2, 3};
    static const int uvs[] = {0, 1, 2, -1, -1, -1, 0, 1, 2, 0, 2, 3};
    CHECK(memcmp(mesh->triangles, triangles, sizeof triangles) == 0);
    CHECK(memcmp(mesh->triangle_uvs, uvs, sizeof uvs) == 0);
    CHECK(mesh->uvs[6] == 0.5 && mesh->uvs[7] == 0.0);
    const pl_region* all = pl_mesh_region(mesh, PL_ELEMENT_TRIANGLE, "all");
    CHECK(all && all->count == 4);
    CHECK_INT(pl_mesh_region(mesh, PL_ELEMENT_TRIANGLE, "thing")->count, 4);
    CHECK_INT(pl_mesh_region(mesh, PL_ELEMENT_TRIANGLE, "left")->count, 1);
    const pl_region* red = pl_mesh_region(mesh, PL_ELEMENT_TRIANGLE, "red");
    CHECK(red && red->count == 3 && red->items[0] == 1);
    CHECK_INT(mesh->region_count, 5);
    CHECK(pl_test_noted(notes, "1 vertices have colours"));
    pl_mesh_destroy(mesh);
    pl_notes_destroy(notes);
}

// a face of n corners gives n - 2 triangles with the face's area, none turned over
static void check_polygon(const char* text, int triangle_count, double area) {
    pl_mesh* mesh = pl_test_read_text("polygon.obj", text, NULL);
    CHECK_INT(mesh->triangle_count, triangle_count);
    CHECK_NEAR(pl_test_area(mesh), area, 1e-12);
    double flat = 0.0; // signed
    for (int i = 0; i < triangle_count; i++) {
        const double* p[3];
        for (int k = 0; k < 3; k++) p[k] = mesh->positions + 3 * mesh->triangles[3 * i + k];
        double twice =
            (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]);
        CHECK(twice > 0.0);
        flat += twice / 2.0;
    }
    CHECK_NEAR(flat, area, 1e-12);
    pl_mesh_destroy(mesh);
}

TEST(obj_cuts_polygons_that_are_not_convex)
{
    // an L, from each of its corners on
    for (int first = 0; first < 6; first++) {
        char text[400] = "v 0 0 1\nv 2 0 1\nv 2 1 1\nv 1 1 1\nv 1 2 1\nv 0 2 1\nf";
        for (int i = 0; i < 6; i++) snprintf(text + strlen(text), 20, " %d", (first + i) % 6 + 1);
        check_polygon(text, 4, 3.0);
    }
    // a comb, and a square with straight corners on its edges
    check_polygon("v 0 0 0\nv 5 0 0\nv 5 3 0\nv 4 1 0\nv 3 3 0\nv 2 1 0\nv 1 3 0\nv 0 1 0\n"
                  "f 1 2 3 4 5 6 7 8\n",
                  6, 10.0);
    check_polygon("v 0 0 0\nv 1 0 0\nv 2 0 0\nv 2 1 0\nv 2 2 0\nv 1 2 0\nv 0 2 0\nv 0 1 0\n"
                  "f 1 2 3 4 5 6 7 8\n",
                  6, 4.0);
    // a convex hexagon is a fan
    pl_mesh* mesh = pl_test_read_text(
        "h.obj", "v 2 0 0\nv 1 2 0\nv -1 2 0\nv -2 0 0\nv -1 -2 0\nv 1 -2 0\nf 1 2 3 4 5 6\n",
        NULL);
    for (int i = 0; i < 4; i++) CHECK_INT(mesh->triangles[3 * i], 0);
    pl_mesh_destroy(mesh);
}

REAL_MESH_TEST(obj_reads_real_surfaces)
{
    static const struct {
        const char* name;
        int vertices, triangles;
        bool has_uvs;
    } files[] = {{"armadillo_43k.obj.gz", 43243, 86482, false},
                 {"bunny_3k.obj", 3301, 6598, false},
                 {"bunny_stanford_raw.obj.gz", 35947, 69451, false},
                 {"cow_3k.obj", 2903, 5804, false},
                 {"spot_3k.obj", 2930, 5856, true},
                 {"octopus_5k.obj", 5119, 10214, true},
                 {"cloth_dress_20k.obj.gz", 19941, 39435, true},
                 {"dragon_50k.obj.gz", 50000, 100000, false}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char name[100];
        snprintf(name, sizeof name, "surfaces/%s", files[i].name);
        pl_mesh* mesh = pl_test_read_file(pl_test_data(name), NULL);
        CHECK_INT(mesh->vertex_count, files[i].vertices);
        CHECK_INT(mesh->triangle_count, files[i].triangles);
        CHECK_INT(mesh->triangle_uvs != NULL, files[i].has_uvs);
        pl_mesh_destroy(mesh);
    }
}

TEST(obj_survives_damage)
{
    pl_test_battery("small.obj", small, sizeof small - 1);
    pl_test_crlf("small.obj", small);
    pl_test_decimal_comma("small.obj", small, sizeof small - 1);
}

TEST(obj_refuses_bad_input)
{
    static const struct {
        const char* text;
        pl_status status;
        const char* part;
    } cases[] = {
        {"", PL_ERROR_MESH, "no tets"},
        {"hello world\n", PL_ERROR_MESH, "no tets"},
        {SQUARE, PL_ERROR_MESH, "no tets"},
        {"v 0 0\nf 1 1 1\n", PL_ERROR_FORMAT, ":1: expected three coordinates"},
        {"v 0 0 zero\n", PL_ERROR_FORMAT, "found \"zero\""},
        {SQUARE "f 1 2 5\n", PL_ERROR_MESH, ":5: a face refers to vertex 5, but the file has 4"},
        {SQUARE "f 1 2 2147483647\n", PL_ERROR_MESH, "vertex 2147483647"},
        {SQUARE "f 1 2 99999999999\n", PL_ERROR_FORMAT, "expected a vertex"},
        {SQUARE "f 1 2 -5\n", PL_ERROR_MESH, ":5: vertex -5, but only 4"},
        {SQUARE "f 0 1 2\n", PL_ERROR_FORMAT, "OBJ counts from 1"},
        {SQUARE "f 1/1 2/1 3/1\n", PL_ERROR_MESH, "texture coordinate 1, but the file has 0"},
        {SQUARE "f 1/ 2/ 3/\n", PL_ERROR_FORMAT, "texture coordinate's index"},
        {SQUARE "f 1 2 x\n", PL_ERROR_FORMAT, "found \"x\""},
        {SQUARE "f 1 2\n", PL_ERROR_MESH, "no tets"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        pl_test_text_refused("bad.obj", cases[i].text, cases[i].status, cases[i].part);
}

TEST(obj_notes_what_it_leaves_out)
{
    pl_notes* notes;
    CHECK_INT(pl_notes_create(&notes), PL_OK);
    pl_mesh* mesh =
        pl_test_read_text("x.obj", SQUARE "wobble 3\nf 1 2 3\nf 1 2\nv nan 0 0\n", notes);
    CHECK_INT(mesh->triangle_count, 1);
    CHECK(pl_test_noted(notes, "x.obj:5: unknown statements"));
    CHECK(pl_test_noted(notes, "1 faces with fewer than three corners"));
    CHECK(pl_test_noted(notes, "not finite"));
    pl_mesh_destroy(mesh);
    pl_notes_destroy(notes);
}

TEST(obj_groups_cannot_fill_the_memory)
{
    // 2000 groups at once on 2000 triangles: four million entries out of 30 kB
    pl_array text = pl_array_of(1);
    static const char square[] = SQUARE;
    memcpy(pl_array_add(&text, sizeof square - 1), square, sizeof square - 1);
    pl_array_push(&text, "g");
    for (int i = 0; i < 2000; i++) {
        char word[16];
        int size = snprintf(word, sizeof word, " %d", i);
        memcpy(pl_array_add(&text, (size_t)size), word, (size_t)size);
    }
    for (int i = 0; i < 2000; i++) memcpy(pl_array_add(&text, 9), "\nf 1 2 3\n", 9);
    pl_test_refused("many.obj", text.data, text.count, PL_ERROR_LIMIT, "too many groups");
    pl_array_free(&text);
}
