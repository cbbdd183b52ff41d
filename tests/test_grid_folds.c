// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bodies of parts that are far apart: memory and results are those of the parts.
#include "base/memory.h"
#include "grid/grid_cells.h"
#include "run_samples.h"
#include "sample_meshes.h"
#include "surface_samples.h"

#include <math.h>
#include <pliant/world.h>

enum { CUBE_VERTICES = 8 };

// a cube of 1 m, or two of them that are `apart` metres away from each other along all axes
static void write_cubes(const char* name, double apart) {
    pl_mesh* cube = sample_box_surface(0, 0, 0, 1, 1, 1);
    if (apart > 0.0) {
        pl_mesh* both = sample_join(cube, cube, 0.0);
        for (int i = 3 * CUBE_VERTICES; i < 6 * CUBE_VERTICES; i++) both->positions[i] += apart;
        pl_mesh_destroy(cube);
        cube = both;
    }
    sample_write(cube, name);
}

static pl_world* make_world(const char* mesh, double cell, const char* body, const char* more) {
    char text[1200];
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"time_step\": 0.01, \"bodies\": [{\"name\": \"b\", \"mesh\": \"%s\","
             " \"method\": \"grid\", \"grid\": {\"cell\": %g}, \"material\": {\"law\": \"linear\","
             " \"young\": 1e5, \"poisson\": 0.3, \"density\": 1000}%s}]%s}",
             mesh, cell, body, more);
    pl_error error;
    pl_world* world = sample_try(text, NULL, &error);
    CHECK_OK(world ? PL_OK : error.status, &error);
    return world;
}

// A box of 10^8 cells, of which 2 x 64 are in use.
TEST(grid_far_parts_take_memory_by_their_cells)
{
    write_cubes("far.obj", 116.0);
    write_cubes("near.obj", 2.0);
    pl_world* near = make_world("near.obj", 0.25, "", "");
    size_t before = pl_byte_count();
    pl_world* far = make_world("far.obj", 0.25, "", "");
    size_t bytes = pl_byte_count() - before;
    CHECK(bytes < 4000000);
    pl_world_destroy(far);
    pl_world_destroy(near);
}

// more cells along two axes than an int can count in a plane
TEST(grid_far_parts_need_not_be_counted_by_ints)
{
    write_cubes("far.obj", 100000.0);
    pl_world* world = make_world("far.obj", 0.5, "", "");
    sample_step(world, 2, NULL);
    const double* x = pl_world_positions(world, 0);
    for (int v = 0; v < CUBE_VERTICES; v++)
        for (int a = 0; a < 3; a++)
            CHECK_NEAR(x[3 * (v + CUBE_VERTICES) + a] - 100000.0, x[3 * v + a], 1e-9);
    CHECK(x[1] < -1e-4);
    pl_world_destroy(world);
}

// Each part of a folded lattice sags as it does alone.
TEST(grid_far_parts_move_as_they_do_alone)
{
    write_cubes("far.obj", 116.0);
    write_cubes("one.obj", 0.0);
    const char* low = "{\"body\": \"b\", \"where\": {\"box\": {\"min\": [-1, 0.9, -1],"
                      " \"max\": [2, 1.1, 2]}}}";
    char one_held[400], both_held[600];
    snprintf(one_held, sizeof one_held, ", \"attachments\": [%s]", low);
    snprintf(both_held, sizeof both_held,
             ", \"attachments\": [%s, {\"body\": \"b\", \"where\": {\"box\": {\"min\": [115, 116.9,"
             " 115], \"max\": [118, 117.1, 118]}}}]",
             low);
    pl_world* one = make_world("one.obj", 0.25, "", one_held);
    pl_world* far = make_world("far.obj", 0.25, "", both_held);
    sample_step(one, 5, NULL);
    sample_step(far, 5, NULL);
    const double *x = pl_world_positions(one, 0), *y = pl_world_positions(far, 0);
    double sag = 0.0;
    for (int i = 0; i < 3 * CUBE_VERTICES; i++) {
        CHECK_NEAR(y[i], x[i], 1e-6);
        CHECK_NEAR(y[i + 3 * CUBE_VERTICES] - 116.0, x[i], 1e-6);
        if (i % 3 == 1) sag = fmin(sag, x[i]);
    }
    CHECK(sag < -1e-4);
    pl_world_destroy(one);
    pl_world_destroy(far);
}

// The start of a spin reaches parts where they are: v = omega x (x - middle).
TEST(grid_far_parts_spin_around_the_middle_of_the_body)
{
    write_cubes("far.obj", 116.0);
    pl_world* world = make_world("far.obj", 0.25, ", \"angular_velocity\": [0, 0, 0.1]", "");
    const double *x = pl_world_positions(world, 0), *v = pl_world_velocities(world, 0);
    const double omega = 0.1 * acos(-1.0) / 180.0, middle = 58.5;
    for (int k = 0; k < 2 * CUBE_VERTICES; k++) {
        CHECK_NEAR(v[3 * k], -omega * (x[3 * k + 1] - middle), 1e-6);
        CHECK_NEAR(v[3 * k + 1], omega * (x[3 * k] - middle), 1e-6);
    }
    pl_world_destroy(world);
}

TEST(grid_folds_go_there_and_back)
{
    write_cubes("far.obj", 1000.0);
    pl_mesh* cube = sample_box_surface(0, 0, 0, 1, 1, 1);
    pl_mesh* both = sample_join(cube, cube, 1000.0);
    pl_grid_frame frame = {.cell = 0.25};
    pl_error error;
    for (int a = 0; a < 3; a++) CHECK_OK(pl_grid_frame_fold(&frame, a, both, 3, &error), &error);
    CHECK_INT(frame.fold_count[0], 1);
    CHECK_INT(frame.fold_count[1], 0);
    CHECK_INT(frame.fold_count[2], 0);
    CHECK_INT(frame.folds[0][0].width % 64, 0);
    double left_out = (double)pl_grid_left_out(&frame, 0);
    CHECK(left_out > 4000.0 - 64.0 - 2.0 * 64.0 && left_out < 4000.0);
    CHECK_NEAR(pl_grid_folded(&frame, 0, 2.5), 2.5, 0.0);
    CHECK_NEAR(pl_grid_folded(&frame, 0, 4001.5), 4001.5 - left_out, 0.0);
    CHECK_NEAR(pl_grid_unfolded(&frame, 0, 4001.5 - left_out), 4001.5, 0.0);
    // what is left out lies where the lattice goes on
    double at = pl_grid_folded(&frame, 0, 2000.0);
    CHECK_NEAR(at, pl_grid_folded(&frame, 0, 2500.0), 0.0);
    CHECK(at > 2.5 + 30.0 && at < 4001.5 - left_out - 30.0);
    pl_mesh_destroy(cube);
    pl_mesh_destroy(both);
}
