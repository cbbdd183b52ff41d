// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The systems of a world: which bodies are solved together, and the data of each system.
#ifndef PL_WORLD_SYSTEMS_H
#define PL_WORLD_SYSTEMS_H

#include "world/world_build.h"

// Assigns each body to a system and sets its first vertex there. Creates empty systems.
pl_status pl_world_group_bodies(pl_world* world, pl_error* error);
// Creates the contents of an empty system. After a failure pl_world_system_free frees them.
pl_status pl_world_system_create(pl_world* world, int system, pl_notes* notes, pl_error* error);
void pl_world_system_free(const pl_world* world, pl_world_system* system);

// Recreates systems of a running world: those with a body whose flag in `changed` is set (NULL:
// none), and those whose set of bodies has changed. Keeps positions, velocities and the host's
// forces. After a failure the old systems remain.
pl_status pl_world_regroup(pl_world* world, const bool* changed, pl_notes* notes, pl_error* error);
// Prepares a body for changes of its material, damping and numbers of its method. Recreates its
// system, unless the body was prepared before.
pl_status pl_world_prepare_change(pl_world* world, int body, pl_error* error);

#endif
