// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "base/memory.h"
#include "read_checks.h"

#include <stdlib.h>

// two tets over the triangle 2 3 4 (by tags 20 30 40), which is also given, with a curve and a
// point
static const char small_2[] =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
    "$PhysicalNames\n4\n3 7 \"upper half\"\n2 5 \"middle\"\n1 3 \"edge\"\n3 99 "
    "\"none\"\n$EndPhysicalNames\n"
    "$Nodes\n5\n20 0 0 0\n30 1 0 0\n40 0 1 0\n1000000000 0 0 1.5\n7 0 0 -1e-1\n$EndNodes\n"
    "$Elements\n5\n"
    "1 15 2 9 1 7\n2 1 2 3 1 20 30\n3 2 2 5 1 20 30 40\n"
    "4 4 2 7 1 20 30 40 1000000000\n5 4 3 8 2 17 20 40 30 7\n$EndElements\n"
    "$NodeData\n1\n\"heat\"\n1\n0.5\n3\n0\n1\n2\n20 1.5\n7 -2\n$EndNodeData\n"
    "$ElementData\n1\n\"young\"\n0\n3\n0\n3\n2\n5 1 2 3\n3 4 5 6\n$EndElementData\n";

static const char small_41[] =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
    "$PhysicalNames\n2\n3 1 \"a\"\n3 2 \"b\"\n$EndPhysicalNames\n"
    "$Entities\n1 0 1 2\n1 0 0 0 1 4\n3 0 0 0 1 1 0 1 -6 2 1 -2\n"
    "1 0 0 0 1 1 1 2 1 2 1 3\n2 0 0 -1 1 1 0 1 2 0\n$EndEntities\n"
    "$Nodes\n2 5 1 90\n2 3 1 3\n1\n2\n3\n0 0 0 0 0\n1 0 0 1 0\n0 1 0 0 1\n"
    "3 1 0 2\n80\n90\n0 0 1\n0 0 -1\n$EndNodes\n"
    "$Periodic\n0\n$EndPeriodic\n"
    "$Elements\n4 4 1 4\n0 1 15 1\n4 80\n2 3 2 1\n1 1 2 3\n"
    "3 1 4 1\n2 1 2 3 80\n3 2 4 1\n3 1 3 2 90\n$EndElements\n";

LONG_TEST(gmsh_reads_version_2)
{
    pl_notes* notes;
    CHECK_INT(pl_notes_create(&notes), PL_OK);
    pl_mesh* mesh = pl_test_read_text("small.msh", small_2, notes);
    CHECK(mesh->vertex_count == 5 && mesh->tet_count == 2 && mesh->triangle_count == 1);
    CHECK(mesh->tets[3] == 3 && mesh->tets[7] == 4);
    CHECK_NEAR(pl_test_volume(mesh), 1.6 / 6.0, 1e-15);
    const pl_region* upper = pl_mesh_region(mesh, PL_ELEMENT_TET, "upper half");
    CHECK(upper && upper->tag == 7 && upper->count == 1 && upper->items[0] == 0);
    CHECK(pl_mesh_region(mesh, PL_ELEMENT_TET, "volume_8"));
    CHECK(pl_mesh_region(mesh, PL_ELEMENT_TRIANGLE, "middle"));
    const pl_region* edge = pl_mesh_region(mesh, PL_ELEMENT_VERTEX, "edge");
    CHECK(edge && edge->count == 2 && edge->items[0] == 0 && edge->items[1] == 1);
    const pl_region* point = pl_mesh_region(mesh, PL_ELEMENT_VERTEX, "point_9");
    CHECK(point && point->count == 1 && point->items[0] == 4);
    CHECK(pl_test_noted(notes, "1 physical groups have no elements, the first is \"none\""));
    const pl_field* heat = pl_mesh_field(mesh, PL_ELEMENT_VERTEX, "heat");
    CHECK(heat && heat->values[0] == 1.5 && heat->values[4] == -2.0 && isnan(heat->values[1]));
    const pl_field* young = pl_mesh_field(mesh, PL_ELEMENT_TET, "young");
    CHECK(young && young->components == 3 && young->values[5] == 3.0 && isnan(young->values[0]));
    CHECK_NEAR(pl_mesh_field(mesh, PL_ELEMENT_TRIANGLE, "young")->values[2], 6.0, 0.0);
    pl_mesh_destroy(mesh);
    pl_notes_destroy(notes);
}

TEST(gmsh_reads_version_4)
{
    pl_notes* notes;
    CHECK_INT(pl_notes_create(&notes), PL_OK);
    pl_mesh* mesh = pl_test_read_text("small.msh", small_41, notes);
    CHECK(mesh->vertex_count == 5 && mesh->tet_count == 2 && mesh->triangle_count == 1);
    CHECK_NEAR(pl_test_volume(mesh), 1.0 / 3.0, 1e-15);
    CHECK_INT(pl_mesh_region(mesh, PL_ELEMENT_TET, "a")->count, 1);
    CHECK_INT(pl_mesh_region(mesh, PL_ELEMENT_TET, "b")->count, 2);
    CHECK_INT(pl_mesh_region(mesh, PL_ELEMENT_TRIANGLE, "surface_6")->tag, 6);
    CHECK_INT(pl_mesh_region(mesh, PL_ELEMENT_VERTEX, "point_4")->items[0], 3);
    CHECK(pl_test_noted(notes, "section $Periodic is skipped"));
    pl_mesh_destroy(mesh);
    pl_notes_destroy(notes);
}

// what a test writes as binary, in either byte order
typedef struct bytes {
    char data[4096];
    size_t size;
    bool swap;
} bytes;

static void put(bytes* b, const void* value, size_t size) {
    for (size_t i = 0; i < size; i++)
        b->data[b->size + i] = ((const char*)value)[b->swap ? size - 1 - i : i];
    b->size += size;
}
static void put_text(bytes* b, const char* text) {
    memcpy(b->data + b->size, text, strlen(text));
    b->size += strlen(text);
}
static void put_ints(bytes* b, int count, const int* values) {
    for (int i = 0; i < count; i++) put(b, &values[i], sizeof(int));
}
static void put_sizes(bytes* b, int count, const int64_t* values) {
    for (int i = 0; i < count; i++) put(b, &values[i], sizeof(int64_t));
}

static const double tet_corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};

static void make_binary_2(bytes* b) {
    put_text(b, "$MeshFormat\n2.2 1 8\n");
    put_ints(b, 1, (int[]){1});
    put_text(b, "\n$EndMeshFormat\n$Nodes\n4\n");
    for (int i = 0; i < 4; i++) {
        put_ints(b, 1, (int[]){10 + i});
        for (int k = 0; k < 3; k++) put(b, &tet_corners[3 * i + k], sizeof(double));
    }
    put_text(b, "\n$EndNodes\n$Elements\n2\n");
    put_ints(b, 3, (int[]){2, 1, 2});
    put_ints(b, 6, (int[]){1, 4, 1, 10, 12, 11});
    put_ints(b, 3, (int[]){4, 1, 0});
    put_ints(b, 5, (int[]){2, 10, 11, 12, 13});
    put_text(b, "\n$EndElements\n$NodeData\n1\n\"f\"\n1\n0.0\n3\n0\n1\n1\n");
    put_ints(b, 1, (int[]){13});
    put(b, &(double){2.5}, sizeof(double));
    put_text(b, "\n$EndNodeData\n");
}

static void make_binary_41(bytes* b) {
    put_text(b, "$MeshFormat\n4.1 1 8\n");
    put_ints(b, 1, (int[]){1});
    put_text(b, "\n$EndMeshFormat\n$Entities\n");
    put_sizes(b, 4, (int64_t[]){0, 0, 0, 1});
    put_ints(b, 1, (int[]){1});
    for (int k = 0; k < 6; k++) put(b, &(double){k / 3}, sizeof(double));
    put_sizes(b, 1, (int64_t[]){1});
    put_ints(b, 1, (int[]){4});
    put_sizes(b, 1, (int64_t[]){0});
    put_text(b, "\n$EndEntities\n$Nodes\n");
    put_sizes(b, 4, (int64_t[]){1, 4, 1, 4});
    put_ints(b, 3, (int[]){3, 1, 0});
    put_sizes(b, 5, (int64_t[]){4, 1, 2, 3, INT64_MAX});
    for (int k = 0; k < 12; k++) put(b, &tet_corners[k], sizeof(double));
    put_text(b, "\n$EndNodes\n$Elements\n");
    put_sizes(b, 4, (int64_t[]){1, 1, 1, 1});
    put_ints(b, 3, (int[]){3, 1, 4});
    put_sizes(b, 6, (int64_t[]){1, 1, 1, 2, 3, INT64_MAX});
    put_text(b, "\n$EndElements\n");
}

TEST(gmsh_reads_binary_of_both_byte_orders)
{
    for (int swap = 0; swap < 2; swap++) {
        bytes b = {.swap = swap};
        make_binary_2(&b);
        pl_mesh* mesh = pl_test_read_bytes("b.msh", b.data, b.size, NULL);
        CHECK(mesh->tet_count == 1 && mesh->triangle_count == 1 && mesh->tets[3] == 3);
        CHECK_NEAR(pl_test_volume(mesh), 1.0 / 6.0, 0.0);
        CHECK(pl_mesh_region(mesh, PL_ELEMENT_TRIANGLE, "surface_4"));
        CHECK_NEAR(pl_mesh_field(mesh, PL_ELEMENT_VERTEX, "f")->values[3], 2.5, 0.0);
        pl_mesh_destroy(mesh);
        b.size = 0;
        make_binary_41(&b);
        mesh = pl_test_read_bytes("b.msh", b.data, b.size, NULL);
        CHECK_NEAR(pl_test_volume(mesh), 1.0 / 6.0, 0.0);
        CHECK(pl_mesh_region(mesh, PL_ELEMENT_TET, "volume_4"));
        pl_mesh_destroy(mesh);
    }
}

static void check_file(const char* name, int vertices, int tets, double volume) {
    pl_mesh* mesh = pl_test_read_file(pl_test_data(name), NULL);
    CHECK_INT(mesh->vertex_count, vertices);
    CHECK_INT(mesh->tet_count, tets);
    if (volume > 0.0) CHECK_NEAR(pl_test_volume(mesh), volume, 1e-9 * volume);
    pl_mesh_destroy(mesh);
}

REAL_MESH_TEST(gmsh_reads_real_meshes)
{
    check_file("tets/polyfem_5tets_22_ascii.msh", 8, 5, 5.0 / 6.0);
    check_file("tets/polyfem_5tets_22_binary.msh", 8, 5, 5.0 / 6.0);
    check_file("tets/polyfem_5tets_41_ascii.msh", 8, 5, 5.0 / 6.0);
    check_file("tets/polyfem_5tets_41_binary.msh", 8, 5, 5.0 / 6.0);
    check_file("tets/ipc_bar_186.msh", 86, 186, 5.0);
    check_file("tets/ipc_bar_14114.msh", 3842, 14114, 5.0);
    check_file("tets/gpuipc_bunny_2k_notags.msh", 1869, 7356, 0.0);
    check_file("tets/polyfem_dinosaur_13k_bin22.msh.gz", 13270, 49973, 0.0);
    check_file("tets_generated/armadillo_15k_shuffled.msh.gz", 14590, 75876, 0.0);
    check_file("tets_generated/bar_gmsh_fine.msh.gz", 14260, 71389, 8.0 / 9.0);
    check_file("bad_input/sofa_6_tetra_bad.msh", 17, 6, 0.0);
    check_file("bad_input/polyfem_microstructure_inverted.msh", 1585, 6414, 0.0);
}

REAL_MESH_TEST(gmsh_encodings_agree)
{
    static const char* names[] = {
        "tets_generated/armadillo_1k.msh", "tets_generated/armadillo_1k_v22.msh",
        "tets_generated/armadillo_1k_v22bin.msh", "tets_generated/armadillo_1k_v41bin.msh"};
    pl_mesh* first = pl_test_read_file(pl_test_data(names[0]), NULL);
    for (int i = 1; i < 4; i++) {
        pl_mesh* mesh = pl_test_read_file(pl_test_data(names[i]), NULL);
        CHECK(memcmp(first->positions, mesh->positions, 3 * 1017 * sizeof(double)) == 0);
        CHECK(memcmp(first->tets, mesh->tets, 4 * 3916 * sizeof(int)) == 0);
        pl_mesh_destroy(mesh);
    }
    pl_mesh_destroy(first);
}

REAL_MESH_TEST(gmsh_keeps_groups_of_real_meshes)
{
    pl_mesh* mesh = pl_test_read_file(pl_test_data("tets_generated/bar_gmsh_coarse.msh"), NULL);
    CHECK_INT(pl_mesh_region(mesh, PL_ELEMENT_TET, "bar")->count, mesh->tet_count);
    CHECK_INT(pl_mesh_region(mesh, PL_ELEMENT_TRIANGLE, "fixed_end")->count, 162);
    CHECK_INT(pl_mesh_region(mesh, PL_ELEMENT_TRIANGLE, "free_end")->count, 162);
    pl_mesh_destroy(mesh);
    mesh = pl_test_read_file(pl_test_data("tets/polyfem_two_material_cubes.msh.gz"), NULL);
    CHECK_INT(mesh->region_count, 3);
    CHECK_INT(mesh->regions[0].count + mesh->regions[1].count + mesh->regions[2].count, 32981);
    pl_mesh_destroy(mesh);
    mesh = pl_test_read_file(pl_test_data("tets/libigl_hand_7k_bin22.msh.gz"), NULL);
    CHECK_INT(mesh->triangle_count, 9556);
    CHECK(pl_mesh_field(mesh, PL_ELEMENT_TET, "E") &&
          pl_mesh_field(mesh, PL_ELEMENT_TRIANGLE, "E"));
    pl_mesh_destroy(mesh);
}

static void check_round_trip(const pl_mesh* mesh, const char* name, bool ascii) {
    pl_error error = {0};
    pl_mesh_write_options options = {.ascii = ascii};
    CHECK_OK(pl_mesh_write(mesh, pl_test_path(name), &options, NULL, &error), &error);
    pl_mesh* back = pl_test_read_file(pl_test_path(name), NULL);
    CHECK(pl_test_same_mesh(mesh, back));
    pl_mesh_destroy(back);
}

// a row of tets with awkward positions, regions that overlap and interleave, fields with gaps
static pl_mesh* make_row(void) {
    enum { TETS = 9 };
    double positions[3 * (TETS + 3)], heat[TETS + 3], stress[9 * TETS];
    int tets[4 * TETS];
    for (int i = 0; i < TETS + 3; i++) {
        positions[3 * i] = i / 3.0;
        positions[3 * i + 1] = i == 5 ? -0.0 : sin(i) * 1e-300;
        positions[3 * i + 2] = i == 2 ? 4.9e-324 : i == 3 ? 1.7976931348623157e308 : cos(i);
        heat[i] = i % 3 ? 1.0 / (i + 1) : (double)NAN;
    }
    for (int i = 0; i < 4 * TETS; i++) tets[i] = i / 4 + i % 4;
    for (int i = 0; i < 9 * TETS; i++) stress[i] = i / 7.0;
    int odd[] = {1, 3, 5, 7}, low[] = {0, 1, 2, 3}, all[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    int triangles[] = {0, 2, 1, 1, 3, 2};
    pl_mesh* mesh;
    pl_error e = {0};
    CHECK_OK(pl_mesh_create(positions, TETS + 3, tets, TETS, triangles, 2, &mesh, &e), &e);
    CHECK_OK(pl_mesh_add_region(mesh, PL_ELEMENT_TET, "low", 2, low, 4, &e), &e);
    CHECK_OK(pl_mesh_add_region(mesh, PL_ELEMENT_TET, "odd ones", 4, odd, 4, &e), &e);
    CHECK_OK(pl_mesh_add_region(mesh, PL_ELEMENT_TET, "all", 9, all, 9, &e), &e);
    CHECK_OK(pl_mesh_add_region(mesh, PL_ELEMENT_TRIANGLE, "foot", 1, low + 1, 1, &e), &e);
    CHECK_OK(pl_mesh_add_region(mesh, PL_ELEMENT_VERTEX, "pins", 1, odd, 4, &e), &e);
    CHECK_OK(pl_mesh_add_region(mesh, PL_ELEMENT_VERTEX, "more pins", 2, low, 3, &e), &e);
    CHECK_OK(pl_mesh_add_field(mesh, PL_ELEMENT_VERTEX, "heat", 1, heat, &e), &e);
    CHECK_OK(pl_mesh_add_field(mesh, PL_ELEMENT_TET, "stress", 9, stress, &e), &e);
    CHECK_OK(pl_mesh_add_field(mesh, PL_ELEMENT_TRIANGLE, "v", 3, stress, &e), &e);
    return mesh;
}

TEST(gmsh_round_trip_is_exact)
{
    pl_mesh* mesh = make_row();
    check_round_trip(mesh, "row.msh", false);
    check_round_trip(mesh, "row.msh", true);
    check_round_trip(mesh, "row.msh.gz", false);
    pl_mesh_destroy(mesh);
}

REAL_MESH_TEST(gmsh_round_trip_of_a_real_mesh_is_exact)
{
    pl_mesh* mesh = pl_test_read_file(pl_test_data("tets/libigl_hand_7k_bin22.msh.gz"), NULL);
    check_round_trip(mesh, "hand.msh", false);
    check_round_trip(mesh, "hand.msh", true);
    pl_mesh_destroy(mesh);
}

TEST(gmsh_writing_survives_every_failing_allocation)
{
    pl_mesh* mesh = make_row();
    size_t before = pl_byte_count();
    for (int64_t nth = 1;; nth++) {
        pl_error error = {0};
        pl_inject_failure(nth);
        pl_status status = pl_mesh_write(mesh, pl_test_path("row.msh"), NULL, NULL, &error);
        pl_inject_failure(0);
        CHECK_INT(pl_byte_count(), before);
        if (status == PL_OK) break;
        CHECK_INT(status, PL_ERROR_MEMORY);
    }
    pl_mesh_destroy(mesh);
}

TEST(gmsh_partitions_keep_their_groups)
{
    static const char text[] = "$MeshFormat\n"
                               "4.1 0 8\n"
                               "$EndMeshFormat\n"
                               "$Entities\n"
                               "0 0 0 1\n"
                               "1 0 0 0 1 1 1 1 5 0\n"
                               "$EndEntities\n"
                               "$PartitionedEntities\n"
                               "2\n"
                               "1\n"
                               "9 1\n"
                               "0 0 0 2\n"
                               "11 3 1 1 1 0 0 0 1 1 1 1 5 0\n"
                               "12 3 1 2 1 2 0 0 0 1 1 1 2 5 6 1 -3\n"
                               "$EndPartitionedEntities\n"
                               "$Nodes\n"
                               "1 4 1 4\n"
                               "3 11 0 4\n"
                               "1\n"
                               "2\n"
                               "3\n"
                               "4\n"
                               "0 0 0\n"
                               "1 0 0\n"
                               "0 1 0\n"
                               "0 0 1\n"
                               "$EndNodes\n"
                               "$Elements\n"
                               "2 2 1 2\n"
                               "3 11 4 1\n"
                               "1 1 2 3 4\n"
                               "3 12 4 1\n"
                               "2 2 1 3 4\n"
                               "$EndElements\n";
    pl_mesh* mesh = pl_test_read_text("parts.msh", text, NULL);
    CHECK_INT(mesh->region_count, 2);
    CHECK_INT(pl_mesh_region(mesh, PL_ELEMENT_TET, "volume_5")->count, 2);
    CHECK_INT(pl_mesh_region(mesh, PL_ELEMENT_TET, "volume_6")->items[0], 1);
    pl_mesh_destroy(mesh);
}

TEST(gmsh_version_2_repeats_elements_per_group)
{
    static const char text[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                               "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
                               "$Elements\n4\n1 4 2 1 1 1 2 3 4\n2 4 2 2 1 1 2 3 4\n"
                               "3 4 2 5 1 1 2 3 4\n4 4 2 5 1 1 2 3 4\n$EndElements\n";
    pl_mesh* mesh = pl_test_read_text("r.msh", text, NULL);
    CHECK_INT(mesh->tet_count, 2); // the last one is in the same group: a defect, not a repetition
    CHECK_INT(mesh->region_count, 3);
    CHECK_INT(pl_mesh_region(mesh, PL_ELEMENT_TET, "volume_1")->count, 1);
    CHECK_INT(pl_mesh_region(mesh, PL_ELEMENT_TET, "volume_5")->count, 2);
    pl_mesh_destroy(mesh);
}

TEST(gmsh_reads_version_4_0_and_line_ends_of_windows)
{
    static const char text[] =
        "$MeshFormat\r\n4 0 8\r\n$EndMeshFormat\r\n"
        "$Entities\r\n0 0 0 1\r\n7 0 0 0 1 1 1 1 3 0\r\n$EndEntities\r\n"
        "$Nodes\r\n1 4\r\n7 3 0 4\r\n1 0 0 0\r\n2 1 0 0\r\n3 0 1 0\r\n4 0 0 1\r\n$EndNodes\r\n"
        "$Elements\r\n1 1\r\n7 3 4 1\r\n1 1 2 3 4\r\n$EndElements\r\n";
    pl_mesh* mesh = pl_test_read_text("crlf.msh", text, NULL);
    CHECK_NEAR(pl_test_volume(mesh), 1.0 / 6.0, 0.0);
    CHECK(pl_mesh_region(mesh, PL_ELEMENT_TET, "volume_3"));
    pl_mesh_destroy(mesh);
}

TEST(gmsh_cut_anywhere_gives_an_error)
{
    bytes b2 = {0}, b41 = {0};
    make_binary_2(&b2);
    make_binary_41(&b41);
    // only cuts between the elements and the values, or in the last line end, leave a whole mesh
    const char* text = strstr(small_2, "$NodeData");
    int whole = pl_test_every_cut("cut.msh", small_2, (size_t)(text - small_2));
    CHECK(whole <= 1);
    CHECK(pl_test_every_cut("cut.msh", small_2, sizeof small_2 - 1) <= 6);
    CHECK(pl_test_every_cut("cut.msh", small_41, sizeof small_41 - 1) <= 1);
    CHECK(pl_test_every_cut("cut.msh", b2.data, b2.size) <= 3);
    CHECK(pl_test_every_cut("cut.msh", b41.data, b41.size) <= 1);
}

TEST(gmsh_survives_random_damage)
{
    bytes b2 = {0}, b41 = {0};
    make_binary_2(&b2);
    make_binary_41(&b41);
    pl_test_random_damage("damaged.msh", small_2, sizeof small_2 - 1, 3000);
    pl_test_random_damage("damaged.msh", small_41, sizeof small_41 - 1, 3000);
    pl_test_random_damage("damaged.msh", b2.data, b2.size, 3000);
    pl_test_random_damage("damaged.msh", b41.data, b41.size, 3000);
}

TEST(gmsh_survives_every_failing_allocation)
{
    pl_test_every_allocation("small.msh", small_2, sizeof small_2 - 1);
    pl_test_every_allocation("small.msh", small_41, sizeof small_41 - 1);
}

TEST(gmsh_gzipped)
{
    bytes b = {0};
    make_binary_41(&b);
    pl_test_gzipped("small.msh", small_41, sizeof small_41 - 1);
    pl_test_gzipped("small.msh", b.data, b.size);
}

TEST(gmsh_with_decimal_comma)
{ pl_test_decimal_comma("small.msh", small_2, sizeof small_2 - 1); }

#define FORMAT_2 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define FORMAT_41 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES_2 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"

typedef struct refusal {
    const char* text;
    pl_status status;
    const char* part;
} refusal;

TEST(gmsh_refuses_bad_input)
{
    static const refusal cases[] = {
        {"", PL_ERROR_FORMAT, "has no $MeshFormat"},
        {"garbage", PL_ERROR_FORMAT, "expected $MeshFormat"},
        {"\x7f\x45\x4c\x46\x01\x02", PL_ERROR_FORMAT, "expected $MeshFormat"},
        {"$NOD\n1\n", PL_ERROR_UNSUPPORTED, "Gmsh format 1"},
        {"$MeshFormat\n3.0 0 8\n$EndMeshFormat\n", PL_ERROR_UNSUPPORTED, "format 3 is not read"},
        {"$MeshFormat\n4.0 1 8\n", PL_ERROR_UNSUPPORTED, "binary files of format 4.0"},
        {"$MeshFormat\n4.1 1 4\n", PL_ERROR_UNSUPPORTED, "numbers of 4 bytes"},
        {"$MeshFormat\n4.1 7 8\n", PL_ERROR_FORMAT, "file type is 7"},
        {"$MeshFormat\n4.1 1 8\nabcd\n", PL_ERROR_FORMAT, "byte order"},
        {"$Nodes\n", PL_ERROR_FORMAT, "$Nodes comes before $MeshFormat"},
        {FORMAT_2, PL_ERROR_FORMAT, "has no $Nodes"},
        {FORMAT_2 NODES_2, PL_ERROR_FORMAT, "has no $Elements"},
        {FORMAT_2 NODES_2 NODES_2, PL_ERROR_UNSUPPORTED, ": a second $Nodes"},
        {FORMAT_2 "$Elements\n0\n$EndElements\n", PL_ERROR_FORMAT, "comes before $Nodes"},
        {FORMAT_2 "$Nodes\n0\n$EndNodes\n$Elements\n0\n$EndElements\n", PL_ERROR_MESH,
         "no tets and no triangles"},
        {FORMAT_2 NODES_2 "$Elements\n0\n$EndElements\n", PL_ERROR_MESH, "4 vertices, but no tets"},
        {FORMAT_2 "$Nodes\n2147483648\n1 0 0 0\n", PL_ERROR_FORMAT, "2147483648 nodes are stated"},
        {FORMAT_2 "$Nodes\n99999999999999999999\n", PL_ERROR_FORMAT, "number of nodes"},
        {FORMAT_2 "$Nodes\n-1\n", PL_ERROR_FORMAT, "-1 nodes are stated"},
        {FORMAT_2 "$Nodes\n2\n1 0 0 0\n1 0 0 1\n$EndNodes\n", PL_ERROR_FORMAT,
         "node tag 1 is given twice"},
        {FORMAT_2 "$Nodes\n2\n1 0 0 zero\n2 0 0 0\n$EndNodes\n", PL_ERROR_FORMAT,
         ":6: expected a coordinate, found \"zero\""},
        {FORMAT_2 "$Nodes\n3\n1 0 0 0\n2 0 0 0\n$EndNodes\n", PL_ERROR_FORMAT,
         "expected a node's number"},
        {FORMAT_2 "$Nodes\n1\n1 0 0 0\n2 0 0 0\n$EndNodes\n", PL_ERROR_FORMAT,
         "expected $EndNodes, found \"2\""},
        {FORMAT_2 NODES_2 "$Elements\n1\n1 4 0 1 2 3 5\n$EndElements\n", PL_ERROR_FORMAT,
         "tet 0 refers to node 5"},
        {FORMAT_2 NODES_2 "$Elements\n1\n1 4 0 1 2 3 -1\n$EndElements\n", PL_ERROR_FORMAT,
         "tet 0 refers to node -1"},
        {FORMAT_2 NODES_2 "$Elements\n2\n1 4 0 1 2 3 4\n$EndElements\n", PL_ERROR_FORMAT,
         "expected an element"},
        {FORMAT_2 NODES_2 "$Elements\n2147483648\n1 4 0 1 2 3 4\n", PL_ERROR_FORMAT,
         "expected an element"},
        {FORMAT_2 NODES_2 "$Elements\n1\n1 77 0 1 2 3 4\n", PL_ERROR_UNSUPPORTED, "Gmsh type 77"},
        {FORMAT_2 NODES_2 "$Elements\n1\n1 4 2147483647 1 2 3 4\n", PL_ERROR_FORMAT,
         "2147483647 tags"},
        {FORMAT_2 NODES_2 "$Elements\n2\n1 6 0 1 2 3 4 1 2\n2 4 0 1 2 3 4\n$EndElements\n",
         PL_ERROR_UNSUPPORTED, "holds 1 prisms"},
        {FORMAT_2 NODES_2 "$Elements\n1\n1 11 0 1 2 3 4 1 2 3 4 1 2\n$EndElements\n",
         PL_ERROR_UNSUPPORTED, "SetOrder 1"},
        {FORMAT_41 "$Nodes\n1 4 1 4\n3 1 0 5\n1\n2\n3\n4\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n",
         PL_ERROR_FORMAT, "a block of 5 nodes"},
        {FORMAT_41 "$Nodes\n1 2 1 2\n3 1 0 1\n1\n0 0 0\n$EndNodes\n", PL_ERROR_FORMAT,
         "2 nodes are stated, but the blocks hold 1"},
        {FORMAT_41 "$Nodes\n1 1 1 1\n9 1 0 1\n1\n0 0 0\n$EndNodes\n", PL_ERROR_FORMAT,
         "dimension 9"},
        {FORMAT_41 "$Nodes\n0 2147483648 1 1\n$EndNodes\n", PL_ERROR_FORMAT, "2147483648 nodes"},
        {FORMAT_41 "$Nodes\n0 0 0 0\n$EndNodes\n$Elements\n1 1 1 1\n3 1 4 4611686018427387904\n",
         PL_ERROR_FORMAT, "too short"},
        {FORMAT_41 "$Other\n1 2 3\n", PL_ERROR_FORMAT, "$EndOther is missing"},
        {FORMAT_41 "$Entities\n0 0 0 2147483648\n1 0 0 0 0 0 0 0 0\n", PL_ERROR_FORMAT,
         "expected an entity"},
        {FORMAT_41 "$PhysicalNames\n1\n3 1 open\n", PL_ERROR_FORMAT, "a name in quotes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        pl_test_text_refused("bad.msh", cases[i].text, cases[i].status, cases[i].part);
}

static void check_file_refused(const char* name, const char* part) {
    pl_mesh* mesh;
    pl_error error = {0};
    CHECK_INT(pl_mesh_read(pl_test_data(name), NULL, &mesh, NULL, &error), PL_ERROR_UNSUPPORTED);
    CHECK_TEXT(error.text, part);
    CHECK_TEXT(error.text, name);
}

REAL_MESH_TEST(gmsh_refuses_real_bad_input)
{
    check_file_refused("bad_input/polyfem_armadillo_order4.msh.gz", "4680 tetrahedra of order 4");
    check_file_refused("bad_input/polyfem_hexahedron.msh", "1 hexahedra");
    check_file_refused("tets/vega_asian_dragon_1k.veg", "a Vega mesh");
    check_file_refused("bad_input/softcon_octopus_1k_flipped.tet", ".tet means different things");
}

TEST(gmsh_notes_coordinates_that_are_not_finite)
{
    pl_notes* notes;
    CHECK_INT(pl_notes_create(&notes), PL_OK);
    static const char text[] =
        FORMAT_2 "$Nodes\n4\n1 0 0 0\n2 nan 0 0\n3 0 -inf 0\n4 0 0 1\n$EndNodes\n"
                 "$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n";
    pl_mesh* mesh = pl_test_read_text("nan.msh", text, notes);
    CHECK(isnan(mesh->positions[3]) && isinf(mesh->positions[7]));
    CHECK(pl_test_noted(notes,
                        "2 vertices have coordinates that are not finite, the first is vertex 1"));
    pl_mesh_destroy(mesh);
    pl_notes_destroy(notes);
}

TEST(gmsh_strict_refuses_what_is_mended)
{
    // a value for an element that is not there is dropped, with a note
    static const char text[] = FORMAT_2 NODES_2
        "$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n$ElementData\n1\n\"E\"\n0\n3\n0\n1\n1\n9 "
        "1\n$EndElementData\n";
    pl_mesh_read_options strict = {.strict = true};
    pl_mesh* mesh;
    pl_error error = {0};
    CHECK_INT(pl_mesh_read_memory(text, sizeof text - 1, "s.msh", &strict, &mesh, NULL, &error),
              PL_ERROR_MESH);
    CHECK_TEXT(error.text, "1 values of \"E\" are dropped");
    mesh = pl_test_read_text("s.msh", text, NULL);
    pl_mesh_destroy(mesh);
}

TEST(gmsh_huge_tags_and_many_groups_take_little_memory)
{
    enum { COUNT = 6000 };
    size_t room = 200 + (size_t)COUNT * 64, used = 0;
    char* text = malloc(room);
    CHECK(text);
    used += (size_t)snprintf(text, room,
                             FORMAT_2 "$Nodes\n4\n1 0 0 0\n2147483647 1 0 0\n9000000000000000000 0 "
                                      "1 0\n-9000000000000000000 0 0 1\n$EndNodes\n$Elements\n%d\n",
                             COUNT);
    for (int i = 1; i <= COUNT; i++)
        used += (size_t)snprintf(text + used, room - used,
                                 "%d 2 2 %d %d 1 2147483647 9000000000000000000\n", i, i, i);
    snprintf(text + used, room - used, "$EndElements\n");
    pl_notes* notes;
    CHECK_INT(pl_notes_create(&notes), PL_OK);
    pl_mesh* mesh = pl_test_read_text("many.msh", text, notes);
    CHECK_INT(mesh->region_count, 0);
    CHECK(pl_test_noted(notes, "6000 groups named surface_N are too many"));
    CHECK(pl_byte_count() < 1 << 20);
    pl_mesh_destroy(mesh);
    pl_notes_destroy(notes);
    free(text);
}
