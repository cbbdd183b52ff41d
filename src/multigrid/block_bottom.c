// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "multigrid/block_bottom.h"
#include "base/memory.h"
#include "sparse/dense_ldlt.h"

#include <math.h>
#include <string.h>

enum { NODES_PER_TASK = 8 };
// Values come from float, so a pivot below this fraction of its diagonal is round-off.
static const double TINY_PIVOT = 1e-6;

void pl_coarsest_visit(const pl_coarsest* coarsest, int begin, int end, pl_bottom_visit visit,
                       void* user) {
    const pl_block_level* level = coarsest->level;
    const pl_mg_half* halves[2] = {&level->pattern.lower, &level->pattern.upper};
    size_t block = (size_t)level->block;
    for (int J = begin; J < end; J++) {
        float D[256];
        pl_block_fill_unseen(level, coarsest->unseen, J, D);
        visit(user, J, J, D);
        for (int k = 0; k < 2; k++)
            for (int e = halves[k]->begin[J]; e < halves[k]->end[J]; e++)
                if (level->pattern.columns[e] < J)
                    visit(user, J, level->pattern.columns[e], level->values + block * (size_t)e);
    }
}

typedef struct fill_job {
    const pl_coarsest* coarsest;
    pl_dense_bottom* bottom;
    pl_bottom_visit visit;
} fill_job;

static void fill_task(int begin, int end, int worker, void* user) {
    const fill_job* job = user;
    (void)worker;
    pl_coarsest_visit(job->coarsest, begin, end, job->visit, job->bottom);
}

static void fill(pl_dense_bottom* bottom, const pl_coarsest* coarsest, pl_bottom_visit visit) {
    fill_job job = {coarsest, bottom, visit};
    pl_parallel_for(coarsest->pool, fill_task, coarsest->level->node_count, NODES_PER_TASK, &job);
}

// ---------------------------------------------------------------- L L'

static pl_status setup_definite(void* user, const pl_coarsest* coarsest, pl_error* error) {
    pl_dense_bottom* bottom = user;
    return pl_dense_cholesky_setup(&bottom->cholesky, 12 * coarsest->level->node_count, 1, error);
}

static void put_definite(void* user, int J, int K, const float* block) {
    const pl_dense_bottom* bottom = user;
    for (int c = 0; c < 12; c++)
        for (int r = J == K ? c : 0; r < 12; r++) {
            float value = block[12 * c + r];
            if (J == K && r == c) value *= 1.0f + bottom->shift;
            *pl_dense_cholesky_at(&bottom->cholesky, 12 * J + r, 12 * K + c) = value;
        }
}

static bool try_definite(pl_dense_bottom* bottom, const pl_coarsest* coarsest) {
    pl_dense_cholesky_zero(&bottom->cholesky);
    fill(bottom, coarsest, put_definite);
    return pl_dense_cholesky_factor(&bottom->cholesky, coarsest->pool) < 0;
}

// Round-off can make a nearly singular matrix indefinite; then its diagonal is raised.
static bool factor_definite(void* user, const pl_coarsest* coarsest) {
    static const float MAX_SHIFT = 1e3f;
    pl_dense_bottom* bottom = user;
    bottom->shift = 0.0f;
    bool factored = try_definite(bottom, coarsest);
    while (!factored && bottom->shift < MAX_SHIFT) {
        bottom->shift = bottom->shift > 0.0f ? 10.0f * bottom->shift : 1e-6f;
        factored = try_definite(bottom, coarsest);
    }
    return factored;
}

static void solve_definite(void* user, const pl_coarsest* coarsest, const float* b, float* x) {
    pl_dense_bottom* bottom = user;
    pl_rhs_layout layout = {.run = 12, .stride = PL_NODE, .rhs_stride = 0};
    pl_dense_cholesky_solve(&bottom->cholesky, coarsest->pool, 1, layout, b, x);
}

// ---------------------------------------------------------------- L D L' in float

// Smallest pivot in float relative to its diagonal; round-off is a hundred times smaller.
static const float LEAST_PIVOT = 1e-5f;

// number of displacement rows, rounded up to whole tiles
static int displacement_rows(int nodes) { return (12 * nodes + PL_TILE - 1) / PL_TILE * PL_TILE; }

static pl_status setup_float(pl_dense_bottom* bottom, int nodes, pl_error* error) {
    int rows = displacement_rows(nodes), n = rows + 4 * nodes;
    pl_status status = pl_dense_cholesky_setup(&bottom->cholesky, n, 1, error);
    if (status != PL_OK) return status;
    pl_dense_cholesky_make_signed(&bottom->cholesky, bottom->cholesky.tile_rows - rows / PL_TILE,
                                  LEAST_PIVOT);
    bottom->y = PL_ALLOC(float, n);
    return bottom->y ? PL_OK : pl_fail_memory(error, "the coarsest level of multigrid");
}

// row of unknown k of node J; pressures start at row `pressures`
static int place_of(int pressures, int J, int k) {
    return k % 4 < 3 ? 12 * J + 3 * (k / 4) + k % 4 : pressures + 4 * J + k / 4;
}

static void put_float(void* user, int J, int K, const float* block) {
    const pl_dense_bottom* bottom = user;
    int pressures = displacement_rows(bottom->n / 16);
    for (int c = 0; c < 16; c++)
        for (int r = 0; r < 16; r++) {
            int i = place_of(pressures, J, r), j = place_of(pressures, K, c);
            *pl_dense_cholesky_at(&bottom->cholesky, i > j ? i : j, i > j ? j : i) =
                block[16 * c + r];
        }
}

static bool factor_float(pl_dense_bottom* bottom, const pl_coarsest* coarsest) {
    int nodes = coarsest->level->node_count;
    pl_dense_cholesky_zero(&bottom->cholesky);
    for (int i = 12 * nodes; i < displacement_rows(nodes); i++)
        *pl_dense_cholesky_at(&bottom->cholesky, i, i) = 1.0f;
    fill(bottom, coarsest, put_float);
    return pl_dense_cholesky_factor(&bottom->cholesky, coarsest->pool) < 0;
}

static void solve_float(pl_dense_bottom* bottom, const pl_coarsest* coarsest, const float* b,
                        float* x) {
    int nodes = coarsest->level->node_count, pressures = displacement_rows(nodes);
    int n = bottom->cholesky.n;
    float* y = bottom->y;
    pl_rhs_layout layout = {.run = n, .stride = n, .rhs_stride = n};
    for (int i = 12 * nodes; i < pressures; i++) y[i] = 0.0f;
    for (int k = 0; k < 16 * nodes; k++) y[place_of(pressures, k / 16, k % 16)] = b[k];
    pl_dense_cholesky_solve(&bottom->cholesky, coarsest->pool, 1, layout, y, y);
    for (int k = 0; k < 16 * nodes; k++) x[k] = y[place_of(pressures, k / 16, k % 16)];
}

// ---------------------------------------------------------------- L D L' in double

static pl_status setup_indefinite(void* user, const pl_coarsest* coarsest, pl_error* error) {
    pl_dense_bottom* bottom = user;
    int n = bottom->n = 16 * coarsest->level->node_count;
    bottom->scratch_size = pl_dense_scratch_size(n, n);
    bottom->L = PL_ALLOC(double, (size_t)n*(size_t)n);
    bottom->D = PL_ALLOC(double, n);
    bottom->x = PL_ALLOC(double, n);
    bottom->scratch = PL_ALLOC(double, bottom->scratch_size);
    return bottom->L && bottom->D && bottom->x && bottom->scratch
               ? setup_float(bottom, coarsest->level->node_count, error)
               : pl_fail_memory(error, "the coarsest level of multigrid");
}

static void put_double(void* user, int J, int K, const float* block) {
    const pl_dense_bottom* bottom = user;
    for (int c = 0; c < 16; c++)
        for (int r = 0; r < 16; r++) {
            int i = place_of(bottom->n / 4 * 3, J, r), j = place_of(bottom->n / 4 * 3, K, c);
            size_t low = (size_t)(i > j ? i : j), high = (size_t)(i > j ? j : i);
            bottom->L[high * (size_t)bottom->n + low] = (double)block[16 * c + r];
        }
}

static bool factor_double(pl_dense_bottom* bottom, const pl_coarsest* coarsest) {
    size_t n = (size_t)bottom->n;
    double sum = 0.0;
    memset(bottom->L, 0, n * n * sizeof(double));
    fill(bottom, coarsest, put_double);
    for (size_t i = 0; i < n * n; i++) sum += fabs(bottom->L[i]);
    if (!isfinite(sum)) return false;
    for (size_t i = 0; i < n; i++) bottom->D[i] = bottom->L[i * (n + 1)];
    pl_pivots pivots = {.tiny = TINY_PIVOT};
    pl_dense_factor_panel(bottom->L, bottom->n, bottom->n, bottom->D, &pivots, bottom->scratch,
                          coarsest->pool);
    return true;
}

static void solve_double(pl_dense_bottom* bottom, const pl_coarsest* coarsest, const float* b,
                         float* x) {
    size_t n = (size_t)bottom->n;
    double* y = bottom->x;
    int nodes = coarsest->level->node_count;
    for (int k = 0; k < 16 * nodes; k++)
        y[place_of(bottom->n / 4 * 3, k / 16, k % 16)] = (double)b[k];
    for (size_t j = 0; j < n; j++)
        for (size_t i = j + 1; i < n; i++) y[i] -= bottom->L[j * n + i] * y[j];
    for (size_t j = n; j-- > 0;) {
        double sum = bottom->D[j] != 0.0 ? y[j] / bottom->D[j] : 0.0;
        for (size_t i = j + 1; i < n; i++) sum -= bottom->L[j * n + i] * y[i];
        y[j] = bottom->D[j] != 0.0 ? sum : 0.0;
    }
    for (int k = 0; k < 16 * nodes; k++)
        x[k] = (float)y[place_of(bottom->n / 4 * 3, k / 16, k % 16)];
}

static bool factor_indefinite(void* user, const pl_coarsest* coarsest) {
    pl_dense_bottom* bottom = user;
    bottom->in_double = !factor_float(bottom, coarsest);
    return !bottom->in_double || factor_double(bottom, coarsest);
}

static void solve_indefinite(void* user, const pl_coarsest* coarsest, const float* b, float* x) {
    pl_dense_bottom* bottom = user;
    if (bottom->in_double) solve_double(bottom, coarsest, b, x);
    else solve_float(bottom, coarsest, b, x);
}

// ---------------------------------------------------------------- both

const pl_mg_bottom_operations* pl_dense_bottom_operations(int unknowns) {
    static const pl_mg_bottom_operations definite = {setup_definite, factor_definite,
                                                     solve_definite};
    static const pl_mg_bottom_operations indefinite = {setup_indefinite, factor_indefinite,
                                                       solve_indefinite};
    return unknowns == 3 ? &definite : &indefinite;
}

void pl_dense_bottom_free(pl_dense_bottom* bottom) {
    size_t n = (size_t)bottom->n;
    PL_FREE(bottom->y, float, bottom->cholesky.n);
    pl_dense_cholesky_free(&bottom->cholesky);
    PL_FREE(bottom->L, double, n* n);
    PL_FREE(bottom->D, double, n);
    PL_FREE(bottom->x, double, n);
    PL_FREE(bottom->scratch, double, bottom->scratch_size);
    *bottom = (pl_dense_bottom){0};
}

size_t pl_dense_bottom_bytes(const pl_dense_bottom* bottom) {
    size_t tiles = (size_t)bottom->cholesky.tile_rows, n = (size_t)bottom->n;
    return tiles * (tiles + 1) / 2 * PL_TILE * PL_TILE * sizeof(float) +
           (n * n + 2 * n + bottom->scratch_size) * sizeof(double) +
           (bottom->y ? (size_t)bottom->cholesky.n * sizeof(float) : 0);
}
