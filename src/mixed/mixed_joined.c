// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "mixed/mixed_joined.h"
#include "base/memory.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

// number of vectors, as in mixed_cycles.c
enum { RESTART = 25 };

struct pl_mixed_joined {
    pl_pool* pool;
    int vertex_count;
    const pl_join* J;
    const pl_mixed_inner* inner; // of the current solve
    pl_krylov_work work;
    double *r, *first, *left; // 4 per vertex
    double *in, *out;         // 3 per vertex
};

void pl_mixed_joined_destroy(pl_mixed_joined* j) {
    if (!j) return;
    const size_t n = (size_t)j->vertex_count;
    pl_krylov_work_free(&j->work);
    PL_FREE(j->r, double, 4 * n);
    PL_FREE(j->first, double, 4 * n);
    PL_FREE(j->left, double, 4 * n);
    PL_FREE(j->in, double, 3 * n);
    PL_FREE(j->out, double, 3 * n);
    PL_FREE(j, pl_mixed_joined, 1);
}

pl_status pl_mixed_joined_create(int vertex_count, pl_pool* pool, pl_mixed_joined** out,
                                 pl_error* error) {
    const size_t n = (size_t)vertex_count;
    *out = NULL;
    pl_mixed_joined* j = PL_ALLOC(pl_mixed_joined, 1);
    if (!j) return pl_fail_memory(error, "the contacts of bodies");
    *j = (pl_mixed_joined){.pool = pool, .vertex_count = vertex_count};
    j->r = PL_ALLOC(double, 4 * n);
    j->first = PL_ALLOC(double, 4 * n);
    j->left = PL_ALLOC(double, 4 * n);
    j->in = PL_ALLOC(double, 3 * n);
    j->out = PL_ALLOC(double, 3 * n);
    pl_status status = j->r && j->first && j->left && j->in && j->out
                           ? PL_OK
                           : pl_fail_memory(error, "the contacts of bodies");
    if (status == PL_OK)
        status = pl_krylov_work_setup(&j->work, pl_gmres_vectors(RESTART), 4 * n * sizeof(double),
                                      error);
    if (status == PL_OK) *out = j;
    else pl_mixed_joined_destroy(j);
    return status;
}

void pl_mixed_joined_set(pl_mixed_joined* j, const pl_join* J) { j->J = J; }

bool pl_mixed_joined_is_set(const pl_mixed_joined* j) { return j && j->J; }

// to += function(from) in the positions
static void add_of_positions(pl_mixed_joined* j,
                             void (*function)(void* user, const double* x, double* y),
                             const double* from, double* to) {
    memset(j->out, 0, 3 * (size_t)j->vertex_count * sizeof(double));
    for (size_t v = 0; v < (size_t)j->vertex_count; v++)
        memcpy(j->in + 3 * v, from + 4 * v, 3 * sizeof(double));
    function(j->J->user, j->in, j->out);
    for (size_t v = 0; v < (size_t)j->vertex_count; v++)
        for (size_t c = 0; c < 3; c++) to[4 * v + c] += j->out[3 * v + c];
}

// y = (A + J) x
static void apply(void* user, const void* x, void* y) {
    pl_mixed_joined* j = user;
    j->inner->multiply(j->inner->user, x, y);
    add_of_positions(j, j->J->add, x, y);
}

// left = r - (A + J) z, the residual
static void find_left(pl_mixed_joined* j, const double* r, const double* z) {
    apply(j, z, j->left);
    pl_vector_xpay(j->pool, 4 * j->vertex_count, r, -1.0, j->left);
}

// J's smoother, then the preconditioner of A, then J's smoother again
static void precondition(void* user, const void* r, void* z) {
    pl_mixed_joined* j = user;
    const int count = 4 * j->vertex_count;
    memset(j->first, 0, (size_t)count * sizeof(double));
    add_of_positions(j, j->J->smooth, r, j->first);
    find_left(j, r, j->first);
    j->inner->precondition(j->inner->user, j->left, z);
    pl_vector_axpy(j->pool, count, 1.0, j->first, z);
    find_left(j, r, z);
    add_of_positions(j, j->J->smooth, j->left, z);
}

void pl_mixed_joined_solve(pl_mixed_joined* j, const pl_mixed_inner* inner,
                           const pl_linear_options* options, const double* b, double* x,
                           pl_linear_info* info) {
    static const pl_krylov_operations operations = {.apply = apply, .precondition = precondition};
    const int count = 4 * j->vertex_count;
    j->inner = inner;
    memset(x, 0, (size_t)count * sizeof(double));
    pl_krylov k = {.operations = &operations,
                   .user = j,
                   .pool = j->pool,
                   .count = count,
                   .b = b,
                   .x = x,
                   .r = j->r};
    k.scale = sqrt(pl_krylov_dot(&k, b, b));
    if (pl_krylov_begin(&k, options, info) == PL_KRYLOV_GOING)
        pl_krylov_gmres(&k, &j->work, options, info);
}
