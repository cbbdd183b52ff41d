// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Selections on a box of 3 x 3 x 3 vertices over [0, 2]^3, vertex 9 z + 3 y + x.
#include "base/memory.h"
#include "scene/selection.h"
#include "test.h"

#include <pliant/generate.h>

static pl_mesh* lattice(void) {
    double positions[81];
    for (int v = 0; v < 27; v++) {
        positions[3 * v] = v % 3;
        positions[3 * v + 1] = v / 3 % 3;
        positions[3 * v + 2] = v / 9;
    }
    pl_mesh* mesh;
    pl_error error;
    int tet[] = {0, 1, 3, 9}, triangle[] = {0, 3, 1};
    CHECK_OK(pl_mesh_create(positions, 27, tet, 1, triangle, 1, &mesh, &error), &error);
    CHECK_OK(pl_mesh_add_region(mesh, PL_ELEMENT_TET, "tip", 0, (int[]){0}, 1, &error), &error);
    CHECK_OK(pl_mesh_add_region(mesh, PL_ELEMENT_VERTEX, "eye", 0, (int[]){26}, 1, &error), &error);
    return mesh;
}

static pl_selection of_kind(pl_selection_kind kind) {
    pl_selection s = pl_default_selection();
    s.kind = kind;
    return s;
}

static pl_selection box(double low, double high) {
    pl_selection s = of_kind(PL_SELECT_BOX);
    for (int k = 0; k < 3; k++) s.box.min[k] = low, s.box.max[k] = high;
    return s;
}

// checks the number of selected vertices and the sum of their indices
static void check(const pl_mesh* mesh, const pl_selection* s, int count, int sum) {
    pl_selected selected;
    pl_error error;
    CHECK_OK(pl_selection_vertices(s, mesh, "b", &selected, &error), &error);
    int total = 0;
    for (int i = 0; i < selected.count; i++) {
        total += selected.items[i];
        CHECK(i == 0 || selected.items[i] > selected.items[i - 1]);
    }
    int found = selected.count;
    pl_selected_free(&selected);
    CHECK_INT(found, count);
    CHECK_INT(total, sum);
}

TEST(selection_by_place)
{
    pl_mesh* mesh = lattice();
    pl_selection s = of_kind(PL_SELECT_EVERYTHING);
    check(mesh, &s, 27, 351);
    s = box(-0.5, 1.0);
    check(mesh, &s, 8, 0 + 1 + 3 + 4 + 9 + 10 + 12 + 13);
    s = of_kind(PL_SELECT_SPHERE);
    s.sphere = (pl_sphere_shape){{1, 1, 1}, 1.0};
    check(mesh, &s, 7, 13 + 12 + 14 + 10 + 16 + 4 + 22);
    s = of_kind(PL_SELECT_CAPSULE);
    s.capsule = (pl_capsule_shape){{0, 0, 0}, {0, 0, 1}, 0.1};
    check(mesh, &s, 2, 0 + 9);
    s = of_kind(PL_SELECT_HALF_SPACE);
    s.half_space = (pl_plane_shape){{0, 0.5, 0}, {0, 7, 0}};
    check(mesh, &s, 9, 0 + 1 + 2 + 9 + 10 + 11 + 18 + 19 + 20);
    s = of_kind(PL_SELECT_NEAREST);
    s.nearest = (pl_nearest_shape){{2.2, 2.1, 2.3}, 2};
    check(mesh, &s, 2, 26 + 23);
    pl_mesh_destroy(mesh);
}

TEST(selection_by_side)
{
    pl_mesh* mesh = lattice();
    static const int sums[PL_SIDE_COUNT] = {108, 126, 90, 144, 36, 198};
    for (int face = 0; face < PL_SIDE_COUNT; face++) {
        pl_selection s = of_kind(PL_SELECT_SIDE);
        s.side.face = (pl_side)face;
        check(mesh, &s, 9, sums[face]);
        s.side.depth = 0.5;
        check(mesh, &s, 18, sums[face] + 117);
    }
    pl_mesh_destroy(mesh);
}

TEST(selection_by_number_and_region)
{
    pl_mesh* mesh = lattice();
    pl_selection s = of_kind(PL_SELECT_VERTICES);
    s.vertices = (int[]){5, 3, 5};
    s.vertex_count = 3;
    check(mesh, &s, 2, 8);
    s = of_kind(PL_SELECT_REGION);
    s.region = "tip";
    check(mesh, &s, 4, 0 + 1 + 3 + 9);
    s.region = "eye";
    check(mesh, &s, 1, 26);
    pl_mesh_destroy(mesh);
}

TEST(selection_combines)
{
    pl_mesh* mesh = lattice();
    pl_selection parts[2] = {box(0, 1), box(1, 2)};
    pl_selection s = of_kind(PL_SELECT_AND);
    s.parts = parts;
    s.part_count = 2;
    check(mesh, &s, 1, 13);
    s.kind = PL_SELECT_OR;
    check(mesh, &s, 15, 8 * 13 / 2 + 8 * 39 / 2 - 13);
    s.kind = PL_SELECT_NOT;
    s.part_count = 1;
    check(mesh, &s, 19, 351 - 52);
    // deeper: not in either
    pl_selection either = of_kind(PL_SELECT_OR);
    either.parts = parts;
    either.part_count = 2;
    s.parts = &either;
    check(mesh, &s, 12, 351 - (52 + 156 - 13 + 0));
    pl_mesh_destroy(mesh);
}

static void check_fails(const pl_mesh* mesh, const pl_selection* s, const char* text) {
    pl_selected selected;
    pl_error error;
    CHECK_INT(pl_selection_vertices(s, mesh, "bear", &selected, &error), PL_ERROR_ARGUMENT);
    CHECK(selected.count == 0 && !selected.items);
    CHECK_TEXT(error.text, text);
}

TEST(selection_says_what_is_wrong)
{
    pl_mesh* mesh = lattice();
    pl_selection s = box(5, 6);
    check_fails(
        mesh, &s,
        "nothing of body \"bear\" is selected: its 27 vertices are from (0, 0, 0) to (2, 2, 2)");
    s = of_kind(PL_SELECT_VERTICES);
    s.vertices = (int[]){27};
    s.vertex_count = 1;
    check_fails(mesh, &s, "vertex 27 is selected, but body \"bear\" has the vertices 0 to 26");
    s = of_kind(PL_SELECT_REGION);
    s.region = "eyes";
    check_fails(mesh, &s, "no region \"eyes\"; did you mean \"eye\"?");
    pl_mesh_destroy(mesh);
}

TEST(selection_of_surface_triangles)
{
    pl_mesh* mesh;
    pl_surface* surface;
    pl_error error;
    pl_selected selected;
    pl_generate_options options;
    CHECK_OK(pl_generate_defaults("box", &options, &error), &error);
    options.size_x = options.size_y = options.size_z = 1.0;
    options.edge = 0.3;
    CHECK_OK(pl_generate("box", &options, &mesh, &error), &error);
    CHECK_OK(pl_mesh_surface(mesh, &surface, &error), &error);
    pl_selection s = of_kind(PL_SELECT_SIDE);
    s.side.face = PL_SIDE_HIGH_Z;
    CHECK_OK(pl_selection_triangles(&s, mesh, surface, "b", &selected, &error), &error);
    // together they cover the side once
    double area = 0.0;
    for (int i = 0; i < selected.count; i++) {
        const int* t = surface->mesh->triangles + 3 * (size_t)selected.items[i];
        const double *a = surface->mesh->positions + 3 * (size_t)t[0],
                     *b = surface->mesh->positions + 3 * (size_t)t[1],
                     *c = surface->mesh->positions + 3 * (size_t)t[2];
        area += 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
    }
    CHECK_NEAR(area, 1.0, 1e-12);
    pl_selected_free(&selected);
    // the rest: five sides
    pl_selection rest = of_kind(PL_SELECT_NOT);
    rest.parts = &s;
    rest.part_count = 1;
    CHECK_OK(pl_selection_triangles(&rest, mesh, surface, "b", &selected, &error), &error);
    CHECK_INT(selected.count, surface->mesh->triangle_count / 6 * 5);
    pl_selected_free(&selected);
    pl_surface_destroy(surface);
    pl_mesh_destroy(mesh);
}

TEST(selection_survives_failing_allocations)
{
    pl_mesh* mesh = lattice();
    pl_selection nearest = of_kind(PL_SELECT_NEAREST), s = of_kind(PL_SELECT_NOT);
    nearest.nearest = (pl_nearest_shape){{0, 0, 0}, 3};
    s.parts = &nearest;
    s.part_count = 1;
    for (int64_t nth = 1;; nth++) {
        pl_selected selected;
        pl_error error;
        pl_inject_failure(nth);
        pl_status status = pl_selection_vertices(&s, mesh, "b", &selected, &error);
        pl_selected_free(&selected);
        if (status == PL_OK) break;
        CHECK_INT(status, PL_ERROR_MEMORY);
        CHECK(nth < 100);
    }
    pl_inject_failure(0);
    pl_mesh_destroy(mesh);
}
