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
    // The next solve is that of a direction, whose right-hand side is scaled by one number per
    // piece. Borrowed until that solve.
    void (*scale_next)(void* data, const double* scales);
    // The direction of that solve is to be taken: the unknowns of the coupling go where it leads.
    // True: that has changed the energy.
    bool (*lead)(void* data);
    // That direction is not taken after all: the unknowns go back.
    void (*stay)(void* data);
    // Before each iteration of steps without a judged end: linearised ones, and those with a fixed
    // number of iterations. True: the energy has changed.
    bool (*follow)(void* data, const double* x);
    // Called where the minimisation would end. True: the energy has changed, and it goes on;
    // *iterates: by an iteration, though forces may not ask for it.
    bool (*go_on)(void* data, const double* x, bool* iterates);
} pl_step_coupling;

#endif
