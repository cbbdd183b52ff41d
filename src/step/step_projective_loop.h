// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The iterations of a step of Projective Dynamics, independent of how gradients are evaluated
// (float or double) and how the constant matrix is solved (cycles or factors): directions of
// quasi_newton.h, and full steps that are shortened if the energy rises.
#ifndef PL_STEP_PROJECTIVE_LOOP_H
#define PL_STEP_PROJECTIVE_LOOP_H

#include "method/method.h"
#include "step/quasi_newton.h"
#include "step/step_objective.h"
#include "step/step_settings.h"

typedef struct pl_projective_loop {
    pl_quasi_newton* quasi;
    const pl_step_settings* settings;
    const pl_deadline* deadline; // NULL: none
    pl_method_info* info;
    void* user; // of the functions below
    // Finds contacts, updates the matrix, and computes the gradient of quasi with its contacts at
    // x.
    pl_status (*evaluate)(void* user, int iteration, pl_error* error);
    // Sets info->residual and info->converged at x. True if x cannot be improved.
    bool (*judge)(void* user, int iteration);
    // Finds the direction from the gradient (pl_quasi_newton_begin and _end) and the slope along
    // it.
    pl_status (*find_direction)(void* user, double* slope, pl_error* error);
    // x += length direction
    void (*advance)(void* user, double length);
    // Reduces local errors of x and evaluates there; NULL: no relaxation. *moved: x has changed.
    pl_status (*relax)(void* user, int iteration, bool* moved, pl_error* error);
} pl_projective_loop;

// The tolerance for residuals that gives errors of motion as small as Newton's, whose last
// iteration ends far below its tolerance.
double pl_projective_aim(double tolerance);

// Adds the contacts of f to q. number: that of each vertex in q (NULL: the same).
pl_status pl_projective_add_contacts(pl_quasi_newton* q, const pl_step_objective* f,
                                     const double* x, const int* number, pl_error* error);

pl_status pl_projective_iterate(const pl_projective_loop* loop, pl_error* error);

#endif
