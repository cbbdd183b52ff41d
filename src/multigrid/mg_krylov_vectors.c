// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "multigrid/mg_krylov_vectors.h"
#include "base/memory.h"

enum { ROWS_PER_TASK = 512 };

void pl_mg_krylov_free(pl_mg_krylov* krylov) {
    size_t count = 3 * (size_t)krylov->A.row_count;
    PL_FREE(krylov->r, double, count);
    PL_FREE(krylov->z, double, count);
    PL_FREE(krylov->p, double, count);
    PL_FREE(krylov->q, double, count);
    PL_FREE(krylov->float_p, float, 4 * (size_t)krylov->A.row_count);
    PL_FREE(krylov->float_q, float, 4 * (size_t)krylov->A.row_count);
    *krylov = (pl_mg_krylov){0};
}

pl_status pl_mg_krylov_setup(pl_mg_krylov* krylov, const pl_mg_blocks* A, pl_error* error) {
    size_t count = 3 * (size_t)A->row_count;
    *krylov = (pl_mg_krylov){.A = *A};
    krylov->r = PL_ALLOC(double, count);
    krylov->z = PL_ALLOC(double, count);
    krylov->p = PL_ALLOC(double, count);
    krylov->q = PL_ALLOC(double, count);
    krylov->float_p = PL_ALLOC(float, 4 * (size_t)A->row_count);
    krylov->float_q = PL_ALLOC(float, 4 * (size_t)A->row_count);
    if (krylov->r && krylov->z && krylov->p && krylov->q && krylov->float_p && krylov->float_q)
        return PL_OK;
    pl_mg_krylov_free(krylov);
    return pl_fail_memory(error, "the vectors of multigrid");
}

typedef struct apply_job {
    const pl_mg_blocks* A;
    const double* x;
    double* y;
} apply_job;

typedef double d4 __attribute__((vector_size(32)));
typedef double d4_loose __attribute__((vector_size(32), aligned(8), may_alias));

static void apply_task(int begin, int end, int worker, void* user) {
    const apply_job* job = user;
    const pl_mg_blocks* A = job->A;
    int last = A->offsets[A->row_count] - 1; // a 4-wide load of its last row would leave the array
    (void)worker;
    for (int i = begin; i < end; i++) {
        d4 sum[3] = {{0}, {0}, {0}};
        for (int e = A->offsets[i]; e < A->offsets[i + 1]; e++) {
            const double *v = A->values + 9 * (size_t)e, *x = job->x + 3 * (size_t)A->columns[e];
            d4 xyz = {x[0], x[1], x[2], 0.0};
            sum[0] += *(const d4_loose*)v * xyz;
            sum[1] += *(const d4_loose*)(v + 3) * xyz;
            d4 bottom = {v[6], v[7], v[8], 0.0};
            if (e < last) bottom = *(const d4_loose*)(v + 6);
            sum[2] += bottom * xyz;
        }
        for (int c = 0; c < 3; c++)
            job->y[3 * (size_t)i + (size_t)c] = sum[c][0] + sum[c][1] + sum[c][2];
    }
}

void pl_mg_krylov_apply(const pl_mg_krylov* krylov, pl_pool* pool, const double* x, double* y) {
    if (!krylov->A.values) {
        pl_block_mg_multiply(krylov->levels, x, y);
        return;
    }
    apply_job job = {&krylov->A, x, y};
    pl_parallel_for(pool, apply_task, krylov->A.row_count, ROWS_PER_TASK, &job);
    for (int k = 0; k < krylov->added_count; k++) {
        size_t at = 3 * (size_t)krylov->added[k].vertex;
        const double* S = krylov->added[k].block;
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) y[at + (size_t)r] += S[3 * r + c] * x[at + (size_t)c];
    }
}
