// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Cycles alone (S0 Alg. 2, repeated), and conjugate gradients with a cycle as preconditioner, which
// the paper names as future work. Conjugate gradients are flexible, because a cycle in float is
// linear and symmetric only up to round-off.
#include "multigrid/mg_krylov.h"
#include "base/tuned.h"
#include "multigrid/mg_krylov_float.h"
#include "sparse/krylov.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

typedef struct iteration {
    pl_mg_krylov* krylov;
    pl_block_mg* mg;
    double scale; // |b|
    const pl_linear_info* info;
} iteration;

static void apply(void* user, const void* x, void* y) {
    const iteration* it = user;
    pl_mg_krylov_apply(it->krylov, it->mg->pool, x, y);
}

static void cycle(void* user, const void* r, void* z) {
    const iteration* it = user;
    pl_block_mg_apply_sized(it->mg, r, it->info->residual * it->scale, z);
}

static double part_left(void* user) {
    const iteration* it = user;
    return it->krylov->residual_unread ? NAN : pl_block_mg_left(it->mg);
}

// The cycle failed: its result z for the residual r is not a descent direction. If z'A z < 0, A is
// indefinite. Otherwise round-off has spoiled the cycle; if that happens in the first iteration, A
// counts as indefinite too.
static void explain_failure(pl_krylov* k, bool first, pl_linear_info* info) {
    pl_krylov_apply(k, k->z, k->q);
    bool is_shown = pl_krylov_dot(k, k->z, k->q) < 0.0;
    info->indefinite = first || is_shown;
    info->preconditioner_failed = !is_shown;
}

// r holds the residual, whose norm is already recorded. Iterates in float first: that is precise
// enough for most matrices and moves half as much memory. Continues in double if it is not.
static void solve_gradients(pl_krylov* k, const pl_linear_options* options, pl_linear_info* info) {
    const iteration* it = k->user;
    if (pl_mg_krylov_float(it->krylov, it->mg, k->b, k->x, k->scale, options, info)) return;
    int iterations = info->iterations;
    k->flexible = true;
    k->look = pl_krylov_residual;
    k->watch = (pl_krylov_watch){0};
    if (pl_krylov_cg(k, options, info) == PL_KRYLOV_PRECONDITIONER)
        explain_failure(k, info->iterations == iterations, info);
}

void pl_mg_krylov_solve(pl_mg_krylov* krylov, pl_block_mg* mg, bool conjugate, bool fallback,
                        const pl_linear_options* options, const double* b, double* x,
                        pl_linear_info* info) {
    static const pl_krylov_operations with_matrix = {.apply = apply, .precondition = cycle};
    // for a matrix in float, the residual that the cycle reports is precise enough
    static const pl_krylov_operations in_float = {
        .apply = apply, .precondition = cycle, .part_left = part_left};
    int count = 3 * mg->row_count;
    iteration it = {krylov, mg, pl_vector_norm(mg->pool, count, b), info};
    pl_krylov k = {.operations = krylov->A.values ? &with_matrix : &in_float,
                   .user = &it,
                   .pool = mg->pool,
                   .count = count,
                   .b = b,
                   .x = x,
                   .r = krylov->r,
                   .z = krylov->z,
                   .p = krylov->p,
                   .q = krylov->q,
                   .scale = it.scale};
    if (it.scale == 0.0) {
        memset(x, 0, (size_t)count * sizeof(double));
        info->converged = true;
        return;
    }
    if (mg->bottom_failed) { // cycles are impossible without the factor of the coarsest level
        pl_linear_note(info, 1.0);
        info->indefinite = info->preconditioner_failed = true;
        return;
    }
    k.x_is_zero = pl_vector_norm(mg->pool, count, x) == 0.0;
    if (!k.x_is_zero) {
        if (pl_krylov_begin(&k, options, info) != PL_KRYLOV_GOING) return;
    } else {
        pl_linear_note(info, 1.0);
        info->converged = options->tolerance >= 1.0;
        if (info->converged || options->max_iterations <= 0) return;
    }
    if (!conjugate) {
        k.watch.slow = fallback ? pl_tuned.slow_cycle : 0.0;
        if (pl_krylov_stationary(&k, options, info) != PL_KRYLOV_STALLED) return;
        info->switched = true;
    } else if (k.x_is_zero) {
        memcpy(krylov->r, b, (size_t)count * sizeof(double));
    }
    solve_gradients(&k, options, info);
}
