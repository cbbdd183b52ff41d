// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The contacts that an iteration of a minimisation takes part in.
#ifndef PL_STEP_CONTACTS_H
#define PL_STEP_CONTACTS_H

#include "step/step_minimiser.h"

// f->contacts become those of m->x, and those of earlier rounds whose vertices have left: they
// exert nothing, but a line search that does not know them walks back into the obstacle. round: how
// many times they were looked for before in this step.
pl_status pl_step_contacts_find(pl_minimiser* m, pl_step_objective* f, pl_detect detect, void* user,
                                int round, pl_error* error);

#endif
