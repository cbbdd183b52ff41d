// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The iterations of a step of Projective Dynamics, whatever evaluates gradients (float or double)
// and solves with the constant matrix (cycles or factors): directions of quasi_newton.h, full steps
// that are made shorter where they go up.
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
    // Contacts, the matrix, and the gradient of quasi with its contacts at x.
    pl_status (*evaluate)(void* user, int iteration, pl_error* error);
    // Sets info->residual and info->converged at x. True if x cannot be improved.
    bool (*judge)(void* user, int iteration);
    // The direction from the gradient (pl_quasi_newton_begin and _end) and the slope along it.
    pl_status (*find_direction)(void* user, double* slope, pl_error* error);
    // x += length direction
    void (*advance)(void* user, double length);
    // NULL, or: settles local errors from x on and evaluates there. *moved: x has changed.
    pl_status (*relax)(void* user, int iteration, bool* moved, pl_error* error);
} pl_projective_loop;

// The tolerance for residuals that leaves errors of motion as small as Newton's, whose last
// iteration goes far below its tolerance.
double pl_projective_aim(double tolerance);

// Contacts of f as those of q. number: of each vertex among those of q (NULL: its own).
pl_status pl_projective_add_contacts(pl_quasi_newton* q, const pl_step_objective* f,
                                     const double* x, const int* number, pl_error* error);

pl_status pl_projective_iterate(const pl_projective_loop* loop, pl_error* error);

#endif
