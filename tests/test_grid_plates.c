// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bodies of method grid that are a few cells thin.
#include "base/memory.h"
#include "grid/grid_corot.h"
#include "grid/grid_linear.h"
#include "grid/grid_recombine.h"
#include "run_samples.h"
#include "test.h"

#include <math.h>
#include <stdio.h>

// A plate of span x thickness x span cells. It is held at low x, or on all of its low side.
static pl_grid_cells plate_cells(int span, int thickness, bool held_below) {
    const int low[3] = {0, 0, 0}, size[3] = {span, thickness, span};
    pl_grid_cells cells;
    pl_error error;
    CHECK_OK(pl_grid_cells_create(low, size, &cells, &error), &error);
    for (int k = 0; k < span; k++)
        for (int j = 0; j < thickness; j++)
            for (int i = 0; i < span; i++)
                cells.kinds[pl_grid_cells_index(&cells, i, j, k)] =
                    (held_below ? j == 0 : i == 0) ? PL_CELL_DIRICHLET : PL_CELL_INTERIOR;
    return cells;
}

typedef struct plate {
    pl_grid_cells cells;
    pl_grid_lattice lattice;
    pl_grid_linear mg;
    pl_grid_state state;
} plate;

// with a weight of 1 across the plate
static void start_plate(plate* p, int span, int thickness, bool held_below) {
    pl_error error;
    *p = (plate){.cells = plate_cells(span, thickness, held_below)};
    CHECK_OK(pl_grid_lattice_create(&p->cells, &p->lattice, &error), &error);
    CHECK_OK(pl_grid_linear_create(&p->lattice, &p->cells, NULL, &p->mg, &error), &error);
    const pl_grid_level* l = &p->lattice.levels[0];
    CHECK_OK(pl_grid_state_create(l, &p->state, &error), &error);
    p->state.compressibility = 0.25;
    pl_grid_linear_update(&p->mg, p->state.compressibility, 0.0);
    const int axis = held_below ? 0 : 1;
    for (int i = 0; i < l->field_size; i++)
        if (pl_grid_bit(l->masks[i / PL_GRID_CHUNK].face[axis], i)) p->state.f[axis][i] = 1.0;
}

static void end_plate(plate* p) {
    pl_grid_state_free(&p->lattice.levels[0], &p->state);
    pl_grid_linear_free(&p->mg);
    pl_grid_lattice_free(&p->lattice);
    pl_grid_cells_free(&p->cells);
}

TEST(grid_wide_plates_need_little_memory)
{
    // a dense factor of the coarsest level has 160 MB here and 2.7 GB at twice the span
    plate p;
    const int64_t before = (int64_t)pl_byte_count();
    start_plate(&p, 48, 2, true);
    CHECK((int64_t)pl_byte_count() - before < 20000000);
    pl_grid_linear_level* l = &p.mg.levels[0];
    const double start = pl_grid_residual(l, &p.state, NULL);
    for (int k = 0; k < 2; k++) {
        pl_grid_linear_cycle(&p.mg);
        pl_grid_correct(l, &p.state, NULL);
        pl_grid_residual(l, &p.state, NULL);
    }
    CHECK(pl_grid_residual(l, &p.state, NULL) < 1e-5 * start);
    end_plate(&p);
}

// the residual after some mixed cycles, relative to the load
static double mixed_residual(int span, int thickness, int cycles) {
    plate p;
    pl_grid_recombine history;
    pl_error error;
    start_plate(&p, span, thickness, false);
    pl_grid_linear_level* l = &p.mg.levels[0];
    CHECK_OK(pl_grid_recombine_create(l->layout, PL_GRID_HISTORY, &history, &error), &error);
    const double start = pl_grid_residual(l, &p.state, NULL);
    double residual = start;
    for (int k = 0; k < cycles; k++) {
        pl_grid_linear_cycle(&p.mg);
        const pl_grid_iteration it = pl_grid_linear_iteration(&p.mg, &p.state);
        pl_grid_recombine_mix(&history, &it);
        residual = pl_grid_residual(l, &p.state, NULL);
    }
    pl_grid_recombine_free(&history);
    end_plate(&p);
    return residual / start;
}

LONG_TEST(grid_plates_of_few_cells_converge)
{
    for (int thickness = 2; thickness <= 5; thickness++) {
        const double residual = mixed_residual(46, thickness, 14);
        if (!(residual < 1e-4))
            pl_test_fail(__FILE__, __LINE__, "%d cells thick: residual %g", thickness, residual);
    }
}

LONG_TEST(grid_corotated_plates_converge)
{
    static const double thickness[] = {0.02, 0.03, 0.04};
    char text[1024];
    for (int k = 0; k < 3; k++) {
        snprintf(text, sizeof text,
                 "{\"pliant\": 1, \"bodies\": [{\"name\": \"plate\", \"method\": \"grid\","
                 " \"material\": {\"young\": 1e6, \"poisson\": 0.4}, \"grid\": {\"cell\": 0.01},"
                 " \"linear_iterations\": 60, \"linear_tolerance\": 1e-4, \"generate\": {\"shape\":"
                 " \"bar\", \"size_x\": 0.16, \"size_y\": %g, \"size_z\": 0.16, \"edge\": 0.02}}],"
                 " \"attachments\": [{\"body\": \"plate\", \"where\": {\"side\": \"-x\"}}]}",
                 thickness[k]);
        pl_world* world = sample_start(text);
        pl_frame_info info;
        for (int n = 0; n < 2; n++) {
            sample_step(world, 1, &info);
            CHECK_INT(info.unconverged_count, 0);
        }
        pl_world_destroy(world);
    }
}

// how far the lower end of a bar of 60 cells that hangs at its upper end comes down
static double hanging_stretch(const char* law, double width) {
    char text[1024];
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"bodies\": [{\"name\": \"bar\", \"method\": \"grid\","
             " \"integrator\": \"quasistatic\", \"material\": {\"law\": \"%s\", \"young\": 1e6,"
             " \"poisson\": 0.3}, \"grid\": {\"cell\": 0.01}, \"linear_iterations\": 60,"
             " \"linear_tolerance\": 1e-4, \"generate\": {\"shape\": \"bar\", \"size_x\": %g,"
             " \"size_y\": 0.6, \"size_z\": %g, \"edge\": %g}}],"
             " \"attachments\": [{\"body\": \"bar\", \"where\": {\"side\": \"+y\"}}]}",
             law, width, width, width);
    pl_world* world = sample_start(text);
    pl_frame_info info;
    sample_step(world, 1, &info);
    CHECK_INT(info.unconverged_count, 0);
    const pl_mesh* mesh = pl_world_mesh(world, 0);
    const double* x = pl_world_positions(world, 0);
    double lowest = INFINITY, lowest_at_rest = INFINITY;
    for (int v = 0; v < mesh->vertex_count; v++) {
        lowest = fmin(lowest, x[3 * v + 1]);
        lowest_at_rest = fmin(lowest_at_rest, mesh->positions[3 * v + 1]);
    }
    pl_world_destroy(world);
    return lowest_at_rest - lowest;
}

LONG_TEST(grid_thin_bars_stretch_as_theory_says)
{
    static const char* const laws[] = {"linear", "corotated"};
    const double length = 0.6, theory = 1000.0 * 9.81 * length * length / (2.0 * 1e6);
    for (int law = 0; law < 2; law++)
        for (int cells = 1; cells <= 3; cells++)
            CHECK_NEAR(hanging_stretch(laws[law], 0.01 * cells), theory, 0.01 * theory);
}

TEST(grid_plates_survive_want_of_memory)
{
    pl_grid_cells cells = plate_cells(14, 2, false);
    pl_error error;
    bool done = false;
    for (int n = 1; n < 500 && !done; n++) {
        pl_grid_lattice lattice;
        pl_grid_linear mg = {0};
        pl_grid_corot corot = {0};
        pl_quat* turn = NULL;
        pl_inject_failure(n);
        pl_status status = pl_grid_lattice_create(&cells, &lattice, &error);
        if (status == PL_OK) status = pl_grid_linear_create(&lattice, &cells, NULL, &mg, &error);
        if (status == PL_OK) status = pl_grid_linear_reserve(&mg, &error);
        if (status == PL_OK)
            status = pl_grid_corot_create(&lattice, NULL, true, turn, NULL, &corot, &error);
        done = status == PL_OK;
        if (!done) CHECK_INT(status, PL_ERROR_MEMORY);
        pl_grid_corot_free(&corot);
        pl_grid_linear_free(&mg);
        pl_grid_lattice_free(&lattice);
    }
    pl_inject_failure(0);
    CHECK(done);
    pl_grid_cells_free(&cells);
}
