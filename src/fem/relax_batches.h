// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Batches of PL_LANES vertices that are not coupled to one another, each with its springs and the
// rest of its row of a linear system. Sweeps over a cloth solve for such a batch at once
// (spring_relax.h).
//
// All in float, relative to the positions before the sweeps. Let d be the vector along a spring of
// rest length L there, and u the relative displacement of its ends since. Then the spring is too
// long by
//
//   (|d + u|^2 - L^2) / (|d + u| + L),   |d + u|^2 - L^2 = (|d|^2 - L^2) + u (2 d + u).
//
// No digits are lost however small the strain is, because |d|^2 - L^2 is computed in double.
#ifndef PL_FEM_RELAX_BATCHES_H
#define PL_FEM_RELAX_BATCHES_H

#include "fem/spring_gather.h"
#include "math/vec3w.h"
#include "sparse/block_matrix.h"

// One neighbour of each of the vertices.
typedef struct pl_relax_link {
    int32_t offsets[PL_LANES]; // 4 times the neighbour; the vertex itself if it has no more
                               // neighbours
    pl_fw weights;             // of the linear system
} pl_relax_link;

// The springs along a link. Springs between the same two vertices with the same rest length are
// merged into one.
typedef struct pl_relax_spring {
    pl_fw rest, stiffness;
    pl_fw way[3]; // d
    pl_fw excess; // |d|^2 - rest^2
} pl_relax_spring;

typedef struct pl_relax_batch {
    pl_fw diagonal;             // of the linear system
    pl_fw constant[3];          // for the caller: the constant part of the gradient
    pl_iw free;                 // for the caller: -1 if the vertex may move
    int32_t vertices[PL_LANES]; // lanes past the last vertex repeat the first
    int32_t offsets[PL_LANES];  // 4 times the vertex
    int count;                  // of distinct vertices
    int link_begin, link_end;   // links with springs come first
    int spring_begin, spring_end;
    bool has_contacts; // for the caller
} pl_relax_batch;

typedef struct pl_relax_batches {
    const pl_spring_gather* gather; // borrowed
    int batch_count, link_count, spring_count, slot_count;
    pl_relax_batch* batches;
    pl_relax_link* links;
    pl_relax_spring* springs;
    int* entries; // of the linear system, PL_LANES per link; -1: none
    int* slots;   // of each spring of `gather`: the spring of its vertex here, 4 per group
} pl_relax_batches;

// vertices, counts: of the batches, PL_LANES and 1 each; both are copied. Q: the sparsity pattern
// of the linear system.
pl_status pl_relax_batches_setup(pl_relax_batches* batches, const pl_spring_gather* gather,
                                 const pl_block_matrix* Q, const int32_t* vertices,
                                 const int* counts, int batch_count, pl_error* error);
void pl_relax_batches_free(pl_relax_batches* batches);
// Copies the springs again, which may have changed, and the values of the linear system (block 1).
void pl_relax_batches_refresh(pl_relax_batches* batches, const pl_block_matrix* Q);

// Computes the springs of a batch at x, the positions before the sweeps.
void pl_relax_batch_start(pl_relax_batches* batches, const pl_relax_batch* batch, const double* x);
// Loads the displacements of its vertices. moved: 4 per vertex.
void pl_relax_batch_load(const pl_relax_batch* batch, const float* moved, pl_fw out[3]);
// Stores the displacements of the vertices that are free.
void pl_relax_batch_store(const pl_relax_batch* batch, const pl_fw from[3], float* moved);
// From springs and the linear system: the gradient at the vertices, by coordinate, and the upper
// part of the Hessian, row by row, with every spring projected. own: displacements of the batch's
// vertices.
void pl_relax_batch_forces(const pl_relax_batches* batches, const pl_relax_batch* batch,
                           const float* moved, const pl_fw own[3], pl_fw gradient[3],
                           pl_fw hessian[6]);

#endif
