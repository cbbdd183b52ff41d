// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Surfaces filled with tets stay the bodies they were: thin walls and necks, pieces, volumes, the
// advice of `pliant info`, and other meshers.
#include "base/memory.h"
#include "host.h"
#include "mesh/thickness.h"
#include "sample_meshes.h"
#include "tet_checks.h"

#include <jansson.h>
#include <pliant/pliant.h>
#include <stdlib.h>
#include <sys/stat.h>

static char text[20000];

// ---- surfaces

enum { AROUND = 48, MAX_PROFILE = 16 };

// A profile of (radius, z) points, counter-clockwise, turned about the z axis. Points on the axis
// are one vertex each.
static pl_mesh* revolve(const double (*profile)[2], int count) {
    double positions[MAX_PROFILE * AROUND * 3];
    int triangles[2 * MAX_PROFILE * AROUND * 3], first[MAX_PROFILE], vertex_count = 0, n = 0;
    for (int i = 0; i < count; i++) {
        first[i] = vertex_count;
        int copies = profile[i][0] > 0.0 ? AROUND : 1;
        for (int k = 0; k < copies; k++, vertex_count++) {
            double angle = 2.0 * acos(-1.0) * k / AROUND;
            positions[3 * vertex_count] = profile[i][0] * cos(angle);
            positions[3 * vertex_count + 1] = profile[i][0] * sin(angle);
            positions[3 * vertex_count + 2] = profile[i][1];
        }
    }
    for (int i = 0; i < count; i++) {
        int j = (i + 1) % count;
        bool low_round = profile[i][0] > 0.0, high_round = profile[j][0] > 0.0;
        for (int k = 0; k < AROUND && (low_round || high_round); k++) {
            int l = (k + 1) % AROUND;
            int a = first[i] + (low_round ? k : 0), b = first[i] + (low_round ? l : 0);
            int c = first[j] + (high_round ? l : 0), d = first[j] + (high_round ? k : 0);
            if (low_round)
                triangles[n] = a, triangles[n + 1] = b, triangles[n + 2] = high_round ? c : d,
                n += 3;
            if (high_round) triangles[n] = a, triangles[n + 1] = c, triangles[n + 2] = d, n += 3;
        }
    }
    return sample_mesh(positions, vertex_count, NULL, 0, triangles, n / 3);
}

static const double WALL = 0.0015;

// a cup with a wall and a bottom of 1.5 mm, 24 mm wide and 20 mm high
static pl_mesh* make_cup(void) {
    const double r = 0.012, h = 0.02;
    const double profile[][2] = {{0, 0},        {r, 0},           {r, h},
                                 {r - WALL, h}, {r - WALL, WALL}, {0, WALL}};
    return revolve(profile, 6);
}

// two balls of 0.2 m joined by a neck of 2 cm
static pl_mesh* make_dumbbell(void) {
    const double neck = 0.01;
    const double profile[][2] = {{0, -0.4},    {0.07, -0.37}, {0.1, -0.3},  {0.07, -0.23},
                                 {neck, -0.2}, {neck, 0.2},   {0.07, 0.23}, {0.1, 0.3},
                                 {0.07, 0.37}, {0, 0.4}};
    return revolve(profile, 10);
}

static const char* save(pl_mesh* mesh, const char* name) {
    pl_error error;
    CHECK_OK(pl_mesh_write(mesh, pl_test_path(name), NULL, NULL, &error), &error);
    pl_mesh_destroy(mesh);
    return pl_test_path(name);
}

static int run(const char* format, const char* a, const char* b) {
    char command[3000];
    snprintf(command, sizeof command, format, a, b);
    return pl_test_run(command, text, sizeof text);
}

// ---- thickness

TEST(fill_thickness_of_walls)
{
    pl_mesh *cup = make_cup(), *ball = sample_sphere(3);
    pl_error error;
    pl_thickness t;
    pl_solid solid;
    CHECK_OK(
        pl_solid_build(cup->positions, cup->triangles, cup->triangle_count, true, &solid, &error),
        &error);
    CHECK_OK(pl_surface_thickness(cup, &solid, NULL, &t, &error), &error);
    CHECK_NEAR(t.thin, WALL, 0.01 * WALL);
    CHECK_NEAR(t.median, WALL, 0.01 * WALL);
    pl_solid_free(&solid);
    CHECK_OK(pl_solid_build(ball->positions, ball->triangles, ball->triangle_count, true, &solid,
                            &error),
             &error);
    CHECK_OK(pl_surface_thickness(ball, &solid, NULL, &t, &error), &error);
    CHECK_NEAR(t.thin, 2.0, 0.1);
    pl_solid_free(&solid);
    pl_mesh_destroy(cup);
    pl_mesh_destroy(ball);
}

// ---- pieces and volume

static tet_quality fill_soundly(const pl_mesh* surface, double volume) {
    pl_mesh* mesh;
    pl_error error;
    CHECK_OK(pl_tetrahedralise(surface, NULL, &mesh, NULL, &error), &error);
    tet_quality q = check_tets(mesh);
    CHECK_INT(q.part_count, 1);
    CHECK_NEAR(q.volume, volume, 0.05 * volume);
    pl_mesh_destroy(mesh);
    return q;
}

LONG_TEST(fill_keeps_thin_bodies_whole)
{
    pl_mesh *cup = make_cup(), *dumbbell = make_dumbbell();
    double inner = 0.012 - WALL;
    double polygon = 0.5 * AROUND * sin(2.0 * acos(-1.0) / AROUND); // in place of pi
    fill_soundly(cup, polygon * (0.012 * 0.012 * 0.02 - inner * inner * (0.02 - WALL)));
    pl_mesh_report report;
    pl_error error;
    CHECK_OK(pl_mesh_check(dumbbell, NULL, NULL, &report, &error), &error);
    fill_soundly(dumbbell, report.enclosed_volume);
    pl_mesh_destroy(cup);
    pl_mesh_destroy(dumbbell);
}

// the number that follows a text
static double number_after(const char* all, const char* before) {
    const char* at = strstr(all, before);
    if (!at) pl_test_fail(__FILE__, __LINE__, "\"%s\" does not contain \"%s\"", all, before);
    return strtod(at + strlen(before), NULL);
}

LONG_TEST(fill_that_splits_is_refused_and_an_edge_named)
{
    pl_mesh *dumbbell = make_dumbbell(), *mesh;
    pl_error error;
    pl_notes* notes;
    CHECK(pl_notes_create(&notes) == PL_OK);
    pl_tetrahedralise_options options = pl_default_tetrahedralise_options();
    options.edge = 0.04;
    CHECK_INT(pl_tetrahedralise(dumbbell, &options, &mesh, NULL, &error), PL_ERROR_MESH);
    CHECK(!mesh);
    CHECK_TEXT(error.text, "becomes tets in 2 pieces");
    CHECK_TEXT(error.text, "tetgen");
    // asked for, it is done and told
    options.allow_split = true;
    CHECK_OK(pl_tetrahedralise(dumbbell, &options, &mesh, notes, &error), &error);
    CHECK_TEXT(pl_notes_text(notes, pl_notes_count(notes) - 1, NULL), "became 2 of tets");
    pl_mesh_destroy(mesh);
    // and the edge that was named works
    options.allow_split = false;
    CHECK_INT(pl_tetrahedralise(dumbbell, &options, &mesh, NULL, &error), PL_ERROR_MESH);
    options.edge = number_after(error.text, "; an edge of ");
    CHECK_OK(pl_tetrahedralise(dumbbell, &options, &mesh, NULL, &error), &error);
    CHECK_INT(check_tets(mesh).part_count, 1);
    pl_mesh_destroy(mesh);
    pl_notes_destroy(notes);
    pl_mesh_destroy(dumbbell);
}

LONG_TEST(fill_of_a_cup_with_a_coarse_edge_is_refused)
{
    pl_mesh *cup = make_cup(), *mesh;
    pl_error error;
    pl_tetrahedralise_options options = pl_default_tetrahedralise_options();
    options.edge = 0.003;
    CHECK_INT(pl_tetrahedralise(cup, &options, &mesh, NULL, &error), PL_ERROR_MESH);
    CHECK(!mesh);
    options.edge = number_after(error.text, "; an edge of ");
    CHECK_OK(pl_tetrahedralise(cup, &options, &mesh, NULL, &error), &error);
    CHECK_INT(check_tets(mesh).part_count, 1);
    pl_mesh_destroy(mesh);
    // where no edge is short enough, that is said, with the limit
    options.edge = 0.0;
    options.tet_limit = 500;
    CHECK_INT(pl_tetrahedralise(cup, &options, &mesh, NULL, &error), PL_ERROR_MESH);
    CHECK_TEXT(error.text, "limit of 500");
    CHECK_TEXT(error.text, "tetgen");
    pl_mesh_destroy(cup);
}

static void turn_over(pl_mesh* surface, int first_triangle) {
    for (int t = first_triangle; t < surface->triangle_count; t++) {
        int* corners = surface->triangles + 3 * t;
        int swap = corners[0];
        corners[0] = corners[1];
        corners[1] = swap;
    }
}

LONG_TEST(fill_counts_pieces_of_many_parts)
{
    pl_mesh *ball = sample_sphere(3), *mesh, *small = sample_sphere(3);
    for (int i = 0; i < 3 * small->vertex_count; i++) small->positions[i] *= 0.6;
    pl_error error;
    pl_tetrahedralise_options options = pl_default_tetrahedralise_options();
    options.edge = 0.15;
    // two apart, one of them inside out
    pl_mesh* apart = sample_join(ball, ball, 3.0);
    turn_over(apart, ball->triangle_count);
    CHECK_OK(pl_tetrahedralise(apart, &options, &mesh, NULL, &error), &error);
    CHECK_INT(check_tets(mesh).part_count, 2);
    pl_mesh_destroy(mesh);
    // a hollow ball is one piece in two surfaces
    pl_mesh* hollow = sample_join(ball, small, 0.0);
    turn_over(hollow, ball->triangle_count);
    CHECK_OK(pl_tetrahedralise(hollow, &options, &mesh, NULL, &error), &error);
    CHECK_INT(check_tets(mesh).part_count, 1);
    pl_mesh_destroy(mesh);
    // a part that is lost is not passed over, though its volume is small
    pl_mesh_destroy(apart);
    for (int v = 0; v < small->vertex_count; v++) small->positions[3 * v] *= 0.05;
    apart = sample_join(ball, small, 3.0);
    options.edge = 0.3;
    CHECK_INT(pl_tetrahedralise(apart, &options, &mesh, NULL, &error), PL_ERROR_MESH);
    CHECK_TEXT(error.text, "2 pieces becomes tets in 1 piece");
    pl_mesh_destroy(apart);
    pl_mesh_destroy(hollow);
    pl_mesh_destroy(small);
    pl_mesh_destroy(ball);
}

TEST(fill_says_when_the_limit_of_tets_decides)
{
    pl_mesh *ball = sample_sphere(2), *mesh;
    pl_error error;
    pl_notes* notes;
    CHECK(pl_notes_create(&notes) == PL_OK);
    pl_tetrahedralise_options options = pl_default_tetrahedralise_options();
    options.tet_limit = 20;
    options.coarsest_edge = 0.2;
    options.allow_split = true;
    for (int v = 0; v < ball->vertex_count; v++) ball->positions[3 * v] *= 0.3;
    CHECK_OK(pl_tetrahedralise(ball, &options, &mesh, notes, &error), &error);
    CHECK_TEXT(pl_notes_text(notes, pl_notes_count(notes) - 1, NULL), "limit of 20 tets");
    pl_mesh_destroy(mesh);
    pl_notes_destroy(notes);
    pl_mesh_destroy(ball);
}

TEST(fill_survives_every_failing_allocation)
{
    pl_mesh *apart, *mesh, *ball = sample_sphere(0);
    apart = sample_join(ball, ball, 3.0); // several parts take the longest way
    pl_error error;
    pl_tetrahedralise_options options = pl_default_tetrahedralise_options();
    options.coarsest_edge = 0.3;
    size_t before = pl_byte_count();
    for (int64_t nth = 1;; nth++) {
        pl_inject_failure(nth);
        pl_status status = pl_tetrahedralise(apart, &options, &mesh, NULL, &error);
        pl_inject_failure(0);
        if (status == PL_OK) break;
        CHECK_INT(status, PL_ERROR_MEMORY);
        CHECK(!mesh);
        CHECK_INT(pl_byte_count(), before);
    }
    pl_mesh_destroy(mesh);
    pl_mesh_destroy(apart);
    pl_mesh_destroy(ball);
}

// ---- the command

LONG_TEST(fill_by_the_command)
{
    const char* surface = save(make_dumbbell(), "dumbbell.obj");
    char in[700];
    snprintf(in, sizeof in, "%s", surface);
    const char* out = pl_test_path("dumbbell.msh");
    CHECK_INT(run("pliant mesh %s -o %s --edge 0.04", in, out), 2);
    CHECK_TEXT(text, "an edge of 0.0");
    CHECK_TEXT(text, "--allow-split");
    CHECK_INT(run("pliant mesh %s -o %s --edge 0.04 --allow-split", in, out), 0);
    CHECK_TEXT(text, "2 components");
    CHECK_INT(run("pliant info %s%s", out, ""), 0);
    CHECK_TEXT(text, "in 2 separate pieces");
    CHECK_INT(run("pliant mesh %s -o %s", in, out), 0);
    CHECK_TEXT(text, "1 component\n");
}

// Runs the command between backticks in the verdict of `pliant info`, with its OUT in place.
static void follow_advice(const char* file, const char* out) {
    char advice[2000], command[3000], in[700];
    snprintf(in, sizeof in, "%s", file);
    CHECK_INT(run("pliant info '%s'%s", in, ""), 0);
    const char* from = strstr(text, "verdict");
    from = from ? strchr(from, '`') : NULL;
    const char* to = from ? strchr(from + 1, '`') : NULL;
    if (!to) pl_test_fail(__FILE__, __LINE__, "no advice in: %s", text);
    snprintf(advice, sizeof advice, "%.*s", (int)(to - from - 1), from + 1);
    char* hole = strstr(advice, "OUT");
    CHECK(hole);
    const char* ending = hole + 3; // ".msh ..."
    size_t length = strcspn(ending, " ");
    snprintf(command, sizeof command, "%.*s%s%s", (int)(hole - advice), advice, out,
             ending + length);
    CHECK_INT(pl_test_run(command, text, sizeof text), 0);
}

LONG_TEST(fill_advice_of_info_works)
{
    char out[700];
    snprintf(out, sizeof out, "%s", pl_test_path("out.msh"));
    follow_advice(save(make_cup(), "cup.obj"), out);
    CHECK_INT(run("pliant info %s%s", out, ""), 0);
    CHECK_TEXT(text, "ready to simulate\n");
    CHECK_TEXT(text, "components   1\n");
    follow_advice(save(make_dumbbell(), "dumbbell with a blank.obj"), out);
}

LONG_TEST(fill_advice_of_info_works_for_a_bear)
{
    char bear[700], out[700];
    snprintf(bear, sizeof bear, "%s", pl_test_path("bear.obj"));
    snprintf(out, sizeof out, "%s", pl_test_path("out.msh"));
    CHECK_INT(run("pliant mesh --generate gummy-bear --edge 0.006 -o %s%s", bear, ""), 0);
    follow_advice(bear, out);
    CHECK_INT(run("pliant info %s%s", out, ""), 0);
    CHECK_TEXT(text, "ready to simulate\n");
}

// triangles that touch but share no vertex
static pl_mesh* make_soup(void) {
    pl_mesh* sheet = sample_sheet(4, 4);
    int count = sheet->triangle_count, triangles[96];
    double positions[288];
    for (int c = 0; c < 3 * count; c++) {
        memcpy(positions + 3 * c, sheet->positions + 3 * sheet->triangles[c], 3 * sizeof(double));
        triangles[c] = c;
    }
    pl_mesh_destroy(sheet);
    return sample_mesh(positions, 3 * count, NULL, 0, triangles, count);
}

TEST(fill_advice_of_info_works_for_a_soup)
{
    char out[700];
    snprintf(out, sizeof out, "%s", pl_test_path("out.obj"));
    follow_advice(save(make_soup(), "soup.obj"), out);
    CHECK_INT(run("pliant info %s%s", out, ""), 0);
    CHECK_TEXT(text, "ready to simulate as cloth\n");
    CHECK_TEXT(text, "components   1\n");
}

// ---- scenes

static const char* write_scene(const char* keys) {
    char json[3000];
    snprintf(json, sizeof json,
             "{\"pliant\": 1, \"frames\": 1, \"gravity\": [0, 0, 0], \"bodies\": [{%s}]}", keys);
    const char* path = pl_test_path("scene.json");
    pl_test_write_file(path, json, strlen(json));
    return path;
}

static int run_scene(const char* keys) {
    char scene[700];
    snprintf(scene, sizeof scene, "%s", write_scene(keys));
    return run("pliant run %s -o %s --force", scene, pl_test_path("run"));
}

LONG_TEST(fill_in_a_scene)
{
    pl_mesh* body = make_dumbbell();
    save(body, "dumbbell.obj");
    CHECK_INT(run_scene("\"mesh\": \"dumbbell.obj\""), 0);
    CHECK_TEXT(text, "the surface was filled with");
    CHECK_TEXT(text, "thinner than");
    CHECK(!strstr(text, "connected parts"));
    CHECK(run_scene("\"mesh\": \"dumbbell.obj\", \"edge\": 0.04") != 0);
    CHECK_TEXT(text, "becomes tets in 2 pieces");
    CHECK_INT(run_scene("\"mesh\": \"dumbbell.obj\", \"edge\": 0.04, \"allow_split\": true"), 0);
    CHECK_TEXT(text, "became 2 of tets");
}

// A program of that name that knows one surface, for where there is no TetGen.
static void install_fake_tetgen(const char* folder) {
    static const char script[] =
        "#!/bin/sh\n"
        "folder=$(dirname \"$2\")\n"
        "printf '4 3 0 0\\n0 0 0 0\\n1 1 0 0\\n2 0 1 0\\n3 0 0 1\\n' >\"$folder/surface.1.node\"\n"
        "printf '1 4 0\\n0 0 1 2 3\\n' >\"$folder/surface.1.ele\"\n";
    char path[800];
    snprintf(path, sizeof path, "%s/tetgen", folder);
    pl_test_write_file(path, script, sizeof script - 1);
    CHECK_INT(chmod(path, 0755), 0);
}

TEST(fill_with_tetgen_in_a_scene)
{
    if (!getenv("PLIANT_BIN")) SKIP("the command is looked up by PATH");
    const double positions[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const int triangles[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
    save(sample_mesh(positions, 4, NULL, 0, triangles, 4), "tet.obj");
    char* path = strdup(getenv("PATH"));
    char with_fake[3000];
    install_fake_tetgen(pl_test_folder());
    snprintf(with_fake, sizeof with_fake, "%s:%s", pl_test_folder(), path);
    pl_test_set_environment("PATH", with_fake);
    int done = run_scene("\"mesh\": \"tet.obj\", \"mesher\": \"tetgen\"");
    char said[2000];
    snprintf(said, sizeof said, "%.1900s", text);
    pl_test_set_environment("PATH", path);
    free(path);
    CHECK_INT(done, 0);
    CHECK_TEXT(said, "filled with 1 tets");
}

TEST(fill_with_tetgen_that_is_not_installed)
{
    if (!getenv("PLIANT_BIN")) SKIP("the command is looked up by PATH");
    save(make_dumbbell(), "dumbbell.obj");
    char scene[700];
    snprintf(scene, sizeof scene, "%s",
             write_scene("\"mesh\": \"dumbbell.obj\", \"mesher\": \"tetgen\""));
    char* path = strdup(getenv("PATH"));
    pl_test_set_environment("PATH", "/nonexistent");
    int code = run("pliant run %s -o %s", scene, pl_test_path("run"));
    pl_test_set_environment("PATH", path);
    free(path);
    CHECK(code != 0);
    CHECK_TEXT(text, "tetgen is not installed");
    CHECK_TEXT(text, "stuffing");
}
