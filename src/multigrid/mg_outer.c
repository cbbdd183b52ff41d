// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Cycles alone (S0 Alg. 2, repeated), and conjugate gradients with a cycle as preconditioner, which
// the paper names as future work. The gradients are flexible (Notay 2000): in float the cycle is
// linear and symmetric only up to round-off, and it costs one more product.
#include "multigrid/mg_outer.h"
#include "multigrid/mg_float.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

enum { WATCHED = 3 };
// a cycle that leaves more than this part of the residual, WATCHED times in a row, has stalled
static const double STALL = 0.85;

typedef struct iteration {
    pl_mg_outer* outer;
    pl_block_mg* mg;
    pl_pool* pool;
    int count; // of values
    const double* b;
    double* x;
    double tolerance;
    int max_iterations;
    double scale; // |b|
    pl_mg_info* info;
} iteration;

static double dot(const iteration* it, const double* a, const double* b) {
    return pl_vector_dot(it->pool, it->count, a, b);
}

// r = b - A x
static void find_residual(const iteration* it) {
    if (pl_vector_norm(it->pool, it->count, it->x) == 0.0) {
        memcpy(it->outer->r, it->b, (size_t)it->count * sizeof(double));
        return;
    }
    pl_mg_outer_apply(it->outer, it->pool, it->x, it->outer->r);
    pl_vector_xpay(it->pool, it->count, it->b, -1.0, it->outer->r);
}

// true when the solve is over
static bool note(const iteration* it, double residual) {
    pl_mg_info* info = it->info;
    info->residual = residual;
    if (info->history_count < PL_MG_HISTORY)
        info->history[info->history_count++] = (float)info->residual;
    info->converged = info->residual <= it->tolerance;
    return info->converged || info->iterations >= it->max_iterations || !isfinite(residual);
}

static bool note_residual(const iteration* it) {
    return note(it, pl_vector_norm(it->pool, it->count, it->outer->r) / it->scale);
}

// The first cycle from x = 0: its residual is b, and what it finds is x.
static void cycle_from_zero(const iteration* it) {
    pl_block_mg_apply_sized(it->mg, it->b, it->scale, it->x);
}

static void cycle(const iteration* it) {
    double size = it->info->residual * it->scale;
    pl_block_mg_apply_sized(it->mg, it->outer->r, size, it->outer->z);
    pl_vector_axpy(it->pool, it->count, 1.0, it->outer->z, it->x);
}

// After the last cycle: nobody goes on from its residual, and a matrix in float needs no better one
// to be told.
static void note_last(const iteration* it, double before) {
    if (it->outer->residual_unread) it->info->residual = NAN;
    else note(it, before * pl_block_mg_left(it->mg));
}

// Cycles until the end, or until they stall: then false, with x where it was least wrong.
static bool iterate_cycles(const iteration* it, bool fallback) {
    int slow = 0;
    double before = INFINITY;
    bool from_zero = pl_vector_norm(it->pool, it->count, it->x) == 0.0;
    if (!from_zero) find_residual(it);
    while (!(from_zero ? note(it, 1.0) : note_residual(it))) {
        double now = it->info->residual;
        slow = now > STALL * before ? slow + 1 : 0;
        if (fallback && (slow >= WATCHED || now > 10.0 * before)) return false;
        before = now;
        if (from_zero) cycle_from_zero(it);
        else cycle(it);
        from_zero = false;
        it->info->iterations++;
        if (it->info->iterations >= it->max_iterations && !it->outer->A.values) {
            note_last(it, now);
            return true;
        }
        find_residual(it);
    }
    return true;
}

// The cycle z of the residual r does not descend. A is indefinite if z shows it to be. Else
// round-off has eaten the cycle, and only the first one says so of A.
static void explain_failure(const iteration* it, bool first) {
    pl_mg_outer* o = it->outer;
    pl_mg_outer_apply(o, it->pool, o->z, o->q);
    bool is_shown = dot(it, o->z, o->q) < 0.0;
    it->info->indefinite = first || is_shown;
    o->cycle_failed = !is_shown;
}

// r holds the residual, which is noted already
static void iterate_gradients(const iteration* it) {
    pl_mg_outer* o = it->outer;
    double rho = 0.0, alpha = 0.0;
    for (bool first = true;; first = false) {
        pl_block_mg_apply(it->mg, o->r, o->z);
        double product = dot(it, o->r, o->z);
        // z . (r - r_before), since r - r_before = -alpha q
        double change = first ? 0.0 : -alpha * dot(it, o->z, o->q);
        if (!(product > 0.0)) {
            explain_failure(it, first);
            return;
        }
        if (first) memcpy(o->p, o->z, (size_t)it->count * sizeof(double));
        else pl_vector_xpay(it->pool, it->count, o->z, change / rho, o->p);
        pl_mg_outer_apply(o, it->pool, o->p, o->q);
        double curvature = dot(it, o->p, o->q);
        if (!(curvature > 0.0)) {
            it->info->indefinite = true;
            return;
        }
        alpha = dot(it, o->r, o->p) / curvature;
        rho = product;
        pl_vector_axpy(it->pool, it->count, alpha, o->p, it->x);
        pl_vector_axpy(it->pool, it->count, -alpha, o->q, o->r);
        it->info->iterations++;
        if (note_residual(it)) return;
    }
}

// The residual of conjugate gradients is carried along; at the end the true one counts, and if it
// is larger, they begin again from it. They run in float first, which is enough for most matrices
// and half the traffic.
static void solve_gradients(const iteration* it) {
    find_residual(it);
    if (note_residual(it)) return;
    if (pl_mg_float_gradients(it->outer, it->mg, it->b, it->x, it->scale, it->tolerance,
                              it->max_iterations, it->info))
        return;
    for (int round = 1; round <= 5; round++) {
        find_residual(it);
        it->info->history_count -= it->info->history_count < PL_MG_HISTORY;
        if (note_residual(it)) return;
        iterate_gradients(it);
        if (!it->info->converged) return;
    }
}

void pl_mg_outer_solve(pl_mg_outer* outer, pl_block_mg* mg, bool conjugate, bool fallback,
                       const double* b, double* x, double tolerance, int max_iterations,
                       pl_mg_info* info) {
    iteration it = {outer,          mg,  mg->pool, 3 * mg->row_count, b, x, tolerance,
                    max_iterations, 0.0, info};
    outer->cycle_failed = false;
    it.scale = pl_vector_norm(it.pool, it.count, b);
    if (it.scale == 0.0) {
        memset(x, 0, (size_t)it.count * sizeof(double));
        info->converged = true;
        return;
    }
    if (conjugate) {
        solve_gradients(&it);
    } else if (!iterate_cycles(&it, fallback)) {
        info->switched = true;
        info->history_count -= info->history_count < PL_MG_HISTORY;
        solve_gradients(&it);
    }
}
