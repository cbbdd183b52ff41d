// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "step/step_pair_solver.h"
#include "base/memory.h"
#include "sparse/krylov.h"
#include "sparse/vector.h"

#include <string.h>

typedef struct pair_solver {
    pl_newton_solver inner;
    pl_step_meeting* meeting;
    pl_pool* pool;
    int count; // 3 per vertex
    double *r, *z, *p, *q;
    bool is_indefinite; // the other solver found its matrix to be
} pair_solver;

static void destroy(void* data) {
    pair_solver* s = data;
    double* vectors[] = {s->r, s->z, s->p, s->q};
    for (int k = 0; k < 4; k++) PL_FREE(vectors[k], double, s->count);
    if (s->inner.data) s->inner.functions->destroy(s->inner.data);
    PL_FREE(s, pair_solver, 1);
}

static void begin(void* data) {
    pair_solver* s = data;
    if (s->inner.functions->begin) s->inner.functions->begin(s->inner.data);
}

static double dot3(const double* r, const int* v, int begin, int end, const double* x) {
    double sum = 0.0;
    for (int i = begin; i < end; i++)
        for (size_t c = 0; c < 3; c++) sum += r[3 * (size_t)i + c] * x[3 * (size_t)v[i] + c];
    return sum;
}

// y += r1 (r2.x) + r2 (r1.x)
static void add_joined(const pl_meeting_row* row, const double* x, double* y) {
    const int first = row->first_count;
    const double of[2] = {dot3(row->r, row->v, 0, first, x), dot3(row->r, row->v, first, 4, x)};
    for (int i = 0; i < 4; i++)
        for (size_t c = 0; c < 3; c++)
            y[3 * (size_t)row->v[i] + c] += of[i < first] * row->r[3 * (size_t)i + c];
}

// y += J x, what joins the two sides of each row
static void add_joins(void* user, const double* x, double* y) {
    pair_solver* s = user;
    const pl_step_objective* f = s->meeting->f;
    const pl_meeting_row* rows = s->meeting->rows.data;
    double* sum = f->hold_count ? s->z : y; // z is free between two preconditions
    if (f->hold_count) memset(sum, 0, (size_t)s->count * sizeof(double));
    for (size_t k = 0; k < s->meeting->rows.count; k++) add_joined(&rows[k], x, sum);
    if (f->hold_count == 0) return;
    pl_holds_project(f->holds, f->hold_count, sum);
    pl_vector_axpy(s->pool, s->count, 1.0, sum, y);
}

static pl_status update(void* data, const pl_step_objective* f, const double* x, double projected,
                        pl_method_info* info, pl_error* error) {
    pair_solver* s = data;
    pl_status status = pl_step_meeting_update(s->meeting, x, error);
    if (status == PL_OK && s->inner.functions->join)
        status = s->inner.functions->join(s->inner.data, s->meeting->rows.count ? add_joins : NULL,
                                          s, error);
    if (status != PL_OK) return status;
    return s->inner.functions->update(s->inner.data, f, x, projected, info, error);
}

static void apply(void* user, const void* x, void* y) {
    pair_solver* s = user;
    s->inner.functions->apply(s->inner.data, x, y);
    add_joins(s, x, y);
}

static void precondition(void* user, const void* r, void* z) {
    pair_solver* s = user;
    if (!s->inner.functions->precondition(s->inner.data, r, z)) s->is_indefinite = true;
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
    if (pl_krylov_begin(&k, options, info) == PL_KRYLOV_GOING &&
        pl_krylov_cg(&k, options, info) == PL_KRYLOV_PRECONDITIONER)
        info->indefinite = true;
    info->indefinite = info->indefinite || s->is_indefinite;
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
    double** vectors[] = {&s->r, &s->z, &s->p, &s->q};
    bool ok = true;
    for (int k = 0; k < 4; k++) ok = ok && (*vectors[k] = PL_ALLOC(double, count));
    if (!ok) {
        destroy(s);
        return pl_fail_memory(error, "the solver of a step");
    }
    s->inner = *solver;
    *solver = (pl_newton_solver){&functions, s, s->inner.sees_indefinite};
    return PL_OK;
}
