// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The projected Hessian of a step straight into float blocks, all elements in wide kernels: what a
// multigrid solver works on.
#ifndef PL_FEM_FLOAT_H
#define PL_FEM_FLOAT_H

#include "fem/fem_objective.h"

typedef struct pl_float_sets pl_float_sets;

// Batches of all elements of the sets, whose rest positions are given (3 per vertex), as blocks of
// a matrix of the pattern of A.
pl_status pl_float_sets_create(const pl_element_set* sets, int set_count, const double* rest,
                               int vertex_count, const pl_block_matrix* A, pl_pool* pool,
                               pl_float_sets** out, pl_error* error);
void pl_float_sets_destroy(pl_float_sets* sets);

// blocks = what pl_fem_hessian(f, x, projected) gives, to float accuracy; 9 per entry of the matrix
// of pl_float_sets_create, row-major. The elements are those of float_sets, all else is of f.
void pl_fem_hessian_float(const pl_fem_objective* f, pl_float_sets* float_sets, const double* x,
                          float* blocks);

#endif
