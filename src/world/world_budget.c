// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "world/world_budget.h"
#include "base/timer.h"

#include <math.h>

static double own_clock(void* user) {
    (void)user;
    return pl_seconds();
}

void pl_world_set_budget(pl_world* w, double seconds, pl_clock clock, void* user) {
    w->budget = (pl_world_budget){.seconds = seconds > 0.0 && isfinite(seconds) ? seconds : 0.0,
                                  .clock = clock ? clock : own_clock,
                                  .user = user};
}

static double now(const pl_world_budget* b) { return b->clock(b->user); }

void pl_budget_begin_frame(pl_world* w) {
    pl_world_budget* b = &w->budget;
    if (!(b->seconds > 0.0)) return;
    b->begin = now(b);
    b->solve_seconds = 0.0;
    b->was_cut = false;
}

void pl_budget_begin_attempt(pl_world* w, bool is_first, int step_count) {
    pl_world_budget* b = &w->budget;
    b->is_open = is_first && b->seconds > 0.0;
    b->vertices_left = 0.0;
    for (int s = 0; s < w->system_count; s++)
        b->vertices_left += (double)step_count * w->systems[s].vertex_count;
}

// Assumes that everything besides solves takes as long as in the last frame, minus what is done
// already.
const pl_deadline* pl_budget_begin_step(pl_world* w, int system, pl_deadline* deadline) {
    pl_world_budget* b = &w->budget;
    if (!b->is_open) return NULL;
    double vertex_count = w->systems[system].vertex_count, time = now(b);
    double other = fmax(b->other_seconds - (time - b->begin - b->solve_seconds), 0.0);
    double left = b->begin + b->seconds - other - time;
    *deadline = (pl_deadline){time, b->clock, b->user};
    if (left > 0.0 && b->vertices_left > 0.0)
        deadline->end += left * vertex_count / b->vertices_left;
    b->vertices_left -= vertex_count;
    b->step_begin = time;
    return deadline;
}

void pl_budget_repeat_step(pl_world* w, int system) {
    if (w->budget.is_open) w->budget.vertices_left += w->systems[system].vertex_count;
}

void pl_budget_end_step(pl_world* w, const pl_deadline* deadline, bool is_cut) {
    pl_world_budget* b = &w->budget;
    if (!deadline) return;
    b->solve_seconds += now(b) - b->step_begin;
    b->was_cut = b->was_cut || is_cut;
}

bool pl_budget_was_cut(const pl_world* w) { return w->budget.is_open && w->budget.was_cut; }

void pl_budget_end_frame(pl_world* w) {
    pl_world_budget* b = &w->budget;
    if (b->is_open) b->other_seconds = fmax(now(b) - b->begin - b->solve_seconds, 0.0);
}
