// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Traction as stress of the lattice's sides: a slanted block under constant stress.
#include "../bench/s4_traction.h"
#include "base/memory.h"
#include "grid_samples.h"
#include "test.h"

#include <math.h>

typedef struct sample {
    pl_mesh* block;
    pl_grid_frame frame;
    pl_grid_cells cells;
    pl_grid_lattice lattice;
    pl_grid_linear mg;
    pl_grid_state state;
    s4_traction traction;
    double force[72]; // per area, of the block's vertices
} sample;

static const double slope[3][3] = {{0.02, -0.05, 0.03}, {0.04, -0.01, 0.06}, {-0.02, 0.01, 0.05}};
static const double LAMBDA = 1.5; // mu = 1

static double stress(int i, int j) {
    double trace = slope[0][0] + slope[1][1] + slope[2][2];
    return slope[i][j] + slope[j][i] + (i == j ? LAMBDA * trace : 0.0);
}

// a block, turned about two axes, whose sides share no vertices; and the traction of each side
static void make_block(sample* s) {
    static const int ring[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    double positions[72], c = 0.8, w = 0.6;
    int triangles[36];
    pl_error error;
    for (int side = 0; side < 6; side++) {
        int a = side / 2, sign = side % 2 ? 1 : -1;
        for (int n = 0; n < 5; n++) { // the fourth is the normal
            double x[3] = {0}, r[3];
            x[a] = sign;
            if (n < 4)
                x[(a + 1) % 3] = ring[sign > 0 ? n : 3 - n][0],
                            x[(a + 2) % 3] = ring[sign > 0 ? n : 3 - n][1];
            r[0] = c * x[0] - w * x[1], r[1] = w * x[0] + c * x[1];
            x[1] = c * r[1] - w * x[2], x[2] = w * r[1] + c * x[2], x[0] = r[0];
            for (int i = 0; i < 3; i++)
                if (n < 4) positions[12 * side + 3 * n + i] = x[i];
                else
                    for (int v = 0; v < 4; v++)
                        s->force[12 * side + 3 * v + i] =
                            stress(i, 0) * x[0] + stress(i, 1) * x[1] + stress(i, 2) * x[2];
        }
        static const int halves[6] = {0, 1, 2, 0, 2, 3};
        for (int k = 0; k < 6; k++) triangles[6 * side + k] = 4 * side + halves[k];
    }
    CHECK_OK(pl_mesh_create(positions, 24, NULL, 0, triangles, 12, &s->block, &error), &error);
}

static double displacement(const sample* s, int a, const int at[3]) {
    double u = 0.0;
    for (int d = 0; d < 3; d++) u += slope[a][d] * s->frame.cell * (at[d] + (d == a ? 0.0 : 0.5));
    return u;
}

// The displacement at faces of Dirichlet cells, and at the others too or zero.
static void set_displacements(sample* s, bool all) {
    const pl_grid_level* l = &s->lattice.levels[0];
    for (int k = 0; k < l->segment_count; k++)
        for (int i = 0; i < l->segments[k].count * PL_GRID_CHUNK; i++)
            for (int a = 0; a < 3; a++) {
                const int at[3] = {l->segments[k].x + i, l->segments[k].y, l->segments[k].z};
                int low[3] = {at[0], at[1], at[2]};
                low[a]--;
                bool held = pl_grid_cell(&s->cells, at[0], at[1], at[2]) == PL_CELL_DIRICHLET ||
                            pl_grid_cell(&s->cells, low[0], low[1], low[2]) == PL_CELL_DIRICHLET;
                s->state.u[a][l->segments[k].begin + i] =
                    held || all ? displacement(s, a, at) : 0.0;
            }
}

static sample start(double cell) {
    sample s = {.frame = {.cell = cell}};
    pl_error error;
    make_block(&s);
    CHECK_OK(pl_grid_voxelise(s.block, 0, NULL, &s.frame, &s.cells, NULL, &error), &error);
    // held at low x
    for (int k = 0; k < s.cells.size[2]; k++)
        for (int j = 0; j < s.cells.size[1]; j++)
            for (int i = 0; i < s.cells.size[0] / 3; i++) {
                uint8_t* kind = &s.cells.kinds[pl_grid_cells_index(&s.cells, i, j, k)];
                if (*kind == PL_CELL_INTERIOR) *kind = PL_CELL_DIRICHLET;
            }
    CHECK_OK(pl_grid_lattice_create(&s.cells, &s.lattice, &error), &error);
    CHECK_OK(pl_grid_linear_create(&s.lattice, &s.cells, NULL, &s.mg, &error), &error);
    CHECK_OK(pl_grid_state_create(&s.lattice.levels[0], &s.state, &error), &error);
    CHECK_OK(
        s4_traction_create(&s.lattice.levels[0], &s.cells, &s.frame, s.block, &s.traction, &error),
        &error);
    s.state.compressibility = 1.0 / LAMBDA;
    pl_grid_linear_update(&s.mg, s.state.compressibility, 0.0);
    return s;
}

static void end(sample* s) {
    s4_traction_free(&s->traction);
    pl_grid_state_free(&s->lattice.levels[0], &s->state);
    pl_grid_linear_free(&s->mg);
    pl_grid_lattice_free(&s->lattice);
    pl_grid_cells_free(&s->cells);
    pl_mesh_destroy(s->block);
}

static void set_loads(sample* s, bool known) {
    size_t size = (size_t)s->lattice.levels[0].field_size * sizeof(double);
    for (int a = 0; a < 3; a++) memset(s->state.f[a], 0, size);
    memset(s->state.g, 0, size);
    s4_traction_add(&s->traction, &s->lattice.levels[0], s->force, known, &s->state);
}

TEST(grid_traction_of_constant_stress_is_in_balance)
{
    sample s = start(0.25);
    set_displacements(&s, true);
    pl_grid_substitute(&s.lattice.levels[0], &s.state);
    double without = pl_grid_residual(&s.mg.levels[0], &s.state, NULL);
    set_loads(&s, true);
    pl_grid_substitute(&s.lattice.levels[0], &s.state);
    CHECK(without > 0.01);
    CHECK(pl_grid_residual(&s.mg.levels[0], &s.state, NULL) < 1e-12 * without);
    end(&s);
}

TEST(grid_traction_rounds_find_constant_stress)
{
    // from nothing, each round with the stress of the round before
    sample s = start(0.25);
    pl_grid_linear_level* fine = &s.mg.levels[0];
    const pl_grid_level* l = fine->layout;
    set_displacements(&s, false);
    double largest = 0.0, off = 0.0;
    for (int round = 0; round < 12; round++) {
        set_loads(&s, round > 0);
        for (int k = 0; k < 6; k++) {
            pl_grid_residual(fine, &s.state, NULL);
            pl_grid_linear_cycle(&s.mg);
            pl_grid_correct(fine, &s.state, NULL);
        }
    }
    for (int k = 0; k < l->segment_count; k++)
        for (int i = 0; i < l->segments[k].count * PL_GRID_CHUNK; i++)
            for (int a = 0; a < 3; a++) {
                const int at[3] = {l->segments[k].x + i, l->segments[k].y, l->segments[k].z};
                int n = l->segments[k].begin + i;
                if (!pl_grid_bit(l->masks[n / PL_GRID_CHUNK].face[a], n)) continue;
                largest = fmax(largest, fabs(displacement(&s, a, at)));
                off = fmax(off, fabs(s.state.u[a][n] - displacement(&s, a, at)));
            }
    CHECK(off < 1e-4 * largest);
    end(&s);
}

TEST(grid_traction_survives_lost_memory)
{
    sample s = start(0.5);
    for (int n = 1;; n++) {
        pl_error error;
        s4_traction again;
        pl_inject_failure(n);
        pl_status status =
            s4_traction_create(&s.lattice.levels[0], &s.cells, &s.frame, s.block, &again, &error);
        pl_inject_failure(0);
        s4_traction_free(&again);
        if (status == PL_OK) break;
        CHECK(status == PL_ERROR_MEMORY);
        CHECK(n < 200);
    }
    end(&s);
}
