// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The operations of the finest level of Projective Dynamics; scalar_fine_data.h describes its data.
#ifndef PL_MULTIGRID_SCALAR_FINE_H
#define PL_MULTIGRID_SCALAR_FINE_H

#include "multigrid/scalar_fine_data.h"

pl_status pl_scalar_fine_setup(pl_scalar_fine* f, const pl_block_matrix* A, pl_error* error);
// Sets the parent node of each row.
pl_status pl_scalar_fine_set_parents(pl_scalar_fine* f, const int* parent, int node_count,
                                     pl_error* error);
void pl_scalar_fine_free(pl_scalar_fine* f);

// Sets the values of A, points (4 per row), and which rows are held (1 per row, or NULL). Removes
// all springs.
void pl_scalar_fine_update(pl_scalar_fine* f, pl_pool* pool, const pl_block_matrix* A,
                           const float* point, const unsigned char* held);
// Replaces the springs `before` on the diagonal by `springs`.
pl_status pl_scalar_fine_set_springs(pl_scalar_fine* f, const pl_mg_spring* before,
                                     int before_count, const pl_mg_spring* springs, int count,
                                     pl_error* error);

// `count` sweeps of Gauss-Seidel on A x = b, alternately forward and backward. backward: direction
// of the first. from_zero: x counts as 0, whatever its values are; otherwise the first sweep reads
// both halves of the matrix.
void pl_scalar_fine_smooth(pl_scalar_fine* f, pl_pool* pool, int count, bool backward,
                           bool from_zero);
// coarse_b = U' (b - A x) after sweeps: 16 per node (X_a times each coordinate).
void pl_scalar_fine_restrict(pl_scalar_fine* f, pl_pool* pool, float* coarse_b);
void pl_scalar_fine_prolong_add(pl_scalar_fine* f, pl_pool* pool, const float* coarse_x);
// y = A x, both float4 per place; 0 at held rows.
void pl_scalar_fine_apply(const pl_scalar_fine* f, pl_pool* pool, const float* x, float* y);

#endif
