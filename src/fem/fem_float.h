// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Assembles the Hessian of a step directly into float blocks for multigrid, with wide kernels for
// all elements.
#ifndef PL_FEM_FLOAT_H
#define PL_FEM_FLOAT_H

#include "step/step_objective.h"

typedef struct pl_float_sets pl_float_sets;

// Batches of all elements of the sets, whose rest positions are given (3 per vertex), as blocks of
// a matrix with the pattern of A. Sets and pattern are borrowed. ranks: the row of each vertex in
// the layout; elements are sorted by it, so that consecutive ones write to nearby memory. NULL:
// elements keep their order.
pl_status pl_float_sets_create(const pl_element_set* sets, int set_count, const double* rest,
                               int vertex_count, const pl_block_matrix* A, const int* ranks,
                               pl_pool* pool, pl_float_sets** out, pl_error* error);
void pl_float_sets_destroy(pl_float_sets* sets);

// A matrix with its own layout (all borrowed). Rows may be in any order of vertices; the couplings
// of a row are two contiguous runs.
typedef struct pl_float_layout {
    const int* places;   // of each entry: the position of its block, row by row
    const int* vertices; // of each row
    const int *begin[2], *end[2];
} pl_float_layout;

// From now on blocks are written in this layout. Call at most once.
void pl_float_sets_place(pl_float_sets* float_sets, const pl_float_layout* layout);
// Updates the materials after those of the element sets have changed.
void pl_float_sets_refresh(pl_float_sets* float_sets);

// blocks = the result of pl_step_hessian(f, x, projected) to float accuracy; 9 per entry of the
// matrix of pl_float_sets_create, row-major. Elements come from float_sets, everything else from f.
void pl_fem_hessian_float(const pl_step_objective* f, pl_float_sets* float_sets, const double* x,
                          double projected, float* blocks);

#endif
