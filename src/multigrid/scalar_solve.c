// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Conjugate gradients around the cycle, one step length for all three coordinates. In float the
// true residual stalls between 1e-3 and 1e-4 of the start on large meshes, so what asks for more
// keeps iterate and residual in double.
#include "math/float4.h"
#include "multigrid/scalar_mg_data.h"
#include "multigrid/scalar_multigrid.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 4096 };

typedef struct float_work {
    const float *a, *b;
    float *c, *d;
    float s;
} float_work;

static double dot_part(int begin, int end, void* user) {
    const float_work* w = user;
    double sum[4] = {0};
    for (int p = begin; p < end; p++)
        for (int k = 0; k < 4; k++)
            sum[k] +=
                (double)w->a[4 * (size_t)p + (size_t)k] * (double)w->b[4 * (size_t)p + (size_t)k];
    return (sum[0] + sum[1]) + sum[2];
}

static double dot(const pl_scalar_mg* mg, const float* a, const float* b) {
    float_work w = {.a = a, .b = b};
    return pl_parallel_sum(mg->pool, dot_part, mg->fine.order.place_count, BLOCK, &w);
}

// c = a + s c
static void direction_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const float_work* w = user;
    for (size_t k = 4 * (size_t)begin; k < 4 * (size_t)end; k += 4)
        pl_store4(w->c + k, pl_fma4(w->s, pl_load4(w->c + k), pl_load4(w->a + k)));
}

// c += s a, d -= s b
static void step_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const float_work* w = user;
    for (size_t k = 4 * (size_t)begin; k < 4 * (size_t)end; k += 4) {
        pl_store4(w->c + k, pl_fma4(w->s, pl_load4(w->a + k), pl_load4(w->c + k)));
        pl_store4(w->d + k, pl_fma4(-w->s, pl_load4(w->b + k), pl_load4(w->d + k)));
    }
}

static void note_residual(pl_linear_info* info, double residual) {
    info->residual = residual;
    if (info->history_count < PL_HISTORY_SIZE)
        info->history[info->history_count++] = (float)residual;
}

void pl_scalar_mg_solve_float(pl_scalar_mg* mg, const pl_linear_options* options,
                              pl_linear_info* info) {
    pl_scalar_fine* f = &mg->fine;
    int places = f->order.place_count;
    float *x = mg->vectors[0], *r = f->b, *p = mg->vectors[1], *Ap = mg->vectors[2];
    size_t size = 4 * (size_t)places * sizeof(float);
    *info = (pl_linear_info){0};
    memset(x, 0, size);
    double norm = sqrt(dot(mg, r, r)), rz_before = 0.0;
    while (norm > 0.0 && isfinite(norm) && info->iterations < options->max_iterations) {
        pl_scalar_mg_cycle(mg);
        double rz = dot(mg, r, f->x);
        float_work w = {.a = f->x, .c = p, .s = info->iterations ? (float)(rz / rz_before) : 0.0f};
        if (info->iterations == 0) memcpy(p, f->x, size);
        else pl_parallel_for(mg->pool, direction_task, places, BLOCK, &w);
        pl_scalar_fine_apply(f, mg->pool, p, Ap);
        double curvature = dot(mg, p, Ap);
        if (!(curvature > 0.0) || !(rz > 0.0)) {
            info->indefinite = curvature < 0.0;
            break;
        }
        w = (float_work){.a = p, .b = Ap, .c = x, .d = r, .s = (float)(rz / curvature)};
        pl_parallel_for(mg->pool, step_task, places, BLOCK, &w);
        rz_before = rz;
        info->iterations++;
        note_residual(info, sqrt(dot(mg, r, r)) / norm);
        if (info->residual <= options->tolerance) break;
    }
    info->converged = norm == 0.0 || info->residual <= options->tolerance;
    // the result stands where a single cycle leaves it
    mg->vectors[0] = f->x;
    f->x = x;
}

typedef struct long_work {
    pl_scalar_mg* mg;
    const double *b, *x, *Ax;
    double *r, *z;
    double scale;
} long_work;

static void to_places_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const long_work* w = user;
    const pl_scalar_fine* f = &w->mg->fine;
    for (int p = begin; p < end; p++) {
        int row = f->order.row[p];
        bool free_row = row >= 0 && f->inverse[p] != 0.0f;
        for (int k = 0; k < 4; k++)
            f->b[4 * (size_t)p + (size_t)k] =
                free_row && k < 3 ? (float)(w->scale * w->r[3 * (size_t)row + (size_t)k]) : 0.0f;
    }
}

static void from_places_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const long_work* w = user;
    const pl_scalar_fine* f = &w->mg->fine;
    for (int i = begin; i < end; i++)
        for (int k = 0; k < 3; k++)
            w->z[3 * (size_t)i + (size_t)k] =
                (double)f->x[4 * (size_t)f->order.place[i] + (size_t)k] / w->scale;
}

// z = one cycle for r; scaled, so that small residuals stay in the range of float
static void precondition(pl_scalar_mg* mg, double* r, double* z) {
    double largest = pl_vector_max_abs(3 * mg->row_count, r);
    long_work w = {.mg = mg, .r = r, .z = z, .scale = largest > 0.0 ? 1.0 / largest : 1.0};
    pl_parallel_for(mg->pool, to_places_task, mg->fine.order.place_count, BLOCK, &w);
    pl_scalar_mg_cycle(mg);
    pl_parallel_for(mg->pool, from_places_task, mg->row_count, BLOCK, &w);
}

// y = (A + springs) x; nothing at rows that are held
static void apply(const pl_scalar_mg* mg, const double* x, double* y) {
    static const int at[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    pl_block_matrix_apply(mg->A, mg->pool, 3, x, y);
    for (int k = 0; k < mg->spring_count; k++) {
        const pl_mg_spring* s = &mg->springs[k];
        size_t i = 3 * (size_t)mg->fine.order.row[s->place];
        for (size_t c = 0; c < 3; c++) {
            y[i + c] += s->stiffness * x[i + c];
            for (size_t d = 0; s->has_block && d < 3; d++)
                y[i + c] += s->block[at[3 * c + d]] * x[i + d];
        }
    }
}

static void residual(const pl_scalar_mg* mg, const double* b, const double* x, double* r) {
    apply(mg, x, r);
    for (int i = 0; i < mg->row_count; i++) {
        bool held = mg->fine.inverse[mg->fine.order.place[i]] == 0.0f;
        for (size_t k = 3 * (size_t)i; k < 3 * (size_t)i + 3; k++) r[k] = held ? 0.0 : b[k] - r[k];
    }
}

void pl_scalar_mg_solve(pl_scalar_mg* mg, bool gradients, const pl_linear_options* options,
                        const double* b, double* x, pl_linear_info* info) {
    int count = 3 * mg->row_count;
    double *r = mg->long_vectors[0], *z = mg->long_vectors[1], *p = mg->long_vectors[2],
           *Ap = mg->long_vectors[3];
    *info = (pl_linear_info){0};
    residual(mg, b, x, r);
    double norm = pl_vector_norm(mg->pool, count, b), rz_before = 0.0;
    if (!(norm > 0.0)) norm = pl_vector_norm(mg->pool, count, r);
    info->residual = norm > 0.0 ? pl_vector_norm(mg->pool, count, r) / norm : 0.0;
    while (info->residual > options->tolerance && info->iterations < options->max_iterations) {
        precondition(mg, r, z);
        if (!gradients) {
            pl_vector_axpy(mg->pool, count, 1.0, z, x);
        } else {
            double rz = pl_vector_dot(mg->pool, count, r, z);
            if (info->iterations == 0) memcpy(p, z, (size_t)count * sizeof(double));
            else pl_vector_xpay(mg->pool, count, z, rz / rz_before, p);
            apply(mg, p, Ap);
            double curvature = pl_vector_dot(mg->pool, count, p, Ap);
            info->indefinite = curvature < 0.0;
            if (!(curvature > 0.0)) break;
            pl_vector_axpy(mg->pool, count, rz / curvature, p, x);
            rz_before = rz;
        }
        residual(mg, b, x, r);
        info->iterations++;
        note_residual(info, pl_vector_norm(mg->pool, count, r) / norm);
        if (!isfinite(info->residual)) break;
    }
    info->converged = info->residual <= options->tolerance;
}
