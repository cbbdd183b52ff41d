// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// One step of a body in its lattice (Zhu 2010, section 8).
#ifndef PL_GRID_STEP_H
#define PL_GRID_STEP_H

#include "grid/grid_springs.h"

// Starts a step: cells of pinned vertices become Dirichlet cells, and the initial guess of the
// positions is set.
pl_status pl_grid_step_begin(pl_grid_body* body, const pl_grid_loads* loads, pl_error* error);
// One cycle. positions: current ones, 3 per vertex of the body, for pins with springs and contacts.
// Returns the residual relative to the load.
double pl_grid_step_cycle(pl_grid_body* body, const pl_grid_loads* loads, const double* positions);
// Adds a translation to the positions of all faces.
void pl_grid_translate(pl_grid_body* body, const double way[3]);
// After a step, with the exterior faces extended: true if the law is linear and a twentieth of the
// cells have rotated by more than 20 degrees, which makes them a tenth too large.
bool pl_grid_has_turned(const pl_grid_body* body);
void pl_grid_step_end(pl_grid_body* body, const pl_grid_loads* loads);

#endif
