// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "grid/grid_box_smooth.h"
#include "grid_samples.h"
#include "test.h"

#include <math.h>

typedef struct body {
    pl_grid_cells cells;
    pl_grid_multigrid mg;
    pl_grid_state state;
} body;

static body make_body(pl_grid_cells cells, double nu) {
    body b = {.cells = cells};
    pl_error error;
    CHECK_OK(pl_grid_multigrid_create(&cells, NULL, &b.mg, &error), &error);
    CHECK_OK(pl_grid_state_create(&b.mg.levels[0], &b.state, &error), &error);
    b.state.compressibility = (1.0 - 2.0 * nu) / (2.0 * nu);
    pl_grid_multigrid_set_material(&b.mg, b.state.compressibility, 0.0);
    return b;
}

static void free_body(body* b) {
    pl_grid_state_free(&b->mg.levels[0], &b->state);
    pl_grid_multigrid_free(&b->mg);
    pl_grid_cells_free(&b->cells);
}

static void load(body* b) {
    const pl_grid_level* l = &b->mg.levels[0];
    for (int i = 0; i < l->field_size; i++)
        for (int a = 0; a < 3; a++)
            if (pl_grid_bit(l->masks[i / PL_GRID_CHUNK].face[a], i))
                b->state.f[a][i] = sin(0.1 * i + a);
}

TEST(grid_box_smooth_solves_the_box_of_a_cell)
{
    // one cell between held ones along x, y and z: a single box, so one sweep is the answer
    const int low[3] = {0, 0, 0}, size[3] = {4, 3, 3};
    pl_grid_cells cells;
    pl_error error;
    CHECK_OK(pl_grid_cells_create(low, size, &cells, &error), &error);
    for (int n = 0; n < 36; n++) cells.kinds[n] = PL_CELL_DIRICHLET;
    cells.kinds[pl_grid_cells_index(&cells, 1, 1, 1)] = PL_CELL_INTERIOR;
    cells.kinds[pl_grid_cells_index(&cells, 2, 1, 1)] = PL_CELL_INTERIOR;
    body b = make_body(cells, 0.3);
    fill_random(&b.mg.levels[0], &b.state, 1);
    load(&b);
    // two cells share one face: sweeps go to and fro between two boxes
    for (int k = 0; k < 60; k++) pl_grid_box_smooth(&b.mg.levels[0], PL_BOXES_ALL, &b.state);
    CHECK(pl_grid_residual(&b.mg.levels[0], &b.state, NULL) < 1e-12);
    free_body(&b);
}

TEST(grid_box_smooth_converges_to_what_cycles_find)
{
    static const double nu[] = {0.2, 0.49};
    for (int n = 0; n < 2; n++) {
        body boxes = make_body(sample_ball_cells(4), nu[n]);
        body cycles = make_body(sample_ball_cells(4), nu[n]);
        load(&boxes), load(&cycles);
        pl_grid_level* l = &cycles.mg.levels[0];
        double first = pl_grid_residual(l, &cycles.state, NULL);
        for (int k = 0; k < 120; k++) {
            pl_grid_multigrid_cycle(&cycles.mg);
            pl_grid_correct(l, &cycles.state, NULL);
            pl_grid_residual(l, &cycles.state, NULL);
        }
        for (int k = 0; k < 1500; k++)
            pl_grid_box_smooth(&boxes.mg.levels[0], PL_BOXES_ALL, &boxes.state);
        CHECK(pl_grid_residual(&boxes.mg.levels[0], &boxes.state, NULL) < 1e-7 * first);
        double largest = 0.0, off = 0.0;
        for (int i = 0; i < l->field_size; i++)
            for (int a = 0; a < 3; a++) {
                largest = fmax(largest, fabs(cycles.state.u[a][i]));
                off = fmax(off, fabs(cycles.state.u[a][i] - boxes.state.u[a][i]));
            }
        if (!(off < 1e-4 * largest))
            pl_test_fail(__FILE__, __LINE__, "%g of %g apart at nu %g", off, largest, nu[n]);
        free_body(&boxes);
        free_body(&cycles);
    }
}

TEST(grid_box_smooth_boundary_leaves_the_middle_alone)
{
    body b = make_body(sample_box_cells(8), 0.4);
    pl_grid_level* l = &b.mg.levels[0];
    fill_random(l, &b.state, 2);
    int middle = pl_grid_index(l, 4, 4, 4), side = pl_grid_index(l, 4, 1, 4);
    double before[2] = {b.state.u[1][middle], b.state.u[1][side]};
    double residual = pl_grid_residual(l, &b.state, NULL);
    pl_grid_box_smooth(l, PL_BOXES_BOUNDARY, &b.state);
    CHECK(b.state.u[1][middle] == before[0]);
    CHECK(b.state.u[1][side] != before[1]);
    CHECK(pl_grid_residual(l, &b.state, NULL) < residual);
    free_body(&b);
}
