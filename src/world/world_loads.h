// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Loads of bodies: converts attachments to pins, and sums forces at vertices.
#ifndef PL_WORLD_LOADS_H
#define PL_WORLD_LOADS_H

#include "world/world_build.h"

// Finds the vertices or triangles of each attachment and force of the scene.
pl_status pl_world_loads_setup(pl_world* world, pl_error* error);
void pl_world_loads_free(pl_world* world);

// True if an attachment holds in a step that ends at a time [s].
bool pl_attachment_is_active(const pl_attachment* attachment, double time);
// The projection to the directions that an attachment holds; returns false if it holds all.
bool pl_attachment_directions(const pl_attachment* attachment, pl_mat3* held);

// Sets the pins of a system for a step from begin to end [s].
pl_status pl_world_place_pins(pl_world* world, int system, double begin, double end,
                              pl_error* error);
// Allocates the wind on a system, if the scene has any.
pl_status pl_world_wind_setup(const pl_world* world, pl_world_system* system, pl_error* error);
void pl_world_wind_free(pl_world_system* system);
// Sums the forces on the vertices of a system in a step from begin to end [s]: gravity, loads,
// wind, the host's forces, and pressures. Pressures are those at the start; they are also listed in
// `pressures`.
pl_status pl_world_sum_forces(pl_world* world, int system, double begin, double end,
                              pl_error* error);

#endif
