// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Springs, hinges and elastic triangles in float, PL_LANES at a time: the projected matrix of
// cloth_elements as fast as the machine allows, and the gradient of springs in double. As for tets
// (tet_batches.h), positions are float4 per vertex from an origin near the body, and sums run over
// coloured chunks.
#ifndef PL_FEM_CLOTH_BATCHES_H
#define PL_FEM_CLOTH_BATCHES_H

#include "fem/element_set.h"
#include "material/membrane.h"

// Corners come first. at: where the blocks of corners (i, j) lie in the matrix, at n i + j. Lanes
// past the last element repeat it with no stiffness.
typedef struct pl_spring_batch {
    int32_t corners[2][PL_LANES];
    int32_t at[4][PL_LANES];
    double rest[PL_LANES], stiffness[PL_LANES];
} pl_spring_batch;

typedef struct pl_hinge_batch {
    int32_t corners[4][PL_LANES];
    int32_t at[16][PL_LANES];
    pl_fw rest, stiffness;
} pl_hinge_batch;

typedef struct pl_membrane_batch {
    int32_t corners[3][PL_LANES];
    int32_t at[9][PL_LANES];
    pl_fw shape[6];         // rest gradients of the shape functions, two for each corner
    pl_membrane_w material; // times the rest area: all laws are linear in the two moduli
} pl_membrane_batch;

typedef enum pl_cloth_kind { PL_CLOTH_SPRINGS, PL_CLOTH_HINGES, PL_CLOTH_MEMBRANES } pl_cloth_kind;

typedef struct pl_cloth_batches {
    pl_cloth_kind kind;
    pl_membrane_kind law; // of membranes
    int count;            // of elements
    int batch_count;
    void* batches; // of the struct that goes with the kind
    pl_chunks chunks;
} pl_cloth_batches;

// The elements of a set of springs, hinges or membranes whose law is the given one, as blocks of a
// matrix of the pattern of A.
pl_status pl_cloth_batches_setup(pl_cloth_batches* batches, const pl_element_set* set,
                                 pl_membrane_kind law, int vertex_count, const pl_block_matrix* A,
                                 pl_error* error);
void pl_cloth_batches_free(pl_cloth_batches* batches);

// blocks += d2E/dx2, each element's part projected as pl_element_set_hessian does; x: float4 per
// vertex; blocks: 9 per entry, row-major.
void pl_cloth_batches_hessian(const pl_cloth_batches* batches, pl_pool* pool, const float* x,
                              float* blocks);
// gradient += dE/dx of springs, in double, x and gradient 3 per vertex: with stiff springs float
// loses more of their forces than solvers leave.
void pl_spring_batches_gradient(const pl_cloth_batches* batches, pl_pool* pool, const double* x,
                                double* gradient);

#endif
