// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Fallback solver for linear systems of method mixed: MINRES with a fixed positive definite
// preconditioner, which has one block for positions and one for pressures,
//
//   ( K   G' )         ( cycle of multigrid on K                     )
//   ( G  -B  )         (               W^-1 + (L + B)^-1             ).
//
// K is definite, so its cycle converges on any mesh and needs no relaxation. The second block
// approximates the inverse of the Schur complement B + G K^-1 G' (Cahouet and Chabard 1988). Where
// stiffness dominates, G K^-1 G' is about the volume over mu: W is that plus the diagonal of B.
// Where inertia dominates, it is about L, the Laplacian of the pressures over the mass. Without
// inertia L is infinite.
#ifndef PL_MIXED_DEFINITE_H
#define PL_MIXED_DEFINITE_H

#include "sparse/block_matrix.h"
#include "sparse/linear_info.h"

#include <pliant/scene.h>

typedef struct pl_mixed_definite pl_mixed_definite;

// The matrix, its first block, and callbacks for the Schur complement.
typedef struct pl_mixed_matrices {
    const pl_block_matrix *A, *K; // 4 and 3 unknowns per vertex, one pattern
    // Sets W per vertex, and L + B in `sum`, which has the pattern of A; both in the pressure units
    // of A. Returns false without inertia: then there is no L.
    bool (*schur)(void* user, double* W, pl_block_matrix* sum);
    // Writes into A and K the values that so far are only in the multigrid levels.
    void (*fill)(void* user);
    void* user;
} pl_mixed_matrices;

// Keeps the matrices by reference. rest: 3 per vertex.
pl_status pl_mixed_definite_create(const pl_mixed_matrices* matrices, const double* rest,
                                   const pl_multigrid* keys, pl_pool* pool, pl_mixed_definite** out,
                                   pl_error* error);
void pl_mixed_definite_destroy(pl_mixed_definite* d);
// Takes new values of A and K. *works is false if the coarsest level of K has no factor; then do
// not solve.
pl_status pl_mixed_definite_update(pl_mixed_definite* d, bool* works, pl_error* error);
// z = M r, with the preconditioner M; 4 per vertex
void pl_mixed_definite_apply(pl_mixed_definite* d, const double* r, double* z);
// x = A^-1 b from a zero initial guess
void pl_mixed_definite_solve(pl_mixed_definite* d, const pl_linear_options* options,
                             const double* b, double* x, pl_linear_info* info);

#endif
