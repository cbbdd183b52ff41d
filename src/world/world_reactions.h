// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Forces that attachments and colliders exerted on bodies in the last step.
#ifndef PL_WORLD_REACTIONS_H
#define PL_WORLD_REACTIONS_H

#include "world/world_build.h"

pl_status pl_world_reactions_setup(pl_world* world, pl_error* error);
void pl_world_reactions_free(pl_world* world);
// Call before the last step of a frame: asks a system for its forces.
pl_status pl_world_ask_reactions(pl_world* world, int system, pl_method_step* step,
                                 pl_error* error);
// Call after that step: sums the forces by attachment and collider.
void pl_world_sum_reactions(pl_world* world, int system);

#endif
