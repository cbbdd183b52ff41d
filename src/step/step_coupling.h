// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Elastic energy that is not a sum over elements, because it couples them by additional unknowns:
// the pressures of method mixed. At every x these unknowns are eliminated, so that a step still
// minimises a function of x alone. Directions of Newton's method come from a solver
// (step_solvers.h) that knows the coupling and solves for its unknowns too.
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
    // gradient += that of the coupling's energy
    void (*gradient)(void* data, const double* x, double* gradient);
    // Before a solve for a direction: its right-hand side is scaled by one number per piece.
    // Borrowed until that solve.
    void (*scale_next)(void* data, const double* scales);
    // The step follows the direction of that solve: updates the unknowns of the coupling
    // accordingly. True if that has changed the energy.
    bool (*lead)(void* data);
    // The direction is rejected after all: restores the unknowns.
    void (*stay)(void* data);
    // Called before each iteration of steps without a convergence test: linearised ones, and those
    // with a fixed number of iterations. True if the energy has changed.
    bool (*follow)(void* data, const double* x);
    // Called where the minimisation would end. True if the energy has changed and the minimisation
    // continues; *iterates: with an iteration even if forces are below the tolerance.
    bool (*go_on)(void* data, const double* x, bool* iterates);
} pl_step_coupling;

#endif
