// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Springs, hinges, patches and elastic triangles in float, PL_LANES at a time: fast assembly of the
// matrix of cloth_elements. As for tets (tet_batches.h), positions are float4 per vertex, relative
// to an origin near the body, and sums run over coloured chunks.
#ifndef PL_FEM_CLOTH_BATCHES_H
#define PL_FEM_CLOTH_BATCHES_H

#include "material/membrane.h"
#include "step/element_set.h"

// Corners come first. at[n i + j]: position in the matrix of the block of corners (i, j). Lanes
// past the last element repeat it with zero stiffness.
typedef struct pl_spring_batch {
    int32_t corners[2][PL_LANES];
    int32_t at[4][PL_LANES];
    pl_fw rest, stiffness;
} pl_spring_batch;

typedef struct pl_hinge_batch {
    int32_t corners[4][PL_LANES];
    int32_t at[16][PL_LANES];
    pl_fw rest, stiffness;
} pl_hinge_batch;

typedef struct pl_patch_batch {
    int32_t corners[6][PL_LANES];
    int32_t at[36][PL_LANES];
    pl_fw form[6];
} pl_patch_batch;

typedef struct pl_membrane_batch {
    int32_t corners[3][PL_LANES];
    int32_t at[9][PL_LANES];
    pl_fw shape[6];         // rest gradients of the shape functions, two for each corner
    pl_membrane_w material; // multiplied by the rest area: all laws are linear in the two moduli
} pl_membrane_batch;

typedef enum pl_cloth_kind {
    PL_CLOTH_SPRINGS,
    PL_CLOTH_HINGES,
    PL_CLOTH_PATCHES,
    PL_CLOTH_MEMBRANES
} pl_cloth_kind;

typedef struct pl_cloth_batches {
    pl_cloth_kind kind;
    pl_membrane_kind law; // of membranes
    int count;            // of elements
    const int* order;     // of the elements of the set
    bool writes;          // springs: blocks are written, not added to
    int batch_count;
    void* batches; // of the struct that goes with the kind
    pl_chunks chunks;
} pl_cloth_batches;

// The elements of a set of springs, hinges, patches or membranes with the given law, as blocks of a
// matrix with the sparsity pattern of A. order: all elements in the order of the batches
// (borrowed); NULL: the order of the set.
pl_status pl_cloth_batches_setup(pl_cloth_batches* batches, const pl_element_set* set,
                                 const int* order, pl_membrane_kind law, int vertex_count,
                                 const pl_block_matrix* A, pl_error* error);
void pl_cloth_batches_free(pl_cloth_batches* batches);
// From now on the block of entry e is stored at places[e].
void pl_cloth_batches_place(pl_cloth_batches* batches, const int* places);
// Copies the current stiffness and rest values of the set that the batches were made of.
void pl_cloth_batches_refresh(pl_cloth_batches* batches, const pl_element_set* set);

// For springs: blocks are written instead of added to, if no two springs join the same vertices.
// Returns false if some do.
bool pl_cloth_batches_write(pl_cloth_batches* batches);

// blocks += d2E/dx2, except the diagonal. The projection is that of pl_tet_batches_hessian; patches
// are always fully projected. x: float4 per vertex; blocks: 9 per entry, row-major.
void pl_cloth_batches_hessian(const pl_cloth_batches* batches, pl_pool* pool, const float* x,
                              float projected, float* blocks);

#endif
