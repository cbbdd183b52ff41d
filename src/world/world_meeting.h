// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bodies of earlier systems as obstacles of later systems.
#ifndef PL_WORLD_MEETING_H
#define PL_WORLD_MEETING_H

#include "world/world_build.h"

pl_status pl_world_meetings_setup(pl_world* world, pl_notes* notes, pl_error* error);
void pl_world_meetings_free(pl_world* world);

// Call before and after the step of a system: saves the positions of its solids.
void pl_world_begin_meeting(pl_world* world, int system);
void pl_world_end_meeting(pl_world* world, int system);
// Appends the solids of earlier systems to the scene's obstacles. Returns the number of all
// obstacles.
int pl_world_add_meetings(pl_world* world, int system);

#endif
