// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A few iterations on a coarse level, preconditioned by its cycle: a K-cycle (Notay and Vassilevski
// 2008). A node moves all its vertices by one affine map, so coarse levels are too stiff, and more
// levels make it worse. Minimising the residual (GCR) corrects that, also for indefinite matrices;
// then the number of cycles does not grow with the number of levels.
#ifndef PL_MULTIGRID_BLOCK_INNER_H
#define PL_MULTIGRID_BLOCK_INNER_H

#include "multigrid/block_level.h"

enum { PL_INNER_STEPS = 6 };

typedef struct pl_block_inner {
    size_t size;                                           // floats per vector
    float *step[PL_INNER_STEPS], *product[PL_INNER_STEPS]; // A step, orthogonal
    double square[PL_INNER_STEPS];                         // |product|^2
    double first, left;                                    // |b|^2 at the start, and |residual|^2
    float* sum;
} pl_block_inner;

pl_status pl_block_inner_setup(pl_block_inner* inner, const pl_block_level* level, pl_error* error);
void pl_block_inner_free(pl_block_inner* inner);
size_t pl_block_inner_bytes(const pl_block_inner* inner);

// Iterates on A x = level->b. Call `begin`; then, after each cycle on the level, `take`; then
// `end`. `take` expects the cycle's correction in x and b - A x in the residual, and leaves the new
// right-hand side in b. It returns false if little of it remains, or if there is no progress.
void pl_block_inner_begin(pl_block_inner* inner);
bool pl_block_inner_take(pl_block_inner* inner, int k, pl_block_level* level, pl_pool* pool);
void pl_block_inner_end(const pl_block_inner* inner, pl_block_level* level);

#endif
