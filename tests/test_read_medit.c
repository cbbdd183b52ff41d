// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "base/memory.h"
#include "read_checks.h"

#define HEAD "MeshVersionFormatted 1\nDimension\n3\n"
#define CORNERS "Vertices 4\n0 0 0 0\n1 0 0 5\n0 1 0 5\n0 0 1.25e0 0\n"

static const char small[] =
    "# made by hand\n" HEAD CORNERS "Edges\n1\n2 3 4\nTriangles\n2\n1 3 2 1\n1 2 4 0\n"
    "Tetrahedra\n1\n1 2 3 4 9\nRidges\n1\n1\nHexahedra 0\nEnd\n";

TEST(medit_reads_references_as_regions)
{
    pl_notes* notes;
    CHECK_INT(pl_notes_create(&notes), PL_OK);
    pl_mesh* mesh = pl_test_read_text("small.mesh", small, notes);
    CHECK(mesh->vertex_count == 4 && mesh->tet_count == 1 && mesh->triangle_count == 2);
    CHECK_NEAR(pl_test_volume(mesh), 1.25 / 6.0, 1e-16);
    CHECK_INT(pl_mesh_region(mesh, PL_ELEMENT_TET, "volume_9")->count, 1);
    CHECK_INT(pl_mesh_region(mesh, PL_ELEMENT_TRIANGLE, "surface_1")->items[0], 0);
    CHECK_INT(pl_mesh_region(mesh, PL_ELEMENT_VERTEX, "curve_4")->items[1], 2);
    CHECK_INT(pl_mesh_region(mesh, PL_ELEMENT_VERTEX, "point_5")->items[0], 1);
    CHECK(pl_test_noted(notes, "keyword Ridges is skipped"));
    pl_mesh_destroy(mesh);
    pl_notes_destroy(notes);
}

REAL_MESH_TEST(medit_reads_real_meshes)
{
    pl_mesh* mesh = pl_test_read_file(pl_test_data("tets/libigl_octopus_low.mesh"), NULL);
    CHECK(mesh->vertex_count == 452 && mesh->tet_count == 1140 && mesh->triangle_count == 898);
    pl_mesh_destroy(mesh);
    mesh = pl_test_read_file(pl_test_data("tets/quasinewton_man_22k.mesh.gz"), NULL);
    CHECK(mesh->vertex_count == 22263 && mesh->tet_count == 84125);
    pl_mesh_destroy(mesh);
    // the same mesh in two formats
    mesh = pl_test_read_file(pl_test_data("tets/libigl_hand_7k.mesh.gz"), NULL);
    pl_mesh* twin = pl_test_read_file(pl_test_data("tets/libigl_hand_7k_bin22.msh.gz"), NULL);
    CHECK(mesh->vertex_count == 7234 && mesh->tet_count == 29998);
    CHECK_NEAR(pl_test_volume(mesh), pl_test_volume(twin), 1e-9);
    pl_mesh_destroy(mesh);
    pl_mesh_destroy(twin);
}

TEST(medit_round_trip_is_exact)
{
    double positions[] = {0.1, 1.0 / 3.0, -0.0, 1e-310, 2.0 / 3.0, 0, 0, 1e308, 0, 0, 0, 0.7};
    int tet[] = {0, 1, 2, 3}, triangle[] = {0, 2, 1}, zero = 0;
    pl_mesh* mesh;
    pl_error error = {0};
    CHECK_OK(pl_mesh_create(positions, 4, tet, 1, triangle, 1, &mesh, &error), &error);
    CHECK_OK(pl_mesh_add_region(mesh, PL_ELEMENT_TET, "volume_3", 3, &zero, 1, &error), &error);
    CHECK_OK(pl_mesh_add_region(mesh, PL_ELEMENT_TRIANGLE, "surface_2", 2, &zero, 1, &error),
             &error);
    CHECK_OK(pl_mesh_add_region(mesh, PL_ELEMENT_VERTEX, "point_7", 7, tet + 1, 2, &error), &error);
    for (int packed = 0; packed < 2; packed++) {
        const char* path = pl_test_path(packed ? "m.mesh.gz" : "m.mesh");
        CHECK_OK(pl_mesh_write(mesh, path, NULL, NULL, &error), &error);
        pl_mesh* back = pl_test_read_file(path, NULL);
        CHECK(pl_test_same_mesh(mesh, back));
        pl_mesh_destroy(back);
    }
    pl_mesh_destroy(mesh);
}

TEST(medit_writer_says_what_is_lost)
{
    pl_notes* notes;
    CHECK_INT(pl_notes_create(&notes), PL_OK);
    pl_error error = {0};
    pl_mesh* mesh = pl_test_read_text("small.mesh", small, NULL);
    double values[] = {1, 2, 3, 4};
    int zero = 0;
    CHECK_OK(pl_mesh_add_region(mesh, PL_ELEMENT_TET, "flesh", 0, &zero, 1, &error), &error);
    CHECK_OK(pl_mesh_add_field(mesh, PL_ELEMENT_VERTEX, "heat", 1, values, &error), &error);
    CHECK_OK(pl_mesh_write(mesh, pl_test_path("m.mesh"), NULL, notes, &error), &error);
    CHECK(pl_test_noted(notes, "no names: those of 2 tet regions"));
    CHECK(pl_test_noted(notes, "1 further memberships of tet regions"));
    CHECK(pl_test_noted(notes, "1 fields are left out"));
    pl_mesh_destroy(mesh);
    pl_notes_destroy(notes);
}

TEST(medit_refuses_bad_input)
{
    static const struct {
        const char* text;
        pl_status status;
        const char* part;
    } cases[] = {
        {"", PL_ERROR_FORMAT, "MeshVersionFormatted"},
        {"garbage", PL_ERROR_FORMAT, "found \"garbage\""},
        {HEAD "End\n", PL_ERROR_MESH, "no tets and no triangles"},
        {HEAD CORNERS "End\n", PL_ERROR_MESH, "4 vertices, but no tets"},
        {"MeshVersionFormatted 1\nDimension 4\n", PL_ERROR_UNSUPPORTED, "dimension is 4"},
        {HEAD "Vertices\n2147483648\n0 0 0 0\n", PL_ERROR_FORMAT, "2147483648"},
        {HEAD "Vertices\n-1\n", PL_ERROR_FORMAT, "number of vertices"},
        {HEAD "Vertices\n1\n0 0 x 0\n", PL_ERROR_FORMAT, ":6: expected a coordinate, found \"x\""},
        {HEAD "Vertices\n2\n0 0 0 0\nEnd\n", PL_ERROR_FORMAT, "too short"},
        {HEAD CORNERS "0 0 0 0\nTetrahedra\n1\n1 2 3 4 0\nEnd", PL_ERROR_FORMAT,
         "expected a keyword"},
        {HEAD CORNERS "Tetrahedra\n1\n1 2 3 5 0\nEnd", PL_ERROR_FORMAT, "refers to vertex 5"},
        {HEAD CORNERS "Tetrahedra\n1\n0 1 2 3 0\nEnd", PL_ERROR_FORMAT, "refers to vertex 0"},
        {HEAD "Tetrahedra\n1\n1 2 3 5 0\n" CORNERS "End", PL_ERROR_MESH,
         "tet 0 refers to vertex 4"},
        {HEAD "Edges\n1\n1 9 3\n" CORNERS "Triangles 1\n1 2 3 0\nEnd", PL_ERROR_MESH,
         "edge 1 refers to vertex 9"},
        {HEAD CORNERS "Hexahedra\n1\n1 2 3 4 1 2 3 4 0\nEnd", PL_ERROR_UNSUPPORTED, "1 Hexahedra"},
        {HEAD CORNERS "TetrahedraP2\n1\n1 2 3 4 1 2 3 4 1 2 0\nEnd", PL_ERROR_UNSUPPORTED,
         "1 TetrahedraP2"},
        {HEAD CORNERS "Tetrahedra\n1\n1 2 3 4 0\nTetrahedra\n1\n1 2 3 4 0\nEnd", PL_ERROR_FORMAT,
         "given twice"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        pl_test_text_refused("bad.mesh", cases[i].text, cases[i].status, cases[i].part);
    pl_test_refused("b.mesh", "\1\0\0\0\2\0\0\0", 8, PL_ERROR_UNSUPPORTED, "binary MEDIT");
}

TEST(medit_survives)
{
    pl_test_every_cut("cut.mesh", small, sizeof small - 1);
    pl_test_random_damage("damaged.mesh", small, sizeof small - 1, 4000);
    pl_test_every_allocation("small.mesh", small, sizeof small - 1);
    pl_test_gzipped("small.mesh", small, sizeof small - 1);
}

// a cut behind a whole list leaves a mesh, but End is missing and that is said
TEST(medit_cut_file_is_noted)
{
    pl_notes* notes;
    CHECK_INT(pl_notes_create(&notes), PL_OK);
    pl_mesh* mesh = pl_test_read_text("cut.mesh", HEAD CORNERS "Triangles\n1\n1 2 3 0\n", notes);
    CHECK(pl_test_noted(notes, "may be cut off"));
    pl_mesh_destroy(mesh);
    pl_notes_destroy(notes);
}

TEST(medit_with_decimal_comma)
{ pl_test_decimal_comma("small.mesh", small, sizeof small - 1); }
