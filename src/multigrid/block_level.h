// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// One level of multigrid with its smoothers, all in float; see wide_block.h for the layouts.
#ifndef PL_MULTIGRID_BLOCK_LEVEL_H
#define PL_MULTIGRID_BLOCK_LEVEL_H

#include "multigrid/level_pattern.h"

enum { PL_BLOCK_PAD = 16, PL_VERTEX = 4, PL_NODE = 16 }; // floats

// Vertices with 3 or 4 unknowns; nodes with 12 or 16; or nodes with 12 whose three coordinates
// share one 4 x 4 block.
typedef enum pl_block_kind {
    PL_BLOCKS_3,
    PL_BLOCKS_4,
    PL_BLOCKS_12,
    PL_BLOCKS_16,
    PL_BLOCKS_4X3
} pl_block_kind;

// 12 x 12 diagonal block of a node of a 4x3 level, where contacts couple the coordinates.
typedef struct pl_mixed_block {
    float block[144], inverse[144];
} pl_mixed_block;

typedef struct pl_block_level {
    int node_count;
    pl_block_kind kind;
    int unknowns; // rows of a block
    int block;    // floats of a block: unknowns^2
    int stride;   // floats of a node in a vector: PL_VERTEX or PL_NODE
    pl_mg_pattern pattern;
    float* values;               // per entry of the pattern
    float* fixed;                // diagonal blocks without added ones; stored after the values
    float* diagonal;             // with added blocks
    float* inverse;              // of the diagonal blocks
    const unsigned char* held;   // 4 unknowns: bit c for each unknown that no node moves; borrowed
    int* mixed_slot;             // 4x3: per node, index into `mixed` of the block that replaces
    const pl_mixed_block* mixed; // its diagonal block, or -1; borrowed
    float* x;
    float* b;
    float* half_sum; // of the half that the last half sweep read
    float* residual;
    float omega;   // relaxation of Gauss-Seidel; PL_BLOCKS_4 and PL_BLOCKS_16 only
    float damping; // of Jacobi, from the spectral radius
} pl_block_level;

// Takes ownership of the pattern, also on failure.
pl_status pl_block_level_setup(pl_block_level* out, pl_mg_pattern* pattern, pl_block_kind kind,
                               pl_error* error);
void pl_block_level_free(pl_block_level* level);
size_t pl_block_level_bytes(const pl_block_level* level);

// Half sweeps of Gauss-Seidel, alternately forward and backward, starting forward or not. Each
// reads only the blocks on one side of the diagonal; the sums of the other side are kept from the
// previous half sweep. `from_zero`: x counts as zero before. Returns true if the last half sweep
// went forward.
bool pl_block_level_gauss_seidel(pl_block_level* level, pl_pool* pool, int half_sweeps,
                                 bool first_forward, bool from_zero);
// The residual right after a half sweep in the given direction.
void pl_block_level_residual_after(pl_block_level* level, pl_pool* pool, bool forward);
// Call after x changed: computes the sums for a half sweep in the given direction.
void pl_block_level_prepare(pl_block_level* level, pl_pool* pool, bool forward);

// residual = b - A x
void pl_block_level_residual(pl_block_level* level, pl_pool* pool);
// y = A x for rows begin to end of the finest level. after_backward: the last half sweep went
// backward, so the sums of the upper half are known.
void pl_block_level_product(const pl_block_level* level, bool after_backward, int begin, int end,
                            float* y);
void pl_block_level_jacobi(pl_block_level* level, pl_pool* pool, int sweeps, bool from_zero);
// Sets the relaxation of Gauss-Seidel between 0.23 and 0.92 by bisection: somewhat below the
// largest value with which sweeps converge. With larger values, pressures that change sign from
// vertex to vertex grow. Overwrites x, b and the residual.
void pl_block_level_relax(pl_block_level* level, pl_pool* pool);
// Sets the damping of Jacobi to 4 / (3 rho), at most 1. rho is the spectral radius of D^-1 A, by
// power iteration. Overwrites x, b and the residual.
void pl_block_level_damp(pl_block_level* level, pl_pool* pool);

#endif
