// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bodies of earlier systems as obstacles of later ones.
#ifndef PL_WORLD_MEETING_H
#define PL_WORLD_MEETING_H

#include "world/world_build.h"

pl_status pl_world_meetings_setup(pl_world* world, pl_notes* notes, pl_error* error);
void pl_world_meetings_free(pl_world* world);

// Before and after the step of a system: where its solids are.
void pl_world_begin_meeting(pl_world* world, int system);
void pl_world_end_meeting(pl_world* world, int system);
// Puts the solids of earlier systems behind the scene's obstacles; returns how many there are then.
int pl_world_add_meetings(pl_world* world, int system);

#endif
