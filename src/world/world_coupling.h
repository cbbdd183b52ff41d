// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bodies that push each other although they are solved apart: those of different systems, and those
// of one system whose method does not keep them apart.
#ifndef PL_WORLD_COUPLING_H
#define PL_WORLD_COUPLING_H

#include "world/world_build.h"

#include <stdint.h>

// True if the settings of a body let it push others here.
bool pl_world_can_push(const pl_world_body* body);
// True if two bodies push each other here.
bool pl_world_couples(const pl_world* world, int a, int b);

// True if a body of the system may be pushed so.
bool pl_world_is_coupled(const pl_world* world, int system);

// Nothing is made if no two bodies do.
pl_status pl_world_coupling_setup(pl_world* world, pl_error* error);
void pl_world_coupling_free(pl_world* world);

// How bodies were grouped before a change: per body its system, and its first vertex there.
typedef struct pl_world_grouping {
    struct pl_world_coupling* coupling;
    const int *system, *first_vertex;
} pl_world_grouping;

// After bodies were grouped anew: takes over what they exerted on each other in the last step, as
// far as they still do, and frees the coupling of before.
void pl_world_coupling_follow(pl_world* world, pl_world_grouping* before);

// At the start of a frame: surfaces that cross do not collide until they no longer do.
pl_status pl_world_coupling_part(pl_world* world, pl_error* error);
// True if two bodies were found to cross by that.
bool pl_world_coupling_is_parted(const pl_world* world, int a, int b);
// The places where coupled surfaces cross, into the crossings of the world.
pl_status pl_world_coupling_cross(pl_world* world, pl_error* error);

// A push of the last step, from which the next one starts: part of the state.
typedef struct pl_kept_push {
    int32_t v[4]; // see pl_contact_pair
    int64_t is_edges;
    double push, drag[3]; // [N]
} pl_kept_push;

// Those of the last step, of pl_kept_push; NULL if nothing is coupled.
pl_array* pl_world_kept_pushes(pl_world* world);
// False if they name vertices that the world does not have, or are out of order.
bool pl_world_check_pushes(const pl_world* world);
// Keeps them, and takes them back, when a frame starts and when it is tried again.
pl_status pl_world_coupling_save(pl_world* world, pl_error* error);
void pl_world_coupling_restore(pl_world* world);

#endif
