// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// How an integrator sets up a step: the inertia of its objective, its start, and the state after
// its solution. Internal to step_system.h.
#ifndef PL_STEP_INTEGRATOR_H
#define PL_STEP_INTEGRATOR_H

#include "step/step_system_data.h"

// Sets up all of the objective except inertia, pins and contacts.
void pl_step_objective_begin(pl_step_system* s, const pl_method_step* step, pl_step_objective* f);
// Sets w, tau and the times of a step of length h. Returns the time for which velocities are
// extrapolated.
double pl_step_times(const pl_step_system* s, double h, bool use_history, pl_step_objective* f);
// y and the reference of all vertices, or of one. tau: from pl_step_times.
void pl_step_inertia(pl_step_system* s, double tau, bool bdf2);
void pl_step_inertia_of(pl_step_system* s, double tau, bool bdf2, int vertex);
bool pl_step_is_bdf2(const pl_step_system* s, bool use_history);
// The damping matrix K of this step, from its first positions.
void pl_step_update_damping(pl_step_system* s);

// s->pins: targets for the part of the step from `begin` to `end`, both fractions in [0, 1].
pl_status pl_step_place_pins(pl_step_system* s, const pl_method_step* step, double begin,
                             double end, pl_error* error);
// Marks the directions that pins hold, for the objective.
pl_status pl_step_hold(pl_step_system* s, pl_step_objective* f, pl_error* error);
// Chooses the initial guess of the minimisation: the positions of the pieces at the start (m->x,
// with pinned vertices in place), or those after free flight, whichever is better.
void pl_step_choose_start(pl_step_system* s, const pl_step_objective* f);
// Turns the solved x into new positions and velocities; false if they are not finite.
bool pl_step_commit(pl_step_system* s, const pl_step_objective* f, const double* x);

// to = from, 3 per vertex
void pl_step_copy(const pl_step_system* s, const double* from, double* to);

#endif
