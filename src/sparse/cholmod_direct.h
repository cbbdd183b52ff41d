// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// CHOLMOD (Chen, Davis, Hager, Rajamanickam 2008) as direct solver, if the build option
// PLIANT_CHOLMOD is on: supernodal L L' with BLAS. Memory that CHOLMOD allocates is not counted by
// base/memory.h.
#ifndef PL_SPARSE_CHOLMOD_DIRECT_H
#define PL_SPARSE_CHOLMOD_DIRECT_H

#include "sparse/block_matrix.h"

typedef struct pl_cholmod pl_cholmod;

bool pl_cholmod_is_built(void);
// Orders a pattern and analyses its factor. PL_ERROR_UNSUPPORTED in builds without CHOLMOD.
pl_status pl_cholmod_setup(const pl_block_matrix* A, int rhs_count, pl_cholmod** out,
                           pl_error* error);
// Computes the numeric factor. *definite is false, and the factor unusable, unless A is positive
// definite by a margin above round-off.
pl_status pl_cholmod_update(pl_cholmod* cholmod, const pl_block_matrix* A, bool* definite,
                            pl_error* error);
// x = A^-1 b. False if CHOLMOD runs out of memory.
bool pl_cholmod_solve(pl_cholmod* cholmod, const double* b, double* x);
void pl_cholmod_destroy(pl_cholmod* cholmod);

#endif
