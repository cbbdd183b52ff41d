// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Frames that fail are taken back and tried again: in smaller steps, then with safer settings.
#ifndef PL_WORLD_RETRY_H
#define PL_WORLD_RETRY_H

#include "world/world_build.h"

// How a frame is tried.
typedef struct pl_attempt {
    int split;       // steps for each substep of the scene
    bool is_careful; // with the safest settings of each method
} pl_attempt;

// The attempts of a frame in their order, those that a world can make; the first is what the scene
// says.
int pl_world_attempt_count(const pl_world* world);
pl_attempt pl_world_attempt(int k);

// Keeps the state before a frame. The host's numbers, colliders and handles do not change during
// one.
pl_status pl_world_save_frame(pl_world* world, pl_error* error);
void pl_world_restore_frame(pl_world* world);

// Asks all systems for their safest settings, or for their own again.
void pl_world_be_careful(pl_world* world, bool is_careful);

#endif
