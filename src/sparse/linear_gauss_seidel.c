// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Coloured symmetric Gauss-Seidel (Fratarcangeli 2016, "Vivace").
#include "base/memory.h"
#include "sparse/linear_kind.h"
#include "sparse/preconditioner.h"
#include "sparse/row_colouring.h"
#include "sparse/vector.h"

typedef struct sweeper {
    double* inverse_diagonal;
    pl_row_colours colours;
} sweeper;

static void destroy(pl_linear_solver* s) {
    sweeper* w = s->own;
    PL_FREE(w->inverse_diagonal, double, pl_linear_diagonal_size(s));
    pl_row_colours_free(&w->colours);
    PL_FREE(w, sweeper, 1);
}

static pl_status setup(pl_linear_solver* s, pl_error* error) {
    sweeper* w = s->own = PL_ALLOC(sweeper, 1);
    if (w) w->inverse_diagonal = PL_ALLOC(double, pl_linear_diagonal_size(s));
    if (!w || !w->inverse_diagonal) return pl_fail_memory(error, "a linear solver");
    return pl_row_colours_setup(&w->colours, s->A, error);
}

static pl_status update(pl_linear_solver* s, pl_error* error) {
    (void)error;
    sweeper* w = s->own;
    pl_invert_diagonal(s->A, s->pool, w->inverse_diagonal);
    return PL_OK;
}

static void solve(pl_linear_solver* s, const pl_linear_task* task) {
    const sweeper* w = s->own;
    double* r = s->scratch[0];
    for (;;) {
        pl_linear_residual(s, task->b, task->x, r);
        if (pl_linear_note_norm(task, pl_vector_norm(s->pool, s->count, r))) break;
        for (int backward = 0; backward < 2; backward++)
            pl_row_colours_sweep(&w->colours, s->A, s->pool, s->rhs_count, w->inverse_diagonal,
                                 task->b, task->x, backward);
        task->info->iterations++;
    }
}

const pl_linear_kind pl_linear_gauss_seidel = {
    .setup = setup, .update = update, .solve = solve, .destroy = destroy};
