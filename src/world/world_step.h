// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// One step of one system: loads, the method's step, and the report.
#ifndef PL_WORLD_STEP_H
#define PL_WORLD_STEP_H

#include "world/world_build.h"

// Makes a step from begin to end [s]. push: forces of other systems' bodies, 3 per vertex [N];
// NULL: none. Adds its figures to info.
pl_status pl_world_step_system(pl_world* world, int system, double begin, double end,
                               const double* push, pl_frame_info* info, pl_error* error);

#endif
