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
// A direct solve costs the same for every tolerance.
static const double DIRECT_TOLERANCE = 1e-10;

struct pl_mixed_linear {
    pl_mixed_matrices matrices; // borrowed
    double* rest;               // 3 per vertex; NULL: there is only one rung
    pl_multigrid keys;
    pl_pool* pool;
    pl_mixed_cycles* cycles;     // NULL: linear "direct"
    pl_mixed_definite* definite; // NULL: cycles have not failed yet
    pl_direct* direct;           // NULL: MINRES has not failed yet
    pl_mixed_joined* joined;     // NULL: no bodies have touched yet
    double* residual;            // 4 per vertex
    pl_mixed_rung rung;          // of the current step
    bool has_factor;             // the rung can solve with the matrix of the last update
    bool has_climbed;            // since the last solve
    bool is_tentative;           // the matrix of the last update may be indefinite
    bool in_levels;              // its values are only in the levels of multigrid
    int failed_steps;            // consecutive, before this one
};

static int unknown_count(const pl_mixed_linear* l) { return 4 * l->matrices.A->row_count; }

void pl_mixed_linear_destroy(pl_mixed_linear* l) {
    if (!l) return;
    pl_mixed_cycles_destroy(l->cycles);
    pl_mixed_definite_destroy(l->definite);
    pl_direct_destroy(l->direct);
    pl_mixed_joined_destroy(l->joined);
    PL_FREE(l->residual, double, unknown_count(l));
    PL_FREE(l->rest, double, 3 * (size_t)l->matrices.A->row_count);
    PL_FREE(l, pl_mixed_linear, 1);
}

// Keeps the rest positions for rungs that may be created later.
static pl_status keep_rest(pl_mixed_linear* l, const double* rest, pl_error* error) {
    const size_t count = 3 * (size_t)l->matrices.A->row_count;
    if (!l->keys.fallback) return PL_OK;
    l->rest = PL_ALLOC(double, count);
    if (!l->rest) return pl_fail_memory(error, "the solver of a step");
    memcpy(l->rest, rest, count * sizeof(double));
    return PL_OK;
}

static pl_status setup(pl_mixed_linear* l, const double* rest, bool by_factor, double relaxation,
                       pl_error* error) {
    l->residual = PL_ALLOC(double, unknown_count(l));
    if (!l->residual) return pl_fail_memory(error, "the solver of a step");
    if (by_factor) {
        l->rung = PL_MIXED_BY_FACTOR;
        return pl_direct_setup(l->matrices.A, &l->direct, error);
    }
    pl_status status = keep_rest(l, rest, error);
    if (status != PL_OK) return status;
    return pl_mixed_cycles_create(l->matrices.A, rest, &l->keys, relaxation, l->pool, &l->cycles,
                                  error);
}

pl_status pl_mixed_linear_create(const pl_mixed_matrices* matrices, const double* rest,
                                 const pl_step_settings* settings, double relaxation, pl_pool* pool,
                                 pl_mixed_linear** out, pl_error* error) {
    *out = NULL;
    pl_mixed_linear* l = PL_ALLOC(pl_mixed_linear, 1);
    if (!l) return pl_fail_memory(error, "the solver of a step");
    *l = (pl_mixed_linear){.matrices = *matrices, .keys = settings->multigrid, .pool = pool};
    pl_status status = setup(l, rest, settings->linear == PL_LINEAR_DIRECT, relaxation, error);
    if (status == PL_OK) *out = l;
    else pl_mixed_linear_destroy(l);
    return status;
}

void pl_mixed_linear_set_relaxation(pl_mixed_linear* l, double relaxation) {
    if (!l->cycles || !pl_mixed_cycles_set_relaxation(l->cycles, relaxation)) return;
    l->rung = PL_MIXED_BY_CYCLES; // another relaxation may converge
    l->failed_steps = 0;
}

void pl_mixed_linear_begin(pl_mixed_linear* l) {
    if (!l->cycles) return;
    l->failed_steps = l->rung != PL_MIXED_BY_CYCLES ? l->failed_steps + 1 : 0;
    if (l->failed_steps < MAX_FAILED_STEPS) l->rung = PL_MIXED_BY_CYCLES;
}

// Passes the values of the matrix to the solver of the current rung, which is created at first use.
// Sets has_factor to whether that solver can solve.
static pl_status update_rung(pl_mixed_linear* l, pl_error* error) {
    pl_status status = PL_OK;
    l->has_factor = false;
    if (l->in_levels && l->rung != PL_MIXED_BY_CYCLES) {
        l->matrices.fill(l->matrices.user);
        l->in_levels = false;
    }
    switch (l->rung) {
    case PL_MIXED_BY_CYCLES: l->has_factor = pl_mixed_cycles_update(l->cycles, l->in_levels); break;
    case PL_MIXED_BY_MINRES:
        if (!l->definite)
            status = pl_mixed_definite_create(&l->matrices, l->rest, &l->keys, l->pool,
                                              &l->definite, error);
        if (status == PL_OK) status = pl_mixed_definite_update(l->definite, &l->has_factor, error);
        break;
    case PL_MIXED_BY_FACTOR:
        if (!l->direct) status = pl_direct_setup(l->matrices.A, &l->direct, error);
        if (status == PL_OK) status = pl_direct_update(l->direct, l->matrices.A, l->pool, error);
        l->has_factor = status == PL_OK;
        break;
    }
    return status;
}

static bool may_climb(const pl_mixed_linear* l) {
    return l->keys.fallback && !l->is_tentative && l->rung != PL_MIXED_BY_FACTOR;
}

// Climbs from the current rung to the first one that can solve.
static pl_status find_rung(pl_mixed_linear* l, pl_error* error) {
    pl_status status = update_rung(l, error);
    while (status == PL_OK && !l->has_factor && may_climb(l)) {
        l->rung++;
        l->has_climbed = true;
        status = update_rung(l, error);
    }
    return status;
}

struct pl_block_mg* pl_mixed_linear_levels(const pl_mixed_linear* l) {
    return l->cycles ? pl_mixed_cycles_levels(l->cycles) : NULL;
}

bool pl_mixed_linear_takes_levels(const pl_mixed_linear* l) {
    return l->cycles && l->rung == PL_MIXED_BY_CYCLES;
}

pl_status pl_mixed_linear_update(pl_mixed_linear* l, bool in_levels, bool is_tentative,
                                 pl_error* error) {
    l->in_levels = in_levels;
    l->is_tentative = is_tentative;
    if (l->cycles) pl_mixed_cycles_keep_relaxation(l->cycles, is_tentative);
    return find_rung(l, error);
}

// x = A^-1 b, with iterative refinement
static void solve_directly(pl_mixed_linear* l, double tolerance, const double* b, double* x,
                           pl_linear_info* info) {
    int count = unknown_count(l);
    double scale = pl_vector_norm(l->pool, count, b);
    memset(x, 0, (size_t)count * sizeof(double));
    for (int pass = 0; pass < MAX_REFINEMENTS; pass++) {
        pl_block_matrix_apply(l->matrices.A, l->pool, 1, x, l->residual);
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

// B is positive definite, so the matrix has exactly as many negative pivots as pressures, unless
// the objective has negative curvature.
static void note_pivots(const pl_mixed_linear* l, pl_linear_info* info) {
    pl_direct_info direct = pl_direct_get_info(l->direct);
    info->tiny_pivot_count = direct.tiny_pivot_count;
    info->singular = direct.tiny_pivot_count > 0;
    info->indefinite = direct.negative_pivot_count > l->matrices.A->row_count;
}

// A solve cut off by the deadline has not failed.
static bool is_late(const pl_linear_options* options) {
    return options->deadline && pl_deadline_now(options->deadline) >= options->deadline->end;
}

pl_status pl_mixed_linear_join(pl_mixed_linear* l, const pl_join* J, pl_error* error) {
    if (!l->joined && !J) return PL_OK;
    pl_status status =
        l->joined ? PL_OK
                  : pl_mixed_joined_create(l->matrices.A->row_count, l->pool, &l->joined, error);
    if (status == PL_OK) pl_mixed_joined_set(l->joined, J);
    return status;
}

static void multiply(void* user, const double* x, double* y) {
    const pl_mixed_linear* l = user;
    if (l->in_levels) pl_mixed_cycles_multiply(l->cycles, x, y);
    else pl_block_matrix_apply(l->matrices.A, l->pool, 1, x, y);
}

static void precondition(void* user, const double* r, double* z) {
    pl_mixed_linear* l = user;
    switch (l->rung) {
    case PL_MIXED_BY_CYCLES: pl_mixed_cycles_apply(l->cycles, r, z); break;
    case PL_MIXED_BY_MINRES: pl_mixed_definite_apply(l->definite, r, z); break;
    case PL_MIXED_BY_FACTOR: pl_direct_solve(l->direct, 1, r, z); break;
    }
}

// Cycles do not see J, so slow iterations while bodies touch say nothing about the relaxation.
// Search for it again only after a failed solve.
static void solve_joined(pl_mixed_linear* l, const pl_linear_options* options, const double* b,
                         double* x, pl_linear_info* info) {
    const pl_mixed_inner inner = {multiply, precondition, l};
    pl_mixed_joined_solve(l->joined, &inner, options, b, x, info);
    if (info->converged || is_late(options) || l->rung != PL_MIXED_BY_CYCLES) return;
    if (!pl_mixed_cycles_relax_again(l->cycles)) return;
    *info = (pl_linear_info){0};
    pl_mixed_joined_solve(l->joined, &inner, options, b, x, info);
}

static void solve_on_rung(pl_mixed_linear* l, const pl_linear_options* options, const double* b,
                          double* x, pl_linear_info* info) {
    if (!l->has_factor) {
        memset(x, 0, (size_t)unknown_count(l) * sizeof(double));
        info->residual = 1.0;
        info->preconditioner_failed = true;
        return;
    }
    if (pl_mixed_joined_is_set(l->joined)) {
        solve_joined(l, options, b, x, info);
        return;
    }
    switch (l->rung) {
    case PL_MIXED_BY_CYCLES: pl_mixed_cycles_solve(l->cycles, options, b, x, info); break;
    case PL_MIXED_BY_MINRES: pl_mixed_definite_solve(l->definite, options, b, x, info); break;
    case PL_MIXED_BY_FACTOR:
        solve_directly(l, fmin(options->tolerance, DIRECT_TOLERANCE), b, x, info);
        break;
    }
}

void pl_mixed_linear_solve(pl_mixed_linear* l, const pl_linear_options* options, const double* b,
                           double* x, pl_linear_info* info) {
    int iterations = 0; // of earlier rungs; not counted against the limit of later ones
    for (;;) {
        *info = (pl_linear_info){0};
        solve_on_rung(l, options, b, x, info);
        if (info->converged || !may_climb(l) || is_late(options)) break;
        const pl_mixed_rung failed = l->rung;
        const bool had_factor = l->has_factor;
        l->rung++;
        if (find_rung(l, NULL) != PL_OK) {
            l->rung = failed;
            l->has_factor = had_factor;
            break;
        }
        l->has_climbed = true;
        iterations += info->iterations;
    }
    info->iterations += iterations;
    info->switched = l->has_climbed;
    l->has_climbed = false;
    if (l->rung == PL_MIXED_BY_FACTOR) note_pivots(l, info);
}

pl_mixed_linear_state pl_mixed_linear_get_state(const pl_mixed_linear* l) {
    pl_mixed_linear_state state = {.failed_steps = l->failed_steps, .rung = l->rung};
    if (l->cycles) state.cycles = pl_mixed_cycles_get_state(l->cycles);
    return state;
}

void pl_mixed_linear_set_state(pl_mixed_linear* l, const pl_mixed_linear_state* state) {
    l->failed_steps = state->failed_steps;
    // the state may come from other settings
    if (!l->cycles) l->rung = PL_MIXED_BY_FACTOR;
    else if (l->keys.fallback && state->rung <= PL_MIXED_BY_FACTOR) l->rung = state->rung;
    else l->rung = PL_MIXED_BY_CYCLES;
    if (l->cycles) pl_mixed_cycles_set_state(l->cycles, &state->cycles);
}
