// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "read_battery.h"

#define TETRAHEDRON "0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3 255 0 0\n3 1 2 3\n3 2 0 3\n"

static const char small[] = "OFF\n# four corners\n4 4 0\n\n" TETRAHEDRON;

TEST(off_reads_its_variants)
{
    static const char* const texts[] = {
        small,
        "OFF 4 4 6 # counts here\n" TETRAHEDRON,
        "4 4\n" TETRAHEDRON,
        "COFF\n4 4 0\n0 0 0 1 0 0 1\n1 0 0 0 1 0 1\n0 1 0 0 0 1 1\n0 0 1 1 1 1 1 # white\n"
        "3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3",
        "NOFF\n4 4 0\n0 0 0 0 0 1\n1 0 0 0 0 1\n0 1 0 0 0 1\n0 0 1 0 0 1\n"
        "3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n",
    };
    pl_mesh* first = pl_test_read_text("a.off", texts[0], NULL);
    CHECK(first->vertex_count == 4 && first->triangle_count == 4);
    for (size_t i = 1; i < sizeof texts / sizeof texts[0]; i++) {
        pl_mesh* mesh = pl_test_read_text("b.off", texts[i], NULL);
        CHECK(pl_test_same_mesh(first, mesh));
        pl_mesh_destroy(mesh);
    }
    pl_mesh_destroy(first);
}

TEST(off_reads_polygons_and_uvs)
{
    pl_mesh* mesh = pl_test_read_text(
        "uv.off",
        "STOFF\n5 1 0\n0 0 0 0 0\n2 0 0 1 0\n2 2 0 1 1\n1 1 0 .5 .5\n0 2 0 0 1\n5 0 1 2 3 4\n",
        NULL);
    CHECK(mesh->triangle_count == 3 && mesh->uv_count == 5);
    CHECK_NEAR(pl_test_area(mesh), 3.0, 1e-15);
    CHECK(memcmp(mesh->triangles, mesh->triangle_uvs, 9 * sizeof(int)) == 0);
    CHECK(mesh->uvs[6] == 0.5);
    pl_mesh_destroy(mesh);
}

REAL_MESH_TEST(off_reads_real_surfaces)
{
    pl_mesh* mesh = pl_test_read_file(pl_test_data("surfaces/octopus_29k_wrapped.off.gz"), NULL);
    CHECK(mesh->vertex_count == 28613 && mesh->triangle_count == 57222);
    pl_mesh_destroy(mesh);
    mesh = pl_test_read_file(pl_test_data("surfaces/dragon_50k_repaired.off.gz"), NULL);
    CHECK(mesh->vertex_count == 50001 && mesh->triangle_count == 100002);
    pl_mesh_destroy(mesh);
}

TEST(off_survives_damage)
{
    // without the last bytes the last face is still whole
    CHECK(pl_test_battery("small.off", small, sizeof small - 1) <= 1);
    pl_test_crlf("small.off", small);
    pl_test_decimal_comma("small.off", small, sizeof small - 1);
}

TEST(off_refuses_bad_input)
{
    static const struct {
        const char* text;
        pl_status status;
        const char* part;
    } cases[] = {
        {"", PL_ERROR_FORMAT, "expected OFF"},
        {"HOFF\n4 4 0\n", PL_ERROR_FORMAT, "expected OFF"},
        {"OFF BINARY\n", PL_ERROR_UNSUPPORTED, "binary OFF is not read"},
        {"4OFF\n1 1 1\n", PL_ERROR_UNSUPPORTED, "not three-dimensional"},
        {"OFF\n0 0 0\n", PL_ERROR_MESH, "no tets"},
        {"OFF\n2147483647 2147483647 0\n0 0 0\n", PL_ERROR_FORMAT, "too short"},
        {"OFF\n3 1 0\n0 0 0 1 0 0 0 1 0\n2147483647 0 1 2\n", PL_ERROR_FORMAT,
         "2147483647 corners"},
        {"OFF\n-3 1 0\n", PL_ERROR_FORMAT, "number of vertices"},
        {"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", PL_ERROR_MESH,
         ":6: face 0 refers to vertex 3"},
        {"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n", PL_ERROR_MESH, "vertex -1"},
        {"OFF\n3 1 0\n0 0 0\n1 0 0\n0 x 0\n3 0 1 2\n", PL_ERROR_FORMAT,
         ":5: expected a coordinate"},
        {"OFF\n3 2 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", PL_ERROR_FORMAT, "the file ends"},
        {"STOFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", PL_ERROR_FORMAT, "texture coordinates"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        pl_test_text_refused("bad.off", cases[i].text, cases[i].status, cases[i].part);
}
