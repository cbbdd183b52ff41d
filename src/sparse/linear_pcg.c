// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Conjugate gradients with the diagonal blocks as preconditioner.
#include "base/memory.h"
#include "sparse/linear_kind.h"
#include "sparse/preconditioner.h"

static void destroy(pl_linear_solver* s) { PL_FREE(s->own, double, pl_linear_diagonal_size(s)); }

static pl_status setup(pl_linear_solver* s, pl_error* error) {
    s->own = PL_ALLOC(double, pl_linear_diagonal_size(s));
    return s->own ? PL_OK : pl_fail_memory(error, "a linear solver");
}

static pl_status update(pl_linear_solver* s, pl_error* error) {
    (void)error;
    pl_invert_diagonal(s->A, s->pool, s->own);
    return PL_OK;
}

static void precondition(void* user, const void* r, void* z) {
    const pl_linear_solver* s = user;
    pl_apply_diagonal(s->A, s->pool, s->rhs_count, s->own, r, z);
}

static const pl_krylov_operations operations = {.apply = pl_linear_apply,
                                                .precondition = precondition};

static void solve(pl_linear_solver* s, const pl_linear_task* task) {
    pl_linear_cg(s, &operations, task);
}

const pl_linear_kind pl_linear_pcg = {
    .sees_indefinite = true, .setup = setup, .update = update, .solve = solve, .destroy = destroy};
