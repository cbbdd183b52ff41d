// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "base/memory.h"
#include "base/random.h"
#include "math/vec3.h"
#include "read_checks.h"
#include "sample_meshes.h"

#include <pliant/mesh_check.h>
#include <stdlib.h>

static pl_mesh_report report_of(const pl_mesh* mesh) {
    pl_mesh_report report;
    pl_error error;
    CHECK_OK(pl_mesh_check(mesh, NULL, NULL, &report, &error), &error);
    return report;
}

static int64_t defect_count(const pl_mesh* mesh) {
    pl_mesh_report report = report_of(mesh);
    int64_t count = 0;
    for (int i = 0; i < PL_DEFECT_COUNT; i++) count += report.defects[i].count;
    return count;
}

// repairs, and the note that this left must hold the part
static void repair(pl_mesh* mesh, const pl_mesh_repair_options* options, const char* part) {
    pl_notes* notes;
    pl_error error;
    CHECK_INT(pl_notes_create(&notes), PL_OK);
    CHECK_OK(pl_mesh_repair(mesh, options, notes, &error), &error);
    bool noted = !part || pl_test_noted(notes, part);
    if (!noted)
        pl_test_fail(__FILE__, __LINE__, "no note \"%s\", but %d, first \"%s\"", part,
                     pl_notes_count(notes),
                     pl_notes_count(notes) ? pl_notes_text(notes, 0, NULL) : "");
    pl_notes_destroy(notes);
}

static void turn_tet(pl_mesh* mesh, int t) {
    int swapped = mesh->tets[4 * t];
    mesh->tets[4 * t] = mesh->tets[4 * t + 1];
    mesh->tets[4 * t + 1] = swapped;
}

static void turn_triangle(pl_mesh* mesh, int t) {
    int swapped = mesh->triangles[3 * t];
    mesh->triangles[3 * t] = mesh->triangles[3 * t + 1];
    mesh->triangles[3 * t + 1] = swapped;
}

TEST(repair_leaves_sound_meshes_alone)
{
    pl_mesh *box = sample_box(2, 2, 1), *copy;
    pl_error error;
    CHECK_OK(pl_mesh_copy(box, &copy, &error), &error);
    pl_notes* notes;
    CHECK_INT(pl_notes_create(&notes), PL_OK);
    CHECK_OK(pl_mesh_repair(box, NULL, notes, &error), &error);
    CHECK_INT(pl_notes_count(notes), 0);
    CHECK(pl_test_same_mesh(box, copy));
    pl_notes_destroy(notes);
    pl_mesh_destroy(copy);
    pl_mesh_destroy(box);
    pl_mesh* empty;
    CHECK_OK(pl_mesh_create(NULL, 0, NULL, 0, NULL, 0, &empty, &error), &error);
    CHECK_OK(pl_mesh_repair(empty, NULL, NULL, &error), &error);
    pl_mesh_destroy(empty);
}

TEST(repair_turns_inverted_tets)
{
    pl_mesh* box = sample_box(2, 2, 2);
    turn_tet(box, 7);
    turn_tet(box, 9);
    pl_notes* notes;
    pl_error error;
    CHECK_INT(pl_notes_create(&notes), PL_OK);
    CHECK_OK(pl_mesh_repair(box, NULL, notes, &error), &error);
    CHECK_INT(pl_notes_count(notes), 1); // none of them folded
    CHECK_TEXT(pl_notes_text(notes, 0, NULL), "turned inverted tets: 2 (first: tet 7)");
    pl_notes_destroy(notes);
    CHECK_INT(defect_count(box), 0);
    CHECK_NEAR(report_of(box).quality.volume, 8.0, 1e-12);
    for (int t = 0; t < box->tet_count; t++) turn_tet(box, t);
    repair(box, NULL, "turned inverted tets, which all were: 48");
    CHECK_INT(defect_count(box), 0);
    pl_mesh_destroy(box);
}

TEST(repair_tells_folded_tets_from_turned_ones)
{
    pl_mesh* box = sample_box(2, 2, 2);
    for (int i = 0; i < 3; i++) box->positions[i] = 1.2; // a corner pushed through the box
    int64_t inverted = report_of(box).defects[PL_DEFECT_INVERTED_TETS].count;
    CHECK_INT(inverted, 6); // the tets at that corner
    repair(box, NULL, "6 of the turned tets are folded over their neighbours (first: tet 0)");
    CHECK_INT(report_of(box).defects[PL_DEFECT_INVERTED_TETS].count, 0);
    pl_mesh_destroy(box);
}

TEST(repair_joins_what_was_cut_apart)
{
    // two boxes face to face with vertices of their own become one
    pl_mesh *box = sample_box(1, 2, 2), *two = sample_join(box, box, 1.0);
    CHECK_INT(report_of(two).component_count, 2);
    repair(two, NULL, "merged vertices into others at the same place: 9 (first: vertex");
    CHECK_INT(two->vertex_count, 27);
    CHECK_INT(defect_count(two), 0);
    CHECK_INT(report_of(two).component_count, 1);
    pl_mesh_destroy(two);
    // nearly so: only with a tolerance
    two = sample_join(box, box, 1.0 + 1e-9);
    pl_mesh_repair_options near = {.tolerance = 1e-8};
    repair(two, NULL, NULL);
    CHECK_INT(report_of(two).component_count, 2);
    repair(two, &near, "merged vertices");
    CHECK_INT(report_of(two).component_count, 1);
    pl_mesh_destroy(two);
    pl_mesh_destroy(box);
}

TEST(repair_drops_what_cannot_be_used)
{
    pl_mesh* box = sample_box(2, 1, 1);
    pl_mesh* mesh;
    pl_error error;
    // box, then a flat tet, a tet with a vertex twice, a duplicate, and one with a bad vertex
    int tets[4 * 16];
    memcpy(tets, box->tets, 12 * 4 * sizeof(int));
    int more[] = {0, 1, 3, 4, 5, 5, 6, 7, 3, 2, 1, 0, 0, 1, 3, 13};
    memcpy(more + 8, box->tets + 4 * 5, 4 * sizeof(int));
    memcpy(tets + 48, more, sizeof more);
    double positions[3 * 14];
    memcpy(positions, box->positions, 36 * sizeof(double));
    for (int i = 36; i < 42; i++) positions[i] = i == 40 ? NAN : 5.0; // 12 unused, 13 bad
    CHECK_OK(pl_mesh_create(positions, 14, tets, 16, NULL, 0, &mesh, &error), &error);
    pl_mesh* again;
    CHECK_OK(pl_mesh_copy(mesh, &again, &error), &error);
    repair(mesh, NULL, "dropped vertices that are not finite: 1 (first: vertex 13)");
    CHECK(pl_test_same_mesh(mesh, box));
    const char* parts[] = {"dropped tets with such vertices: 1 (first: tet 15)",
                           "dropped degenerate tets: 2 (first: tet 12)",
                           "dropped duplicate tets: 1 (first: tet 14)",
                           "dropped unreferenced vertices: 1 (first: vertex 12)"};
    for (int i = 0; i < 4; i++) {
        pl_mesh* copy;
        CHECK_OK(pl_mesh_copy(again, &copy, &error), &error);
        repair(copy, NULL, parts[i]);
        pl_mesh_destroy(copy);
    }
    pl_mesh_repair_options keep = {.keep_unused = true};
    repair(again, &keep, NULL);
    CHECK_INT(again->vertex_count, 13); // the one that is not finite cannot stay
    pl_mesh_destroy(again);
    pl_mesh_destroy(mesh);
    pl_mesh_destroy(box);
}

TEST(repair_winds_surfaces_outward)
{
    pl_mesh* sphere = sample_sphere(2);
    for (int t = 0; t < sphere->triangle_count; t += 3) turn_triangle(sphere, t);
    repair(sphere, NULL, "turned triangles to wind alike and outward");
    CHECK_INT(defect_count(sphere), 0);
    CHECK(report_of(sphere).enclosed_volume > 3.5);
    for (int t = 0; t < sphere->triangle_count; t++) turn_triangle(sphere, t);
    repair(sphere, NULL, "turned triangles to wind alike and outward: 128 (first: triangle 0)");
    CHECK_INT(defect_count(sphere), 0);

    // a hollow ball, all of it inside out: the inner sphere ends up looking inward
    pl_mesh* ball = sample_join(sphere, sphere, 0.0);
    int n = sphere->triangle_count;
    for (int i = 3 * sphere->vertex_count; i < 3 * ball->vertex_count; i++)
        ball->positions[i] *= 0.5;
    for (int t = 0; t < n; t++) turn_triangle(ball, t);
    repair(ball, NULL, "turned triangles");
    CHECK_INT(defect_count(ball), 0);
    double volume = report_of(sphere).enclosed_volume;
    CHECK_NEAR(report_of(ball).enclosed_volume, 0.875 * volume, 1e-12);
    pl_mesh_destroy(ball);
    pl_mesh_destroy(sphere);

    // an open sheet follows its majority
    pl_mesh* sheet = sample_sheet(3, 3);
    turn_triangle(sheet, 0);
    turn_triangle(sheet, 8);
    repair(sheet, NULL, "turned triangles to wind alike and outward: 2 (first: triangle 0)");
    CHECK_INT(report_of(sheet).defects[PL_DEFECT_UNEVEN_EDGES].count, 0);
    pl_mesh_destroy(sheet);
}

// the triangles without those in [from, to), as a mesh of its own
static pl_mesh* without(const pl_mesh* mesh, int from, int to) {
    pl_mesh* out;
    pl_error error;
    int count = mesh->triangle_count, *triangles = malloc(3 * (size_t)count * sizeof(int)),
        kept = 0;
    for (int t = 0; t < count; t++)
        if (t < from || t >= to)
            memcpy(triangles + 3 * kept++, mesh->triangles + 3 * t, 3 * sizeof(int));
    CHECK_OK(
        pl_mesh_create(mesh->positions, mesh->vertex_count, NULL, 0, triangles, kept, &out, &error),
        &error);
    free(triangles);
    return out;
}

TEST(repair_fills_holes)
{
    pl_mesh* sphere = sample_sphere(3);
    double volume = report_of(sphere).enclosed_volume;
    for (int size = 1; size <= 22; size += 3) {
        pl_mesh* holed = without(sphere, 100, 100 + size);
        int holes = report_of(holed).hole_count;
        CHECK(holes > 0);
        pl_mesh_repair_options none = {0}, small = {.fill_hole_edges = 200};
        repair(holed, &none, NULL);
        CHECK(report_of(holed).hole_count == holes);
        repair(holed, &small, "filled holes: ");
        pl_mesh_report r = report_of(holed);
        CHECK(r.surface_closed && r.surface_manifold && r.genus == 0);
        CHECK_INT(r.defects[PL_DEFECT_UNEVEN_EDGES].count, 0);
        CHECK(r.enclosed_volume > 0.8 * volume && r.enclosed_volume <= volume + 1e-12);
        pl_mesh_destroy(holed);
    }
    pl_mesh* holed = without(sphere, 0, 1);
    pl_mesh_repair_options tiny = {.fill_hole_edges = 2};
    repair(holed, &tiny, "left holes open: 1");
    CHECK_INT(report_of(holed).hole_count, 1);
    pl_mesh_destroy(holed);
    pl_mesh_destroy(sphere);
}

TEST(repair_keeps_a_surface_with_flat_triangles_closed)
{
    // a tet whose edge 0 1 is cut in three on one side only: 0 4 1 and 4 5 1 have no area
    double positions[] = {0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 3, 1, 0, 0, 2, 0, 0};
    int triangles[] = {0, 2, 1, 0, 1, 4, 4, 1, 5, 0, 4, 3, 4, 5, 3, 5, 1, 3, 1, 2, 3, 0, 3, 2};
    pl_mesh* mesh;
    pl_error error;
    CHECK_OK(pl_mesh_create(positions, 6, NULL, 0, triangles, 8, &mesh, &error), &error);
    pl_mesh_report r = report_of(mesh);
    CHECK(r.surface_closed && r.defects[PL_DEFECT_FLAT_TRIANGLES].count == 2);
    for (int64_t nth = 1;; nth++) { // every allocation failing once
        pl_mesh* copy;
        CHECK_OK(pl_mesh_copy(mesh, &copy, &error), &error);
        pl_inject_failure(nth);
        pl_status status = pl_mesh_repair(copy, NULL, NULL, &error);
        pl_inject_failure(0);
        CHECK(status == PL_ERROR_MEMORY || (status == PL_OK && nth > 10));
        pl_mesh_destroy(copy);
        if (status == PL_OK) break;
    }
    repair(mesh, NULL, "gave degenerate triangles an area by turning their long edge: 2");
    CHECK_INT(defect_count(mesh), 0);
    r = report_of(mesh);
    CHECK(r.surface_closed && r.genus == 0 && mesh->triangle_count == 8);
    CHECK_NEAR(r.enclosed_volume, 4.5, 1e-12);
    pl_mesh_destroy(mesh);
}

TEST(repair_carries_regions_fields_and_uvs)
{
    // a sheet of four triangles; a vertex twice, a degenerate triangle in front, one turned
    double positions[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 7, 7, 7, 1, 1, 0, 2, 0, 0, 2, 1, 0};
    int triangles[] = {0, 0, 1, 0, 1, 2, 0, 2, 3, 1, 6, 7, 5, 1, 7};
    pl_mesh* mesh;
    pl_error error;
    CHECK_OK(pl_mesh_create(positions, 8, NULL, 0, triangles, 5, &mesh, &error), &error);
    mesh->uvs = PL_ALLOC(double, 2 * 15);
    mesh->uv_count = 15;
    mesh->triangle_uvs = PL_ALLOC(int, 15);
    for (int i = 0; i < 15; i++) mesh->triangle_uvs[i] = i;
    turn_triangle(mesh, 3); // vertices only, so that corner 0 has uv 9 and is vertex 6
    double heat[8], mark[10];
    for (int i = 0; i < 8; i++) heat[i] = i;
    for (int i = 0; i < 10; i++) mark[i] = i;
    CHECK_OK(pl_mesh_add_region(mesh, PL_ELEMENT_VERTEX, "pin", 1, (int[]){4, 5, 6}, 3, &error),
             &error);
    CHECK_OK(pl_mesh_add_region(mesh, PL_ELEMENT_TRIANGLE, "red", 2, (int[]){0, 4}, 2, &error),
             &error);
    CHECK_OK(pl_mesh_add_field(mesh, PL_ELEMENT_VERTEX, "heat", 1, heat, &error), &error);
    CHECK_OK(pl_mesh_add_field(mesh, PL_ELEMENT_TRIANGLE, "mark", 2, mark, &error), &error);
    repair(mesh, NULL, "turned triangles");
    CHECK(mesh->vertex_count == 6 && mesh->triangle_count == 4);
    // vertices 0 1 2 3 6 7 are left; 5 became 2
    const pl_region *pin = pl_mesh_region(mesh, PL_ELEMENT_VERTEX, "pin"),
                    *red = pl_mesh_region(mesh, PL_ELEMENT_TRIANGLE, "red");
    CHECK(pin->count == 2 && pin->items[0] == 2 && pin->items[1] == 4 && pin->tag == 1);
    CHECK(red->count == 1 && red->items[0] == 3);
    const double* values = pl_mesh_field(mesh, PL_ELEMENT_VERTEX, "heat")->values;
    CHECK(values[2] == 2.0 && values[4] == 6.0 && values[5] == 7.0);
    values = pl_mesh_field(mesh, PL_ELEMENT_TRIANGLE, "mark")->values;
    CHECK(values[0] == 2.0 && values[6] == 8.0 && values[7] == 9.0);
    // corners kept their texture coordinates: 6 was corner 0 with 9, 1 corner 1 with 10
    for (int k = 0; k < 3; k++) {
        int v = mesh->triangles[3 * 2 + k], uv = mesh->triangle_uvs[3 * 2 + k];
        CHECK_INT(uv, v == 4 ? 9 : v == 1 ? 10 : 11);
    }
    pl_mesh_destroy(mesh);
}

TEST(repair_survives_every_failing_allocation)
{
    pl_mesh *sphere = sample_sphere(1), *two = sample_join(sphere, sphere, 3.0);
    pl_mesh* mesh = without(two, 3, 4);
    pl_error error;
    mesh->uvs = PL_ALLOC(double, 2);
    mesh->uv_count = 1;
    mesh->triangle_uvs = PL_ALLOC(int, 3 * (size_t)mesh->triangle_count);
    turn_triangle(mesh, 5);
    mesh->positions[0] = NAN;
    CHECK_OK(pl_mesh_add_region(mesh, PL_ELEMENT_VERTEX, "r", 1, (int[]){1}, 1, &error), &error);
    double* values = calloc((size_t)mesh->vertex_count, sizeof(double));
    CHECK_OK(pl_mesh_add_field(mesh, PL_ELEMENT_VERTEX, "f", 1, values, &error), &error);
    free(values);
    int vertex_count = mesh->vertex_count;
    size_t before = pl_byte_count();
    int64_t nth = 1;
    for (;; nth++) {
        pl_mesh_repair_options options = {.fill_hole_edges = 10};
        pl_inject_failure(nth);
        pl_status status = pl_mesh_repair(mesh, &options, NULL, &error);
        pl_inject_failure(0);
        if (status == PL_OK) break;
        CHECK_INT(status, PL_ERROR_MEMORY);
        CHECK_INT(pl_byte_count(), before);
        CHECK_INT(mesh->vertex_count, vertex_count);
    }
    CHECK(nth > 40);
    CHECK_INT(defect_count(mesh), 0);
    pl_mesh_destroy(mesh);
    pl_mesh_destroy(two);
    pl_mesh_destroy(sphere);
}

TEST(repair_of_an_inverted_tet_in_a_file)
{
    // four tets in a row, the last one inside out
    static const char file[] = "MeshVersionFormatted 2\nDimension 3\nVertices 7\n"
                               "0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n1 1 1 0\n"
                               "2 1 1 0\n2 2 1 0\nTetrahedra 4\n"
                               "1 2 3 4 0\n2 3 4 5 0\n2 5 4 6 0\n5 6 7 2 0\nEnd\n";
    pl_test_write_file(pl_test_path("row.mesh"), file, sizeof file - 1);
    pl_mesh* mesh = pl_test_read_file(pl_test_path("row.mesh"), NULL);
    repair(mesh, NULL, "turned inverted tets: 1 (first: tet 3)");
    CHECK_INT(report_of(mesh).defects[PL_DEFECT_INVERTED_TETS].count, 0);
    pl_mesh_destroy(mesh);
}

REAL_MESH_TEST(repair_of_an_inverted_tet_in_a_real_file)
{
    const char* path = pl_test_data("bad_input/sofa_6_tetra_bad.msh");
    pl_mesh* mesh = pl_test_read_file(path, NULL);
    repair(mesh, NULL, "turned inverted tets: 1 (first: tet 5)");
    CHECK_INT(report_of(mesh).defects[PL_DEFECT_INVERTED_TETS].count, 0);
    pl_mesh_destroy(mesh);
}

REAL_MESH_TEST(repair_of_the_raw_bunny)
{
    pl_mesh* mesh = pl_test_read_file(pl_test_data("surfaces/bunny_stanford_raw.obj.gz"), NULL);
    pl_mesh_repair_options options = {.fill_hole_edges = 200};
    repair(mesh, &options, "dropped unreferenced vertices: 1113 (first: vertex 8)");
    pl_mesh_report r = report_of(mesh);
    CHECK(r.surface_closed && r.surface_manifold && r.genus == 0 && r.enclosed_volume > 0.0);
    CHECK_INT(mesh->vertex_count, 35947 - 1113);
    pl_mesh_destroy(mesh);
}

// anything that a file may hold: few places, so that much coincides, and numbers out of bounds
static pl_mesh* wild_mesh(pl_random* random) {
    static const double odd[] = {NAN, INFINITY, -INFINITY, 1e308, -1e308, 1e-310, 1e150, -0.0};
    double positions[3 * 24];
    int tets[4 * 40], triangles[3 * 60];
    int n = 4 + pl_random_int(random, 20), tet_count = pl_random_int(random, 41);
    int triangle_count = pl_random_int(random, 61);
    for (int i = 0; i < 3 * n; i++)
        positions[i] = pl_random_int(random, 60) == 0 ? odd[pl_random_int(random, 8)]
                                                      : pl_random_int(random, 4);
    if (pl_random_int(random, 2)) tet_count = 0;
    for (int i = 0; i < 4 * tet_count; i++) tets[i] = pl_random_int(random, n);
    for (int i = 0; i < 3 * triangle_count; i++) triangles[i] = pl_random_int(random, n);
    pl_mesh* mesh;
    pl_error error;
    CHECK_OK(
        pl_mesh_create(positions, n, tets, tet_count, triangles, triangle_count, &mesh, &error),
        &error);
    return mesh;
}

LONG_TEST(repair_of_wild_meshes_leaves_nothing_that_it_mends)
{
    static const pl_defect_kind mended[] = {PL_DEFECT_NON_FINITE,     PL_DEFECT_INVERTED_TETS,
                                            PL_DEFECT_FLAT_TETS,      PL_DEFECT_EQUAL_TETS,
                                            PL_DEFECT_FLAT_TRIANGLES, PL_DEFECT_EQUAL_TRIANGLES,
                                            PL_DEFECT_EQUAL_VERTICES, PL_DEFECT_UNUSED_VERTICES};
    pl_random random = {21};
    for (int round = 0; round < 2000; round++) {
        pl_mesh* mesh = wild_mesh(&random);
        report_of(mesh);
        pl_mesh_repair_options options = {.fill_hole_edges = round % 3 ? 0 : 8};
        repair(mesh, &options, NULL);
        pl_mesh_report r = report_of(mesh);
        for (size_t i = 0; i < sizeof mended / sizeof mended[0]; i++)
            if (r.defects[mended[i]].count)
                pl_test_fail(__FILE__, __LINE__, "round %d leaves %s", round,
                             pl_defect_text(mended[i]));
        pl_mesh_destroy(mesh);
    }
}
