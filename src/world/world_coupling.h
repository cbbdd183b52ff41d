// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The coupling: contact forces between bodies that are solved separately. These are bodies of
// different systems, and bodies of one system whose method does not keep them apart. Bodies that
// such a method does not keep apart from themselves are coupled with themselves.
#ifndef PL_WORLD_COUPLING_H
#define PL_WORLD_COUPLING_H

#include "world/world_build.h"

#include <stdint.h>

// True if the settings of a body allow this coupling to push it.
bool pl_world_can_push(const pl_world_body* body);
// True if this coupling lets two bodies push each other, or with a = b one body itself.
bool pl_world_couples(const pl_world* world, int a, int b);

// True if this coupling may push a body of the system.
bool pl_world_is_coupled(const pl_world* world, int system);
// True if the next step of a system starts where the last one did.
bool pl_world_repeats_step(const pl_world* world, int system);

// Creates the coupling, or nothing if no body pushes another one or itself.
pl_status pl_world_coupling_setup(pl_world* world, pl_error* error);
void pl_world_coupling_free(pl_world* world);

// A grouping of bodies into systems: per body its system, and its first vertex there.
typedef struct pl_world_grouping {
    struct pl_world_coupling* coupling;
    const int *system, *first_vertex;
} pl_world_grouping;

// Call after bodies were regrouped. Takes over the forces of the last step between bodies that
// still push each other, and frees the old coupling.
void pl_world_coupling_follow(pl_world* world, pl_world_grouping* before);

// Call at the start of a frame. Surfaces that cross each other do not collide until they have
// separated.
pl_status pl_world_coupling_part(pl_world* world, pl_error* error);
// True if that call found that two bodies cross.
bool pl_world_coupling_is_parted(const pl_world* world, int a, int b);
// Adds the crossings of coupled surfaces to the crossings of the world.
pl_status pl_world_coupling_cross(pl_world* world, pl_error* error);

// A push of the last step: the initial guess of the next step, and part of the saved state.
typedef struct pl_kept_push {
    int32_t v[4]; // see pl_contact_pair
    int64_t is_edges;
    double push, drag[3]; // [N]
} pl_kept_push;

// The pushes of the last step, an array of pl_kept_push; NULL if nothing is coupled.
pl_array* pl_world_kept_pushes(pl_world* world);
// Checks pushes that were read. Returns false if they name vertices that the world does not have,
// or are out of order.
bool pl_world_check_pushes(const pl_world* world);
// Saves the pushes when a frame starts, and restores them when it is retried.
pl_status pl_world_coupling_save(pl_world* world, pl_error* error);
void pl_world_coupling_restore(pl_world* world);

#endif
