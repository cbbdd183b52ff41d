// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Collision between the surfaces of one system: of bodies with one another and with themselves.
#ifndef PL_WORLD_SURFACES_H
#define PL_WORLD_SURFACES_H

#include "world/world_build.h"

// The surface of a body, in the numbering of its system.
pl_surface_source pl_world_surface_source(const pl_world_body* body);
// Sets thickness and friction of a body's surface to their present values.
void pl_world_surface_update(const pl_world_body* body, pl_contact_surface* surface);

// Creates the surface set of a system, if any of its surfaces collide and its method supports it.
pl_status pl_world_surfaces_setup(pl_world* world, int system, pl_error* error);
// True if the settings of a body allow its method to handle its collisions with others.
bool pl_world_can_collide(const pl_world_body* body);
// True if a body is meant to collide with itself.
bool pl_world_wants_self(const pl_world_body* body);
// True if two bodies are in one system, whose method handles their collisions.
bool pl_world_keeps_apart(const pl_world* world, int a, int b);
// True if something else may hold or push the body by contact.
bool pl_world_may_meet(const pl_world* world, int body);

// Updates thickness and friction for one step.
void pl_world_surfaces_update(pl_world* world, int system);
// Call at the start of a frame. Surfaces that cross each other do not collide until they have
// separated.
pl_status pl_world_surfaces_part(pl_world* world, pl_error* error);

#endif
