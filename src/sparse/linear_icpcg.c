// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Conjugate gradients with an incomplete Cholesky factor as preconditioner.
#include "base/memory.h"
#include "sparse/linear_kind.h"
#include "sparse/preconditioner.h"

static size_t value_count(const pl_linear_solver* s) {
    return (size_t)pl_block_matrix_entry_count(s->A) * (size_t)(s->A->block * s->A->block);
}

static void destroy(pl_linear_solver* s) { PL_FREE(s->own, double, value_count(s)); }

static pl_status setup(pl_linear_solver* s, pl_error* error) {
    s->own = PL_ALLOC(double, value_count(s));
    return s->own ? PL_OK : pl_fail_memory(error, "an incomplete factor");
}

static pl_status update(pl_linear_solver* s, pl_error* error) {
    (void)error;
    pl_ic_factor(s->A, s->own);
    return PL_OK;
}

static void precondition(void* user, const void* r, void* z) {
    const pl_linear_solver* s = user;
    pl_ic_apply(s->A, s->rhs_count, s->own, r, z);
}

static const pl_krylov_operations operations = {.apply = pl_linear_apply,
                                                .precondition = precondition};

static void solve(pl_linear_solver* s, const pl_linear_task* task) {
    pl_linear_cg(s, &operations, task);
}

const pl_linear_kind pl_linear_icpcg = {
    .sees_indefinite = true, .setup = setup, .update = update, .solve = solve, .destroy = destroy};
