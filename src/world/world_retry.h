// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Retries of frames that fail: in smaller steps, then with safer settings.
#ifndef PL_WORLD_RETRY_H
#define PL_WORLD_RETRY_H

#include "world/world_build.h"

// An attempt at a frame.
typedef struct pl_attempt {
    int split;       // number of steps for each substep of the scene
    bool is_careful; // uses the safest settings of each method
} pl_attempt;

// The attempts at a frame that a world can make, in order. The first has the settings of the scene.
int pl_world_attempt_count(const pl_world* world);
pl_attempt pl_world_attempt(int k);

// Saves the state before a frame, and restores it. The host's numbers, colliders and handles are
// not saved, because they do not change during a frame.
pl_status pl_world_save_frame(pl_world* world, pl_error* error);
void pl_world_restore_frame(pl_world* world);

// Switches all systems to their safest settings, or back to their own.
void pl_world_be_careful(pl_world* world, bool is_careful);

#endif
