// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "step/step_assembled.h"
#include "base/memory.h"
#include "base/timer.h"
#include "math/float4.h"
#include "sparse/linear_solver.h"
#include "step/step_minimiser.h"

#include <string.h>

enum { VALUES_PER_TASK = 8192 };

typedef struct assembled {
    pl_block_matrix* A; // borrowed
    pl_linear_solver* solver;
    pl_pool* pool;
    // Projective Dynamics only: the values that the solver was last prepared for
    double* known_values;
    size_t known_count;
    bool is_known;
    pl_quasi_newton quasi;
} assembled;

static void destroy(void* data) {
    assembled* a = data;
    if (!a) return;
    pl_linear_destroy(a->solver);
    PL_FREE(a->known_values, double, a->known_count);
    pl_quasi_newton_free(&a->quasi);
    PL_FREE(a, assembled, 1);
}

static void add_linear_info(const pl_linear_info* linear, pl_method_info* info) {
    info->linear_iterations += linear->iterations;
    info->linear_residual = linear->residual;
    info->switch_count += linear->switched;
    info->rigid_mode_count = linear->tiny_pivot_count;
}

static pl_status newton_update(void* data, const pl_step_objective* f, const double* x,
                               double projected, pl_method_info* info, pl_error* error) {
    assembled* a = data;
    double start = pl_seconds();
    pl_step_hessian(f, x, projected, a->A);
    double assembled_at = pl_seconds();
    info->assembly_seconds += assembled_at - start;
    info->linear_updates++;
    pl_status status = pl_linear_update(a->solver, error);
    info->linear_seconds += pl_seconds() - assembled_at;
    return status;
}

static void newton_solve(void* data, const pl_linear_options* options, bool residual_unread,
                         const double* b, double* x, pl_linear_info* info) {
    (void)residual_unread;
    pl_linear_solve(((assembled*)data)->solver, options, b, x, info);
}

static void newton_apply(void* data, const double* x, double* y) {
    assembled* a = data;
    pl_block_matrix_apply(a->A, a->pool, 1, x, y);
}

static bool newton_precondition(void* data, const double* r, double* z) {
    assembled* a = data;
    pl_linear_info info;
    const pl_linear_options options = {.tolerance = 0.01, .max_iterations = 1000};
    memset(z, 0, 3 * (size_t)a->A->row_count * sizeof(double));
    pl_linear_solve(a->solver, &options, r, z, &info);
    return !info.indefinite;
}

typedef struct force_job {
    const pl_block_matrix* A;
    const double* x;
} force_job;

// of values [begin, end), 3 per vertex
static double force_part(int begin, int end, void* user) {
    const force_job* job = user;
    const pl_block_matrix* A = job->A;
    double sum = 0.0;
    for (int i = begin; i < end; i++) {
        double stiffness = A->values[9 * (size_t)A->diagonal[i / 3] + 4 * (size_t)(i % 3)];
        sum += stiffness * stiffness * job->x[i] * job->x[i];
    }
    return sum;
}

static double newton_force_square(const void* data, int begin, int end, const double* x) {
    const assembled* a = data;
    force_job job = {a->A, x};
    if (end < 0)
        return pl_parallel_sum(a->pool, force_part, 3 * a->A->row_count, VALUES_PER_TASK, &job);
    return force_part(3 * begin, 3 * end, &job);
}

static const pl_newton_functions newton_functions = {.update = newton_update,
                                                     .solve = newton_solve,
                                                     .apply = newton_apply,
                                                     .precondition = newton_precondition,
                                                     .force_square = newton_force_square,
                                                     .destroy = destroy};

static assembled* create(const pl_solver_input* input, pl_error* error) {
    assembled* a = PL_ALLOC(assembled, 1);
    if (!a) pl_fail_memory(error, "the solver of a step");
    else *a = (assembled){.A = input->A, .pool = input->pool};
    return a;
}

pl_status pl_assembled_newton(const pl_solver_input* input, pl_newton_solver* out,
                              pl_error* error) {
    *out = (pl_newton_solver){0};
    PL_ASSERT(input->A->block == 3);
    assembled* a = create(input, error);
    if (!a) return PL_ERROR_MEMORY;
    pl_status status =
        pl_linear_setup(input->settings->linear, a->A, 1, a->pool, &a->solver, error);
    if (status == PL_OK)
        *out = (pl_newton_solver){&newton_functions, a,
                                  pl_linear_sees_indefinite(input->settings->linear)};
    else destroy(a);
    return status;
}

static pl_status projective_prepare(void* data, pl_step_objective* f, pl_error* error) {
    (void)data, (void)f, (void)error;
    return PL_OK;
}

// The matrix seldom changes, and factoring it costs as much as many solves, so a factor of the same
// values is kept.
static pl_status update_if_new(assembled* a, pl_method_info* info, pl_error* error) {
    size_t size = a->known_count * sizeof(double);
    if (a->is_known && memcmp(a->known_values, a->A->values, size) == 0) return PL_OK;
    a->is_known = false;
    info->linear_updates++;
    pl_status status = pl_linear_update(a->solver, error);
    if (status != PL_OK) return status;
    memcpy(a->known_values, a->A->values, size);
    a->is_known = true;
    return PL_OK;
}

static pl_status projective_attach(void* data, const pl_step_objective* f, const double* x,
                                   pl_method_info* info, pl_error* error) {
    assembled* a = data;
    (void)x; // contacts are springs in all directions
    double start = pl_seconds();
    pl_step_projective(f, a->A);
    double assembled_at = pl_seconds();
    info->assembly_seconds += assembled_at - start;
    pl_status status = update_if_new(a, info, error);
    info->linear_seconds += pl_seconds() - assembled_at;
    return status;
}

static void solve_quasi(assembled* a, pl_minimiser* m, const pl_step_objective* f,
                        const pl_step_settings* settings, pl_method_info* info) {
    double start = pl_seconds();
    pl_linear_info linear;
    pl_linear_options options = {.tolerance = settings->linear_tolerance,
                                 .max_iterations = settings->linear_max_iterations,
                                 .deadline = m->deadline};
    float* b = a->quasi.direction;
    for (int v = 0; v < f->vertex_count; v++)
        for (size_t c = 0; c < 3; c++) {
            m->trial[3 * (size_t)v + c] = (double)b[4 * (size_t)v + c];
            m->direction[3 * (size_t)v + c] = 0.0;
        }
    pl_linear_solve(a->solver, &options, m->trial, m->direction, &linear);
    if (pl_linear_is_cut(&options, &linear)) info->is_cut = true;
    pl_holds_project(f->holds, f->hold_count, m->direction);
    for (int v = 0; v < f->vertex_count; v++) {
        const double* d = m->direction + 3 * (size_t)v;
        pl_store4(b + 4 * (size_t)v, (pl_f4){(float)d[0], (float)d[1], (float)d[2], 0.0f});
    }
    add_linear_info(&linear, info);
    info->linear_seconds += pl_seconds() - start;
}

static pl_status projective_direction(void* data, pl_minimiser* m, const pl_step_objective* f,
                                      const pl_step_settings* settings, pl_method_info* info,
                                      double* slope, pl_error* error) {
    assembled* a = data;
    pl_status status = pl_quasi_newton_begin(&a->quasi, NULL, a->quasi.direction, error);
    if (status != PL_OK) return status;
    solve_quasi(a, m, f, settings, info);
    *slope = pl_quasi_newton_end(&a->quasi, NULL, a->quasi.direction);
    return PL_OK;
}

static const pl_projective_functions projective_functions = {.prepare = projective_prepare,
                                                             .attach = projective_attach,
                                                             .find_direction = projective_direction,
                                                             .destroy = destroy};

pl_status pl_assembled_projective(const pl_solver_input* input, pl_linear linear,
                                  pl_projective_solver* out, pl_error* error) {
    *out = (pl_projective_solver){0};
    PL_ASSERT(input->A->block == 1);
    assembled* a = create(input, error);
    if (!a) return PL_ERROR_MEMORY;
    a->known_count = (size_t)pl_block_matrix_entry_count(a->A);
    a->known_values = PL_ALLOC(double, a->known_count);
    pl_status status = a->known_values ? PL_OK : pl_fail_memory(error, "the matrix of a step");
    if (status == PL_OK) status = pl_quasi_newton_setup(&a->quasi, a->A->row_count, a->pool, error);
    if (status == PL_OK) status = pl_linear_setup(linear, a->A, 3, a->pool, &a->solver, error);
    if (status == PL_OK) *out = (pl_projective_solver){&projective_functions, a, &a->quasi, NULL};
    else destroy(a);
    return status;
}
