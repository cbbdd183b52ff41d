// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "base/array.h"
#include "read_battery.h"

#define VERTICES                                                                                   \
    "element vertex 4\nproperty float x\nproperty float y\nproperty float z\nproperty uchar red\n"
#define FACES "element face 2\nproperty uchar flag\nproperty list uchar int vertex_indices\n"

static const char small[] =
    "ply\nformat ascii 1.0\ncomment by hand\nobj_info none\n" VERTICES FACES
    "element edge 1\nproperty int vertex1\nproperty int vertex2\nend_header\n"
    "0 0 0 255\n1 0 0 0\n1 1 0 7\n0 1 0.5 0\n0 3 0 1 2\n1 3 0 2 3\n0 1\n";

TEST(ply_reads_properties)
{
    pl_notes* notes;
    CHECK_INT(pl_notes_create(&notes), PL_OK);
    pl_mesh* mesh = pl_test_read_text("small.ply", small, notes);
    CHECK(mesh->vertex_count == 4 && mesh->triangle_count == 2 && mesh->field_count == 1);
    CHECK(mesh->positions[11] == 0.5 && mesh->triangles[5] == 3);
    const pl_field* red = pl_mesh_field(mesh, PL_ELEMENT_VERTEX, "red");
    CHECK(red && red->components == 1 && red->values[0] == 255.0 && red->values[2] == 7.0);
    CHECK(pl_test_noted(notes, "1 of \"edge\" were skipped"));
    pl_mesh_destroy(mesh);
    pl_notes_destroy(notes);
}

// appends numbers in either byte order
static void put(pl_array* data, const void* number, size_t size, bool swap) {
    char* place = pl_array_add(data, size);
    CHECK(place);
    for (size_t i = 0; i < size; i++) place[i] = ((const char*)number)[swap ? size - 1 - i : i];
}

static void put_text(pl_array* data, const char* text) { put(data, text, strlen(text), false); }

// the mesh of `small`, faces with indices of two bytes
static pl_array make_binary(bool big) {
    pl_array data = pl_array_of(1);
    put_text(&data, "ply\nformat ");
    put_text(&data, big ? "binary_big_endian 1.0\n" : "binary_little_endian 1.0\n");
    put_text(&data, VERTICES "element face 2\nproperty uchar flag\n"
                             "property list ushort ushort vertex_index\nend_header\n");
    static const float positions[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0.5f};
    static const unsigned char red[] = {255, 0, 7, 0};
    static const uint16_t faces[][4] = {{3, 0, 1, 2}, {3, 0, 2, 3}};
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 3; k++) put(&data, &positions[3 * i + k], sizeof(float), big);
        put(&data, &red[i], 1, false);
    }
    for (int i = 0; i < 2; i++) {
        put_text(&data, "x");
        for (int k = 0; k < 4; k++) put(&data, &faces[i][k], sizeof(uint16_t), big);
    }
    return data;
}

TEST(ply_reads_both_byte_orders)
{
    pl_mesh* text = pl_test_read_text("small.ply", small, NULL);
    for (int big = 0; big < 2; big++) {
        pl_array data = make_binary(big);
        pl_mesh* mesh = pl_test_read_bytes("binary.ply", data.data, data.count, NULL);
        CHECK(pl_test_same_mesh(text, mesh));
        pl_mesh_destroy(mesh);
        pl_array_free(&data);
    }
    pl_mesh_destroy(text);
}

TEST(ply_reads_texture_coordinates)
{
    // at the vertices
    pl_mesh* mesh = pl_test_read_text(
        "uv.ply",
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty double x\nproperty double y\n"
        "property double z\nproperty float s\nproperty float t\nelement face 1\n"
        "property list uchar int vertex_indices\nend_header\n"
        "0 0 0 0 0\n1 0 0 1 0\n0 1 0 0.25 1\n3 0 1 2\n",
        NULL);
    CHECK(mesh->uv_count == 3 && mesh->field_count == 0 && mesh->uvs[4] == 0.25);
    CHECK(mesh->triangle_uvs && mesh->triangle_uvs[2] == 2);
    pl_mesh_destroy(mesh);
    // at the corners of faces, one of which has none
    mesh = pl_test_read_text(
        "uv.ply",
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty double x\nproperty double y\n"
        "property double z\nelement face 2\nproperty list uchar int vertex_indices\n"
        "property list uchar float texcoord\nend_header\n"
        "0 0 0\n1 0 0\n0 1 0\n3 0 1 2 0\n3 0 1 2 6 0 0 1 0 0.25 1\n",
        NULL);
    static const int uvs[] = {-1, -1, -1, 0, 1, 2};
    CHECK(mesh->uv_count == 3 && mesh->uvs[4] == 0.25);
    CHECK(memcmp(mesh->triangle_uvs, uvs, sizeof uvs) == 0);
    pl_mesh_destroy(mesh);
}

TEST(ply_survives_damage)
{
    CHECK(pl_test_battery("small.ply", small, sizeof small - 1) <= 1);
    for (int big = 0; big < 2; big++) {
        pl_array data = make_binary(big);
        CHECK_INT(pl_test_every_cut("binary.ply", data.data, data.count), 0);
        pl_test_random_damage("binary.ply", data.data, data.count, 3000);
        pl_array_free(&data);
    }
    pl_test_crlf("small.ply", small);
    pl_test_decimal_comma("small.ply", small, sizeof small - 1);
}

#define ASCII "ply\nformat ascii 1.0\n"
#define XYZ "property float x\nproperty float y\nproperty float z\n"
#define INDICES "property list uchar int vertex_indices\n"

TEST(ply_refuses_bad_input)
{
    static const struct {
        const char* text;
        pl_status status;
        const char* part;
    } cases[] = {
        {"", PL_ERROR_FORMAT, "expected \"ply\""},
        {"ply\nelement vertex 1\n" XYZ "end_header\n0 0 0\n", PL_ERROR_FORMAT, "no format"},
        {"ply\nformat packed 1.0\n", PL_ERROR_FORMAT, ":2: expected ascii"},
        {ASCII "element vertex 3\n" XYZ, PL_ERROR_FORMAT, "end_header"},
        {ASCII "property float x\n", PL_ERROR_FORMAT, "property of no element"},
        {ASCII "element vertex 3\nproperty real x\n", PL_ERROR_FORMAT, ":4: expected a type"},
        {ASCII "element vertex 3\nproperty list float int x\n", PL_ERROR_FORMAT, "integer type"},
        {ASCII "element vertex -3\n", PL_ERROR_FORMAT, "number of elements"},
        {ASCII "element vertex 3\n" XYZ "end_header\n0 0 0 1 0 0 0 1 0\n", PL_ERROR_MESH,
         "no tets"},
        {ASCII "element vertex 2147483647\n" XYZ "end_header\n0 0 0\n", PL_ERROR_FORMAT,
         "too short"},
        {ASCII "element vertex 700000000\nend_header\n", PL_ERROR_FORMAT, "lack x, y or z"},
        {ASCII "element vertex 3\n" XYZ "element face 1\n" INDICES
               "end_header\n0 0 0 1 0 0 0 1 0\n2147483647 0 1 2\n",
         PL_ERROR_FORMAT, "2.14748e+09 entries"},
        {ASCII "element vertex 3\n" XYZ "element face 1\n" INDICES
               "end_header\n0 0 0 1 0 0 0 1 0\n3 0 1 3\n",
         PL_ERROR_MESH, "face 0 refers to vertex 3"},
        {ASCII "element vertex 3\n" XYZ "element face 1\n" INDICES
               "end_header\n0 0 0 1 0 0 0 1 0\n3 0 1 -1\n",
         PL_ERROR_MESH, "vertex -1"},
        {ASCII "element face 1\n" INDICES "element vertex 3\n" XYZ
               "end_header\n3 0 1 3\n0 0 0 1 0 0 0 1 0\n",
         PL_ERROR_MESH, "face 0 refers to vertex 3"},
        {ASCII "element vertex 3\n" XYZ "element face 1\nproperty int a\n"
               "end_header\n0 0 0 1 0 0 0 1 0\n3\n",
         PL_ERROR_FORMAT, "vertex_indices"},
        {ASCII "element vertex 3\n" XYZ "element face 1\n" INDICES
               "end_header\n0 0 0 1 x 0 0 1 0\n3 0 1 2\n",
         PL_ERROR_FORMAT, ":10: expected y of vertex 1"},
        {"ply\nformat binary_little_endian 1.0\nelement vertex 3000000000\n" XYZ
         "end_header\n0123456",
         PL_ERROR_FORMAT, "too short"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        pl_test_text_refused("bad.ply", cases[i].text, cases[i].status, cases[i].part);
}
