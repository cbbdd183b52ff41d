// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Dense A = L L' in float for the coarsest level, for sizes from a few hundred to a few thousand:
// libraries made for large matrices waste most of their time there.
//
// Saddle points [K G'; G -B] with K and B definite have A = L D L', with D = 1 in the rows of K and
// -1 in those of B, and need no pivoting. It is the same L, and its last block is the factor of the
// Schur complement B + G K^-1 G' (S3 Eq. 19 with the roles of the blocks swapped).
#ifndef PL_MULTIGRID_DENSE_CHOLESKY_H
#define PL_MULTIGRID_DENSE_CHOLESKY_H

#include "base/pool.h"

#include <stddef.h>

enum { PL_TILE = 16 }; // rows and columns of a tile

// The lower triangle in tiles. A row of tiles is contiguous, and each tile is column-major. The
// last tiles are padded with the identity.
typedef struct pl_dense_cholesky {
    int n;
    int tile_rows;
    int tile_capacity; // rows of tiles allocated
    float* tiles;      // A, then L
    float* inverses;   // of the diagonal tiles of L
    float* diagonal;   // of A, before factorisation
    float* work;       // right-hand sides in tiles
    int rhs_capacity;
    int negative_tiles; // rows of tiles at the end, with D = -1
    float least_pivot;  // relative to its value before columns of its own sign were eliminated
} pl_dense_cholesky;

pl_status pl_dense_cholesky_setup(pl_dense_cholesky* c, int n, int rhs_capacity, pl_error* error);
void pl_dense_cholesky_free(pl_dense_cholesky* c);
// For saddle points, call after setup: D is -1 in the last rows of tiles. The factorisation fails
// if a pivot falls below `least_pivot` of its original value.
void pl_dense_cholesky_make_signed(pl_dense_cholesky* c, int negative_tiles, float least_pivot);

// Sets A = 0 with another size, at most that of the setup.
void pl_dense_cholesky_resize(pl_dense_cholesky* c, int n);
// Sets A = 0, and D in the rows that pad the last tiles.
void pl_dense_cholesky_zero(pl_dense_cholesky* c);
// Address of element (i, j) of A, i >= j, to fill in before the factorisation.
static inline float* pl_dense_cholesky_at(const pl_dense_cholesky* c, int i, int j) {
    size_t I = (size_t)(i / PL_TILE), J = (size_t)(j / PL_TILE);
    size_t tile = (I * (I + 1) / 2 + J) * PL_TILE * PL_TILE;
    return c->tiles + tile + (size_t)(j % PL_TILE) * PL_TILE + (size_t)(i % PL_TILE);
}

// Replaces A by L. Returns -1, or the first row whose pivot is not positive or has vanished
// relative to its diagonal in A; then there is no factor.
int pl_dense_cholesky_factor(pl_dense_cholesky* c, pl_pool* pool);

// x = A^-1 b for rhs_count right-hand sides. Element i of right-hand side r is at (i / run) *
// stride + r * rhs_stride + i % run; run = stride = rhs_stride = n means columns one after the
// other. x may be b.
typedef struct pl_rhs_layout {
    int run;
    int stride;
    int rhs_stride;
} pl_rhs_layout;
void pl_dense_cholesky_solve(pl_dense_cholesky* c, pl_pool* pool, int rhs_count,
                             pl_rhs_layout layout, const float* b, float* x);

#endif
