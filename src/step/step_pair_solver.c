// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "step/step_pair_solver.h"
#include "base/memory.h"
#include "sparse/krylov.h"
#include "sparse/vector.h"
#include "step/step_patch.h"

#include <string.h>

typedef struct pair_solver {
    pl_newton_solver inner;
    pl_step_meeting* meeting;
    pl_pool* pool;
    int count; // 3 per vertex
    double *r, *z, *p, *q;
    double *first, *left, *work; // of the preconditioner; of products
    pl_step_patch patch;
    pl_join J;
    bool is_indefinite; // the inner solver found its matrix to be indefinite
    bool adds;          // the preconditioner adds its two parts
} pair_solver;

static void destroy(void* data) {
    pair_solver* s = data;
    double* vectors[] = {s->r, s->z, s->p, s->q, s->first, s->left, s->work};
    pl_step_patch_free(&s->patch);
    for (int k = 0; k < 7; k++) PL_FREE(vectors[k], double, s->count);
    if (s->inner.data) s->inner.functions->destroy(s->inner.data);
    PL_FREE(s, pair_solver, 1);
}

static void begin(void* data) {
    pair_solver* s = data;
    if (s->inner.functions->begin) s->inner.functions->begin(s->inner.data);
}

// y += r (r.x)
static void add_row(const pl_meeting_row* row, const double* x, double* y) {
    double along = 0.0;
    for (size_t i = 0; i < 12; i++) along += row->r[i] * x[3 * (size_t)row->v[i / 3] + i % 3];
    for (size_t i = 0; i < 12; i++) y[3 * (size_t)row->v[i / 3] + i % 3] += along * row->r[i];
}

// y += J x, the sum over all rows
static void add_joins(void* user, const double* x, double* y) {
    pair_solver* s = user;
    const pl_step_objective* f = s->meeting->f;
    const pl_meeting_row* rows = s->meeting->rows.data;
    double* sum = f->hold_count ? s->work : y;
    if (f->hold_count) memset(sum, 0, (size_t)s->count * sizeof(double));
    for (size_t k = 0; k < s->meeting->rows.count; k++) add_row(&rows[k], x, sum);
    if (f->hold_count == 0) return;
    pl_holds_project(f->holds, f->hold_count, sum);
    pl_vector_axpy(s->pool, s->count, 1.0, sum, y);
}

// z += S r, for the contacts alone
static void smooth(void* user, const double* r, double* z) {
    pair_solver* s = user;
    const pl_step_objective* f = s->meeting->f;
    pl_step_patch_add(&s->patch, r, z);
    pl_holds_project(f->holds, f->hold_count, z);
}

static pl_status update(void* data, const pl_step_objective* f, const double* x, double projected,
                        pl_method_info* info, pl_error* error) {
    pair_solver* s = data;
    pl_status status = pl_step_meeting_update(s->meeting, x, error);
    if (status == PL_OK && s->inner.functions->join)
        status =
            s->inner.functions->join(s->inner.data, s->meeting->rows.count ? &s->J : NULL, error);
    if (status == PL_OK)
        status = s->inner.functions->update(s->inner.data, f, x, projected, info, error);
    if (status != PL_OK || s->meeting->rows.count == 0) return status;
    return pl_step_patch_update(&s->patch, s->meeting, &s->inner, s->work)
               ? PL_OK
               : pl_fail_memory(error, "the contacts of bodies");
}

static void apply(void* user, const void* x, void* y) {
    pair_solver* s = user;
    s->inner.functions->apply(s->inner.data, x, y);
    add_joins(s, x, y);
}

// left = r - H z
static void find_left(pair_solver* s, const double* r, const double* z) {
    apply(s, z, s->left);
    pl_vector_xpay(s->pool, s->count, r, -1.0, s->left);
}

// the inner solver and the contacts, both applied to the same residual
static void precondition_by_sum(pair_solver* s, const double* r, double* z) {
    if (!s->inner.functions->precondition(s->inner.data, r, z)) s->is_indefinite = true;
    smooth(s, r, z);
}

// The contacts, the inner solver, and the contacts again: a symmetric operator. Contacts are solved
// roughly; where they are many orders of magnitude stiffer than everything else, the operator may
// not be definite. The sum is always definite.
static void precondition(void* user, const void* r, void* z) {
    pair_solver* s = user;
    if (s->adds) {
        precondition_by_sum(s, r, z);
        return;
    }
    memset(s->first, 0, (size_t)s->count * sizeof(double));
    smooth(s, r, s->first);
    find_left(s, r, s->first);
    if (!s->inner.functions->precondition(s->inner.data, s->left, z)) s->is_indefinite = true;
    pl_vector_axpy(s->pool, s->count, 1.0, s->first, z);
    find_left(s, r, z);
    smooth(s, s->left, z);
}

static pl_krylov_end iterate(pl_krylov* k, const pl_linear_options* options, pl_linear_info* info) {
    const pl_krylov_end end = pl_krylov_begin(k, options, info);
    return end == PL_KRYLOV_GOING ? pl_krylov_cg(k, options, info) : end;
}

static void solve(void* data, const pl_linear_options* options, bool residual_unread,
                  const double* b, double* x, pl_linear_info* info) {
    static const pl_krylov_operations operations = {.apply = apply, .precondition = precondition};
    pair_solver* s = data;
    if (s->meeting->rows.count == 0 || s->inner.functions->join) {
        s->inner.functions->solve(s->inner.data, options, residual_unread, b, x, info);
        return;
    }
    *info = (pl_linear_info){0};
    s->is_indefinite = false;
    pl_krylov k = {.operations = &operations,
                   .user = s,
                   .pool = s->pool,
                   .count = s->count,
                   .b = b,
                   .x = x,
                   .r = s->r,
                   .z = s->z,
                   .p = s->p,
                   .q = s->q,
                   .scale = pl_vector_norm(s->pool, s->count, b),
                   .flexible = true};
    if (k.scale == 0.0) {
        memset(x, 0, (size_t)s->count * sizeof(double));
        info->converged = true;
        return;
    }
    pl_krylov_end end = iterate(&k, options, info);
    if (end == PL_KRYLOV_PRECONDITIONER && !s->is_indefinite) {
        s->adds = true;
        end = iterate(&k, options, info);
        s->adds = false;
    }
    info->indefinite = info->indefinite || end == PL_KRYLOV_PRECONDITIONER || s->is_indefinite;
}

static double force_square(const void* data, int first, int end, const double* x) {
    const pair_solver* s = data;
    return s->inner.functions->force_square(s->inner.data, first, end, x);
}

static void forget(void* data) {
    pair_solver* s = data;
    if (s->inner.functions->forget) s->inner.functions->forget(s->inner.data);
}

static const pl_mg_hierarchy* levels(const void* data, const int** rows) {
    const pair_solver* s = data;
    return s->inner.functions->levels ? s->inner.functions->levels(s->inner.data, rows) : NULL;
}

static const pl_newton_functions functions = {.begin = begin,
                                              .update = update,
                                              .solve = solve,
                                              .force_square = force_square,
                                              .forget = forget,
                                              .levels = levels,
                                              .destroy = destroy};

pl_status pl_pair_solver_wrap(pl_newton_solver* solver, pl_step_meeting* meeting, pl_pool* pool,
                              pl_error* error) {
    PL_ASSERT(solver->functions->join ||
              (solver->functions->apply && solver->functions->precondition));
    const int count = 3 * meeting->vertex_count;
    pair_solver* s = PL_ALLOC(pair_solver, 1);
    if (!s) return pl_fail_memory(error, "the solver of a step");
    *s = (pair_solver){.meeting = meeting, .pool = pool, .count = count};
    s->J = (pl_join){add_joins, smooth, s};
    double** vectors[] = {&s->r, &s->z, &s->p, &s->q, &s->first, &s->left, &s->work};
    bool ok = pl_step_patch_setup(&s->patch, meeting->vertex_count, error) == PL_OK;
    for (int k = 0; k < 7; k++) ok = ok && (*vectors[k] = PL_ALLOC(double, count));
    if (!ok) {
        destroy(s);
        return pl_fail_memory(error, "the solver of a step");
    }
    s->inner = *solver;
    *solver = (pl_newton_solver){&functions, s, s->inner.sees_indefinite};
    return PL_OK;
}
