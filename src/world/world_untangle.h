// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bodies that start inside each other or touch are moved apart before anything else is made of
// them.
#ifndef PL_WORLD_UNTANGLE_H
#define PL_WORLD_UNTANGLE_H

#include "world/world_build.h"

// Moves whole bodies, as another transform.translate would, and says so. Those that cannot be moved
// apart stay. To be called between pl_world_group_bodies and pl_world_system_create.
pl_status pl_world_untangle(pl_world* world, pl_notes* notes, pl_error* error);
// Puts cloth that still starts inside a solid in front of it, vertex by vertex, and says so. To be
// called when all is made.
pl_status pl_world_untangle_cloth(pl_world* world, pl_notes* notes, pl_error* error);

// True if two bodies collide, both ways (contact_notes.c says who does not).
bool pl_world_collide(const pl_world* world, int a, int b);

#endif
