// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Elastic energy that is not a sum over elements, because it couples them through unknowns of its
// own: the pressures of method mixed. At every x these unknowns are eliminated, so that a step
// still minimises a function of x alone. Directions of Newton come from the coupling, which solves
// for its unknowns too.
#ifndef PL_FEM_COUPLING_H
#define PL_FEM_COUPLING_H

#include "fem/fem_holds.h"
#include "fem/fem_pieces.h"
#include "sparse/linear_info.h"

typedef struct pl_fem_objective pl_fem_objective;

typedef struct pl_fem_coupling {
    void* data;
    void (*begin)(void* data); // of a minimisation
    // energies[piece] += energy of the chosen pieces (NULL: all)
    void (*energies)(void* data, const pl_fem_pieces* pieces, const bool* chosen, const double* x,
                     double* energies);
    double (*energy)(void* data, const double* x);
    // gradient += that of the energy
    void (*gradient)(void* data, const double* x, double* gradient);
    // Prepares for solves. A: the Hessian of the rest of the objective (block 3), without held
    // directions.
    pl_status (*update)(void* data, const pl_fem_objective* f, const double* x,
                        const pl_block_matrix* A, pl_error* error);
    // direction = H^-1 b, H being the Hessian of the whole objective; 3 per vertex
    void (*solve)(void* data, const pl_linear_options* options, const double* b, double* direction,
                  pl_linear_info* info);
    // The direction that is to be taken, and if `bent` is not NULL: the same bent towards where the
    // coupled energy stays low after the whole step. False if it is better straight.
    bool (*bend)(void* data, const pl_fem_objective* f, const double* x, const double* direction,
                 double* bent);
    // Called where the minimisation would end. True: the energy has changed, and it goes on.
    bool (*go_on)(void* data, const pl_fem_objective* f, const double* x);
} pl_fem_coupling;

#endif
