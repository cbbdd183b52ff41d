// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The public multigrid solver on systems of all kinds.
#include "base/memory.h"
#include "base/random.h"
#include "mg_samples.h"
#include "sample_meshes.h"
#include "sparse/direct.h"

static const mg_material rubber = {1e5, 0.3, 1000.0, 1.0 / 30.0, NULL};

static pl_mg_solver* create(const mg_sample* s, const pl_mg_def* def) {
    pl_error error;
    pl_mg_solver* solver;
    pl_mg_blocks A = mg_sample_blocks(s);
    CHECK_OK(pl_mg_create(def, &A, s->positions, &solver, &error), &error);
    return solver;
}

static pl_mg_info solve(const mg_sample* s, const pl_mg_def* def, double tolerance) {
    pl_mg_info info;
    pl_mg_solver* solver = create(s, def);
    memset(s->x, 0, 3 * (size_t)s->A.row_count * sizeof(double));
    pl_mg_solve(solver, s->b, s->x, tolerance, 500, &info);
    pl_mg_destroy(solver);
    return info;
}

// the largest difference from the direct solution, relative to its largest value
static double direct_error(const mg_sample* s) {
    pl_error error;
    pl_direct* direct;
    int count = 3 * s->A.row_count;
    double *x = PL_ALLOC(double, count), worst = 0.0, largest = 0.0;
    CHECK_OK(pl_direct_setup(&s->A, &direct, &error), &error);
    CHECK_OK(pl_direct_update(direct, &s->A, NULL, &error), &error);
    pl_direct_solve(direct, 1, s->b, x);
    for (int i = 0; i < count; i++) {
        worst = fmax(worst, fabs(x[i] - s->x[i]));
        largest = fmax(largest, fabs(x[i]));
    }
    pl_direct_destroy(direct);
    PL_FREE(x, double, count);
    return worst / largest;
}

static void check_solves(const mg_sample* s, pl_mg_def def) {
    for (int kind = 0; kind < 2; kind++) {
        def.conjugate_gradients = kind == 1;
        pl_mg_info info = solve(s, &def, 1e-11);
        CHECK(info.converged);
        CHECK(info.residual <= 1e-11);
        CHECK(direct_error(s) < 1e-8);
    }
}

TEST(mg_solver_equals_direct_solution)
{
    pl_mesh *box = sample_box(12, 5, 5), *sheet = sample_sheet(20, 20);
    mg_sample solid = mg_sample_create(box, &rubber, 1e4);
    mg_sample cloth = mg_sample_create(sheet, &rubber, 1e4);
    pl_mg_def def = pl_default_mg_def();
    check_solves(&solid, def);
    check_solves(&cloth, def);
    def.level_count = 2;
    def.levels = (const int[]){3, 20};
    check_solves(&solid, def);
    check_solves(&cloth, def);
    def.smoother = PL_SMOOTHER_JACOBI;
    def.pre_sweeps = def.post_sweeps = 2;
    check_solves(&solid, def);
    check_solves(&cloth, def);
    mg_sample_hold(&solid);
    mg_sample_hold(&cloth);
    def = pl_default_mg_def();
    check_solves(&solid, def);
    check_solves(&cloth, def);
    mg_sample_free(&solid);
    mg_sample_free(&cloth);
    pl_mesh_destroy(box);
    pl_mesh_destroy(sheet);
}
