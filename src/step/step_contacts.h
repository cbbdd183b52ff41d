// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The contacts of one iteration of a minimisation.
#ifndef PL_STEP_CONTACTS_H
#define PL_STEP_CONTACTS_H

#include "step/step_minimiser.h"

// Sets f->contacts to those at m->x. Keeps contacts of earlier rounds that the vertices have left:
// they exert no force, but without them a line search walks back into the obstacle. round: number
// of earlier searches in this step.
pl_status pl_step_contacts_find(pl_minimiser* m, pl_step_objective* f, pl_detect detect, void* user,
                                int round, pl_error* error);

#endif
