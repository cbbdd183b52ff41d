// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "multigrid/mg_linear.h"
#include "base/memory.h"
#include "multigrid/mg_outer.h"

#include <string.h>

typedef struct mg_solver {
    pl_mg_outer outer;
    pl_block_mg* mg;
    bool conjugate, fallback;
} mg_solver;

static void destroy(void* object) {
    mg_solver* s = object;
    pl_block_mg_destroy(s->mg);
    pl_mg_outer_free(&s->outer);
    PL_FREE(s, mg_solver, 1);
}

static pl_status update(void* object, pl_error* error) {
    mg_solver* s = object;
    (void)error;
    pl_block_mg_update(s->mg, &s->outer.A);
    return PL_OK;
}

static void solve(void* object, const pl_linear_options* options, const double* b, double* x,
                  pl_linear_info* info) {
    mg_solver* s = object;
    pl_mg_info mg = {0};
    pl_mg_outer_solve(&s->outer, s->mg, s->conjugate, s->fallback, b, x, options->tolerance,
                      options->max_iterations, &mg);
    info->iterations = mg.iterations;
    info->converged = mg.converged;
    info->indefinite = mg.indefinite;
    info->switched = mg.switched;
    info->residual = mg.residual;
    info->history_count = mg.history_count;
    memcpy(info->history, mg.history, sizeof mg.history);
}

pl_status pl_mg_linear_setup(pl_linear kind, const pl_block_matrix* A, const double* positions,
                             const pl_mg_settings* settings, bool fallback, pl_pool* pool,
                             pl_linear_solver** out, pl_error* error) {
    *out = NULL;
    PL_ASSERT(A->block == 3);
    static const pl_linear_functions functions = {update, solve, destroy};
    mg_solver* s = PL_ALLOC(mg_solver, 1);
    if (!s) return pl_fail_memory(error, "a linear solver");
    s->conjugate = kind == PL_LINEAR_MGPCG;
    s->fallback = fallback;
    pl_mg_blocks blocks = {A->row_count, A->offsets, A->columns, A->values};
    pl_status status = pl_block_mg_setup(&s->mg, &blocks, positions, settings, pool, error);
    if (status == PL_OK) status = pl_mg_outer_setup(&s->outer, &blocks, error);
    if (status == PL_OK) return pl_linear_wrap(kind, &functions, s, out, error);
    destroy(s);
    return status;
}
