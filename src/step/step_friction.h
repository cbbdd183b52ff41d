// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The normal forces that friction is a part of. Each contact has one (pl_contact.normal_force).
// It stands still while a minimisation goes down one function, and follows the positions in
// between.
#ifndef PL_STEP_FRICTION_H
#define PL_STEP_FRICTION_H

#include "method/method.h"
#include "step/step_minimiser.h"
#include "step/step_objective.h"
#include "step/step_settings.h"

// The contact of the same vertex with the same obstacle in the last round, or NULL.
const pl_contact* pl_friction_contact_before(const pl_minimiser* m, const pl_contact* c);
// Gives the contacts of m->found the normal forces of the same contacts in m->contacts. Contacts
// that are new have those of the start of the step.
void pl_friction_carry(pl_minimiser* m, const pl_step_objective* f);

// As pl_search_judge, of friction too: a piece is at its minimum only if its friction agrees with
// the normal forces at x. Where the piece is near enough to its minimum, normal forces follow x,
// and the gradient with them.
bool pl_friction_judge(pl_minimiser* m, const pl_step_objective* f,
                       const pl_step_settings* settings, bool first, pl_method_info* info);

#endif
