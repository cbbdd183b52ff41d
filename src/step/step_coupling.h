// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Elastic energy that is not a sum over elements, because it couples them through unknowns of its
// own: the pressures of method mixed. At every x these unknowns are eliminated, so that a step
// still minimises a function of x alone. Directions of Newton come from a solver (step_solvers.h)
// that knows the coupling and solves for its unknowns too.
#ifndef PL_STEP_COUPLING_H
#define PL_STEP_COUPLING_H

#include "step/step_pieces.h"

typedef struct pl_step_objective pl_step_objective;

typedef struct pl_step_coupling {
    void* data;
    // energies[piece] += energy of the chosen pieces (NULL: all)
    void (*energies)(void* data, const pl_step_pieces* pieces, const bool* chosen, const double* x,
                     double* energies);
    double (*energy)(void* data, const double* x);
    // gradient += that of the energy
    void (*gradient)(void* data, const double* x, double* gradient);
    // The direction that is to be taken, and if `bent` is not NULL: the same bent towards where the
    // coupled energy stays low after the whole step. False if it is better straight.
    bool (*bend)(void* data, const pl_step_objective* f, const double* x, const double* direction,
                 double* bent);
    // Called where the minimisation would end. True: the energy has changed, and it goes on.
    bool (*go_on)(void* data, const pl_step_objective* f, const double* x);
} pl_step_coupling;

#endif
