// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "modes/mode_multigrid.h"
#include "base/memory.h"
#include "modes/panel.h"
#include "modes/subspace.h"
#include "multigrid/block_multigrid.h"

#include <math.h>
#include <string.h>

static const double FIRST_SHIFT = 1e-6; // relative to the largest lambda
// The shift keeps the matrix of a free body definite. It follows the lowest mode that is not rigid:
// a larger shift would hide the differences between low modes from the cycle, a smaller one would
// make the coarsest level singular in float.
static const double SHIFT = 0.1, SHIFT_LOW = 0.03, SHIFT_HIGH = 0.5;
// (A free body of several pieces has more rigid modes than the six in the initial basis.)
enum { SEED = 2019, MAX_ITERATIONS = 600, MAX_FOLLOWING = 6 };

struct pl_modes_multigrid {
    const pl_modes_problem* p;
    pl_pool* pool;
    pl_block_matrix A; // K + sigma M
    pl_block_mg* mg;
    double* rigid;        // PL_RIGID_MODES vectors
    double* side_by_side; // PL_PANEL_APPLY numbers per unknown
    double sigma, largest;
    int unknowns;
    pl_davidson* davidson; // for `wanted` modes and `start_count` vectors; NULL: not yet
    int wanted, start_count;
    pl_subspace* subspace; // for `followed` modes; NULL: not yet
    int followed;
};

// ---------------------------------------------------------------- the operator

static void restrict_to(void* user, double* x) {
    pl_modes_restrict(((const pl_modes_multigrid*)user)->p, x);
}

static void apply_mass(void* user, const double* x, double* result) {
    const pl_modes_multigrid* m = user;
    pl_modes_mass(m->p, m->pool, x, result);
}

static void apply_stiffness(void* user, int vectors, const double* x, double* result) {
    const pl_modes_multigrid* m = user;
    pl_panel_apply(m->pool, m->p->K, vectors, x, m->side_by_side, result);
    for (int k = 0; k < vectors; k++)
        pl_modes_restrict(m->p, result + 3 * (size_t)k * (size_t)m->p->K->row_count);
}

static void precondition(void* user, const double* r, double* z) {
    const pl_modes_multigrid* m = user;
    pl_block_mg_apply(m->mg, r, z);
}

// ---------------------------------------------------------------- the shift

static pl_mg_blocks blocks_of(const pl_block_matrix* A) {
    return (pl_mg_blocks){A->row_count, A->offsets, A->columns, A->values};
}

static pl_status set_shift(pl_modes_multigrid* m, double sigma, pl_error* error) {
    pl_modes_shift(m->p, sigma, m->largest * m->p->mass[0], &m->A);
    m->sigma = sigma;
    pl_mg_blocks blocks = blocks_of(&m->A);
    return pl_block_mg_update(m->mg, &blocks) ? PL_OK : pl_block_mg_fail(error);
}

static pl_status tune(void* user, int values, const double* ritz, double* shift, pl_error* error) {
    pl_modes_multigrid* m = user;
    double lowest = 0.0;
    int growing = 0;
    for (int k = values - 1; k >= 0; k--) {
        if (ritz[k] > PL_RIGID_LAMBDA * m->largest) lowest = ritz[k];
        growing += ritz[k] < -PL_RIGID_LAMBDA * m->largest;
    }
    if (growing > 0) return pl_modes_fail_unstable(growing, error);
    bool fits = m->sigma > SHIFT_LOW * lowest && m->sigma < SHIFT_HIGH * lowest;
    pl_status status = lowest == 0.0 || fits ? PL_OK : set_shift(m, SHIFT * lowest, error);
    *shift = m->sigma;
    return status;
}

static pl_davidson_operator operator_of(pl_modes_multigrid* m) {
    return (pl_davidson_operator){.user = m,
                                  .mass = apply_mass,
                                  .stiffness = apply_stiffness,
                                  .precondition = precondition,
                                  .tune = tune,
                                  .restrict_to = restrict_to};
}

// ---------------------------------------------------------------- setup

// Translations, and rotations around the centre.
static void fill_rigid(const double* positions, int vertex_count, double* rigid) {
    double centre[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 3 * vertex_count; i++) centre[i % 3] += positions[i] / vertex_count;
    size_t count = 3 * (size_t)vertex_count;
    memset(rigid, 0, PL_RIGID_MODES * count * sizeof(double));
    for (size_t v = 0; v < (size_t)vertex_count; v++)
        for (size_t k = 0; k < 3; k++) {
            size_t a = (k + 1) % 3, b = (k + 2) % 3;
            rigid[k * count + 3 * v + k] = 1.0;
            rigid[(3 + k) * count + 3 * v + a] = -(positions[3 * v + b] - centre[b]);
            rigid[(3 + k) * count + 3 * v + b] = positions[3 * v + a] - centre[a];
        }
}

static pl_status prepare(pl_modes_multigrid* m, bool stiffness_aware, pl_error* error) {
    const pl_modes_problem* p = m->p;
    int vertex_count = p->K->row_count;
    pl_status status = pl_modes_copy_pattern(p, &m->A, error);
    if (status != PL_OK) return status;
    m->rigid = PL_ALLOC(double, 3 * PL_RIGID_MODES * (size_t)vertex_count);
    m->side_by_side = PL_ALLOC(double, 3 * PL_PANEL_APPLY * (size_t)vertex_count);
    if (!m->rigid || !m->side_by_side) return pl_fail_memory(error, "modes");
    fill_rigid(p->positions, vertex_count, m->rigid);
    m->sigma = FIRST_SHIFT * m->largest;
    pl_modes_shift(p, m->sigma, m->largest * p->mass[0], &m->A);
    pl_mg_settings settings = {.smoother = PL_SMOOTHER_GAUSS_SEIDEL,
                               .pre_sweeps = 1,
                               .post_sweeps = 1,
                               .stiffness_aware = stiffness_aware};
    pl_mg_blocks blocks = blocks_of(&m->A);
    status = pl_block_mg_setup(&m->mg, &blocks, p->positions, &settings, m->pool, error);
    return status == PL_OK ? set_shift(m, m->sigma, error) : status;
}

pl_status pl_modes_multigrid_create(const pl_modes_problem* p, bool stiffness_aware, pl_pool* pool,
                                    pl_modes_multigrid** out, pl_error* error) {
    pl_modes_multigrid* m = *out = PL_ALLOC(pl_modes_multigrid, 1);
    if (!m) return pl_fail_memory(error, "modes");
    *m = (pl_modes_multigrid){
        .p = p, .pool = pool, .largest = pl_modes_largest(p), .unknowns = pl_modes_unknowns(p)};
    pl_status status = prepare(m, stiffness_aware, error);
    if (status == PL_OK) return PL_OK;
    pl_modes_multigrid_destroy(m);
    *out = NULL;
    return status;
}

pl_status pl_modes_multigrid_update(pl_modes_multigrid* m, double sigma, pl_error* error) {
    m->largest = pl_modes_largest(m->p);
    return set_shift(m, sigma, error);
}

static pl_status prepare_davidson(pl_modes_multigrid* m, int wanted, int start_count,
                                  pl_error* error) {
    if (m->davidson && m->wanted == wanted && m->start_count == start_count) return PL_OK;
    pl_davidson_destroy(m->davidson);
    m->wanted = wanted;
    m->start_count = start_count;
    return pl_davidson_create(3 * m->p->K->row_count, m->unknowns, wanted, start_count,
                              &m->davidson, error);
}

pl_status pl_modes_multigrid_find(pl_modes_multigrid* m, int wanted, double tolerance,
                                  int start_count, const double* start, double* lambda,
                                  double* shapes, int* applications, bool* found, pl_error* error) {
    pl_davidson_operator A = operator_of(m);
    pl_davidson_options options = {.start = start_count ? start : m->rigid,
                                   .shift = m->sigma,
                                   .tolerance = tolerance,
                                   .max_iterations = MAX_ITERATIONS,
                                   .seed = SEED};
    pl_davidson_result result = {0};
    pl_status status =
        prepare_davidson(m, wanted, start_count ? start_count : PL_RIGID_MODES, error);
    if (status == PL_OK)
        status =
            pl_davidson_solve(m->davidson, &A, &options, m->pool, lambda, shapes, &result, error);
    *applications += result.applications;
    *found = status == PL_OK && result.converged && result.found == wanted;
    return status;
}

pl_status pl_modes_multigrid_follow(pl_modes_multigrid* m, int count, double tolerance,
                                    double* lambda, double* shapes, int* applications, bool* found,
                                    pl_error* error) {
    pl_davidson_operator A = operator_of(m);
    pl_davidson_options options = {
        .shift = m->sigma, .tolerance = tolerance, .max_iterations = MAX_FOLLOWING};
    pl_davidson_result result;
    *found = false;
    if (m->followed != count) {
        pl_subspace_destroy(m->subspace);
        m->subspace = NULL;
        m->followed = 0;
        pl_status status = pl_subspace_create(3 * m->p->K->row_count, count, &m->subspace, error);
        if (status != PL_OK) return status;
        m->followed = count;
    }
    pl_subspace_improve(m->subspace, &A, &options, m->pool, lambda, shapes, &result);
    *applications += result.applications;
    *found = result.converged;
    return PL_OK;
}

void pl_modes_multigrid_destroy(pl_modes_multigrid* m) {
    if (!m) return;
    pl_subspace_destroy(m->subspace);
    pl_davidson_destroy(m->davidson);
    pl_block_mg_destroy(m->mg);
    PL_FREE(m->side_by_side, double, 3 * PL_PANEL_APPLY * (size_t)m->p->K->row_count);
    PL_FREE(m->rigid, double, 3 * PL_RIGID_MODES * (size_t)m->p->K->row_count);
    pl_block_matrix_free(&m->A);
    PL_FREE(m, pl_modes_multigrid, 1);
}
