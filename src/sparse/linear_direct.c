// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A sparse factor: CHOLMOD where it is built in and the matrix is large, our own LDL^T otherwise.
#include "base/memory.h"
#include "sparse/cholmod_direct.h"
#include "sparse/direct.h"
#include "sparse/linear_kind.h"
#include "sparse/linear_solver.h"
#include "sparse/vector.h"

// number of unknowns above which CHOLMOD is faster than our own solver (measured on one core)
enum { CHOLMOD_FROM = 5000 };

typedef struct factors {
    pl_direct* direct;   // our own; with CHOLMOD, created when first needed
    pl_cholmod* cholmod; // or NULL
    bool definite;       // CHOLMOD's factor is usable
} factors;

static void destroy(pl_linear_solver* s) {
    factors* f = s->own;
    pl_direct_destroy(f->direct);
    pl_cholmod_destroy(f->cholmod);
    PL_FREE(f, factors, 1);
}

static pl_status setup_choice(pl_linear_solver* s, pl_direct_choice choice, pl_error* error) {
    factors* f = s->own = PL_ALLOC(factors, 1);
    if (!f) return pl_fail_memory(error, "a linear solver");
    bool large = s->A->row_count * s->A->block >= CHOLMOD_FROM;
    if (choice == PL_DIRECT_CHOLMOD || (choice == PL_DIRECT_ANY && large && pl_cholmod_is_built()))
        return pl_cholmod_setup(s->A, s->rhs_count, &f->cholmod, error);
    return pl_direct_setup(s->A, &f->direct, error);
}

static pl_status setup(pl_linear_solver* s, pl_error* error) {
    return setup_choice(s, PL_DIRECT_ANY, error);
}

pl_status pl_linear_setup_direct(pl_direct_choice choice, const pl_block_matrix* A, int rhs_count,
                                 pl_pool* pool, pl_linear_solver** out, pl_error* error) {
    *out = NULL;
    pl_linear_solver* s;
    pl_status status = pl_linear_create(&pl_linear_direct, A, rhs_count, pool, &s, error);
    if (status == PL_OK) status = setup_choice(s, choice, error);
    if (status == PL_OK) *out = s;
    else pl_linear_destroy(s);
    return status;
}

// Our own solver takes over where CHOLMOD fails: it counts pivots that vanish or are negative.
static pl_status update(pl_linear_solver* s, pl_error* error) {
    factors* f = s->own;
    pl_status status = PL_OK;
    f->definite = false;
    if (f->cholmod) status = pl_cholmod_update(f->cholmod, s->A, &f->definite, error);
    if (status != PL_OK || f->definite) return status;
    if (!f->direct) status = pl_direct_setup(s->A, &f->direct, error);
    return status == PL_OK ? pl_direct_update(f->direct, s->A, s->pool, error) : status;
}

static void note_pivots(const factors* f, pl_linear_info* info) {
    pl_direct_info direct = f->definite ? (pl_direct_info){0} : pl_direct_get_info(f->direct);
    info->tiny_pivot_count = direct.tiny_pivot_count;
    info->indefinite = direct.negative_pivot_count > 0;
    info->singular = info->tiny_pivot_count > 0;
}

static void solve(pl_linear_solver* s, const pl_linear_task* task) {
    factors* f = s->own;
    double *r = s->scratch[0], *correction = s->scratch[1];
    note_pivots(f, task->info);
    // further passes are iterative refinement
    for (int pass = 0; pass < 3; pass++) {
        pl_linear_residual(s, task->b, task->x, r);
        bool over = pl_linear_note_norm(task, pl_vector_norm(s->pool, s->count, r));
        if (over && (pass > 0 || task->info->converged)) break;
        if (!f->definite) pl_direct_solve(f->direct, s->rhs_count, r, correction);
        else if (!pl_cholmod_solve(f->cholmod, r, correction)) break;
        pl_vector_axpy(s->pool, s->count, 1.0, correction, task->x);
        task->info->iterations++;
    }
}

const pl_linear_kind pl_linear_direct = {
    .sees_indefinite = true, .setup = setup, .update = update, .solve = solve, .destroy = destroy};
