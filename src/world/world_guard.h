// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The guard, common to all methods: compares the energy of each system with what loads, pins,
// colliders and the host may have put in (docs/methods/guard.md).
#ifndef PL_WORLD_GUARD_H
#define PL_WORLD_GUARD_H

#include "world/world_build.h"

// The guard's verdict on a system after a step.
typedef enum pl_guard_verdict {
    PL_GUARD_FINE,
    PL_GUARD_NOT_FINITE,        // a position or a velocity
    PL_GUARD_ENERGY_NOT_FINITE, // the elastic energy, though all positions are finite
    PL_GUARD_TOO_MUCH_ENERGY,
} pl_guard_verdict;

pl_status pl_guard_setup(pl_world* world, int system, pl_error* error);
void pl_guard_free(pl_world_system* system);

// Call before the first step of a frame. Measures a system that is new or that the host wrote to.
void pl_guard_begin_frame(pl_world* world, int system, bool is_touched);
// Call before a step, when pins and forces are known. Saves the positions and bounds the work of
// moving pins.
void pl_guard_begin_step(pl_world* world, int system);
// Call after each detection of contacts in the step. starts, x: positions of the points to which
// contacts refer, at the start of the step and now.
void pl_guard_see_contacts(pl_world* world, int system, const pl_contact* contacts, int count,
                           const double* starts, const double* x);
// Call after a step; returns the verdict.
pl_guard_verdict pl_guard_end_step(pl_world* world, int system);
// Call after the last step of a frame. This verdict includes the elastic energy, which stays in the
// system for later use (knows_energies). For methods with stores_unseen, only its finiteness is
// tested, every tenth frame.
pl_guard_verdict pl_guard_end_frame(pl_world* world, int system);
// Adds to the bound the energy with which a system starts that replaces another one [J]; its own
// method may not count it.
void pl_guard_allow(pl_world_system* system, double energy);
// Call with false before a change of a system's materials, and with true after it.
void pl_guard_change(pl_world* world, int system, bool is_done);

// Fails with a text that explains the verdict and says what to change.
pl_status pl_guard_fail(const pl_world* world, int system, pl_guard_verdict verdict,
                        pl_error* error);

// The state of the guard for checkpoints, because later frames depend on it. pack fills an array
// that belongs to the guard; unpack restores it.
double* pl_guard_pack(pl_world_system* system, int* count);
void pl_guard_unpack(pl_world_system* system);

#endif
