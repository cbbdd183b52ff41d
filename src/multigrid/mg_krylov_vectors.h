// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The matrix and the vectors of the iterations around multigrid cycles (mg_krylov.h).
#ifndef PL_MULTIGRID_MG_KRYLOV_VECTORS_H
#define PL_MULTIGRID_MG_KRYLOV_VECTORS_H

#include "multigrid/block_multigrid.h"
#include "sparse/linear_info.h"

typedef struct pl_mg_krylov {
    pl_mg_blocks A;              // values NULL: use the matrix of the finest level of `levels`
    const pl_block_mg* levels;   // borrowed
    const pl_mg_diagonal* added; // borrowed
    int added_count;
    bool residual_unread;     // the caller does not need the residual after the last cycle
    double *r, *z, *p, *q;    // 3 per row
    float *float_p, *float_q; // 4 per row, in the order of the finest level
} pl_mg_krylov;

pl_status pl_mg_krylov_setup(pl_mg_krylov* krylov, const pl_mg_blocks* A, pl_error* error);
void pl_mg_krylov_free(pl_mg_krylov* krylov);

// y = (A + added blocks) x
void pl_mg_krylov_apply(const pl_mg_krylov* krylov, pl_pool* pool, const double* x, double* y);

#endif
