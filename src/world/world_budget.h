// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The time that a frame may take, shared among its solves by their numbers of vertices. What a
// solve leaves is for those after it.
#ifndef PL_WORLD_BUDGET_H
#define PL_WORLD_BUDGET_H

#include "base/deadline.h"
#include "world/world_build.h"

// A frame begins; its time runs from here.
void pl_budget_begin_frame(pl_world* w);
// An attempt at the frame begins, with so many steps of all systems. Only the first attempt has a
// budget: a frame that is taken back is made whole, however long that takes.
void pl_budget_begin_attempt(pl_world* w, bool is_first, int step_count);
// The deadline of the next step of a system, or NULL. end_step tells when it has ended.
const pl_deadline* pl_budget_begin_step(pl_world* w, int system, pl_deadline* deadline);
// The system takes its step once more.
void pl_budget_repeat_step(pl_world* world, int system);
void pl_budget_end_step(pl_world* w, const pl_deadline* deadline, bool is_cut);
// True if the budget cut a step of the attempt that has just ended.
bool pl_budget_was_cut(const pl_world* w);
void pl_budget_end_frame(pl_world* w);

#endif
