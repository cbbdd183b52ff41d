// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The systems of a world: which bodies are solved together, and what each system owns.
#ifndef PL_WORLD_SYSTEMS_H
#define PL_WORLD_SYSTEMS_H

#include "world/world_build.h"

// Gives each body its system and its first vertex there. The systems are new and empty.
pl_status pl_world_group_bodies(pl_world* world, pl_error* error);
// Creates the contents of a system of the list. After a failure pl_world_system_free frees them.
pl_status pl_world_system_create(pl_world* world, int system, pl_notes* notes, pl_error* error);
void pl_world_system_free(const pl_world* world, pl_world_system* system);

// Recreates systems of a running world: those with a body whose flag in `changed` is set (NULL:
// none), and those whose set of bodies has changed. Positions, velocities and forces of the host
// stay. A failure leaves the old systems.
pl_status pl_world_regroup(pl_world* world, const bool* changed, pl_notes* notes, pl_error* error);
// Prepares a body for changes of its material, damping and numbers of its method. Its system is
// recreated, unless it was prepared before.
pl_status pl_world_prepare_change(pl_world* world, int body, pl_error* error);

#endif
