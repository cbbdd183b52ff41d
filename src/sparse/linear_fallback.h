// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The safety net of iterative solvers: decides when an iteration has failed, and holds the direct
// solver that takes over. Cycles in float fail, for example, where stiff parts are embedded in
// something 1e8 times softer.
#ifndef PL_SPARSE_LINEAR_FALLBACK_H
#define PL_SPARSE_LINEAR_FALLBACK_H

#include "sparse/linear_solver.h"

// True if more iterations would not help: the preconditioner broke down, the watch ended the solve,
// or it took pl_tuned.linear_patience iterations without converging.
bool pl_linear_has_failed(const pl_linear_info* info);

typedef struct pl_linear_fallback {
    pl_linear_solver* direct; // created when first needed
    bool is_active;           // an iteration has failed since this was last set to false
} pl_linear_fallback;

void pl_linear_fallback_free(pl_linear_fallback* fallback);
// Factors A, which makes the fallback active. False if A is too large or memory runs out. A is kept
// by reference and must be the same matrix in every call; its values are read each time.
bool pl_linear_fallback_factor(pl_linear_fallback* fallback, const pl_block_matrix* A,
                               int rhs_count, pl_pool* pool);
// Factors and solves; adds its iterations to those in info. If it returns false, x is unchanged.
bool pl_linear_fallback_solve(pl_linear_fallback* fallback, const pl_block_matrix* A, int rhs_count,
                              pl_pool* pool, const pl_linear_options* options, const double* b,
                              double* x, pl_linear_info* info);

#endif
