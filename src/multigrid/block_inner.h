// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A few iterations on a coarse level, with its cycle as preconditioner: a K-cycle (Notay and
// Vassilevski 2008). Nodes move what belongs to them in one piece, so that cycles see coarse
// levels stiffer than they are, and the more levels, the more so. Iterations that make the residual
// least (GCR) mend that on matrices that are not definite too, and the number of cycles then does
// not grow with the number of levels.
#ifndef PL_MULTIGRID_BLOCK_INNER_H
#define PL_MULTIGRID_BLOCK_INNER_H

#include "multigrid/block_level.h"

enum { PL_INNER_STEPS = 6 };

typedef struct pl_block_inner {
    size_t size;                                           // floats of a vector
    float *step[PL_INNER_STEPS], *product[PL_INNER_STEPS]; // A step, orthogonal to each other
    double square[PL_INNER_STEPS];                         // |product|^2
    double first, left; // |b|^2 at the start, and of what is left
    float* sum;
} pl_block_inner;

pl_status pl_block_inner_setup(pl_block_inner* inner, const pl_block_level* level, pl_error* error);
void pl_block_inner_free(pl_block_inner* inner);
size_t pl_block_inner_bytes(const pl_block_inner* inner);

// Iterations on A x = level->b: begin, then after each cycle on the level, which has left its
// correction in x and b - A x in the residual, take; then end. `take` leaves what is left of the
// right-hand side in b, and is false if that is little, or if there is nothing more to gain.
void pl_block_inner_begin(pl_block_inner* inner);
bool pl_block_inner_take(pl_block_inner* inner, int k, pl_block_level* level, pl_pool* pool);
void pl_block_inner_end(const pl_block_inner* inner, pl_block_level* level);

#endif
