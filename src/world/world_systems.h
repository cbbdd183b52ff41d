// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The systems of a world: which bodies are solved together, and what each system owns.
#ifndef PL_WORLD_SYSTEMS_H
#define PL_WORLD_SYSTEMS_H

#include "world/world_build.h"

// Gives each body its system and its first vertex there. The systems are new and empty.
pl_status pl_world_group_bodies(pl_world* world, pl_error* error);
// Creates what a system of the list owns; what a failure leaves is freed by pl_world_system_free.
pl_status pl_world_system_create(pl_world* world, int system, pl_notes* notes, pl_error* error);
void pl_world_system_free(const pl_world* world, pl_world_system* system);

// Makes the systems of a running world anew where bodies changed: those with a body whose flag in
// changed is set (NULL: none), and those whose set of bodies is another now. Positions, velocities
// and forces of the host stay. A failure leaves the old systems.
pl_status pl_world_regroup(pl_world* world, const bool* changed, pl_notes* notes, pl_error* error);
// Gets a body ready for changes of its material, damping and numbers of its method. Its system is
// made anew, unless it was ready before.
pl_status pl_world_prepare_change(pl_world* world, int body, pl_error* error);

#endif
