// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Convergence of the lattice's V-cycle (Zhu 2010, Fig. 10): the factor by which one cycle reduces
// the residual, in the long run, from random positions.
#include "base/random.h"
#include "bench.h"
#include "grid/grid_multigrid.h"
#include "grid/grid_operator.h"

#include <math.h>
#include <stdio.h>

// n^3 interior cells between two walls of Dirichlet cells across x, the other four sides free
static pl_status make_box(int n, pl_grid_cells* out, pl_error* error) {
    const int low[3] = {-2, 0, 0}, size[3] = {n + 4, n, n};
    pl_status status = pl_grid_cells_create(low, size, out, error);
    for (int k = 0; status == PL_OK && k < n; k++)
        for (int j = 0; j < n; j++)
            for (int i = -2; i < n + 2; i++)
                out->kinds[pl_grid_cells_index(out, i, j, k)] =
                    i < 0 || i >= n ? PL_CELL_DIRICHLET : PL_CELL_INTERIOR;
    return status;
}

static double measure(pl_grid_multigrid* mg, double nu, int cycles, pl_grid_state* state) {
    pl_grid_level* fine = &mg->levels[0];
    state->compressibility = (1.0 - 2.0 * nu) / (2.0 * nu);
    pl_grid_multigrid_set_material(mg, state->compressibility, 0.0);
    pl_random random = {7};
    for (int i = 0; i < fine->field_size; i++)
        for (int a = 0; a < 3; a++)
            state->u[a][i] = pl_grid_bit(fine->masks[i / PL_GRID_CHUNK].face[a], i)
                                 ? pl_random_uniform(&random, -0.5, 0.5)
                                 : 0.0;
    pl_grid_substitute(fine, state);
    double middle = 0.0, after = pl_grid_residual(fine, state, mg->pool);
    for (int k = 0; k < cycles; k++) {
        pl_grid_multigrid_cycle(mg);
        pl_grid_correct(fine, state, mg->pool);
        after = pl_grid_residual(fine, state, mg->pool);
        if (k == cycles - 6) middle = after;
    }
    return pow(after / middle, 1.0 / 5.0);
}

static bool box_rate(bench* b, const char* name, int n, double nu, int sweeps, double paper) {
    pl_error error = {0};
    pl_grid_cells cells = {0};
    pl_grid_multigrid mg = {0};
    pl_grid_state state = {0};
    pl_pool* pool = NULL;
    pl_status status = pl_pool_create(0, &pool, &error);
    if (status == PL_OK) status = make_box(n, &cells, &error);
    if (status == PL_OK) status = pl_grid_multigrid_create(&cells, pool, &mg, &error);
    if (status == PL_OK) status = pl_grid_state_create(&mg.levels[0], &state, &error);
    if (status == PL_OK) {
        mg.band_sweeps = sweeps;
        double rate = measure(&mg, nu, 20, &state);
        printf("%s: %d levels, %d band sweeps before and after each interior sweep\n", name,
               mg.level_count, sweeps);
        bench_result(b, name, rate, "", paper);
    } else printf("%s: %s\n", name, error.text);
    if (mg.level_count) pl_grid_state_free(&mg.levels[0], &state);
    pl_grid_multigrid_free(&mg);
    pl_grid_cells_free(&cells);
    pl_pool_destroy(pool);
    return status == PL_OK;
}

bool bench_s4_rates(bench* b) {
    enum { CELLS = 32, SWEEPS = 2 };
    return box_rate(b, "box_nu0.2", CELLS, 0.2, SWEEPS, 0.26) &&
           box_rate(b, "box_nu0.49", CELLS, 0.49, SWEEPS, 0.28) &&
           box_rate(b, "box_nu0.4999", CELLS, 0.4999, SWEEPS, NAN);
}
