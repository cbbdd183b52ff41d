// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Notes about bodies that touch: the number of crossings, and notes at the start.
#ifndef PL_WORLD_CONTACT_NOTES_H
#define PL_WORLD_CONTACT_NOTES_H

#include "world/world_build.h"

// Notes which bodies pass through each other, and which start inside each other.
pl_status pl_world_surfaces_note(pl_world* world, pl_notes* notes, pl_error* error);

#endif
