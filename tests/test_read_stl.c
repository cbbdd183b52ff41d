// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "read_battery.h"

#define FACET(a, b, c)                                                                             \
    "facet normal 0 0 1\n outer loop\n  vertex " a "\n  vertex " b "\n  vertex " c                 \
    "\n endloop\nendfacet\n"

static const char small[] = "solid first part\n" FACET(
    "0 0 0", "1 0 0", "1 1 0") "endsolid first part\n"
                               "SOLID second\n" FACET("-0 0 0", "1 1 0", "0 1 0") "endsolid\n";

TEST(stl_merges_corners)
{
    pl_notes* notes;
    CHECK_INT(pl_notes_create(&notes), PL_OK);
    pl_mesh* mesh = pl_test_read_text("small.stl", small, notes);
    static const int triangles[] = {0, 1, 2, 0, 2, 3};
    CHECK(mesh->vertex_count == 4 && mesh->triangle_count == 2);
    CHECK(memcmp(mesh->triangles, triangles, sizeof triangles) == 0);
    CHECK_INT(pl_mesh_region(mesh, PL_ELEMENT_TRIANGLE, "first part")->items[0], 0);
    CHECK_INT(pl_mesh_region(mesh, PL_ELEMENT_TRIANGLE, "second")->items[0], 1);
    CHECK(pl_test_noted(notes, "6 corners at the same places became 4 vertices"));
    pl_mesh_destroy(mesh);
    pl_notes_destroy(notes);
}

// two triangles; the header may begin as a text does
static size_t make_binary(const char* header, char out[200]) {
    static const float corners[2][9] = {{0, 0, 0, 1, 0, 0, 1, 1, 0}, {0, 0, 0, 1, 1, 0, 0, 1, 0}};
    memset(out, 0, 200);
    memcpy(out, header, strlen(header));
    out[80] = 2;
    for (int i = 0; i < 2; i++) memcpy(out + 84 + 50 * i + 12, corners[i], sizeof corners[i]);
    return 184;
}

TEST(stl_reads_binary_that_begins_with_solid)
{
    char data[200];
    static const char* const headers[] = {"anything", "solid as a rock\nfacet normal"};
    for (int i = 0; i < 2; i++) {
        size_t size = make_binary(headers[i], data);
        pl_mesh* mesh = pl_test_read_bytes("small.stl", data, size, NULL);
        CHECK(mesh->vertex_count == 4 && mesh->triangle_count == 2 && mesh->region_count == 0);
        CHECK_NEAR(pl_test_area(mesh), 1.0, 0.0);
        pl_mesh_destroy(mesh);
    }
}

TEST(stl_survives_damage)
{
    char data[200];
    size_t size = make_binary("anything", data);
    CHECK_INT(pl_test_battery("binary.stl", data, size), 0);
    // cut behind the first solid, the text is a whole file of one; the last word may lack its end
    CHECK(pl_test_battery("small.stl", small, sizeof small - 1) < 24);
    pl_test_crlf("small.stl", small);
    pl_test_decimal_comma("small.stl", small, sizeof small - 1);
}

TEST(stl_refuses_bad_input)
{
    static const struct {
        const char* text;
        pl_status status;
        const char* part;
    } cases[] = {
        {"", PL_ERROR_FORMAT, "neither text"},
        {"solid\nendsolid\n", PL_ERROR_MESH, "no tets"},
        {"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n", PL_ERROR_FORMAT, "coordinate"},
        {"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\n",
         PL_ERROR_FORMAT, ":6: expected vertex"},
        {"solid x\nfacet normal 0 0\n", PL_ERROR_FORMAT, "normal"},
        {"solid x\nrubbish\n", PL_ERROR_FORMAT, "facet or endsolid"},
        {"solid x\n" FACET("0 0 0", "1 0 0", "1 1 0"), PL_ERROR_FORMAT, "the file ends"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        pl_test_text_refused("bad.stl", cases[i].text, cases[i].status, cases[i].part);
    char data[200];
    size_t size = make_binary("anything", data);
    pl_test_refused("bad.stl", data, size - 1, PL_ERROR_FORMAT, "states 2 triangles");
    memset(data + 80, 0xff, 4);
    pl_test_refused("bad.stl", data, size, PL_ERROR_FORMAT, "states 4294967295 triangles");
    memset(data + 80, 0, 4);
    pl_test_refused("bad.stl", data, 84, PL_ERROR_MESH, "no tets");
}
