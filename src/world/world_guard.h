// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The guard above all methods: compares the energy of each system with what loads, pins, colliders
// and the host can have put in (docs/methods/guard.md).
#ifndef PL_WORLD_GUARD_H
#define PL_WORLD_GUARD_H

#include "world/world_build.h"

// Verdicts on a system after a step.
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
// Call before a step, when pins and forces are known. Saves positions, and bounds the work of
// moving pins.
void pl_guard_begin_step(pl_world* world, int system);
// Call after each detection of contacts in the step. starts, x: positions of the points to which
// contacts refer, at the start of the step and now.
void pl_guard_see_contacts(pl_world* world, int system, const pl_contact* contacts, int count,
                           const double* starts, const double* x);
// Judges a step.
pl_guard_verdict pl_guard_end_step(pl_world* world, int system);
// Judges the last step of a frame, with the elastic energy, which stays in the system for later use
// (knows_energies). For methods that store energy unseen only its finiteness is tested, so every
// tenth frame is enough.
pl_guard_verdict pl_guard_end_frame(pl_world* world, int system);
// Adds the energy with which a system that replaces another one starts, and which its own method
// may not see [J].
void pl_guard_allow(pl_world_system* system, double energy);
// Call with false before a change of a system's materials, and with true after it.
void pl_guard_change(pl_world* world, int system, bool is_done);

// Returns an error whose text explains a verdict and says what to change.
pl_status pl_guard_fail(const pl_world* world, int system, pl_guard_verdict verdict,
                        pl_error* error);

// The state of the guard, on which later frames depend: pack fills an array of the guard, unpack
// restores it.
double* pl_guard_pack(pl_world_system* system, int* count);
void pl_guard_unpack(pl_world_system* system);

#endif
