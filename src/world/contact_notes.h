// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What is said of bodies that touch: how many places cross, and notes at the start.
#ifndef PL_WORLD_CONTACT_NOTES_H
#define PL_WORLD_CONTACT_NOTES_H

#include "world/world_build.h"

// Says which bodies pass through one another, and which start inside one another.
pl_status pl_world_surfaces_note(pl_world* world, pl_notes* notes, pl_error* error);

#endif
