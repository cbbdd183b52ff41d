// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Materials and damping that change during a run.
#ifndef PL_FEM_UPDATE_H
#define PL_FEM_UPDATE_H

#include "step/step_system.h"

// Rewrites element data, masses and damping in place. The bodies must be those of which the system
// was made, in the same order, with new numbers.
pl_status pl_fem_update(pl_step_system* system, const pl_method_body* bodies, int body_count,
                        pl_error* error);

#endif
