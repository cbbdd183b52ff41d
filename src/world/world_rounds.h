// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A step of all systems. If bodies of different systems push each other, it is repeated in rounds.
#ifndef PL_WORLD_ROUNDS_H
#define PL_WORLD_ROUNDS_H

#include "world/world_build.h"

// A step of all systems from begin to end [s].
pl_status pl_world_step_systems(pl_world* world, double begin, double end, pl_frame_info* info,
                                pl_error* error);

#endif
