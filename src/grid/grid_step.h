// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// One step of a body in its lattice (Zhu 2010, section 8).
#ifndef PL_GRID_STEP_H
#define PL_GRID_STEP_H

#include "grid/grid_springs.h"

// Cells of pinned vertices become Dirichlet cells, and the step's positions are guessed.
pl_status pl_grid_step_begin(pl_grid_body* body, const pl_grid_acts* acts, pl_error* error);
// One cycle; positions: 3 per vertex of the body, present ones, needed for pins with springs and
// for contacts. Returns the residual relative to the load.
double pl_grid_step_cycle(pl_grid_body* body, const pl_grid_acts* acts, const double* positions);
// Adds to the positions of all faces.
void pl_grid_translate(pl_grid_body* body, const double way[3]);
// After a step, faces outside having been set: whether the law is linear and a twentieth of the
// cells have turned by more than 20 degrees, so that they are a tenth too large.
bool pl_grid_has_turned(const pl_grid_body* body);
void pl_grid_step_end(pl_grid_body* body, const pl_grid_acts* acts);

#endif
