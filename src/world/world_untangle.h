// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Separates bodies that start inside each other or touch, before their systems are created.
#ifndef PL_WORLD_UNTANGLE_H
#define PL_WORLD_UNTANGLE_H

#include "world/world_build.h"

// Translates whole bodies, as a change of transform.translate would, and notes it. Bodies that
// cannot be separated stay. Call between pl_world_group_bodies and pl_world_system_create.
pl_status pl_world_untangle(pl_world* world, pl_notes* notes, pl_error* error);
// Moves vertices of cloth that still starts inside a solid to the front of the solid, and notes it.
// Call when all systems exist.
pl_status pl_world_untangle_cloth(pl_world* world, pl_notes* notes, pl_error* error);

// True if two bodies collide in both directions (contact_notes.c notes those that do not).
bool pl_world_collide(const pl_world* world, int a, int b);

#endif
