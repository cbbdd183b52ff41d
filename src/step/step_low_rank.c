// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "step/step_low_rank.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

// S is singular if elimination leaves a column below this fraction of its largest entry.
static const double MIN_PIVOT = 1e-12;
// Rounds with the approximate inverse: each solves with A to ROUND_TOLERANCE at best, and must
// reduce the residual to at most SLOW_ROUND of it. END_PART of the tolerance is reserved for
// neglected terms.
static const double ROUND_TOLERANCE = 1e-4, SLOW_ROUND = 0.2, END_PART = 0.5;
enum { MAX_ROUNDS = 8 };

pl_low_rank_work pl_low_rank_setup(void) {
    return (pl_low_rank_work){.U = pl_array_of(sizeof(double)),
                              .W = pl_array_of(sizeof(double)),
                              .C = pl_array_of(sizeof(double)),
                              .S = pl_array_of(sizeof(double)),
                              .rows = pl_array_of(sizeof(int)),
                              .small = pl_array_of(sizeof(double)),
                              .Q = pl_array_of(sizeof(double)),
                              .E = pl_array_of(sizeof(double)),
                              .r = pl_array_of(sizeof(double)),
                              .e = pl_array_of(sizeof(double))};
}

void pl_low_rank_free(pl_low_rank_work* w) {
    pl_array* arrays[] = {&w->U,     &w->W, &w->C, &w->S, &w->rows,
                          &w->small, &w->Q, &w->E, &w->r, &w->e};
    for (int k = 0; k < 10; k++) pl_array_free(arrays[k]);
    w->rank = 0;
}

static pl_low_rank part_of(const pl_step_objective* f, int term, const double* x) {
    const pl_step_term* t = f->terms[term];
    if (!t->low_rank || (t->is_indefinite && f->leaves_indefinite_out)) return (pl_low_rank){0};
    return t->low_rank(t->user, x);
}

static bool resize(pl_array* array, size_t count) {
    array->count = 0;
    return pl_array_add(array, count) != NULL;
}

static bool reserve(pl_low_rank_work* w, size_t count) {
    size_t rank = (size_t)w->rank;
    return resize(&w->U, rank * count) && resize(&w->C, rank * rank) && resize(&w->small, 2 * rank);
}

static bool reserve_rounds(pl_low_rank_work* w, size_t count) {
    size_t rank = (size_t)w->rank;
    return resize(&w->Q, rank * count) && resize(&w->E, rank) && resize(&w->r, count) &&
           resize(&w->e, count);
}

static bool reserve_woodbury(pl_low_rank_work* w, size_t count) {
    size_t rank = (size_t)w->rank;
    return resize(&w->W, rank * count) && resize(&w->S, rank * rank) && resize(&w->rows, rank);
}

// Columns of all terms side by side, without held directions; C of each term is a diagonal block.
static void gather_parts(pl_low_rank_work* w, const pl_step_objective* f, const double* x) {
    size_t count = 3 * (size_t)f->vertex_count, rank = (size_t)w->rank, first = 0;
    double *U = w->U.data, *C = w->C.data;
    memset(C, 0, rank * rank * sizeof(double));
    for (int k = 0; k < f->term_count; k++) {
        pl_low_rank part = part_of(f, k, x);
        size_t n = (size_t)part.rank;
        if (n == 0) continue;
        memcpy(U + first * count, part.U, n * count * sizeof(double));
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) C[(first + i) * rank + first + j] = part.C[i * n + j];
        first += n;
    }
    for (size_t k = 0; k < rank; k++) {
        for (int v = 0; v < f->vertex_count; v++)
            if (f->fixed[v]) memset(U + k * count + 3 * (size_t)v, 0, 3 * sizeof(double));
        pl_holds_project(f->holds, f->hold_count, U + k * count);
    }
}

// S = L R in place, with row exchanges; false if it is singular
static bool factor(double* S, int n, int* rows) {
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(S[i * n + k]) > fabs(S[best * n + k])) best = i;
        rows[k] = best;
        for (int j = 0; best != k && j < n; j++) {
            double before = S[k * n + j];
            S[k * n + j] = S[best * n + j];
            S[best * n + j] = before;
        }
        double largest = 0.0;
        for (int i = 0; i < n; i++) largest = fmax(largest, fabs(S[i * n + k]));
        if (!(fabs(S[k * n + k]) > MIN_PIVOT * largest)) return false;
        for (int i = k + 1; i < n; i++) {
            double part = S[i * n + k] /= S[k * n + k];
            for (int j = k + 1; j < n; j++) S[i * n + j] -= part * S[k * n + j];
        }
    }
    return true;
}

static void solve_factored(const double* S, int n, const int* rows, double* y) {
    for (int k = 0; k < n; k++) {
        double before = y[k];
        y[k] = y[rows[k]];
        y[rows[k]] = before;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) y[i] -= S[i * n + j] * y[j];
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) y[i] -= S[i * n + j] * y[j];
        y[i] /= S[i * n + i];
    }
}

// out = C in
static void apply_core(const pl_low_rank_work* w, const double* in, double* out) {
    const double* C = w->C.data;
    for (int i = 0; i < w->rank; i++) {
        out[i] = 0.0;
        for (int j = 0; j < w->rank; j++) out[i] += C[i * w->rank + j] * in[j];
    }
}

// S = I + C U'W; false if it is singular
static bool factor_small(pl_low_rank_work* w, pl_pool* pool, int count) {
    int n = w->rank;
    double *S = w->S.data, *column = w->small.data, *CUW = column + n;
    const double *U = w->U.data, *W = w->W.data;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            column[i] = pl_vector_dot(pool, count, U + (size_t)i * (size_t)count,
                                      W + (size_t)j * (size_t)count);
        apply_core(w, column, CUW);
        for (int i = 0; i < n; i++) S[i * n + j] = CUW[i] + (i == j ? 1.0 : 0.0);
    }
    return factor(S, n, w->rows.data);
}

// ---------------------------------------------------------------- Woodbury

static void add_solve(const pl_linear_info* from, pl_linear_info* to) {
    to->iterations += from->iterations;
    to->switched = to->switched || from->switched;
    to->indefinite = to->indefinite || from->indefinite;
    if (from->tiny_pivot_count > to->tiny_pivot_count)
        to->tiny_pivot_count = from->tiny_pivot_count;
}

// d = A^-1 b becomes (A + U C U')^-1 b
static void apply_woodbury(const pl_low_rank_work* w, pl_pool* pool, int count, double* d) {
    int n = w->rank;
    double *Ud = w->small.data, *y = Ud + n;
    const double *U = w->U.data, *W = w->W.data;
    for (int i = 0; i < n; i++)
        Ud[i] = pl_vector_dot(pool, count, U + (size_t)i * (size_t)count, d);
    apply_core(w, Ud, y);
    solve_factored(w->S.data, n, w->rows.data, y);
    for (int i = 0; i < n; i++)
        pl_vector_axpy(pool, count, -y[i], W + (size_t)i * (size_t)count, d);
}

static pl_status solve_woodbury(pl_low_rank_work* w, const pl_newton_solver* solver,
                                const pl_step_objective* f, const pl_linear_options* options,
                                bool residual_unread, const double* b, double* d,
                                pl_linear_info* linear, pl_error* error) {
    int count = 3 * f->vertex_count, before = linear->iterations;
    if (!reserve_woodbury(w, (size_t)count))
        return pl_fail_memory(error, "low-rank terms of a step");
    memset(d, 0, (size_t)count * sizeof(double));
    solver->functions->solve(solver->data, options, residual_unread, b, d, linear);
    linear->iterations += before;
    memset(w->W.data, 0, (size_t)w->rank * (size_t)count * sizeof(double));
    for (size_t k = 0; k < (size_t)w->rank; k++) {
        pl_linear_info one = {0};
        size_t at = k * (size_t)count;
        solver->functions->solve(solver->data, options, true, (double*)w->U.data + at,
                                 (double*)w->W.data + at, &one);
        add_solve(&one, linear);
        if (!one.converged) linear->converged = false;
    }
    if (factor_small(w, f->pool, count)) apply_woodbury(w, f->pool, count, d);
    else linear->converged = false;
    return PL_OK;
}

// ---------------------------------------------------------------- rounds

// Q and E of all terms; false if a term does not provide them
static bool gather_inverse(pl_low_rank_work* w, const pl_step_objective* f, const double* x) {
    size_t count = 3 * (size_t)f->vertex_count, first = 0;
    for (int k = 0; k < f->term_count; k++) {
        pl_low_rank part = part_of(f, k, x);
        size_t n = (size_t)part.rank;
        if (n == 0) continue;
        if (!part.Q) return false;
        memcpy((double*)w->Q.data + first * count, part.Q, n * count * sizeof(double));
        memcpy((double*)w->E.data + first, part.E, n * sizeof(double));
        first += n;
    }
    return true;
}

// small = [U'x, C U'x]. Returns the second.
static double* find_core(const pl_low_rank_work* w, pl_pool* pool, int count, const double* x) {
    double *along = w->small.data, *y = along + w->rank;
    const double* U = w->U.data;
    for (int i = 0; i < w->rank; i++)
        along[i] = pl_vector_dot(pool, count, U + (size_t)i * (size_t)count, x);
    apply_core(w, along, y);
    return y;
}

// to += P y
static void add_columns(const pl_low_rank_work* w, pl_pool* pool, int count,
                        const pl_array* columns, const double* y, double* to) {
    const double* P = columns->data;
    for (int i = 0; i < w->rank; i++)
        pl_vector_axpy(pool, count, y[i], P + (size_t)i * (size_t)count, to);
}

// One round from the residual r. Returns the new residual.
static double go_round(const pl_low_rank_work* w, const pl_newton_solver* solver, pl_pool* pool,
                       int count, const pl_linear_options* options, const double* b, double* d,
                       pl_linear_info* linear) {
    double *r = w->r.data, *e = w->e.data;
    const double* E = w->E.data;
    pl_linear_info one = {0};
    memset(e, 0, (size_t)count * sizeof(double));
    solver->functions->solve(solver->data, options, true, r, e, &one);
    add_solve(&one, linear);
    double* y = find_core(w, pool, count, e);
    for (int i = 0; i < w->rank; i++) y[i] *= -E[i];
    add_columns(w, pool, count, &w->Q, y, e);
    pl_vector_axpy(pool, count, 1.0, e, d);
    solver->functions->apply(solver->data, d, r);
    add_columns(w, pool, count, &w->U, find_core(w, pool, count, d), r);
    pl_vector_xpay(pool, count, b, -1.0, r);
    return pl_vector_norm(pool, count, r);
}

// False if the approximate inverse is not accurate enough.
static bool solve_rounds(pl_low_rank_work* w, const pl_newton_solver* solver, pl_pool* pool,
                         int count, const pl_linear_options* options, const double* b, double* d,
                         pl_linear_info* linear) {
    double scale = pl_vector_norm(pool, count, b), left = scale;
    *linear = (pl_linear_info){.converged = scale == 0.0};
    memcpy(w->r.data, b, (size_t)count * sizeof(double));
    for (int k = 0; !linear->converged && k < MAX_ROUNDS; k++) {
        double before = left, rest = END_PART * options->tolerance * scale / left;
        pl_linear_options round = {.tolerance = rest > ROUND_TOLERANCE ? rest : ROUND_TOLERANCE,
                                   .max_iterations = options->max_iterations - linear->iterations,
                                   .deadline = options->deadline};
        if (round.max_iterations <= 0) return true;
        left = go_round(w, solver, pool, count, &round, b, d, linear);
        if (!isfinite(left) || linear->indefinite) return linear->indefinite;
        pl_linear_note(linear, left / scale);
        linear->converged = left <= options->tolerance * scale;
        if (pl_linear_is_cut(options, linear)) return true;
        if (!linear->converged && left > SLOW_ROUND * before) return false;
    }
    return linear->converged;
}

pl_status pl_low_rank_solve(pl_low_rank_work* w, const pl_newton_solver* solver,
                            const pl_step_objective* f, const double* x,
                            const pl_linear_options* options, bool residual_unread, const double* b,
                            double* d, pl_linear_info* linear, pl_error* error) {
    int count = 3 * f->vertex_count;
    w->rank = 0;
    for (int k = 0; k < f->term_count; k++) w->rank += part_of(f, k, x).rank;
    if (w->rank == 0) {
        solver->functions->solve(solver->data, options, residual_unread, b, d, linear);
        return PL_OK;
    }
    if (!reserve(w, (size_t)count) || !reserve_rounds(w, (size_t)count))
        return pl_fail_memory(error, "low-rank terms of a step");
    gather_parts(w, f, x);
    *linear = (pl_linear_info){0};
    if (solver->functions->apply && gather_inverse(w, f, x) &&
        solve_rounds(w, solver, f->pool, count, options, b, d, linear))
        return PL_OK;
    return solve_woodbury(w, solver, f, options, residual_unread, b, d, linear, error);
}
