// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "sparse/linear_fallback.h"
#include "base/tuned.h"

// largest matrix that is factored
enum { MAX_DIRECT_ROWS = 200000 };

bool pl_linear_has_failed(const pl_linear_info* info) {
    if (info->converged) return false;
    return info->preconditioner_failed || info->stalled ||
           info->iterations >= pl_tuned.linear_patience;
}

void pl_linear_fallback_free(pl_linear_fallback* fallback) {
    pl_linear_destroy(fallback->direct);
    *fallback = (pl_linear_fallback){0};
}

bool pl_linear_fallback_factor(pl_linear_fallback* fallback, const pl_block_matrix* A,
                               int rhs_count, pl_pool* pool) {
    pl_error error;
    fallback->is_active = false;
    if (A->row_count > MAX_DIRECT_ROWS) return false;
    if (!fallback->direct &&
        pl_linear_setup(PL_LINEAR_DIRECT, A, rhs_count, pool, &fallback->direct, &error) != PL_OK)
        return false;
    fallback->is_active = pl_linear_update(fallback->direct, &error) == PL_OK;
    return fallback->is_active;
}

bool pl_linear_fallback_solve(pl_linear_fallback* fallback, const pl_block_matrix* A, int rhs_count,
                              pl_pool* pool, const pl_linear_options* options, const double* b,
                              double* x, pl_linear_info* info) {
    if (!pl_linear_fallback_factor(fallback, A, rhs_count, pool)) return false;
    int iterations = info->iterations;
    pl_linear_solve(fallback->direct, options, b, x, info);
    info->iterations += iterations;
    info->switched = true;
    return true;
}
