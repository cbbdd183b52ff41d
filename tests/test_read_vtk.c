// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "base/array.h"
#include "read_battery.h"

#define HEAD "# vtk DataFile Version 2.0\nby hand\nASCII\nDATASET UNSTRUCTURED_GRID\n"
#define POINTS "POINTS 5 float\n0 0 0  1 0 0  0 1 0\n0 0 1  1 1 1\n"

// a tet, a triangle, a quad, a line
static const char small[] = HEAD POINTS
    "CELLS 4 17\n4 0 1 2 3\n3 0 2 1\n4 0 1 4 3\n2 0 4\nCELL_TYPES 4\n10 5 9 3\n"
    "CELL_DATA 4\nSCALARS stiff double 1\nLOOKUP_TABLE default\n1 2 3 4\n"
    "FIELD all 2\npair 2 4 int\n1 2 3 4 5 6 7 8\nname 1 4 string\na\nb\nc\nd\n"
    "POINT_DATA 5\nVECTORS move%20it float\n0 0 0 1 1 1 2 2 2 3 3 3 4 4 4\n"
    "METADATA\nINFORMATION 1\nNAME x LOCATION y\nDATA 1\n\nSCALARS heat float\n1 2 3 4 5\n";

TEST(vtk_reads_cells_and_data)
{
    pl_notes* notes;
    CHECK_INT(pl_notes_create(&notes), PL_OK);
    pl_mesh* mesh = pl_test_read_text("small.vtk", small, notes);
    CHECK(mesh->vertex_count == 5 && mesh->tet_count == 1 && mesh->triangle_count == 3);
    CHECK_NEAR(pl_test_volume(mesh), 1.0 / 6.0, 1e-16);
    const pl_field* stiff = pl_mesh_field(mesh, PL_ELEMENT_TRIANGLE, "stiff");
    CHECK(stiff && stiff->values[0] == 2.0 && stiff->values[1] == 3.0 && stiff->values[2] == 3.0);
    CHECK_NEAR(pl_mesh_field(mesh, PL_ELEMENT_TET, "stiff")->values[0], 1.0, 0.0);
    CHECK_NEAR(pl_mesh_field(mesh, PL_ELEMENT_TRIANGLE, "pair")->values[5], 6.0, 0.0);
    const pl_field* move = pl_mesh_field(mesh, PL_ELEMENT_VERTEX, "move it");
    CHECK(move && move->components == 3 && move->values[14] == 4.0);
    CHECK_NEAR(pl_mesh_field(mesh, PL_ELEMENT_VERTEX, "heat")->values[4], 5.0, 0.0);
    CHECK(pl_test_noted(notes, "1 vertex and line cells were skipped"));
    CHECK(pl_test_noted(notes, "\"name\" holds text"));
    pl_mesh_destroy(mesh);
    pl_notes_destroy(notes);
}

static const char new_cells[] =
    "# vtk DataFile Version 5.1\nby hand\nASCII\nDATASET "
    "UNSTRUCTURED_GRID\n" POINTS
    "CELLS 3 7\nOFFSETS vtktypeint64\n0 4 7\nCONNECTIVITY vtktypeint64\n"
    "0 1 2 3 0 2 1\nCELL_TYPES 2\n10 5\n";

TEST(vtk_reads_offsets_and_connectivity)
{
    pl_mesh* mesh = pl_test_read_text("new.vtk", new_cells, NULL);
    CHECK(mesh->vertex_count == 5 && mesh->tet_count == 1 && mesh->triangle_count == 1);
    CHECK_INT(mesh->triangles[1], 2);
    pl_mesh_destroy(mesh);
}

TEST(vtk_reads_poly_data)
{
    pl_notes* notes;
    CHECK_INT(pl_notes_create(&notes), PL_OK);
    pl_mesh* mesh = pl_test_read_text(
        "poly.vtk",
        "# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\n" POINTS
        "VERTICES 1 2\n1 0\nPOLYGONS 2 9\n3 0 2 1\n4 0 1 4 3\nTRIANGLE_STRIPS 1 5\n4 0 1 2 3\n"
        "CELL_DATA 4\nSCALARS part int\n9 1 2 3\n",
        notes);
    CHECK_INT(mesh->triangle_count, 5);
    static const int strip[] = {0, 1, 2, 2, 1, 3};
    CHECK(memcmp(mesh->triangles + 9, strip, sizeof strip) == 0);
    const pl_field* part = pl_mesh_field(mesh, PL_ELEMENT_TRIANGLE, "part");
    CHECK(part && part->values[0] == 1.0 && part->values[2] == 2.0 && part->values[4] == 3.0);
    pl_mesh_destroy(mesh);
    pl_notes_destroy(notes);
}

static void put_text(pl_array* data, const char* text) {
    char* place = pl_array_add(data, strlen(text));
    CHECK(place);
    memcpy(place, text, strlen(text));
}

// big-endian numbers of a width
static void put_numbers(pl_array* data, const int* numbers, int count, size_t size) {
    for (int i = 0; i < count; i++) {
        char* place = pl_array_add(data, size);
        CHECK(place);
        for (size_t k = 0; k < size; k++) {
            size_t shift = 8 * (size - 1 - k);
            place[k] = (char)(shift < 32 ? numbers[i] >> shift : numbers[i] < 0 ? -1 : 0);
        }
    }
}

// one tet and one triangle, in the old or the new way; the first byte of the cells is a zero that
// must not be taken for anything else
static pl_array make_binary(bool is_new) {
    static const int positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const int old_cells[] = {4, 0, 1, 2, 3, 3, 0, 2, 1}, types[] = {10, 5};
    static const int offsets[] = {0, 4, 7}, corners[] = {0, 1, 2, 3, 0, 2, 1};
    pl_array data = pl_array_of(1);
    put_text(&data, is_new ? "# vtk DataFile Version 5.1" : "# vtk DataFile Version 3.0");
    put_text(&data, "\nx\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 short\n");
    put_numbers(&data, positions, 12, 2);
    if (is_new) {
        put_text(&data, "\nCELLS 3 7\nOFFSETS vtktypeint64\n");
        put_numbers(&data, offsets, 3, 8);
        put_text(&data, "\nCONNECTIVITY vtktypeint64\n");
        put_numbers(&data, corners, 7, 8);
    } else {
        put_text(&data, "\nCELLS 2 9\n");
        put_numbers(&data, old_cells, 9, 4);
    }
    put_text(&data, "\nCELL_TYPES 2\n");
    put_numbers(&data, types, 2, 4);
    put_text(&data, "\nPOINT_DATA 4\nSCALARS q unsigned_char\nLOOKUP_TABLE default\n");
    put_numbers(&data, old_cells, 4, 1);
    put_text(&data, "\n");
    return data;
}

TEST(vtk_reads_binary)
{
    for (int is_new = 0; is_new < 2; is_new++) {
        pl_array data = make_binary(is_new);
        pl_mesh* mesh = pl_test_read_bytes("binary.vtk", data.data, data.count, NULL);
        CHECK(mesh->vertex_count == 4 && mesh->tet_count == 1 && mesh->triangle_count == 1);
        CHECK_NEAR(pl_test_volume(mesh), 1.0 / 6.0, 1e-16);
        CHECK_NEAR(pl_mesh_field(mesh, PL_ELEMENT_VERTEX, "q")->values[3], 2.0, 0.0);
        pl_mesh_destroy(mesh);
        pl_array_free(&data);
    }
}

REAL_MESH_TEST(vtk_reads_real_meshes)
{
    pl_mesh* mesh = pl_test_read_file(pl_test_data("tets/codimipc_armadillo_2.5k.vtk"), NULL);
    CHECK(mesh->vertex_count == 2542 && mesh->tet_count == 9199);
    CHECK_NEAR(pl_test_volume(mesh), 236111.560731997, 1e-6); // by VTK 9.1
    pl_mesh_destroy(mesh);
    mesh = pl_test_read_file(pl_test_data("tets/codimipc_armadillo_28k.vtk.gz"), NULL);
    CHECK(mesh->vertex_count == 27951 && mesh->tet_count == 121190);
    pl_mesh_destroy(mesh);
    mesh = pl_test_read_file(pl_test_data("tets/codimipc_skirt_0.5mm.vtk.gz"), NULL);
    CHECK(mesh->vertex_count == 16242 && mesh->tet_count == 47576);
    pl_mesh_destroy(mesh);
}

TEST(vtk_survives_damage)
{
    pl_test_battery("small.vtk", small, sizeof small - 1);
    // data behind the types may be missing, everything before may not
    CHECK(pl_test_battery("new.vtk", new_cells, sizeof new_cells - 1) <= 1);
    for (int is_new = 0; is_new < 2; is_new++) {
        pl_array data = make_binary(is_new);
        pl_test_battery("binary.vtk", data.data, data.count);
        pl_array_free(&data);
    }
    pl_test_crlf("small.vtk", small);
    pl_test_decimal_comma("small.vtk", small, sizeof small - 1);
}

#define ONE_TET "CELLS 1 5\n4 0 1 2 3\n"

TEST(vtk_refuses_bad_input)
{
    static const struct {
        const char* text;
        pl_status status;
        const char* part;
    } cases[] = {
        {"", PL_ERROR_FORMAT, "vtk DataFile Version"},
        {"# vtk DataFile Version 2.0\nx\nTEXT\n", PL_ERROR_FORMAT, ":3: expected ASCII or BINARY"},
        {"# vtk DataFile Version 2.0\nx\nASCII\nDATASET STRUCTURED_POINTS\n", PL_ERROR_UNSUPPORTED,
         "STRUCTURED_POINTS"},
        {HEAD, PL_ERROR_MESH, "no tets"},
        {HEAD "POINTS 2147483647 float\n0 0 0\n", PL_ERROR_FORMAT, "6442450941 numbers"},
        {HEAD "POINTS -5 float\n", PL_ERROR_FORMAT, "number of points"},
        {HEAD "POINTS 5 quad\n", PL_ERROR_FORMAT, "data type"},
        {HEAD POINTS "CELLS 1 2147483647\n", PL_ERROR_FORMAT, "2147483647 numbers"},
        {HEAD POINTS "CELLS 2147483647 1\n", PL_ERROR_FORMAT, "cannot be described"},
        {HEAD POINTS "CELLS 1 5\n5 0 1 2 3\n", PL_ERROR_FORMAT, "ends inside cell 0"},
        {HEAD POINTS "CELLS 1 5\n3 0 1 2 3\n", PL_ERROR_FORMAT, "has 5 numbers"},
        {HEAD POINTS "CELLS 1 5\n-4 0 1 2 3\n", PL_ERROR_FORMAT, "ends inside cell 0"},
        {HEAD POINTS ONE_TET, PL_ERROR_FORMAT, "expected CELL_TYPES"},
        {HEAD POINTS ONE_TET "CELL_TYPES 2\n10 10\n", PL_ERROR_FORMAT, "2 CELL_TYPES for 1 cells"},
        {HEAD POINTS ONE_TET "CELL_TYPES 1\n5\n", PL_ERROR_FORMAT, "has type 5 and 4 points"},
        {HEAD POINTS ONE_TET "CELL_TYPES 1\n99\n", PL_ERROR_FORMAT, "type 99"},
        {HEAD POINTS "CELLS 1 5\n4 0 1 2 5\nCELL_TYPES 1\n10\n", PL_ERROR_MESH, "point 5"},
        {HEAD POINTS "CELLS 1 5\n4 0 1 2 -1\nCELL_TYPES 1\n10\n", PL_ERROR_MESH, "point -1"},
        {HEAD POINTS "CELLS 2 18\n8 0 1 2 3 0 1 2 3 8 0 1 2 3 0 1 2 3\nCELL_TYPES 2\n12 12\n",
         PL_ERROR_UNSUPPORTED, "2 hexahedra (VTK type 12)"},
        {HEAD POINTS "CELLS 1 11\n10 0 1 2 3 0 1 2 3 0 1\nCELL_TYPES 1\n24\n", PL_ERROR_UNSUPPORTED,
         "1 quadratic tetrahedra"},
        {HEAD POINTS ONE_TET "CELL_TYPES 1\n10\nCELL_DATA 2\n", PL_ERROR_FORMAT,
         "data for 2 cells"},
        {HEAD POINTS ONE_TET "CELL_TYPES 1\n10\nPOINT_DATA 5\nSCALARS a float\n1 2 3 x\n",
         PL_ERROR_FORMAT, "found \"x\""},
        {HEAD POINTS ONE_TET "CELL_TYPES 1\n10\nNONSENSE\n", PL_ERROR_FORMAT, "NONSENSE"},
        {HEAD POINTS POINTS, PL_ERROR_FORMAT, "second POINTS"},
        {HEAD POINTS "CELLS 2 4\nOFFSETS int\n0 5\nCONNECTIVITY int\n0 1 2 3\n", PL_ERROR_FORMAT,
         "offset 1 is 5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        pl_test_text_refused("bad.vtk", cases[i].text, cases[i].status, cases[i].part);
}
