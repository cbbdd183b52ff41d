// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "mixed/mixed_linear.h"
#include "base/deadline.h"
#include "base/memory.h"
#include "mixed/mixed_joined.h"
#include "sparse/direct.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

enum { MAX_FAILED_STEPS = 3, MAX_REFINEMENTS = 3 };
// The direct solver costs the same for every tolerance.
static const double DIRECT_TOLERANCE = 1e-10;

struct pl_mixed_linear {
    const pl_block_matrix* A; // borrowed
    pl_pool* pool;
    pl_mixed_cycles* cycles; // NULL: linear "direct"
    pl_direct* direct;       // NULL: multigrid has not failed yet
    pl_mixed_joined* joined; // NULL: no bodies have touched yet
    double* residual;        // 4 per vertex
    bool may_fall_back;
    bool cycles_failed; // in this step
    int failed_steps;   // before it, one after the other
};

static int unknown_count(const pl_mixed_linear* l) { return 4 * l->A->row_count; }

void pl_mixed_linear_destroy(pl_mixed_linear* l) {
    if (!l) return;
    pl_mixed_cycles_destroy(l->cycles);
    pl_direct_destroy(l->direct);
    pl_mixed_joined_destroy(l->joined);
    PL_FREE(l->residual, double, unknown_count(l));
    PL_FREE(l, pl_mixed_linear, 1);
}

pl_status pl_mixed_linear_create(const pl_block_matrix* A, const double* rest,
                                 const pl_step_settings* settings, double relaxation, pl_pool* pool,
                                 pl_mixed_linear** out, pl_error* error) {
    pl_mixed_linear* l = *out = PL_ALLOC(pl_mixed_linear, 1);
    if (!l) return pl_fail_memory(error, "the solver of a step");
    *l = (pl_mixed_linear){.A = A, .pool = pool, .may_fall_back = settings->multigrid.fallback};
    l->residual = PL_ALLOC(double, unknown_count(l));
    pl_status status = l->residual ? PL_OK : pl_fail_memory(error, "the solver of a step");
    if (status == PL_OK && settings->linear == PL_LINEAR_DIRECT)
        status = pl_direct_setup(A, &l->direct, error);
    else if (status == PL_OK)
        status = pl_mixed_cycles_create(A, rest, &settings->multigrid, relaxation, pool, &l->cycles,
                                        error);
    if (status == PL_OK) return PL_OK;
    pl_mixed_linear_destroy(l);
    *out = NULL;
    return status;
}

void pl_mixed_linear_set_relaxation(pl_mixed_linear* l, double relaxation) {
    if (!l->cycles || !pl_mixed_cycles_set_relaxation(l->cycles, relaxation)) return;
    l->cycles_failed = false; // another relaxation may do
    l->failed_steps = 0;
}

void pl_mixed_linear_begin(pl_mixed_linear* l) {
    l->failed_steps = l->cycles_failed ? l->failed_steps + 1 : 0;
    l->cycles_failed = l->failed_steps >= MAX_FAILED_STEPS;
}

static bool is_direct(const pl_mixed_linear* l) { return !l->cycles || l->cycles_failed; }

// Where cycles fail, the direct solver is made for them.
static pl_status factor(pl_mixed_linear* l, pl_error* error) {
    pl_status status = l->direct ? PL_OK : pl_direct_setup(l->A, &l->direct, error);
    return status == PL_OK ? pl_direct_update(l->direct, l->A, l->pool, error) : status;
}

pl_status pl_mixed_linear_update(pl_mixed_linear* l, pl_error* error) {
    if (!is_direct(l)) l->cycles_failed = !pl_mixed_cycles_update(l->cycles);
    return is_direct(l) ? factor(l, error) : PL_OK;
}

// x = A^-1 b, with refinement of what round-off left
static void solve_directly(pl_mixed_linear* l, double tolerance, const double* b, double* x,
                           pl_linear_info* info) {
    int count = unknown_count(l);
    double scale = pl_vector_norm(l->pool, count, b);
    memset(x, 0, (size_t)count * sizeof(double));
    for (int pass = 0; pass < MAX_REFINEMENTS; pass++) {
        pl_block_matrix_apply(l->A, l->pool, 1, x, l->residual);
        pl_vector_xpay(l->pool, count, b, -1.0, l->residual);
        double norm = pl_vector_norm(l->pool, count, l->residual);
        pl_linear_note(info, scale == 0.0 ? 0.0 : norm / scale);
        info->converged = info->residual <= tolerance;
        if (info->converged || !isfinite(norm)) break;
        pl_direct_solve(l->direct, 1, l->residual, l->residual);
        pl_vector_axpy(l->pool, count, 1.0, l->residual, x);
        info->iterations++;
    }
}

// B is positive definite, so the matrix has as many negative pivots as there are pressures, unless
// the objective curves down somewhere.
static void note_pivots(const pl_mixed_linear* l, pl_linear_info* info) {
    pl_direct_info direct = pl_direct_get_info(l->direct);
    info->tiny_pivot_count = direct.tiny_pivot_count;
    info->singular = direct.tiny_pivot_count > 0;
    info->indefinite = direct.negative_pivot_count > l->A->row_count;
}

// A solve that the deadline ended has not failed.
static bool is_late(const pl_linear_options* options) {
    return options->deadline && pl_deadline_now(options->deadline) >= options->deadline->end;
}

pl_status pl_mixed_linear_join(pl_mixed_linear* l, pl_add_product add, void* user,
                               pl_error* error) {
    if (!l->joined && !add) return PL_OK;
    pl_status status = l->joined ? PL_OK : pl_mixed_joined_create(l->A, l->pool, &l->joined, error);
    if (status == PL_OK) pl_mixed_joined_set(l->joined, add, user);
    return status;
}

static void precondition(void* user, const void* r, void* z) {
    pl_mixed_linear* l = user;
    if (is_direct(l)) pl_direct_solve(l->direct, 1, r, z);
    else pl_mixed_cycles_apply(l->cycles, r, z);
}

static void solve_with_cycles(pl_mixed_linear* l, const pl_linear_options* options, const double* b,
                              double* x, pl_linear_info* info) {
    if (pl_mixed_joined_is_set(l->joined))
        pl_mixed_joined_solve(l->joined, precondition, l, options, b, x, info);
    else pl_mixed_cycles_solve(l->cycles, options, b, x, info);
}

void pl_mixed_linear_solve(pl_mixed_linear* l, const pl_linear_options* options, const double* b,
                           double* x, pl_linear_info* info) {
    *info = (pl_linear_info){0};
    if (!is_direct(l)) {
        solve_with_cycles(l, options, b, x, info);
        if (info->converged || !l->may_fall_back || is_late(options)) return;
        if (factor(l, NULL) != PL_OK) return;
        l->cycles_failed = info->switched = true;
    }
    // what the cycles took does not count against the iterations of the direct solver
    const int cycles_took = info->iterations;
    *info = (pl_linear_info){.switched = info->switched};
    if (pl_mixed_joined_is_set(l->joined))
        pl_mixed_joined_solve(l->joined, precondition, l, options, b, x, info);
    else solve_directly(l, fmin(options->tolerance, DIRECT_TOLERANCE), b, x, info);
    info->iterations += cycles_took;
    note_pivots(l, info);
}

pl_mixed_linear_state pl_mixed_linear_get_state(const pl_mixed_linear* l) {
    pl_mixed_linear_state state = {.failed_steps = l->failed_steps,
                                   .cycles_failed = l->cycles_failed};
    if (l->cycles) state.cycles = pl_mixed_cycles_get_state(l->cycles);
    return state;
}

void pl_mixed_linear_set_state(pl_mixed_linear* l, const pl_mixed_linear_state* state) {
    l->failed_steps = state->failed_steps;
    l->cycles_failed = state->cycles_failed != 0;
    if (l->cycles) pl_mixed_cycles_set_state(l->cycles, &state->cycles);
}
