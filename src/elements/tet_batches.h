// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Linear tets in float, PL_LANES at a time: the fast form of tet_elements.h, which is in double.
// Each batch stores the data of its tets side by side (76 bytes per tet). Positions and gradients
// are float4 per vertex, so that a corner is one 128-bit load and one addition.
//
// Sums run over coloured chunks of batches (chunks.h). Any order of vertices and tets is correct;
// reverse Cuthill-McKee (mesh/reorder.h) is fast.
#ifndef PL_ELEMENTS_TET_BATCHES_H
#define PL_ELEMENTS_TET_BATCHES_H

#include "material/material.h"
#include "sparse/block_matrix.h"
#include "step/chunks.h"

typedef struct pl_tet_batch {
    int32_t corners[4][PL_LANES];
    // row i: the rest gradient of corner i + 1's shape function, which is Dm^-1; corner 0 has minus
    // their sum
    pl_mat3w shape;
    pl_fw mu, lambda;  // multiplied by the rest volume: all laws are linear in the two together
    pl_quatw rotation; // of the last deformation; initial guess of the next
} pl_tet_batch;

// at 4 i + j: position in the matrix of the block of corners (i, j)
typedef struct pl_tet_entries {
    int32_t at[16][PL_LANES];
} pl_tet_entries;

typedef struct pl_tet_batches {
    pl_material_kind kind;
    int tet_count;
    int batch_count; // lanes past the last tet repeat it with zero stiffness
    pl_tet_batch* batches;
    pl_tet_entries* entries; // NULL before pl_tet_batches_locate
    bool without_diagonal;   // callers may compute it from the other blocks of a row
    pl_fw* rivlin;           // per batch, for the law that has it; else NULL
    pl_chunks chunks;        // of batches
} pl_tet_batches;

// The tets whose material is of the given kind, at rest positions (3 per vertex); tets of other
// kinds are ignored and belong in separate sets. An inverted or flat tet is an error that names it.
pl_status pl_tet_batches_setup(pl_tet_batches* set, pl_material_kind kind, const double* rest,
                               int vertex_count, const int* tets, int tet_count,
                               const pl_material* materials, pl_pool* pool, pl_error* error);
void pl_tet_batches_free(pl_tet_batches* set);
// Looks up the positions of each tet's blocks in a matrix with the pattern of A.
pl_status pl_tet_batches_locate(pl_tet_batches* set, pl_pool* pool, const pl_block_matrix* A,
                                pl_error* error);

// From now on the block of entry e is stored at places[e].
void pl_tet_batches_place(pl_tet_batches* set, const int* places);
// Sets another material of the same kind for a tet, which is counted among those of the set.
void pl_tet_batches_set(pl_tet_batches* set, int tet, const pl_material* material, double volume);

// The mean of points, 3 numbers each.
void pl_points_mean(pl_pool* pool, const double* points, int count, double mean[3]);
// Positions (3 per vertex) as float4 relative to an origin, which should be in the middle of the
// body. Float has 24 bits; a deformation gradient is then accurate to about 1e-7 of (body / edge).
void pl_float4_from_points(pl_pool* pool, const double* points, int count, const double origin[3],
                           float* out);

// Below, x and gradient are float4 per vertex, aligned to 16 bytes. The fourth values of x are not
// used, those of the gradient stay unchanged.

// gradient += dE/dx, for any law.
void pl_tet_batches_gradient(pl_tet_batches* set, pl_pool* pool, const float* x, float* gradient);
// The same for ARAP and corotated with a single Newton iteration for the rotations, for methods
// that evaluate nearly the same x again. The error is about the square of the rotation (in rad)
// since the last evaluation of these tets. Takes half the time.
void pl_tet_batches_gradient_warm(pl_tet_batches* set, pl_pool* pool, const float* x,
                                  float* gradient);
// Either of these at x + low, a sum with more digits than a float: forces are then accurate to
// about 1e-7 of the stiffness times an edge, instead of the stiffness times the size of the body.
void pl_tet_batches_gradient_split(pl_tet_batches* set, pl_pool* pool, const float* x,
                                   const float* low, bool warm, float* gradient);
// blocks += scale d2E/dx2. projected: 0 leaves each tet's part unchanged, 1 makes it positive
// semi-definite, values between blend the two. blocks: 9 per entry of the matrix of
// pl_tet_batches_locate, row-major.
void pl_tet_batches_hessian(const pl_tet_batches* set, pl_pool* pool, const float* x, float scale,
                            float projected, float* blocks);

#endif
