// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The guard above all methods: compares the energy of each system with what loads, pins, colliders
// and the host can have put in (docs/methods/guard.md).
#ifndef PL_WORLD_GUARD_H
#define PL_WORLD_GUARD_H

#include "world/world_build.h"

// What is wrong with a system after a step.
typedef enum pl_guard_verdict {
    PL_GUARD_FINE,
    PL_GUARD_NOT_FINITE,        // a position or a velocity
    PL_GUARD_ENERGY_NOT_FINITE, // the elastic energy, though all positions are finite
    PL_GUARD_TOO_MUCH_ENERGY,
} pl_guard_verdict;

pl_status pl_guard_setup(pl_world* world, int system, pl_error* error);
void pl_guard_free(pl_world_system* system);

// Measures a system that is new or that the host wrote to, before the first step of a frame.
void pl_guard_begin_frame(pl_world* world, int system, bool is_touched);
// Before a step, when pins and forces are known: where the vertices start, and what moving pins can
// put in.
void pl_guard_begin_step(pl_world* world, int system);
// Takes in the contacts that a detection of this step has found. starts, x: of the points that
// contacts count, at the start of the step and now.
void pl_guard_see_contacts(pl_world* world, int system, const pl_contact* contacts, int count,
                           const double* starts, const double* x);
// After a step.
pl_guard_verdict pl_guard_end_step(pl_world* world, int system);
// After the last step of a frame, with the elastic energy where it counts; it is left in the system
// for whoever asks (knows_energies). Of methods that store energy unseen it only tells whether it
// is finite, so that every tenth frame is enough.
pl_guard_verdict pl_guard_end_frame(pl_world* world, int system);
// A system that follows another one starts with energy that its own method may not see [J].
void pl_guard_allow(pl_world_system* system, double energy);
// Around a change of a system's materials: call with false before and with true after it.
void pl_guard_change(pl_world* world, int system, bool is_done);

// Says what a verdict means and what to change.
pl_status pl_guard_fail(const pl_world* world, int system, pl_guard_verdict verdict,
                        pl_error* error);

// The part of the guard that later frames depend on: an array of the guard that pack fills and
// unpack takes over.
double* pl_guard_pack(pl_world_system* system, int* count);
void pl_guard_unpack(pl_world_system* system);

#endif
