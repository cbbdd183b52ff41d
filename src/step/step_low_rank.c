// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "step/step_low_rank.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

// S is singular if what is left of a column is below this part of its largest entry.
static const double MIN_PIVOT = 1e-12;

pl_low_rank_work pl_low_rank_setup(void) {
    return (pl_low_rank_work){.U = pl_array_of(sizeof(double)),
                              .W = pl_array_of(sizeof(double)),
                              .C = pl_array_of(sizeof(double)),
                              .S = pl_array_of(sizeof(double)),
                              .rows = pl_array_of(sizeof(int)),
                              .small = pl_array_of(sizeof(double))};
}

void pl_low_rank_free(pl_low_rank_work* w) {
    pl_array* arrays[] = {&w->U, &w->W, &w->C, &w->S, &w->rows, &w->small};
    for (int k = 0; k < 6; k++) pl_array_free(arrays[k]);
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
    return resize(&w->U, rank * count) && resize(&w->W, rank * count) &&
           resize(&w->C, rank * rank) && resize(&w->S, rank * rank) && resize(&w->rows, rank) &&
           resize(&w->small, 2 * rank);
}

// Columns of all terms side by side, without what is held; C of each on the diagonal.
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

// S = L R in place, with exchanges of rows; false if it is singular
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

pl_status pl_low_rank_update(pl_low_rank_work* w, const pl_newton_solver* solver,
                             const pl_step_objective* f, const double* x,
                             const pl_linear_options* options, bool* solved, pl_method_info* info,
                             pl_error* error) {
    int count = 3 * f->vertex_count;
    w->rank = 0;
    for (int k = 0; k < f->term_count; k++) w->rank += part_of(f, k, x).rank;
    if (w->rank == 0) return PL_OK;
    if (!reserve(w, (size_t)count)) return pl_fail_memory(error, "low-rank terms of a step");
    gather_parts(w, f, x);
    memset(w->W.data, 0, (size_t)w->rank * (size_t)count * sizeof(double));
    for (size_t k = 0; k < (size_t)w->rank; k++) {
        pl_linear_info linear = {0};
        size_t at = k * (size_t)count;
        solver->functions->solve(solver->data, options, true, (double*)w->U.data + at,
                                 (double*)w->W.data + at, &linear);
        info->linear_iterations += linear.iterations;
        info->switch_count += linear.switched;
        if (!linear.converged) *solved = false;
    }
    if (factor_small(w, f->pool, count)) return PL_OK;
    w->rank = 0;
    *solved = false;
    return PL_OK;
}

void pl_low_rank_apply(const pl_low_rank_work* w, pl_pool* pool, int count, double* d) {
    int n = w->rank;
    double *Ud = w->small.data, *y = Ud + n;
    const double *U = w->U.data, *W = w->W.data;
    for (int i = 0; i < n; i++)
        Ud[i] = pl_vector_dot(pool, count, U + (size_t)i * (size_t)count, d);
    if (n > 0) apply_core(w, Ud, y);
    if (n > 0) solve_factored(w->S.data, n, w->rows.data, y);
    for (int i = 0; i < n; i++)
        pl_vector_axpy(pool, count, -y[i], W + (size_t)i * (size_t)count, d);
}
