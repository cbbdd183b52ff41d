// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Dense A = L L' in float, for the coarsest level. For sizes from a few hundred to a few thousand,
// where libraries made for large matrices waste most of their time.
//
// Saddle points [K G'; G -B], K and B definite, have A = L D L' with D = 1 in the rows of K and -1
// in those of B, and need no exchanges: the same L, whose last block is the factor of the Schur
// complement B + G K^-1 G' (S3 Eq. 19 the other way round).
#ifndef PL_MULTIGRID_DENSE_CHOLESKY_H
#define PL_MULTIGRID_DENSE_CHOLESKY_H

#include "base/pool.h"

#include <stddef.h>

enum { PL_TILE = 16 }; // rows and columns of a tile

// The lower triangle in tiles: those of one row of tiles lie side by side, and each is stored
// column by column. The last tiles are filled up with the identity.
typedef struct pl_dense_cholesky {
    int n;
    int tile_rows;
    int tile_capacity; // rows of tiles that there is memory for
    float* tiles;      // A, then L
    float* inverses;   // of the diagonal tiles of L
    float* diagonal;   // of A, before it was factored
    float* work;       // the right-hand sides in tiles
    int rhs_capacity;
    int negative_tiles; // rows of tiles at the end where D is -1
    float least_pivot;  // relative to what it was before columns of its own sign were eliminated
} pl_dense_cholesky;

pl_status pl_dense_cholesky_setup(pl_dense_cholesky* c, int n, int rhs_capacity, pl_error* error);
void pl_dense_cholesky_free(pl_dense_cholesky* c);
// After the setup, for saddle points: D is -1 in the last rows of tiles. A pivot that has lost all
// but `least_pivot` of what it was makes the factorisation fail.
void pl_dense_cholesky_make_signed(pl_dense_cholesky* c, int negative_tiles, float least_pivot);

// A = 0 of another size, at most that of the setup.
void pl_dense_cholesky_resize(pl_dense_cholesky* c, int n);
// A = 0 (the identity in the rows that fill the last tiles, or what D is there).
void pl_dense_cholesky_zero(pl_dense_cholesky* c);
// Where element (i, j) of A lies, i >= j: filled in before the factorisation.
static inline float* pl_dense_cholesky_at(const pl_dense_cholesky* c, int i, int j) {
    size_t I = (size_t)(i / PL_TILE), J = (size_t)(j / PL_TILE);
    size_t tile = (I * (I + 1) / 2 + J) * PL_TILE * PL_TILE;
    return c->tiles + tile + (size_t)(j % PL_TILE) * PL_TILE + (size_t)(i % PL_TILE);
}

// Replaces A by L. Returns -1, or the first row whose pivot is not positive or has vanished beside
// the diagonal that A had there: then there is no factor.
int pl_dense_cholesky_factor(pl_dense_cholesky* c, pl_pool* pool);

// x = A^-1 b for rhs_count right-hand sides. Element i of number r is at
// (i / run) * stride + r * rhs_stride + i % run: run = n, stride = n, rhs_stride = n are columns
// one after the other. x may be b.
typedef struct pl_rhs_layout {
    int run;
    int stride;
    int rhs_stride;
} pl_rhs_layout;
void pl_dense_cholesky_solve(pl_dense_cholesky* c, pl_pool* pool, int rhs_count,
                             pl_rhs_layout layout, const float* b, float* x);

#endif
