// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bodies that push each other although they are solved apart: those of different systems, and those
// of one system whose method does not keep them apart.
#ifndef PL_WORLD_COUPLING_H
#define PL_WORLD_COUPLING_H

#include "world/world_build.h"

// True if two bodies push each other here.
bool pl_world_couples(const pl_world* world, int a, int b);

// Nothing is made if no two bodies do.
pl_status pl_world_coupling_setup(pl_world* world, pl_error* error);
void pl_world_coupling_free(pl_world* world);

// At the start of a frame: surfaces that cross do not collide until they no longer do.
pl_status pl_world_coupling_part(pl_world* world, pl_error* error);
// The places where coupled surfaces cross, into the crossings of the world.
pl_status pl_world_coupling_cross(pl_world* world, pl_error* error);

// A step of all systems from begin to end [s].
pl_status pl_world_step_systems(pl_world* world, double begin, double end, pl_frame_info* info,
                                pl_error* error);

#endif
