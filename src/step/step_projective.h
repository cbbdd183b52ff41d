// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A step of Projective Dynamics with any solver of its constant matrix.
#ifndef PL_STEP_PROJECTIVE_H
#define PL_STEP_PROJECTIVE_H

#include "step/step_minimiser.h"
#include "step/step_projective_loop.h"

// Minimises from m->x with gradients in double. goes_on: solver->functions->step has set m->x.
pl_status pl_projective_minimise(const pl_projective_solver* solver, pl_minimiser* m,
                                 pl_step_objective* f, const pl_step_settings* settings,
                                 pl_detect detect, void* detect_user, bool goes_on,
                                 pl_method_info* info, pl_error* error);

// For solvers that do whole steps: sets f->contacts to those at x, with their normal forces there
// (m->found). first: first iteration of a step.
pl_status pl_projective_detect(const pl_projective_solver* solver, pl_minimiser* m,
                               pl_step_objective* f, pl_detect detect, void* user, const double* x,
                               bool first, pl_error* error);
// Updates friction after a full step along m->direction, which was found at x
// (pl_step_friction_dual).
void pl_projective_follow_friction(pl_minimiser* m, const pl_step_objective* f, const double* x);

#endif
