// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The time budget of a frame. It is divided among the frame's solves in proportion to their
// vertices. Time that a solve does not use goes to later solves.
#ifndef PL_WORLD_BUDGET_H
#define PL_WORLD_BUDGET_H

#include "base/deadline.h"
#include "world/world_build.h"

// Starts the clock of a frame.
void pl_budget_begin_frame(pl_world* w);
// Starts an attempt at the frame. step_count: number of steps of all systems together. Only the
// first attempt has a budget: a retried frame is completed, however long it takes.
void pl_budget_begin_attempt(pl_world* w, bool is_first, int step_count);
// The deadline of the next step of a system, or NULL for none. Call end_step when the step has
// ended.
const pl_deadline* pl_budget_begin_step(pl_world* w, int system, pl_deadline* deadline);
// Call before a system repeats its step.
void pl_budget_repeat_step(pl_world* world, int system);
void pl_budget_end_step(pl_world* w, const pl_deadline* deadline, bool is_cut);
// True if the budget ended a step of the last attempt early.
bool pl_budget_was_cut(const pl_world* w);
void pl_budget_end_frame(pl_world* w);

#endif
