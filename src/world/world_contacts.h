// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
// Collects the contacts of a frame, for pl_world_contacts.
#ifndef PL_WORLD_CONTACTS_H
#define PL_WORLD_CONTACTS_H

#include "world/world_build.h"

// Call these before and after the step of a system, in the last step of a frame.
void pl_world_ask_contacts(pl_world* world, int system, pl_method_step* step);
void pl_world_name_contacts(pl_world* world, int system);
// Joins the contacts inside and between systems into one list. Returns false if allocation fails.
bool pl_world_collect_contacts(pl_world* world);

#endif
