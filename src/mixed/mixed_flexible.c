// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "mixed/mixed_flexible.h"
#include "base/memory.h"
#include "sparse/linear_solver.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

enum { ROWS_PER_TASK = 1024, MAX_DIRECT_ROWS = 50000, MAX_ROUNDS = 8 };
static const double TOLERANCE = 1e-12;
// ROUND: one round in float reduces the residual to no less than this fraction. MARGIN: factor on
// the target of the iterations, because their error bounds are in another norm.
static const double ROUND = 1e-6, MARGIN = 0.1;
// Largest ratio of extreme eigenvalues for which Chebyshev is faster than a factor.
static const double MOST_UNEVEN = 4.0;

struct pl_mixed_flexible {
    const pl_block_matrix* B;
    pl_pool* pool;
    bool iterates;
    double least, most;
    float* values;          // B, each row divided by its diagonal
    float *r, *step, *x[2]; // r: residual over the diagonal
    double* residual;
    pl_linear_solver* solver; // made at first use
};

void pl_mixed_flexible_destroy(pl_mixed_flexible* f) {
    if (!f) return;
    const size_t n = (size_t)f->B->row_count;
    PL_FREE(f->values, float, pl_block_matrix_entry_count(f->B));
    PL_FREE(f->r, float, n);
    PL_FREE(f->step, float, n);
    for (int k = 0; k < 2; k++) PL_FREE(f->x[k], float, n);
    PL_FREE(f->residual, double, n);
    pl_linear_destroy(f->solver);
    PL_FREE(f, pl_mixed_flexible, 1);
}

pl_status pl_mixed_flexible_create(const pl_block_matrix* B, pl_pool* pool, pl_mixed_flexible** out,
                                   pl_error* error) {
    const size_t n = (size_t)B->row_count;
    pl_mixed_flexible* f = *out = PL_ALLOC(pl_mixed_flexible, 1);
    if (!f) return pl_fail_memory(error, "pressures");
    *f = (pl_mixed_flexible){.B = B,
                             .pool = pool,
                             .values = PL_ALLOC(float, pl_block_matrix_entry_count(B)),
                             .r = PL_ALLOC(float, n),
                             .step = PL_ALLOC(float, n),
                             .x = {PL_ALLOC(float, n), PL_ALLOC(float, n)},
                             .residual = PL_ALLOC(double, n)};
    if (f->values && f->r && f->step && f->x[0] && f->x[1] && f->residual) return PL_OK;
    pl_mixed_flexible_destroy(f);
    *out = NULL;
    return pl_fail_memory(error, "pressures");
}

static pl_status update_solver(pl_mixed_flexible* f, pl_error* error) {
    const pl_linear kind = f->B->row_count <= MAX_DIRECT_ROWS ? PL_LINEAR_DIRECT : PL_LINEAR_ICPCG;
    pl_status status =
        f->solver ? PL_OK : pl_linear_setup(kind, f->B, 1, f->pool, &f->solver, error);
    return status == PL_OK ? pl_linear_update(f->solver, error) : status;
}

pl_status pl_mixed_flexible_update(pl_mixed_flexible* f, double least, double most,
                                   pl_error* error) {
    const pl_block_matrix* B = f->B;
    f->least = least;
    f->most = most;
    f->iterates = most <= MOST_UNEVEN * least;
    if (!f->iterates) return update_solver(f, error);
    for (int v = 0; v < B->row_count; v++)
        for (int e = B->offsets[v]; e < B->offsets[v + 1]; e++)
            f->values[e] = (float)(B->values[e] / B->values[B->diagonal[v]]);
    return PL_OK;
}

// ---- one iteration

typedef struct pass {
    pl_mixed_flexible* f;
    const double* b;
    double* x;
    const float* from;
    float* to;
    float momentum, factor;
} pass;

// residual = b - B x, r = residual over the diagonal; returns the squared residual
static double residual_part(int begin, int end, void* user) {
    const pass* p = user;
    const pl_block_matrix* B = p->f->B;
    double square = 0.0;
    for (int v = begin; v < end; v++) {
        double rest = p->b[v];
        for (int e = B->offsets[v]; e < B->offsets[v + 1]; e++)
            rest -= B->values[e] * p->x[B->columns[e]];
        p->f->residual[v] = rest;
        square += rest * rest;
    }
    return square;
}

// r and the first step
static void begin_task(int begin, int end, int worker, void* user) {
    const pass* p = user;
    pl_mixed_flexible* f = p->f;
    (void)worker;
    for (int v = begin; v < end; v++) {
        f->r[v] = (float)(f->residual[v] / f->B->values[f->B->diagonal[v]]);
        p->to[v] = f->step[v] = p->factor * f->r[v];
    }
}

// step = momentum step + factor (r - B x), x += step
static void step_task(int begin, int end, int worker, void* user) {
    const pass* p = user;
    pl_mixed_flexible* f = p->f;
    const int *offsets = f->B->offsets, *columns = f->B->columns;
    (void)worker;
    for (int v = begin; v < end; v++) {
        float rest = f->r[v];
        for (int e = offsets[v]; e < offsets[v + 1]; e++)
            rest -= f->values[e] * p->from[columns[e]];
        f->step[v] = p->momentum * f->step[v] + p->factor * rest;
        p->to[v] = p->from[v] + f->step[v];
    }
}

static void add_task(int begin, int end, int worker, void* user) {
    const pass* p = user;
    (void)worker;
    for (int v = begin; v < end; v++) p->x[v] += (double)p->from[v];
}

// x += an approximation of B^-1 residual, by `steps` Chebyshev steps
static void improve(pl_mixed_flexible* f, int steps, double* x) {
    const int n = f->B->row_count;
    const double centre = 0.5 * (f->most + f->least);
    const double radius = fmax(0.5 * (f->most - f->least), 1e-3 * centre);
    double rho = radius / centre;
    pass p = {.f = f, .x = x, .to = f->x[0], .factor = (float)(1.0 / centre)};
    pl_parallel_for(f->pool, begin_task, n, ROWS_PER_TASK, &p);
    for (int k = 1; k < steps; k++) {
        const double next = 1.0 / (2.0 * centre / radius - rho);
        p.momentum = (float)(next * rho);
        p.factor = (float)(2.0 * next / radius);
        p.from = f->x[(k + 1) % 2];
        p.to = f->x[k % 2];
        pl_parallel_for(f->pool, step_task, n, ROWS_PER_TASK, &p);
        rho = next;
    }
    p.from = p.to;
    pl_parallel_for(f->pool, add_task, n, ROWS_PER_TASK, &p);
}

// number of steps that reduce a residual to this fraction
static int steps_for(const pl_mixed_flexible* f, double part) {
    const double root = sqrt(f->most / f->least), rate = (root - 1.0) / (root + 1.0);
    const double steps = log(0.5 * MARGIN * part) / log(fmax(rate, 1e-3));
    return steps < 1.0 ? 1 : (int)ceil(steps);
}

static void iterate(pl_mixed_flexible* f, const double* b, double* x) {
    const int n = f->B->row_count;
    const double enough = TOLERANCE * pl_vector_norm(f->pool, n, b);
    pass p = {.f = f, .b = b, .x = x};
    double left = INFINITY;
    for (int round = 0; round < MAX_ROUNDS && !(left <= enough); round++) {
        const double size = sqrt(pl_parallel_sum(f->pool, residual_part, n, ROWS_PER_TASK, &p));
        if (size <= enough) return;
        // A right-hand side that is not finite gives a solution that is not finite.
        if (!isfinite(size)) {
            for (int v = 0; v < n; v++) x[v] = NAN;
            return;
        }
        const double part = fmax(enough / size, ROUND);
        improve(f, steps_for(f, part), x);
        left = part * size;
    }
}

void pl_mixed_flexible_solve(pl_mixed_flexible* f, const double* b, double* x) {
    const pl_linear_options options = {.tolerance = TOLERANCE, .max_iterations = 2000};
    pl_linear_info info;
    if (f->iterates) {
        iterate(f, b, x);
        return;
    }
    memset(x, 0, (size_t)f->B->row_count * sizeof(double));
    pl_linear_solve(f->solver, &options, b, x, &info);
}
