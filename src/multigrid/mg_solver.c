// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The public multigrid solver (pliant/multigrid.h): checks the input, owns levels and vectors, and
// fills in pl_mg_info.
#include "base/memory.h"
#include "base/timer.h"
#include "multigrid/mg_krylov.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { COOKIE = 0x6d67 };

struct pl_mg_solver {
    pl_mg_krylov krylov;
    pl_block_mg* mg;
    pl_array added; // of pl_mg_diagonal
    bool conjugate, fallback;
    double setup_seconds, update_seconds;
};

pl_mg_def pl_default_mg_def(void) {
    return (pl_mg_def){.smoother = PL_SMOOTHER_GAUSS_SEIDEL,
                       .pre_sweeps = 1,
                       .post_sweeps = 1,
                       .conjugate_gradients = true,
                       .fallback = true,
                       .stiffness_aware = true,
                       .cookie = COOKIE};
}

static pl_status check_def(const pl_mg_def* def, pl_error* error) {
    if (!def || def->cookie != COOKIE)
        return pl_fail(
            error, PL_ERROR_ARGUMENT,
            "the solver's definition was not made by pl_default_mg_def; start from that");
    if (def->pre_sweeps < 0 || def->post_sweeps < 0 || def->pre_sweeps + def->post_sweeps == 0)
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "%d sweeps before and %d after the coarse level; give at least one",
                       def->pre_sweeps, def->post_sweeps);
    if ((def->level_count > 0 && !def->levels) || (def->start_count > 0 && !def->starts))
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "level_count or start_count is above 0, but levels or starts is NULL");
    return PL_OK;
}

// true if the row has this column; binary search
static bool has_entry(const pl_mg_blocks* A, int row, int column) {
    int low = A->offsets[row], high = A->offsets[row + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (A->columns[middle] < column) low = middle + 1;
        else high = middle;
    }
    return low < A->offsets[row + 1] && A->columns[low] == column;
}

static pl_status check_order(const pl_mg_blocks* A, pl_error* error) {
    if (A->row_count < 1 || !A->offsets || !A->columns || !A->values || A->offsets[0] != 0)
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "the matrix has no rows, or an array is missing, or offsets do not begin "
                       "with 0");
    for (int i = 0; i < A->row_count; i++) {
        if (A->offsets[i + 1] < A->offsets[i])
            return pl_fail(error, PL_ERROR_ARGUMENT, "offsets of row %d descend; they must ascend",
                           i);
        for (int e = A->offsets[i]; e < A->offsets[i + 1]; e++)
            if (A->columns[e] < 0 || A->columns[e] >= A->row_count ||
                (e > A->offsets[i] && A->columns[e] <= A->columns[e - 1]))
                return pl_fail(error, PL_ERROR_ARGUMENT,
                               "row %d: column %d is out of range or out of order; columns must "
                               "ascend",
                               i, A->columns[e]);
    }
    return PL_OK;
}

static pl_status check_structure(const pl_mg_blocks* A, pl_error* error) {
    pl_status status = check_order(A, error);
    if (status != PL_OK) return status;
    for (int i = 0; i < A->row_count; i++) {
        if (!has_entry(A, i, i))
            return pl_fail(error, PL_ERROR_ARGUMENT,
                           "row %d has no diagonal block; give one, even if it is zero", i);
        for (int e = A->offsets[i]; e < A->offsets[i + 1]; e++)
            if (!has_entry(A, A->columns[e], i))
                return pl_fail(
                    error, PL_ERROR_ARGUMENT,
                    "the matrix has block (%d, %d), but not (%d, %d); give both triangles", i,
                    A->columns[e], A->columns[e], i);
    }
    return PL_OK;
}

static pl_status check_positions(const double* positions, int count, pl_error* error) {
    for (int i = 0; i < 3 * count; i++)
        if (!isfinite(positions[i]))
            return pl_fail(error, PL_ERROR_ARGUMENT, "the position of vertex %d is not finite",
                           i / 3);
    return PL_OK;
}

static pl_status build(pl_mg_solver* s, const pl_mg_def* def, const pl_mg_blocks* A,
                       const double* positions, pl_error* error) {
    pl_mg_settings settings = {.levels = def->level_count > 0 ? def->levels : NULL,
                               .level_count = def->level_count,
                               .starts = def->starts,
                               .start_count = def->start_count,
                               .smoother = def->smoother,
                               .pre_sweeps = def->pre_sweeps,
                               .post_sweeps = def->post_sweeps,
                               .stiffness_aware = def->stiffness_aware};
    pl_status status = pl_block_mg_setup(&s->mg, A, positions, &settings, def->pool, error);
    if (status != PL_OK) return status;
    return pl_mg_krylov_setup(&s->krylov, A, error);
}

pl_status pl_mg_create(const pl_mg_def* def, const pl_mg_blocks* A, const double* positions,
                       pl_mg_solver** out, pl_error* error) {
    *out = NULL;
    double start = pl_seconds();
    pl_status status = check_def(def, error);
    if (status == PL_OK) status = check_structure(A, error);
    if (status == PL_OK) status = check_positions(positions, A->row_count, error);
    if (status != PL_OK) return status;
    pl_mg_solver* s = PL_ALLOC(pl_mg_solver, 1);
    if (!s) return pl_fail_memory(error, "a multigrid solver");
    s->added = pl_array_of(sizeof(pl_mg_diagonal));
    s->conjugate = def->conjugate_gradients;
    s->fallback = def->fallback;
    status = build(s, def, A, positions, error);
    if (status != PL_OK) {
        pl_mg_destroy(s);
        return status;
    }
    s->setup_seconds = pl_seconds() - start;
    pl_mg_update(s, A->values, NULL); // a failure shows in the info of each solve
    *out = s;
    return PL_OK;
}

void pl_mg_destroy(pl_mg_solver* s) {
    if (!s) return;
    pl_block_mg_destroy(s->mg);
    pl_mg_krylov_free(&s->krylov);
    pl_array_free(&s->added);
    PL_FREE(s, pl_mg_solver, 1);
}

pl_status pl_mg_update(pl_mg_solver* s, const double* values, pl_error* error) {
    double start = pl_seconds();
    if (values) s->krylov.A.values = values;
    bool factored = pl_block_mg_update(s->mg, &s->krylov.A);
    s->update_seconds = pl_seconds() - start;
    return factored ? PL_OK : pl_block_mg_fail(error);
}

pl_status pl_mg_update_diagonal(pl_mg_solver* s, const pl_mg_diagonal* blocks, int count,
                                pl_error* error) {
    if (count < 0 || (count > 0 && !blocks))
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "%d blocks on the diagonal: the count must not be negative, nor blocks NULL",
                       count);
    if (!pl_array_reserve(&s->added, (size_t)count))
        return pl_fail_memory(error, "blocks on the diagonal");
    double start = pl_seconds();
    pl_status status = pl_block_mg_update_diagonal(s->mg, blocks, count, error);
    // PL_ERROR_DIVERGED: only the factor failed; the levels have the blocks
    if (status != PL_OK && status != PL_ERROR_DIVERGED) return status;
    s->added.count = 0;
    if (count > 0)
        memcpy(pl_array_add(&s->added, (size_t)count), blocks, (size_t)count * sizeof *blocks);
    s->krylov.added = s->added.data;
    s->krylov.added_count = count;
    s->update_seconds = pl_seconds() - start;
    return status;
}

void pl_mg_move(pl_mg_solver* s, const double* positions) { pl_block_mg_move(s->mg, positions); }

static void report(const pl_mg_solver* s, const pl_linear_info* linear, pl_mg_info* info) {
    const pl_block_mg* mg = s->mg;
    info->iterations = linear->iterations;
    info->converged = linear->converged;
    info->switched = linear->switched;
    info->indefinite = linear->indefinite;
    info->residual = linear->residual;
    info->history_count = linear->history_count;
    static_assert(sizeof info->history == sizeof linear->history, "histories of one length");
    memcpy(info->history, linear->history, sizeof info->history);
    info->level_count = mg->hierarchy.level_count;
    memcpy(info->node_counts, mg->hierarchy.node_counts, sizeof info->node_counts);
    info->bytes = (int64_t)(pl_block_mg_bytes(mg) + 12 * (size_t)mg->row_count * sizeof(double));
    info->setup_seconds = s->setup_seconds;
    info->update_seconds = s->update_seconds;
    info->update_copy_seconds = mg->times.copy;
    info->update_product_seconds = mg->times.product;
    info->update_factor_seconds = mg->times.factor;
    info->fine_seconds = mg->times.smooth_fine;
    info->coarse_seconds = mg->times.coarse;
    info->bottom_seconds = mg->times.bottom;
    info->outer_seconds =
        info->solve_seconds - info->fine_seconds - info->coarse_seconds - info->bottom_seconds;
}

void pl_mg_solve(pl_mg_solver* s, const double* b, double* x, double tolerance, int max_iterations,
                 pl_mg_info* info) {
    pl_mg_info own;
    pl_linear_info linear = {0};
    pl_linear_options options = {.tolerance = tolerance, .max_iterations = max_iterations};
    if (!info) info = &own;
    *info = (pl_mg_info){0};
    double start = pl_seconds();
    s->mg->times.smooth_fine = s->mg->times.coarse = s->mg->times.bottom = 0.0;
    pl_mg_krylov_solve(&s->krylov, s->mg, s->conjugate, s->fallback, &options, b, x, &linear);
    info->solve_seconds = pl_seconds() - start;
    report(s, &linear, info);
}
