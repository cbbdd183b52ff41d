// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "modes/mode_set.h"
#include "base/memory.h"
#include "modes/lanczos.h"
#include "sparse/direct.h"
#include "sparse/vector.h"
#include "step/mass_matrix.h"

#include <math.h>
#include <string.h>

// As parts of the largest lambda. A mode below RIGID is rigid; double precision leaves 1e-15.
static const double RIGID = 1e-11;
static const double FIRST_SHIFT = 1e-6;
// The shift must be near the lowest modes: far below them, rigid modes drown the others in
// rounding; far above, all look alike.
static const double SHIFT_LOW = 0.02, SHIFT_HIGH = 5.0;
enum { BLOCK = 8, RIGID_MODES = 6, SEED = 2019 };

typedef struct shifted {
    const pl_modes_problem* p;
    pl_pool* pool;
    pl_block_matrix A; // K + sigma M
    pl_direct* factor;
    double* side_by_side;  // PL_LANCZOS_APPLY numbers per unknown
    double sigma, largest; // [1/s^2]
} shifted;

// ---------------------------------------------------------------- the operator

static bool is_fixed(const pl_modes_problem* p, int v) { return p->fixed && p->fixed[v]; }

static void restrict_to(void* user, double* x) {
    const pl_modes_problem* p = ((shifted*)user)->p;
    for (int v = 0; v < p->K->row_count; v++)
        if (is_fixed(p, v)) memset(x + 3 * (size_t)v, 0, 3 * sizeof(double));
    pl_holds_project(p->holds, p->hold_count, x);
}

static void apply_mass(void* user, const double* x, double* result) {
    const shifted* s = user;
    const pl_modes_problem* p = s->p;
    if (p->M) pl_block_matrix_apply(p->M, s->pool, 3, x, result);
    else
        for (size_t i = 0; i < 3 * (size_t)p->K->row_count; i++) result[i] = p->mass[i / 3] * x[i];
    restrict_to(user, result);
}

// the direct solver wants the values of an unknown side by side
static void apply_inverse(void* user, int vectors, double* Mx) {
    shifted* s = user;
    size_t count = 3 * (size_t)s->p->K->row_count, m = (size_t)vectors;
    for (size_t k = 0; k < m; k++)
        for (size_t i = 0; i < count; i++) s->side_by_side[i * m + k] = Mx[k * count + i];
    pl_direct_solve(s->factor, vectors, s->side_by_side, s->side_by_side);
    for (size_t k = 0; k < m; k++) {
        for (size_t i = 0; i < count; i++) Mx[k * count + i] = s->side_by_side[i * m + k];
        restrict_to(s, Mx + k * count);
    }
}

// ---------------------------------------------------------------- the factor

static int count_unknowns(const pl_modes_problem* p) {
    int count = 0;
    for (int v = 0; v < p->K->row_count; v++) count += is_fixed(p, v) ? 0 : 3;
    for (int k = 0; k < p->hold_count; k++) {
        const double* f = p->holds[k].free.m;
        count -= 3 - (int)lround(f[0] + f[4] + f[8]);
    }
    return count;
}

// a bound of the largest lambda that is not far from it: |diagonal of K| / mass
static double largest_lambda(const pl_modes_problem* p) {
    double largest = 0.0;
    for (int v = 0; v < p->K->row_count; v++) {
        const double* d = p->K->values + 9 * (size_t)p->K->diagonal[v];
        if (!is_fixed(p, v)) largest = fmax(largest, (d[0] + d[4] + d[8]) / p->mass[v]);
    }
    return largest;
}

static void add_mass(const pl_modes_problem* p, double sigma, pl_block_matrix* A) {
    if (p->M) pl_mass_matrix_add_to(p->M, sigma, A);
    for (int v = 0; !p->M && v < A->row_count; v++)
        for (int k = 0; k < 3; k++)
            A->values[9 * (size_t)A->diagonal[v] + 4 * (size_t)k] += sigma * p->mass[v];
}

// rows and columns of fixed vertices are those of the identity, times a size that fits
static void eliminate_fixed(const pl_modes_problem* p, double size, pl_block_matrix* A) {
    for (int v = 0; v < A->row_count; v++)
        for (int k = A->offsets[v]; k < A->offsets[v + 1]; k++) {
            if (!is_fixed(p, v) && !is_fixed(p, A->columns[k])) continue;
            double* block = A->values + 9 * (size_t)k;
            memset(block, 0, 9 * sizeof(double));
            if (A->columns[k] == v) block[0] = block[4] = block[8] = size;
        }
}

static pl_status set_shift(shifted* s, double sigma, pl_error* error) {
    const pl_modes_problem* p = s->p;
    size_t size = 9 * (size_t)pl_block_matrix_entry_count(p->K) * sizeof(double);
    memcpy(s->A.values, p->K->values, size);
    add_mass(p, sigma, &s->A);
    eliminate_fixed(p, s->largest * p->mass[0], &s->A);
    pl_holds_eliminate(p->holds, p->hold_count, &s->A);
    s->sigma = sigma;
    pl_status status = pl_direct_update(s->factor, &s->A, s->pool, error);
    if (status == PL_OK && pl_direct_get_info(s->factor).negative_pivot_count > 0)
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "the body is not in a stable state: %d of its modes would grow, not swing; "
                       "look for modes at rest, or after it has come to rest",
                       pl_direct_get_info(s->factor).negative_pivot_count);
    return status;
}

static pl_status copy_pattern(const pl_block_matrix* K, pl_block_matrix* out, pl_error* error) {
    int entries = pl_block_matrix_entry_count(K), count = 0;
    int* offsets = PL_ALLOC(int, K->row_count + 1);
    int* neighbours = PL_ALLOC(int, entries);
    pl_status status = offsets && neighbours ? PL_OK : pl_fail_memory(error, "a matrix");
    for (int v = 0; status == PL_OK && v < K->row_count; v++) {
        offsets[v] = count;
        for (int k = K->offsets[v]; k < K->offsets[v + 1]; k++)
            if (K->columns[k] != v) neighbours[count++] = K->columns[k];
        offsets[v + 1] = count;
    }
    if (status == PL_OK)
        status = pl_block_matrix_setup(out, K->row_count, 3, offsets, neighbours, error);
    PL_FREE(offsets, int, K->row_count + 1);
    PL_FREE(neighbours, int, entries);
    return status;
}

// ---------------------------------------------------------------- modes

static pl_status run(shifted* s, int wanted, double tolerance, int unknowns, double* values,
                     double* vectors, pl_lanczos_result* result, pl_error* error) {
    pl_lanczos_operator T = {s, 3 * s->p->K->row_count, apply_mass, apply_inverse, restrict_to};
    pl_lanczos_options options = {.wanted = wanted,
                                  .unknowns = unknowns,
                                  .block = BLOCK,
                                  .room = 2 * wanted + 5 * BLOCK,
                                  .tolerance = tolerance,
                                  .max_applications = 100 * wanted + 300,
                                  .seed = SEED};
    return pl_lanczos(&T, &options, s->pool, values, vectors, result, error);
}

// Finds a shift near the lowest mode that is not rigid.
static pl_status choose_shift(shifted* s, int unknowns, double* values, double* vectors,
                              pl_error* error) {
    int few = unknowns < RIGID_MODES + 1 ? unknowns : RIGID_MODES + 1;
    for (int round = 0; round < 4; round++) {
        pl_lanczos_result result;
        pl_status status = run(s, few, 0.1, unknowns, values, vectors, &result, error);
        if (status != PL_OK) return status;
        double lowest = 0.0;
        for (int k = result.found - 1; k >= 0; k--) {
            double lambda = 1.0 / values[k] - s->sigma;
            // what a shift of this size cannot tell from zero counts as rigid
            if (lambda > fmax(RIGID * s->largest, 1e-7 * s->sigma)) lowest = lambda;
        }
        if (lowest == 0.0) return PL_OK;
        if (s->sigma > SHIFT_LOW * lowest && s->sigma < SHIFT_HIGH * lowest) return PL_OK;
        status = set_shift(s, 0.5 * lowest, error);
        if (status != PL_OK) return status;
    }
    return PL_OK;
}

static void measure_mode(shifted* s, pl_mode_set* m, int k, double* Ku, double* Mu) {
    int count = 3 * m->vertex_count;
    const double* u = m->shapes + (size_t)k * (size_t)count;
    pl_block_matrix_apply(s->p->K, s->pool, 1, u, Ku);
    restrict_to(s, Ku);
    apply_mass(s, u, Mu);
    double lambda = pl_vector_dot(s->pool, count, u, Ku) / pl_vector_dot(s->pool, count, u, Mu);
    bool is_rigid = fabs(lambda) < RIGID * s->largest;
    double size = pl_vector_norm(s->pool, count, Ku);
    pl_vector_axpy(s->pool, count, -lambda, Mu, Ku);
    m->residual[k] = is_rigid || size == 0.0 ? 0.0 : pl_vector_norm(s->pool, count, Ku) / size;
    m->lambda[k] = is_rigid ? 0.0 : lambda;
    m->rigid_count += is_rigid;
}

static pl_status measure(shifted* s, pl_mode_set* m, pl_error* error) {
    size_t count = 3 * (size_t)m->vertex_count;
    double* Ku = PL_ALLOC(double, count);
    double* Mu = PL_ALLOC(double, count);
    pl_status status = Ku && Mu ? PL_OK : pl_fail_memory(error, "modes");
    for (int k = 0; status == PL_OK && k < m->count; k++) measure_mode(s, m, k, Ku, Mu);
    PL_FREE(Ku, double, count);
    PL_FREE(Mu, double, count);
    return status;
}

// Fills `out`, whose count is how many to look for.
static pl_status find(shifted* s, const pl_modes_settings* settings, int unknowns, pl_mode_set* out,
                      pl_error* error) {
    int wanted = out->count;
    pl_lanczos_result result = {0};
    pl_status status =
        run(s, wanted, settings->tolerance, unknowns, out->lambda, out->shapes, &result, error);
    out->applications += result.applications;
    if (status != PL_OK) return status;
    if (!result.converged)
        return pl_fail(error, PL_ERROR_DIVERGED, "%d modes were not found to %g in %d solves",
                       wanted, settings->tolerance, result.applications);
    out->count = result.found;
    return measure(s, out, error);
}

static pl_status set_room(pl_mode_set* m, int room, pl_error* error) {
    pl_mode_set next = {.vertex_count = m->vertex_count, .applications = m->applications};
    pl_mode_set_free(m);
    *m = next;
    m->count = m->room = room;
    m->lambda = PL_ALLOC(double, room);
    m->residual = PL_ALLOC(double, room);
    m->shapes = PL_ALLOC(double, 3 * (size_t)room * (size_t)m->vertex_count);
    return m->lambda && m->residual && m->shapes ? PL_OK : pl_fail_memory(error, "modes");
}

// A body of several pieces has six rigid modes for each: with too few others, more are looked for.
static pl_status find_enough(shifted* s, const pl_modes_settings* settings, pl_mode_set* m,
                             pl_error* error) {
    int unknowns = count_unknowns(s->p), room = settings->count + RIGID_MODES;
    for (;;) {
        if (room > unknowns) room = unknowns;
        pl_status status = set_room(m, room, error);
        if (status == PL_OK) status = find(s, settings, unknowns, m, error);
        int others = m->count - m->rigid_count;
        if (status != PL_OK || others >= settings->count || room == unknowns) return status;
        room = settings->count + m->rigid_count + RIGID_MODES;
    }
}

static pl_status prepare(shifted* s, pl_mode_set* m, pl_error* error) {
    int unknowns = count_unknowns(s->p);
    pl_status status = copy_pattern(s->p->K, &s->A, error);
    s->side_by_side = PL_ALLOC(double, 3 * PL_LANCZOS_APPLY * (size_t)s->p->K->row_count);
    if (status == PL_OK && !s->side_by_side) status = pl_fail_memory(error, "modes");
    if (status == PL_OK) status = pl_direct_setup(&s->A, &s->factor, error);
    if (status == PL_OK) status = set_shift(s, FIRST_SHIFT * s->largest, error);
    if (status == PL_OK) status = set_room(m, RIGID_MODES + 1, error);
    return status == PL_OK ? choose_shift(s, unknowns, m->lambda, m->shapes, error) : status;
}

static pl_status check(const pl_modes_problem* p, const pl_modes_settings* settings,
                       pl_error* error) {
    int unknowns = count_unknowns(p);
    if (settings->count < 1 || settings->count > unknowns)
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "%d modes are asked for; the body has %d unknowns: ask for 1 to %d",
                       settings->count, unknowns, unknowns);
    for (int v = 0; v < p->K->row_count; v++)
        if (!(p->mass[v] > 0.0) && !is_fixed(p, v))
            return pl_fail(error, PL_ERROR_ARGUMENT,
                           "vertex %d has no mass: it is of no element; take it out of the mesh",
                           v);
    return PL_OK;
}

pl_status pl_modes_find(const pl_modes_problem* problem, const pl_modes_settings* settings,
                        pl_pool* pool, pl_mode_set* out, pl_error* error) {
    *out = (pl_mode_set){.vertex_count = problem->K->row_count};
    pl_status status = check(problem, settings, error);
    if (status != PL_OK) return status;
    shifted s = {.p = problem, .pool = pool, .largest = largest_lambda(problem)};
    status = prepare(&s, out, error);
    if (status == PL_OK) status = find_enough(&s, settings, out, error);
    // a held body has fewer rigid modes than were looked for
    if (status == PL_OK && out->count > out->rigid_count + settings->count)
        out->count = out->rigid_count + settings->count;
    pl_direct_destroy(s.factor);
    PL_FREE(s.side_by_side, double, 3 * PL_LANCZOS_APPLY * (size_t)problem->K->row_count);
    pl_block_matrix_free(&s.A);
    if (status != PL_OK) pl_mode_set_free(out);
    return status;
}

void pl_mode_set_free(pl_mode_set* m) {
    PL_FREE(m->lambda, double, m->room);
    PL_FREE(m->residual, double, m->room);
    PL_FREE(m->shapes, double, 3 * (size_t)m->room * (size_t)m->vertex_count);
    *m = (pl_mode_set){0};
}
