// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Normal forces that bound friction, one per contact (pl_contact.normal_force). A minimisation
// keeps them constant until it is near its minimum, then updates them and continues with the new
// function.
#ifndef PL_STEP_FRICTION_H
#define PL_STEP_FRICTION_H

#include "method/method.h"
#include "step/step_minimiser.h"
#include "step/step_objective.h"
#include "step/step_settings.h"

// The contact of the same vertex with the same obstacle in the last round, or NULL.
const pl_contact* pl_friction_contact_before(const pl_minimiser* m, const pl_contact* c);
// Copies the normal forces of m->contacts to the same contacts in m->found. New contacts get the
// normal forces of the start of the step.
void pl_friction_carry(pl_minimiser* m, const pl_step_objective* f);

// As pl_search_judge, with friction: a piece is at its minimum only if its friction agrees with the
// normal forces at x. If a piece is near its minimum, its normal forces and gradient are updated to
// x.
bool pl_friction_judge(pl_minimiser* m, const pl_step_objective* f,
                       const pl_step_settings* settings, bool first, pl_method_info* info);

#endif
