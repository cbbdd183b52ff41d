// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Calls the solver's kind (linear_kind.h).
#include "sparse/linear_solver.h"
#include "base/memory.h"
#include "base/timer.h"
#include "sparse/linear_kind.h"
#include "sparse/vector.h"

#include <math.h>

#define KIND_ROW(X, code, symbol, name, help) [code] = &pl_linear_##symbol,
static const pl_linear_kind* const kinds[PL_LINEAR_COUNT] = {PL_MATRIX_SOLVER_LIST(KIND_ROW, )};
#undef KIND_ROW

static const char kind_names[] =
#define KIND_NAME(X, code, symbol, name, help) " " name
    PL_MATRIX_SOLVER_LIST(KIND_NAME, );
#undef KIND_NAME

bool pl_linear_is_known(pl_linear kind) {
    return kind >= 0 && kind < PL_LINEAR_COUNT && kinds[kind];
}

bool pl_linear_sees_indefinite(pl_linear kind) {
    return pl_linear_is_known(kind) && kinds[kind]->sees_indefinite;
}

void pl_linear_destroy(pl_linear_solver* s) {
    if (!s) return;
    if (s->own) s->kind->destroy(s);
    for (int i = 0; i < PL_LINEAR_SCRATCH; i++) PL_FREE(s->scratch[i], double, s->count);
    PL_FREE(s, pl_linear_solver, 1);
}

pl_status pl_linear_create(const pl_linear_kind* kind, const pl_block_matrix* A, int rhs_count,
                           pl_pool* pool, pl_linear_solver** out, pl_error* error) {
    *out = NULL;
    pl_linear_solver* s = PL_ALLOC(pl_linear_solver, 1);
    if (!s) return pl_fail_memory(error, "a linear solver");
    *s = (pl_linear_solver){.kind = kind, .A = A, .rhs_count = rhs_count, .pool = pool};
    s->count = A->row_count * A->block * rhs_count;
    bool ok = true;
    for (int i = 0; i < PL_LINEAR_SCRATCH; i++)
        ok = (s->scratch[i] = PL_ALLOC(double, s->count)) && ok;
    if (ok) *out = s;
    else pl_linear_destroy(s);
    return ok ? PL_OK : pl_fail_memory(error, "a linear solver");
}

pl_status pl_linear_setup(pl_linear kind, const pl_block_matrix* A, int rhs_count, pl_pool* pool,
                          pl_linear_solver** out, pl_error* error) {
    *out = NULL;
    if (!pl_linear_is_known(kind))
        return pl_fail(error, PL_ERROR_UNSUPPORTED, "the linear solver is not one of:%s",
                       kind_names);
    pl_linear_solver* s;
    pl_status status = pl_linear_create(kinds[kind], A, rhs_count, pool, &s, error);
    if (status == PL_OK) status = s->kind->setup(s, error);
    if (status == PL_OK) *out = s;
    else pl_linear_destroy(s);
    return status;
}

pl_status pl_linear_update(pl_linear_solver* s, pl_error* error) {
    double start = pl_seconds();
    pl_status status = s->kind->update(s, error);
    s->update_seconds = pl_seconds() - start;
    return status;
}

void pl_linear_solve(pl_linear_solver* s, const pl_linear_options* options, const double* b,
                     double* x, pl_linear_info* info) {
    double start = pl_seconds();
    *info = (pl_linear_info){.update_seconds = s->update_seconds};
    double scale = pl_vector_norm(s->pool, s->count, b);
    s->kind->solve(s, &(pl_linear_task){options, b, x, scale, info});
    info->solve_seconds = pl_seconds() - start;
}

size_t pl_linear_diagonal_size(const pl_linear_solver* s) {
    return (size_t)s->A->row_count * (size_t)(s->A->block * s->A->block);
}

void pl_linear_residual(const pl_linear_solver* s, const double* b, const double* x, double* r) {
    pl_block_matrix_apply(s->A, s->pool, s->rhs_count, x, r);
    pl_vector_xpay(s->pool, s->count, b, -1.0, r);
}

bool pl_linear_note_norm(const pl_linear_task* task, double norm) {
    pl_linear_info* info = task->info;
    pl_linear_note(info, task->scale == 0.0 ? 0.0 : norm / task->scale);
    info->converged = info->residual <= task->options->tolerance;
    return info->converged || pl_linear_is_over(task->options, info) || !isfinite(norm);
}

void pl_linear_apply(void* solver, const void* x, void* y) {
    const pl_linear_solver* s = solver;
    pl_block_matrix_apply(s->A, s->pool, s->rhs_count, x, y);
}

pl_krylov pl_linear_krylov(pl_linear_solver* s, const pl_krylov_operations* operations) {
    return (pl_krylov){.operations = operations,
                       .user = s,
                       .pool = s->pool,
                       .count = s->count,
                       .r = s->scratch[0],
                       .z = s->scratch[1],
                       .p = s->scratch[2],
                       .q = s->scratch[3]};
}

void pl_linear_cg(pl_linear_solver* s, const pl_krylov_operations* operations,
                  const pl_linear_task* task) {
    pl_krylov k = pl_linear_krylov(s, operations);
    k.b = task->b;
    k.x = task->x;
    k.scale = task->scale;
    if (pl_krylov_begin(&k, task->options, task->info) != PL_KRYLOV_GOING) return;
    // diagonal blocks or factors of these kinds are indefinite only if the matrix is
    if (pl_krylov_cg(&k, task->options, task->info) == PL_KRYLOV_PRECONDITIONER)
        task->info->indefinite = true;
}
