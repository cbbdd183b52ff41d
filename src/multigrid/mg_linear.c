// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "multigrid/mg_linear.h"
#include "base/memory.h"
#include "multigrid/mg_outer.h"
#include "multigrid/scalar_multigrid.h"

#include <string.h>

typedef struct block_solver {
    pl_mg_outer outer;
    pl_block_mg* mg;
    bool conjugate, fallback;
} block_solver;

static void block_destroy(void* object) {
    block_solver* s = object;
    pl_block_mg_destroy(s->mg);
    pl_mg_outer_free(&s->outer);
    PL_FREE(s, block_solver, 1);
}

static pl_status block_update(void* object, pl_error* error) {
    block_solver* s = object;
    (void)error;
    pl_block_mg_update(s->mg, &s->outer.A);
    return PL_OK;
}

static void block_solve(void* object, const pl_linear_options* options, const double* b, double* x,
                        pl_linear_info* info) {
    block_solver* s = object;
    pl_mg_info mg = {0};
    pl_mg_outer_solve(&s->outer, s->mg, s->conjugate, s->fallback, b, x, options->tolerance,
                      options->max_iterations, &mg);
    info->iterations = mg.iterations;
    info->converged = mg.converged;
    info->indefinite = mg.indefinite;
    info->residual = mg.residual;
    info->history_count = mg.history_count;
    memcpy(info->history, mg.history, sizeof mg.history);
}

static pl_status block_setup(pl_linear kind, const pl_block_matrix* A, const double* positions,
                             const pl_mg_settings* settings, bool fallback, pl_pool* pool,
                             pl_linear_solver** out, pl_error* error) {
    static const pl_linear_functions functions = {block_update, block_solve, block_destroy};
    block_solver* s = PL_ALLOC(block_solver, 1);
    if (!s) return pl_fail_memory(error, "a linear solver");
    s->conjugate = kind == PL_LINEAR_MGPCG;
    s->fallback = fallback;
    pl_mg_blocks blocks = {A->row_count, A->offsets, A->columns, A->values};
    pl_status status = pl_block_mg_setup(&s->mg, &blocks, positions, settings, pool, error);
    if (status == PL_OK) status = pl_mg_outer_setup(&s->outer, &blocks, error);
    if (status == PL_OK) return pl_linear_wrap(kind, &functions, s, out, error);
    block_destroy(s);
    return status;
}

typedef struct scalar_solver {
    pl_scalar_mg* mg;
    double* positions;
    int row_count;
    bool conjugate;
} scalar_solver;

static void scalar_destroy(void* object) {
    scalar_solver* s = object;
    pl_scalar_mg_destroy(s->mg);
    PL_FREE(s->positions, double, 3 * (size_t)s->row_count);
    PL_FREE(s, scalar_solver, 1);
}

static pl_status scalar_update(void* object, pl_error* error) {
    scalar_solver* s = object;
    return pl_scalar_mg_update(s->mg, s->positions, NULL, error);
}

static void scalar_solve(void* object, const pl_linear_options* options, const double* b, double* x,
                         pl_linear_info* info) {
    scalar_solver* s = object;
    pl_scalar_mg_solve(s->mg, s->conjugate, options, b, x, info);
}

static pl_status scalar_setup(pl_linear kind, const pl_block_matrix* A, const double* positions,
                              const pl_mg_settings* settings, pl_pool* pool, pl_linear_solver** out,
                              pl_error* error) {
    static const pl_linear_functions functions = {scalar_update, scalar_solve, scalar_destroy};
    scalar_solver* s = PL_ALLOC(scalar_solver, 1);
    if (!s) return pl_fail_memory(error, "a linear solver");
    s->conjugate = kind == PL_LINEAR_MGPCG;
    s->row_count = A->row_count;
    s->positions = PL_ALLOC(double, 3 * (size_t)A->row_count);
    pl_scalar_mg_options options = {.hierarchy = {.counts = settings->levels,
                                                  .count_count = settings->level_count,
                                                  .starts = settings->starts,
                                                  .start_count = settings->start_count},
                                    .half_sweeps = 2 * settings->pre_sweeps};
    pl_status status = s->positions ? PL_OK : pl_fail_memory(error, "a linear solver");
    if (status == PL_OK) {
        memcpy(s->positions, positions, 3 * (size_t)A->row_count * sizeof(double));
        status = pl_scalar_mg_setup(A, positions, &options, pool, &s->mg, error);
    }
    if (status == PL_OK) return pl_linear_wrap(kind, &functions, s, out, error);
    scalar_destroy(s);
    return status;
}

pl_status pl_mg_linear_setup(pl_linear kind, const pl_block_matrix* A, const double* positions,
                             const pl_mg_settings* settings, bool fallback, pl_pool* pool,
                             pl_linear_solver** out, pl_error* error) {
    *out = NULL;
    if (A->block == 1) return scalar_setup(kind, A, positions, settings, pool, out, error);
    return block_setup(kind, A, positions, settings, fallback, pool, out, error);
}
