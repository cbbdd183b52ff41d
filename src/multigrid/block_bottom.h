// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The solvers of the coarsest level that multigrid has of its own.
#ifndef PL_MULTIGRID_BLOCK_BOTTOM_H
#define PL_MULTIGRID_BLOCK_BOTTOM_H

#include "multigrid/block_galerkin.h"
#include "multigrid/dense_cholesky.h"

// The coarsest level as its solver sees it.
typedef struct pl_coarsest {
    const pl_block_level* level;
    pl_unseen unseen;
    pl_pool* pool;
} pl_coarsest;

// How the coarsest level is solved; `user` is what the solver keeps.
typedef struct pl_mg_bottom_operations {
    // The structure of all levels is known; values come with `factor`.
    pl_status (*setup)(void* user, const pl_coarsest* coarsest, pl_error* error);
    // False if there is no factor; then no cycle runs until the next one.
    bool (*factor)(void* user, const pl_coarsest* coarsest);
    // x = A^-1 b, PL_NODE floats a node
    void (*solve)(void* user, const pl_coarsest* coarsest, const float* b, float* x);
} pl_mg_bottom_operations;

typedef struct pl_mg_bottom {
    const pl_mg_bottom_operations* operations;
    void* user;
} pl_mg_bottom;

// Dense factors. 12 unknowns a node: A = L L' in float. 16: A = L D L', displacements before
// pressures, so that no exchanges are needed; in float, and in double where a pivot loses most of
// its digits: pressures of bodies that are held all around, K that is nearly singular.
typedef struct pl_dense_bottom {
    pl_dense_cholesky cholesky;
    float shift;    // that L L' needed, relative to the diagonal
    bool in_double; // the last factor of 16 unknowns a node
    int n;          // of L D L' in double
    double *L, *D, *x, *scratch;
    size_t scratch_size;
    float* y; // of L D L' in float
} pl_dense_bottom;

// Its user is a pl_dense_bottom.
const pl_mg_bottom_operations* pl_dense_bottom_operations(int unknowns);
void pl_dense_bottom_free(pl_dense_bottom* bottom);
size_t pl_dense_bottom_bytes(const pl_dense_bottom* bottom);

// The blocks (J, K), K <= J, of the coarsest matrix for some nodes J, with unseen directions filled
// in.
typedef void (*pl_bottom_visit)(void* user, int J, int K, const float* block);
void pl_coarsest_visit(const pl_coarsest* coarsest, int begin, int end, pl_bottom_visit visit,
                       void* user);

#endif
