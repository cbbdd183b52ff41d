// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The built-in solvers of the coarsest level.
#ifndef PL_MULTIGRID_BLOCK_BOTTOM_H
#define PL_MULTIGRID_BLOCK_BOTTOM_H

#include "multigrid/block_galerkin.h"
#include "multigrid/dense_cholesky.h"

// The coarsest level as seen by its solver.
typedef struct pl_coarsest {
    const pl_block_level* level;
    pl_unseen unseen;
    pl_pool* pool;
} pl_coarsest;

// A solver of the coarsest level; `user` is its data.
typedef struct pl_mg_bottom_operations {
    // Called when the structure of all levels is known; values come with `factor`.
    pl_status (*setup)(void* user, const pl_coarsest* coarsest, pl_error* error);
    // Returns false if there is no factor; then no cycle runs until the next successful call.
    bool (*factor)(void* user, const pl_coarsest* coarsest);
    // x = A^-1 b, PL_NODE floats per node
    void (*solve)(void* user, const pl_coarsest* coarsest, const float* b, float* x);
} pl_mg_bottom_operations;

typedef struct pl_mg_bottom {
    const pl_mg_bottom_operations* operations;
    void* user;
} pl_mg_bottom;

// Dense factors. 12 unknowns per node: A = L L' in float. 16 unknowns: A = L D L', with
// displacements before pressures, so that no pivoting is needed. It is in float, or in double if a
// pivot loses most of its digits, as with pressures of bodies that are held all around or a nearly
// singular K.
typedef struct pl_dense_bottom {
    pl_dense_cholesky cholesky;
    float shift;    // diagonal shift of the last L L', relative
    bool in_double; // of the last factor with 16 unknowns per node
    int n;          // of L D L' in double
    double *L, *D, *x, *scratch;
    size_t scratch_size;
    float* y; // of L D L' in float
} pl_dense_bottom;

// Its user data is a pl_dense_bottom.
const pl_mg_bottom_operations* pl_dense_bottom_operations(int unknowns);
void pl_dense_bottom_free(pl_dense_bottom* bottom);
size_t pl_dense_bottom_bytes(const pl_dense_bottom* bottom);

// Called with blocks (J, K), K <= J, of the coarsest matrix for a range of nodes J, with unseen
// directions filled in.
typedef void (*pl_bottom_visit)(void* user, int J, int K, const float* block);
void pl_coarsest_visit(const pl_coarsest* coarsest, int begin, int end, pl_bottom_visit visit,
                       void* user);

#endif
