// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "modes/mode_direct.h"
#include "base/memory.h"
#include "modes/lanczos.h"
#include "sparse/direct.h"

#include <math.h>

static const double FIRST_SHIFT = 1e-6; // relative to the largest lambda
// The shift must be near the lowest modes. Far below them, rounding errors of rigid modes hide the
// others; far above, all eigenvalues look alike.
static const double SHIFT_LOW = 0.02, SHIFT_HIGH = 5.0;
// Tolerance of a mode's shape. The error of lambda is its square, below any tolerance of lambda.
static const double SHAPE_TOLERANCE = 1e-10;
// Tolerance of the few modes from which the shift is chosen. Eigenvalues of (K + sigma M)^-1 M are
// accurate to its square, so the computed lambda of a rigid mode may be up to UNSURE sigma.
static const double TRIAL_TOLERANCE = 1e-3, UNSURE = 1e-5;
// Numbers stored while factoring: this times unknowns^(4/3), as for solid bodies.
static const double FACTOR_FILL = 50.0;
enum { BLOCK = 8, SEED = 2019 };

struct pl_modes_direct {
    const pl_modes_problem* p;
    pl_pool* pool;
    pl_block_matrix A; // K + sigma M
    pl_direct* factor;
    double* side_by_side;  // PL_LANCZOS_APPLY numbers per unknown
    double sigma, largest; // [1/s^2]
    int unknowns;
};

// ---------------------------------------------------------------- the operator

static void restrict_to(void* user, double* x) {
    pl_modes_restrict(((const pl_modes_direct*)user)->p, x);
}

static void apply_mass(void* user, const double* x, double* result) {
    const pl_modes_direct* d = user;
    pl_modes_mass(d->p, d->pool, x, result);
}

// the direct solver takes the values of an unknown for all vectors side by side
static void apply_inverse(void* user, int vectors, double* Mx) {
    pl_modes_direct* d = user;
    size_t count = 3 * (size_t)d->p->K->row_count, m = (size_t)vectors;
    for (size_t k = 0; k < m; k++)
        for (size_t i = 0; i < count; i++) d->side_by_side[i * m + k] = Mx[k * count + i];
    pl_direct_solve(d->factor, vectors, d->side_by_side, d->side_by_side);
    for (size_t k = 0; k < m; k++) {
        for (size_t i = 0; i < count; i++) Mx[k * count + i] = d->side_by_side[i * m + k];
        restrict_to(d, Mx + k * count);
    }
}

static int room_for(int wanted) { return 2 * wanted + 5 * BLOCK; }

double pl_modes_direct_memory(int vertex_count, int wanted) {
    double unknowns = 3.0 * vertex_count, room = room_for(wanted);
    double vectors = (room + 2 * PL_LANCZOS_APPLY) * unknowns + 3.0 * room * room;
    return sizeof(double) * (vectors + FACTOR_FILL * pow(unknowns, 4.0 / 3.0));
}

static pl_status run(pl_modes_direct* d, int wanted, double tolerance, double* values,
                     double* vectors, pl_lanczos_result* result, pl_error* error) {
    pl_lanczos_operator T = {d, 3 * d->p->K->row_count, apply_mass, apply_inverse, restrict_to};
    pl_lanczos_options options = {.wanted = wanted,
                                  .unknowns = d->unknowns,
                                  .block = BLOCK,
                                  .room = room_for(wanted),
                                  .tolerance = tolerance,
                                  .max_applications = 100 * wanted + 300,
                                  .seed = SEED};
    return pl_lanczos(&T, &options, d->pool, values, vectors, result, error);
}

// ---------------------------------------------------------------- the shift

static pl_status set_shift(pl_modes_direct* d, double sigma, pl_error* error) {
    pl_modes_shift(d->p, sigma, d->largest * d->p->mass[0], &d->A);
    d->sigma = sigma;
    pl_status status = pl_direct_update(d->factor, &d->A, d->pool, error);
    int growing = status == PL_OK ? pl_direct_get_info(d->factor).negative_pivot_count : 0;
    return growing > 0 ? pl_modes_fail_unstable(growing, error) : status;
}

// Finds a shift near the lowest mode that is not rigid.
static pl_status choose_shift(pl_modes_direct* d, double* values, double* vectors,
                              pl_error* error) {
    int few = d->unknowns < PL_RIGID_MODES + 1 ? d->unknowns : PL_RIGID_MODES + 1;
    for (int round = 0; round < 4; round++) {
        pl_lanczos_result result;
        pl_status status = run(d, few, TRIAL_TOLERANCE, values, vectors, &result, error);
        if (status != PL_OK) return status;
        double lowest = 0.0;
        for (int k = result.found - 1; k >= 0; k--) {
            double lambda = 1.0 / values[k] - d->sigma;
            // modes that this shift cannot distinguish from zero count as rigid
            if (lambda > fmax(PL_RIGID_LAMBDA * d->largest, UNSURE * d->sigma)) lowest = lambda;
        }
        if (lowest == 0.0) return PL_OK;
        if (d->sigma > SHIFT_LOW * lowest && d->sigma < SHIFT_HIGH * lowest) return PL_OK;
        status = set_shift(d, 0.5 * lowest, error);
        if (status != PL_OK) return status;
    }
    return PL_OK;
}

static pl_status prepare(pl_modes_direct* d, pl_error* error) {
    size_t count = 3 * (size_t)d->p->K->row_count, vectors = PL_RIGID_MODES + 1;
    pl_status status = pl_modes_copy_pattern(d->p, &d->A, error);
    if (status != PL_OK) return status;
    d->side_by_side = PL_ALLOC(double, PL_LANCZOS_APPLY* count);
    double* trial = PL_ALLOC(double, vectors* count);
    if (!d->side_by_side || !trial) status = pl_fail_memory(error, "modes");
    if (status == PL_OK) status = pl_direct_setup(&d->A, &d->factor, error);
    if (status == PL_OK) status = set_shift(d, FIRST_SHIFT * d->largest, error);
    double values[PL_RIGID_MODES + 1];
    if (status == PL_OK) status = choose_shift(d, values, trial, error);
    PL_FREE(trial, double, vectors* count);
    return status;
}

pl_status pl_modes_direct_create(const pl_modes_problem* p, pl_pool* pool, pl_modes_direct** out,
                                 pl_error* error) {
    pl_modes_direct* d = *out = PL_ALLOC(pl_modes_direct, 1);
    if (!d) return pl_fail_memory(error, "modes");
    *d = (pl_modes_direct){
        .p = p, .pool = pool, .largest = pl_modes_largest(p), .unknowns = pl_modes_unknowns(p)};
    pl_status status = prepare(d, error);
    if (status == PL_OK) return PL_OK;
    pl_modes_direct_destroy(d);
    *out = NULL;
    return status;
}

pl_status pl_modes_direct_find(pl_modes_direct* d, int wanted, double* lambda, double* shapes,
                               int* applications, pl_error* error) {
    pl_lanczos_result result = {0};
    pl_status status = run(d, wanted, SHAPE_TOLERANCE, lambda, shapes, &result, error);
    *applications += result.applications;
    if (status == PL_OK && (!result.converged || result.found < wanted))
        return pl_fail(error, PL_ERROR_DIVERGED,
                       "%d modes did not converge to %g within %d solves; ask for fewer modes",
                       wanted, SHAPE_TOLERANCE, result.applications);
    for (int k = 0; status == PL_OK && k < wanted; k++) lambda[k] = 1.0 / lambda[k] - d->sigma;
    return status;
}

void pl_modes_direct_destroy(pl_modes_direct* d) {
    if (!d) return;
    pl_direct_destroy(d->factor);
    PL_FREE(d->side_by_side, double, 3 * PL_LANCZOS_APPLY * (size_t)d->p->K->row_count);
    pl_block_matrix_free(&d->A);
    PL_FREE(d, pl_modes_direct, 1);
}
