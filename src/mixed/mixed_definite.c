// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "mixed/mixed_definite.h"
#include "base/memory.h"
#include "multigrid/block_multigrid.h"
#include "sparse/krylov.h"
#include "sparse/linear_solver.h"

#include <math.h>
#include <string.h>

struct pl_mixed_definite {
    pl_mixed_matrices matrices;
    int vertex_count;
    pl_pool* pool;
    pl_block_mg* mg;          // K
    pl_block_matrix sum;      // L + B; owns only its values
    pl_linear_solver* direct; // factor of `sum`
    bool has_inertia;
    pl_krylov_work work;
    double* r;                            // 4 per vertex
    double *in, *out;                     // 3 per vertex: positions
    double *W, *pressures, *of_laplacian; // per vertex
};

static pl_mg_blocks blocks_of(const pl_block_matrix* A) {
    return (pl_mg_blocks){A->row_count, A->offsets, A->columns, A->values};
}

void pl_mixed_definite_destroy(pl_mixed_definite* d) {
    if (!d) return;
    const size_t n = (size_t)d->vertex_count;
    pl_block_mg_destroy(d->mg);
    pl_linear_destroy(d->direct);
    pl_krylov_work_free(&d->work);
    PL_FREE(d->sum.values, double, pl_block_matrix_entry_count(d->matrices.A));
    PL_FREE(d->r, double, 4 * n);
    PL_FREE(d->in, double, 3 * n);
    PL_FREE(d->out, double, 3 * n);
    PL_FREE(d->W, double, n);
    PL_FREE(d->pressures, double, n);
    PL_FREE(d->of_laplacian, double, n);
    PL_FREE(d, pl_mixed_definite, 1);
}

static bool allocate(pl_mixed_definite* d) {
    const size_t n = (size_t)d->vertex_count;
    const pl_block_matrix* A = d->matrices.A;
    d->sum = (pl_block_matrix){.row_count = A->row_count,
                               .block = 1,
                               .offsets = A->offsets,
                               .columns = A->columns,
                               .diagonal = A->diagonal,
                               .values = PL_ALLOC(double, pl_block_matrix_entry_count(A))};
    d->r = PL_ALLOC(double, 4 * n);
    d->in = PL_ALLOC(double, 3 * n);
    d->out = PL_ALLOC(double, 3 * n);
    d->W = PL_ALLOC(double, n);
    d->pressures = PL_ALLOC(double, n);
    d->of_laplacian = PL_ALLOC(double, n);
    return d->sum.values && d->r && d->in && d->out && d->W && d->pressures && d->of_laplacian;
}

// Nodes are not sampled by stiffness: a run resumed from a checkpoint does not know the stiffness
// at the time the cycles failed.
static pl_mg_settings settings_of(const pl_multigrid* keys) {
    return (pl_mg_settings){.smoother = PL_SMOOTHER_GAUSS_SEIDEL,
                            .pre_sweeps = keys->pre_sweeps,
                            .post_sweeps = keys->post_sweeps};
}

pl_status pl_mixed_definite_create(const pl_mixed_matrices* matrices, const double* rest,
                                   const pl_multigrid* keys, pl_pool* pool, pl_mixed_definite** out,
                                   pl_error* error) {
    *out = NULL;
    pl_mixed_definite* d = PL_ALLOC(pl_mixed_definite, 1);
    if (!d) return pl_fail_memory(error, "MINRES");
    *d = (pl_mixed_definite){
        .matrices = *matrices, .vertex_count = matrices->A->row_count, .pool = pool};
    pl_mg_blocks K = blocks_of(matrices->K);
    pl_mg_settings settings = settings_of(keys);
    pl_status status = allocate(d) ? PL_OK : pl_fail_memory(error, "MINRES");
    if (status == PL_OK)
        status = pl_krylov_work_setup(&d->work, PL_MINRES_VECTORS,
                                      4 * (size_t)d->vertex_count * sizeof(double), error);
    if (status == PL_OK) status = pl_block_mg_setup(&d->mg, &K, rest, &settings, pool, error);
    if (status == PL_OK) *out = d;
    else pl_mixed_definite_destroy(d);
    return status;
}

pl_status pl_mixed_definite_update(pl_mixed_definite* d, bool* works, pl_error* error) {
    pl_mg_blocks K = blocks_of(d->matrices.K);
    *works = pl_block_mg_update(d->mg, &K);
    d->has_inertia = d->matrices.schur(d->matrices.user, d->W, &d->sum);
    if (!*works || !d->has_inertia) return PL_OK;
    pl_status status = PL_OK;
    if (!d->direct)
        status = pl_linear_setup(PL_LINEAR_DIRECT, &d->sum, 1, d->pool, &d->direct, error);
    return status == PL_OK ? pl_linear_update(d->direct, error) : status;
}

void pl_mixed_definite_apply(pl_mixed_definite* d, const double* r, double* z) {
    static const pl_linear_options once = {.tolerance = 0.0, .max_iterations = 1};
    const size_t n = (size_t)d->vertex_count;
    for (size_t v = 0; v < n; v++) {
        memcpy(d->in + 3 * v, r + 4 * v, 3 * sizeof(double));
        d->pressures[v] = r[4 * v + 3];
    }
    pl_block_mg_apply(d->mg, d->in, d->out);
    memset(d->of_laplacian, 0, n * sizeof(double));
    pl_linear_info info;
    if (d->has_inertia) pl_linear_solve(d->direct, &once, d->pressures, d->of_laplacian, &info);
    for (size_t v = 0; v < n; v++) {
        memcpy(z + 4 * v, d->out + 3 * v, 3 * sizeof(double));
        z[4 * v + 3] = d->pressures[v] / d->W[v] + d->of_laplacian[v];
    }
}

static void apply(void* user, const void* x, void* y) {
    const pl_mixed_definite* d = user;
    pl_block_matrix_apply(d->matrices.A, d->pool, 1, x, y);
}

static void precondition(void* user, const void* r, void* z) {
    pl_mixed_definite_apply(user, r, z);
}

void pl_mixed_definite_solve(pl_mixed_definite* d, const pl_linear_options* options,
                             const double* b, double* x, pl_linear_info* info) {
    static const pl_krylov_operations operations = {.apply = apply, .precondition = precondition};
    const int count = 4 * d->vertex_count;
    memset(x, 0, (size_t)count * sizeof(double));
    pl_krylov k = {.operations = &operations,
                   .user = d,
                   .pool = d->pool,
                   .count = count,
                   .b = b,
                   .x = x,
                   .r = d->r};
    k.scale = sqrt(pl_krylov_dot(&k, b, b));
    if (pl_krylov_begin(&k, options, info) == PL_KRYLOV_GOING)
        pl_krylov_minres(&k, &d->work, options, info);
}
