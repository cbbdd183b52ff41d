// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "fem/newton_multigrid.h"
#include "base/memory.h"
#include "base/timer.h"
#include "fem/fem_float.h"
#include "multigrid/mg_cycle.h"
#include "multigrid/mg_krylov.h"
#include "sparse/linear_fallback.h"
#include "sparse/linear_solver.h"

#include <math.h>
#include <stdint.h>

enum { VERTICES_PER_TASK = 2048 };
// Limit of mean stiffness over mean inertia. 1e-7 of this ratio is the relative error that float
// round-off causes in the softest motions if all of it adds up there.
static const double MOST_STIFF = 1e6;

struct pl_newton_multigrid {
    const pl_block_matrix* A; // the pattern
    pl_block_mg* mg;
    pl_mg_krylov krylov;
    pl_float_sets* sets;
    bool sets_stale;
    int* places; // of the entries of A: positions of their blocks in the finest level
    int place_count;
    bool conjugate, fallback;
    pl_linear_fallback direct; // active: cycles have failed in this step
    pl_pool* pool;
    // As a solver of a step: the matrix in double, without values until they are needed, and
    // whether float may be accurate enough.
    pl_block_matrix* in_double;
    bool may_be_float;
};

void pl_newton_multigrid_destroy(pl_newton_multigrid* n) {
    if (!n) return;
    pl_float_sets_destroy(n->sets);
    pl_linear_fallback_free(&n->direct);
    pl_mg_krylov_free(&n->krylov);
    pl_block_mg_destroy(n->mg);
    PL_FREE(n->places, int, n->place_count);
    PL_FREE(n, pl_newton_multigrid, 1);
}

static pl_status build(pl_newton_multigrid* n, const double* rest, const pl_element_set* sets,
                       int set_count, const pl_step_settings* settings, pl_pool* pool,
                       pl_error* error) {
    const pl_block_matrix* A = n->A;
    const pl_multigrid* given = &settings->multigrid;
    pl_mg_settings multigrid = {.levels = given->levels,
                                .level_count = given->level_count,
                                .smoother = given->smoother,
                                .pre_sweeps = given->pre_sweeps,
                                .post_sweeps = given->post_sweeps,
                                .stiffness_aware = given->stiffness_aware};
    pl_mg_sweeps_of_levels(given->sweeps, given->sweep_count, PL_MG_MAX_LEVELS,
                           multigrid.level_sweeps);
    pl_mg_blocks blocks = {A->row_count, A->offsets, A->columns, A->values};
    pl_status status = pl_block_mg_begin(&n->mg, &blocks, rest, &multigrid, pool, error);
    blocks.values = NULL;
    if (status == PL_OK) status = pl_mg_krylov_setup(&n->krylov, &blocks, error);
    if (status == PL_OK)
        status = pl_float_sets_create(sets, set_count, rest, A->row_count, A, n->mg->new_of_old,
                                      pool, &n->sets, error);
    if (status != PL_OK) return status;
    n->krylov.levels = n->mg;
    n->place_count = pl_block_matrix_entry_count(A);
    n->places = PL_ALLOC(int, n->place_count);
    if (!n->places) return pl_fail_memory(error, "the matrix of a step");
    pl_block_mg_places(n->mg, &blocks, n->places);
    const pl_mg_pattern* pattern = &n->mg->levels[0].pattern;
    pl_float_layout layout = {.places = n->places,
                              .vertices = n->mg->old_of_new,
                              .begin = {pattern->lower.begin, pattern->upper.begin},
                              .end = {pattern->lower.end, pattern->upper.end}};
    pl_float_sets_place(n->sets, &layout);
    return pl_block_mg_finish(n->mg, error); // nodes of coarser levels were sampled meanwhile
}

pl_status pl_newton_multigrid_create(const pl_block_matrix* A, const double* rest,
                                     const pl_element_set* sets, int set_count,
                                     const pl_step_settings* settings, pl_pool* pool,
                                     pl_newton_multigrid** out, pl_error* error) {
    *out = NULL;
    PL_ASSERT(A->block == 3);
    pl_newton_multigrid* n = PL_ALLOC(pl_newton_multigrid, 1);
    if (!n) return pl_fail_memory(error, "the solver of a step");
    n->A = A;
    n->pool = pool;
    n->conjugate = settings->linear == PL_LINEAR_MGPCG;
    n->fallback = settings->multigrid.fallback;
    pl_status status = build(n, rest, sets, set_count, settings, pool, error);
    if (status == PL_OK) *out = n;
    else pl_newton_multigrid_destroy(n);
    return status;
}

void pl_newton_multigrid_forget(pl_newton_multigrid* n) { n->sets_stale = true; }

static double mass_part(int begin, int end, void* user) {
    const double* mass = user;
    double sum = 0.0;
    for (int v = begin; v < end; v++) sum += mass[v];
    return sum;
}

static double stiffness_part(int begin, int end, void* user) {
    const pl_block_level* fine = user;
    double sum = 0.0;
    for (int i = begin; i < end; i++) {
        const float* D = fine->fixed + 9 * (size_t)i;
        sum += (double)D[0] + (double)D[4] + (double)D[8];
    }
    return sum / 3.0;
}

// soft motions get their stiffness from inertia
static bool is_float_enough(const pl_newton_multigrid* n, const pl_step_objective* f) {
    double inertia =
        pl_step_mass_weight(f) * pl_parallel_sum(f->pool, mass_part, f->vertex_count,
                                                 VERTICES_PER_TASK, (void*)(uintptr_t)f->mass);
    double stiffness = pl_parallel_sum(f->pool, stiffness_part, f->vertex_count, VERTICES_PER_TASK,
                                       &n->mg->levels[0]);
    return stiffness < MOST_STIFF * inertia;
}

bool pl_newton_multigrid_assemble(pl_newton_multigrid* n, const pl_step_objective* f,
                                  const double* x, double projected) {
    if (!(f->inertia > 0.0)) return false;
    if (n->sets_stale) pl_float_sets_refresh(n->sets);
    n->sets_stale = false;
    pl_fem_hessian_float(f, n->sets, x, projected, pl_block_mg_blocks(n->mg));
    return is_float_enough(n, f);
}

void pl_newton_multigrid_update(pl_newton_multigrid* n, const pl_block_matrix* A) {
    n->krylov.A.values = A ? A->values : NULL;
    if (A) pl_block_mg_update(n->mg, &n->krylov.A);
    else pl_block_mg_update_written(n->mg);
}

// Needs the matrix in double. If that or memory is missing, x stays unchanged.
static bool solve_directly(pl_newton_multigrid* n, const pl_linear_options* options,
                           const double* b, double* x, pl_linear_info* info) {
    if (!n->fallback || !n->krylov.A.values) return false;
    return pl_linear_fallback_solve(&n->direct, n->A, 1, n->pool, options, b, x, info);
}

void pl_newton_multigrid_begin(pl_newton_multigrid* n) { n->direct.is_active = false; }

void pl_newton_multigrid_solve(pl_newton_multigrid* n, const pl_linear_options* options,
                               bool residual_unread, const double* b, double* x,
                               pl_linear_info* info) {
    *info = (pl_linear_info){0};
    if (n->direct.is_active && solve_directly(n, options, b, x, info)) return;
    n->krylov.residual_unread = residual_unread;
    pl_mg_krylov_solve(&n->krylov, n->mg, n->conjugate, n->fallback, options, b, x, info);
    if (pl_linear_has_failed(info) && !pl_linear_is_cut(options, info))
        solve_directly(n, options, b, x, info);
}

typedef struct force_job {
    const pl_block_mg* mg;
    const double* x;
} force_job;

static double force_part(int begin, int end, void* user) {
    const force_job* job = user;
    double sum = 0.0;
    for (int i = begin; i < end; i++) {
        const float* D = job->mg->levels[0].fixed + 9 * (size_t)i;
        const double* x = job->x + 3 * (size_t)job->mg->old_of_new[i];
        for (int c = 0; c < 3; c++) {
            double force = (double)D[4 * c] * x[c];
            sum += force * force;
        }
    }
    return sum;
}

double pl_newton_multigrid_force_square(const pl_newton_multigrid* n, int begin, int end,
                                        const double* x) {
    force_job job = {n->mg, x};
    double scale = (double)n->mg->scale, sum = 0.0;
    if (end < 0)
        return pl_parallel_sum(n->mg->pool, force_part, n->mg->row_count, VERTICES_PER_TASK, &job) /
               (scale * scale);
    for (int v = begin; v < end; v++) {
        int row = n->mg->new_of_old[v];
        sum += force_part(row, row + 1, &job);
    }
    return sum / (scale * scale);
}

struct pl_block_mg* pl_newton_multigrid_levels(pl_newton_multigrid* n) {
    return n->mg;
}

static size_t value_count(const pl_block_matrix* A) {
    return (size_t)pl_block_matrix_entry_count(A) * (size_t)(A->block * A->block);
}

static void begin(void* data) { pl_newton_multigrid_begin(data); }

static pl_status update(void* data, const pl_step_objective* f, const double* x, double projected,
                        pl_method_info* info, pl_error* error) {
    pl_newton_multigrid* n = data;
    pl_block_matrix* A = n->in_double;
    double start = pl_seconds();
    bool in_float = n->may_be_float && pl_newton_multigrid_assemble(n, f, x, projected);
    if (!in_float && !A->values) A->values = PL_ALLOC(double, value_count(A));
    if (!in_float && !A->values) return pl_fail_memory(error, "the matrix of a step");
    if (!in_float) pl_step_hessian(f, x, projected, A);
    double assembled = pl_seconds();
    info->assembly_seconds += assembled - start;
    info->linear_updates++;
    pl_newton_multigrid_update(n, in_float ? NULL : A);
    info->linear_seconds += pl_seconds() - assembled;
    return PL_OK;
}

static void solve(void* data, const pl_linear_options* options, bool residual_unread,
                  const double* b, double* x, pl_linear_info* info) {
    pl_newton_multigrid_solve(data, options, residual_unread, b, x, info);
}

static void apply(void* data, const double* x, double* y) {
    const pl_newton_multigrid* n = data;
    pl_mg_krylov_apply(&n->krylov, n->pool, x, y);
}

// one cycle
static bool precondition(void* data, const double* r, double* z) {
    pl_newton_multigrid* n = data;
    pl_block_mg_apply(n->mg, r, z);
    return !n->mg->bottom_failed;
}

static double force_square(const void* data, int first, int end, const double* x) {
    return pl_newton_multigrid_force_square(data, first, end, x);
}

static void forget(void* data) { pl_newton_multigrid_forget(data); }

static const pl_mg_hierarchy* levels(const void* data, const int** rows) {
    const pl_newton_multigrid* n = data;
    *rows = n->mg->new_of_old;
    return &n->mg->hierarchy;
}

static void destroy(void* data) { pl_newton_multigrid_destroy(data); }

static const pl_newton_functions functions = {.begin = begin,
                                              .update = update,
                                              .solve = solve,
                                              .apply = apply,
                                              .precondition = precondition,
                                              .force_square = force_square,
                                              .forget = forget,
                                              .levels = levels,
                                              .destroy = destroy};

pl_status pl_newton_multigrid_solver(const pl_solver_input* input, pl_newton_solver* out,
                                     pl_error* error) {
    const pl_step_settings* settings = input->settings;
    *out = (pl_newton_solver){0};
    if (settings->linear != PL_LINEAR_MULTIGRID && settings->linear != PL_LINEAR_MGPCG)
        return PL_OK;
    pl_newton_multigrid* n;
    pl_status status = pl_newton_multigrid_create(
        input->A, input->rest, input->sets, input->set_count, settings, input->pool, &n, error);
    PL_FREE(input->A->values, double, value_count(input->A));
    input->A->values = NULL;
    if (status != PL_OK) return status;
    n->in_double = input->A;
    n->may_be_float = settings->nonlinear != PL_NONLINEAR_LINEARISED;
    *out = (pl_newton_solver){&functions, n, n->conjugate};
    return PL_OK;
}
