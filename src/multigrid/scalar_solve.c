// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Conjugate gradients preconditioned by the cycle, with one step length for all three coordinates.
// In float the true residual stalls between 1e-3 and 1e-4 of the initial one on large meshes, so
// solves to a smaller tolerance keep iterate and residual in double.
#include "base/memory.h"
#include "base/tuned.h"
#include "math/float4.h"
#include "multigrid/scalar_mg_data.h"
#include "multigrid/scalar_multigrid.h"
#include "sparse/krylov.h"
#include "sparse/linear_fallback.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 4096 };

// ---------------------------------------------------------------- float4 per place

typedef struct float_work {
    const float *a, *b;
    float *c, *d;
    float s, t;
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

static double float_dot(void* user, const void* a, const void* b) {
    const pl_scalar_mg* mg = user;
    float_work w = {.a = a, .b = b};
    return pl_parallel_sum(mg->pool, dot_part, mg->fine.order.place_count, BLOCK, &w);
}

// c = s a + t c
static void combine_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const float_work* w = user;
    for (size_t k = 4 * (size_t)begin; k < 4 * (size_t)end; k += 4) {
        pl_f4 scaled = w->s * pl_load4(w->a + k);
        pl_store4(w->c + k,
                  w->t == 0.0f ? scaled : pl_scale_add4(w->t, pl_load4(w->c + k), scaled));
    }
}

static void float_combine(void* user, double s, const void* x, double t, void* y) {
    const pl_scalar_mg* mg = user;
    float_work w = {.a = x, .c = y, .s = (float)s, .t = (float)t};
    pl_parallel_for(mg->pool, combine_task, mg->fine.order.place_count, BLOCK, &w);
}

// c += s a, d -= s b; returns |d|^2
static double step_part(int begin, int end, void* user) {
    const float_work* w = user;
    double sum[4] = {0};
    for (size_t k = 4 * (size_t)begin; k < 4 * (size_t)end; k += 4) {
        pl_store4(w->c + k, pl_scale_add4(w->s, pl_load4(w->a + k), pl_load4(w->c + k)));
        pl_f4 d = pl_scale_add4(-w->s, pl_load4(w->b + k), pl_load4(w->d + k));
        pl_store4(w->d + k, d);
        for (int i = 0; i < 4; i++) sum[i] += (double)d[i] * (double)d[i];
    }
    return (sum[0] + sum[1]) + sum[2];
}

static double float_advance(pl_krylov* k, double alpha) {
    const pl_scalar_mg* mg = k->user;
    float_work w = {.a = k->p, .b = k->q, .c = k->x, .d = k->r, .s = (float)alpha};
    return sqrt(pl_parallel_sum(mg->pool, step_part, mg->fine.order.place_count, BLOCK, &w));
}

static void float_apply(void* user, const void* x, void* y) {
    pl_scalar_mg* mg = user;
    pl_scalar_fine_apply(&mg->fine, mg->pool, x, y);
}

// r and z are b and x of the finest level already
static void float_cycle(void* user, const void* r, void* z) {
    (void)r, (void)z;
    pl_scalar_mg_cycle(user);
}

void pl_scalar_mg_solve_float(pl_scalar_mg* mg, const pl_linear_options* options,
                              pl_linear_info* info) {
    static const pl_krylov_operations operations = {.apply = float_apply,
                                                    .precondition = float_cycle,
                                                    .dot = float_dot,
                                                    .combine = float_combine};
    static const pl_cg_passes passes = {.advance = float_advance};
    pl_scalar_fine* f = &mg->fine;
    float *x = mg->vectors[0], *b = mg->vectors[3];
    size_t size = 4 * (size_t)f->order.place_count * sizeof(float);
    memset(x, 0, size);
    memcpy(b, f->b, size); // the residual overwrites f->b
    pl_krylov k = {
        .operations = &operations,
        .user = mg,
        .x = x,
        .r = f->b,
        .z = f->x,
        .p = mg->vectors[1],
        .q = mg->vectors[2],
        .scale = sqrt(float_dot(mg, f->b, f->b)),
        .passes = &passes,
        .watch = {.period = pl_tuned.watched_gradients, .slow = pl_tuned.slow_gradients}};
    *info = (pl_linear_info){.converged = k.scale == 0.0, .residual = k.scale > 0.0 ? 1.0 : 0.0};
    if (k.scale > 0.0 && isfinite(k.scale) && options->max_iterations > 0)
        pl_krylov_cg(&k, options, info);
    if (!info->converged) memcpy(f->b, b, size);
    // the result goes where a single cycle leaves it
    mg->vectors[0] = f->x;
    f->x = x;
}

// ---------------------------------------------------------------- 3 doubles per row

typedef struct long_work {
    pl_scalar_mg* mg;
    const double* r;
    double* z;
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

// z = one cycle for r, scaled so that small residuals stay in the range of float
static void cycle(void* user, const void* r, void* z) {
    pl_scalar_mg* mg = user;
    double largest = pl_vector_max_abs(3 * mg->row_count, r);
    long_work w = {.mg = mg, .r = r, .z = z, .scale = largest > 0.0 ? 1.0 / largest : 1.0};
    pl_parallel_for(mg->pool, to_places_task, mg->fine.order.place_count, BLOCK, &w);
    pl_scalar_mg_cycle(mg);
    pl_parallel_for(mg->pool, from_places_task, mg->row_count, BLOCK, &w);
}

static bool is_held(const pl_scalar_mg* mg, int row) {
    return mg->fine.inverse[mg->fine.order.place[row]] == 0.0f;
}

static void clear_held(const pl_scalar_mg* mg, double* y) {
    for (int i = 0; i < mg->row_count; i++)
        if (is_held(mg, i))
            for (size_t k = 3 * (size_t)i; k < 3 * (size_t)i + 3; k++) y[k] = 0.0;
}

// y = (A + springs) x; 0 at held rows
static void apply(void* user, const void* from, void* to) {
    static const int at[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    const pl_scalar_mg* mg = user;
    const double* x = from;
    double* y = to;
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
    clear_held(mg, y);
}

static double look(pl_krylov* k) {
    pl_krylov_residual(k);
    clear_held(k->user, k->r);
    return sqrt(pl_krylov_dot(k, k->r, k->r));
}

static pl_krylov double_krylov(pl_scalar_mg* mg, const pl_krylov_operations* operations,
                               const double* b, double* x) {
    return (pl_krylov){.operations = operations,
                       .user = mg,
                       .pool = mg->pool,
                       .count = 3 * mg->row_count,
                       .b = b,
                       .x = x,
                       .r = mg->long_vectors[0],
                       .z = mg->long_vectors[1],
                       .p = mg->long_vectors[2],
                       .q = mg->long_vectors[3],
                       .look = look};
}

void pl_scalar_mg_solve(pl_scalar_mg* mg, bool gradients, const pl_linear_options* options,
                        const double* b, double* x, pl_linear_info* info) {
    static const pl_krylov_operations operations = {.apply = apply, .precondition = cycle};
    pl_krylov k = double_krylov(mg, &operations, b, x);
    *info = (pl_linear_info){0};
    k.scale = pl_vector_norm(mg->pool, k.count, b);
    if (!(k.scale > 0.0)) k.scale = look(&k); // b = 0: residuals are relative to the initial one
    pl_krylov_end end = pl_krylov_begin(&k, options, info);
    info->history_count = 0; // the history does not include the initial residual
    if (end != PL_KRYLOV_GOING) return;
    if (gradients) pl_krylov_cg(&k, options, info);
    else pl_krylov_stationary(&k, options, info);
}

// ---------------------------------------------------------------- the direct solver

static bool allocate_direct(pl_scalar_mg* mg) {
    if (mg->direct_x) return true;
    pl_block_matrix* M = &mg->factored;
    *M = *mg->A;
    M->values = PL_ALLOC(double, pl_block_matrix_entry_count(M));
    mg->direct_b = PL_ALLOC(double, 3 * (size_t)mg->row_count);
    mg->direct_x = PL_ALLOC(double, 3 * (size_t)mg->row_count);
    if (M->values && mg->direct_b && mg->direct_x) return true;
    PL_FREE(M->values, double, pl_block_matrix_entry_count(M));
    PL_FREE(mg->direct_b, double, 3 * (size_t)mg->row_count);
    PL_FREE(mg->direct_x, double, 3 * (size_t)mg->row_count);
    M->values = mg->direct_b = mg->direct_x = NULL;
    return false;
}

// A + springs; held rows and columns become those of the identity
static void fill_factored(pl_scalar_mg* mg) {
    pl_block_matrix* M = &mg->factored;
    memcpy(M->values, mg->A->values, (size_t)pl_block_matrix_entry_count(M) * sizeof(double));
    for (int k = 0; k < mg->spring_count; k++) {
        const pl_mg_spring* s = &mg->springs[k];
        double* diagonal = &M->values[M->diagonal[mg->fine.order.row[s->place]]];
        *diagonal += s->stiffness; // below: a block k n n' is bounded by its trace
        if (s->has_block) *diagonal += fmax(s->block[0] + s->block[3] + s->block[5], 0.0);
    }
    for (int i = 0; i < M->row_count; i++) {
        bool held = is_held(mg, i);
        for (int e = M->offsets[i]; e < M->offsets[i + 1]; e++)
            if (held || is_held(mg, M->columns[e])) M->values[e] = 0.0;
        if (held) M->values[M->diagonal[i]] = 1.0;
    }
}

static void precondition_directly(void* user, const void* r, void* z) {
    const pl_scalar_mg* mg = user;
    pl_linear_options once = {.tolerance = 0.0, .max_iterations = 1};
    pl_linear_info info;
    memset(z, 0, 3 * (size_t)mg->row_count * sizeof(double));
    pl_linear_solve(mg->fallback.direct, &once, r, z, &info);
}

static bool factor(pl_scalar_mg* mg) {
    if (!allocate_direct(mg)) return false;
    if (mg->fallback.is_active && mg->factored_stamp == mg->stamp) return true;
    fill_factored(mg);
    mg->factored_stamp = mg->stamp;
    return pl_linear_fallback_factor(&mg->fallback, &mg->factored, 3, mg->pool);
}

bool pl_scalar_mg_solve_direct(pl_scalar_mg* mg, const pl_linear_options* options,
                               pl_linear_info* info) {
    static const pl_krylov_operations operations = {.apply = apply,
                                                    .precondition = precondition_directly};
    const pl_scalar_fine* f = &mg->fine;
    if (!factor(mg)) return false;
    pl_krylov k = double_krylov(mg, &operations, mg->direct_b, mg->direct_x);
    for (int i = 0; i < k.count; i++) {
        mg->direct_b[i] = (double)f->b[4 * (size_t)f->order.place[i / 3] + (size_t)(i % 3)];
        mg->direct_x[i] = 0.0;
    }
    k.scale = pl_vector_norm(mg->pool, k.count, mg->direct_b);
    info->history_count = 0;
    if (pl_krylov_begin(&k, options, info) == PL_KRYLOV_GOING) pl_krylov_cg(&k, options, info);
    info->switched = true;
    memset(f->x, 0, 4 * (size_t)f->order.place_count * sizeof(float));
    for (int i = 0; i < k.count; i++)
        f->x[4 * (size_t)f->order.place[i / 3] + (size_t)(i % 3)] = (float)mg->direct_x[i];
    return true;
}
