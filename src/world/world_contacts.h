// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The contacts of a frame, for those who ask (pl_world_contacts).
#ifndef PL_WORLD_CONTACTS_H
#define PL_WORLD_CONTACTS_H

#include "world/world_build.h"

// For the last step of a frame: before and after the step of a system.
void pl_world_ask_contacts(pl_world* world, int system, pl_method_step* step);
void pl_world_name_contacts(pl_world* world, int system);
// Makes one list of those of all systems and between them. False if memory is out.
bool pl_world_collect_contacts(pl_world* world);

#endif
