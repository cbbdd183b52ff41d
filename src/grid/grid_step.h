// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// One step of a body in its lattice (Zhu 2010, section 8).
#ifndef PL_GRID_STEP_H
#define PL_GRID_STEP_H

#include "grid/grid_body.h"

// What acts on one body; vertices are counted from the body's first.
typedef struct pl_grid_acts {
    double time_step;
    double gravity[3];
    const double* force; // 3 per vertex, without gravity [N]
    const pl_pin* pins;  // of the whole system
    int pin_count;
    const pl_contact* contacts; // of the whole system
    int contact_count;
    const double* start; // of the whole system: positions at the begin of the step
} pl_grid_acts;

static inline bool pl_grid_is_own(const pl_grid_body* b, int vertex) {
    return vertex >= b->first_vertex && vertex < b->first_vertex + b->vertex_count;
}
// s of the equations of a step, see grid_step.c
static inline double pl_grid_softening(const pl_grid_body* b, double dt) {
    return b->dynamic ? 1.0 + b->damping_stiffness / dt : 1.0;
}

// Cells of pinned vertices become Dirichlet cells, and the step's positions are guessed.
pl_status pl_grid_step_begin(pl_grid_body* body, const pl_grid_acts* acts, pl_error* error);
// One cycle; positions: 3 per vertex of the body, present ones, needed for pins with springs and
// for contacts. Returns the residual relative to the load.
double pl_grid_step_cycle(pl_grid_body* body, const pl_grid_acts* acts, const double* positions);
void pl_grid_step_end(pl_grid_body* body, const pl_grid_acts* acts);

#endif
