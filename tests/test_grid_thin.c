// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Parts of a lattice that are one or two cells thin.
#include "base/memory.h"
#include "grid/grid_embedding.h"
#include "run_samples.h"
#include "test.h"

#include <math.h>
#include <stdio.h>

// ------------------------------------------------------------------ a creature on thin legs

// An oblique prism with a square section between two ends.
static void write_prism(FILE* file, int number, const double ends[2][3], double half_width) {
    static const int quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    const double along[2] = {ends[1][0] - ends[0][0], ends[1][2] - ends[0][2]};
    const double length = hypot(along[0], along[1]), w = half_width;
    const double across[2] = {length > 0.0 ? -along[1] / length : 1.0,
                              length > 0.0 ? along[0] / length : 0.0};
    for (int n = 0; n < 8; n++) {
        const double *p = ends[n / 4], s = n & 1 ? w : -w, t = n & 2 ? w : -w;
        fprintf(file, "v %.6f %.6f %.6f\n", p[0] + s * across[0], p[1] + t, p[2] + s * across[1]);
    }
    for (int q = 0; q < 6; q++) {
        int v[4];
        for (int k = 0; k < 4; k++) v[k] = 8 * number + quads[q][k] + 1;
        fprintf(file, "f %d %d %d\nf %d %d %d\n", v[0], v[1], v[2], v[0], v[2], v[3]);
    }
}

// a block of 10 cm on four sprawling legs, 1.2 cm thick
static void write_creature(const char* path) {
    static const double ways[4][2] = {{1.0, 0.1}, {-1.0, 0.2}, {0.15, 1.0}, {-0.1, -1.0}};
    FILE* file = fopen(path, "w");
    CHECK(file != NULL);
    write_prism(file, 0, (const double[2][3]){{0.0, 0.16, -0.05}, {0.0, 0.16, 0.05}}, 0.05);
    for (int k = 0; k < 4; k++) {
        const double x = ways[k][0], z = ways[k][1];
        const double ends[2][3] = {{0.03 * x, 0.14, 0.03 * z}, {0.2 * x, 0.02, 0.2 * z}};
        write_prism(file, k + 1, ends, 0.006);
    }
    CHECK(fclose(file) == 0);
}

// With default keys some cells of the legs are one cell thin, with cells of 2 cm all are.
static void stand(const char* keys) {
    char text[512];
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"bodies\": [{\"name\": \"b\", \"mesh\": \"creature.obj\","
             " \"method\": \"grid\", %s \"material\": {\"young\": 2e4, \"poisson\": 0.4,"
             " \"density\": 1000}}], \"colliders\": [{\"plane\": {}, \"friction\": 0.5}]}",
             keys);
    write_creature(pl_test_path("creature.obj"));
    pl_world* world = sample_start(text);
    for (int n = 0; n < 8; n++) {
        pl_frame_info info;
        sample_step(world, 1, &info);
        CHECK_INT(info.unconverged_count, 0);
        if (n == 7) CHECK(info.contact_count > 0);
    }
    pl_world_destroy(world);
}

LONG_TEST(grid_thin_legs_converge_on_the_ground)
{ stand(""); }
LONG_TEST(grid_legs_one_cell_thin_converge_on_the_ground)
{ stand("\"grid\": {\"cell\": 0.02},"); }

// ------------------------------------------------------------------ bending

// A plate one cell thick, clamped along one side, sags like a plate of that thickness.
LONG_TEST(grid_plate_one_cell_thick_bends_as_theory_says)
{
    pl_world* world = sample_start(
        "{\"pliant\": 1, \"bodies\": [{\"name\": \"b\", \"method\": \"grid\", \"integrator\":"
        " \"quasistatic\", \"material\": {\"young\": 1e7, \"poisson\": 0, \"density\": 10},"
        " \"grid\": {\"cell\": 0.01}, \"linear_iterations\": 200, \"generate\": {\"shape\": "
        "\"bar\","
        " \"size_x\": 0.3, \"size_y\": 0.01, \"size_z\": 0.05, \"edge\": 0.01}}],"
        " \"attachments\": [{\"body\": \"b\", \"where\": {\"side\": \"-x\"}}]}");
    pl_frame_info info;
    sample_step(world, 1, &info);
    CHECK_INT(info.unconverged_count, 0);
    const pl_mesh* mesh = pl_world_mesh(world, 0);
    const double* x = pl_world_positions(world, 0);
    double sag = 0.0;
    for (int v = 0; v < mesh->vertex_count; v++)
        sag = fmax(sag, mesh->positions[3 * v + 1] - x[3 * v + 1]);
    const double theory = 10.0 * 9.81 * 12.0 * pow(0.3, 4.0) / (8.0 * 1e7 * 0.01 * 0.01);
    CHECK_NEAR(sag, theory, 0.03 * theory);
    pl_world_destroy(world);
}

// ------------------------------------------------------------------ embedding

// A block with an arm two cells thick. What is across the arm outside follows from it and from
// where the arm begins, not from extrapolation along its length.
TEST(grid_arms_have_no_long_levers)
{
    enum { LENGTH = 24, POINTS = 20 };
    pl_error error;
    pl_grid_cells cells;
    pl_grid_level level;
    pl_grid_embedding_map map;
    const pl_grid_frame frame = {.cell = 1.0};
    CHECK_OK(
        pl_grid_cells_create((const int[3]){0, 0, 0}, (const int[3]){6, LENGTH, 6}, &cells, &error),
        &error);
    for (int n = 0; n < 6 * LENGTH * 6; n++) {
        int at[3];
        pl_grid_cells_place(&cells, (size_t)n, at);
        const bool arm = at[0] >= 2 && at[0] < 4 && at[2] < 2;
        cells.kinds[n] = at[1] < 4 || arm ? PL_CELL_INTERIOR : PL_CELL_EXTERIOR;
    }
    CHECK_OK(pl_grid_cells_widen(&cells, &error), &error);
    CHECK_OK(pl_grid_level_create(&cells, &level, &error), &error);
    double points[3 * POINTS], gains[3 * POINTS];
    for (int n = 0; n < POINTS; n++) {
        points[3 * n] = 2.1, points[3 * n + 1] = 4.2 + 0.98 * n, points[3 * n + 2] = 0.1;
    }
    CHECK_OK(pl_grid_embed(&level, &cells, &frame, points, POINTS, &map, &error), &error);
    double* scratch[3];
    for (int a = 0; a < 3; a++) scratch[a] = PL_ALLOC(double, level.field_size);
    pl_grid_gains(&map, level.field_size, scratch, gains);
    for (int n = 0; n < 3 * POINTS; n++) CHECK(gains[n] <= 7.0);
    for (int a = 0; a < 3; a++) PL_FREE(scratch[a], double, level.field_size);
    pl_grid_embedding_free(&map);
    pl_grid_level_free(&level);
    pl_grid_cells_free(&cells);
}

// A world whose nth allocation fails says so and leaves nothing behind; true if it needed fewer.
static bool fails_cleanly(const pl_scene* scene, int64_t nth) {
    pl_world* world = NULL;
    pl_error error;
    pl_inject_failure(nth);
    pl_status status = pl_world_create(scene, &world, NULL, &error);
    const bool done = pl_inject_failure(0) < nth;
    if (status == PL_OK) pl_world_destroy(world);
    else CHECK_INT(status, PL_ERROR_MEMORY);
    return done;
}

TEST(grid_thin_plate_survives_every_failing_allocation)
{
    pl_scene* scene = sample_scene(
        "{\"pliant\": 1, \"threads\": 1, \"bodies\": [{\"name\": \"b\", \"method\": \"grid\","
        " \"grid\": {\"cell\": 0.1}, \"generate\": {\"shape\": \"bar\", \"size_x\": 0.4,"
        " \"size_y\": 0.1, \"size_z\": 0.3, \"edge\": 0.1}}]}");
    int64_t nth = 1;
    while (!fails_cleanly(scene, nth)) nth++;
    CHECK(nth > 50);
    pl_scene_destroy(scene);
}
