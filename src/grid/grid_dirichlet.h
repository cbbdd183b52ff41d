// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Dirichlet cells: cells that hard pins hold.
#ifndef PL_GRID_DIRICHLET_H
#define PL_GRID_DIRICHLET_H

#include "grid/grid_springs.h"

// Finds the Dirichlet cells and updates everything that depends on them, if pins have changed. The
// layout of fields may change (grid_relayout.h).
pl_status pl_grid_update_dirichlet(pl_grid_body* body, const pl_grid_loads* loads, pl_error* error);
// Moves the faces of Dirichlet cells with the pins.
void pl_grid_move_dirichlet(pl_grid_body* body, const pl_grid_loads* loads);
// Displacement that the motion of a part gives to a point.
pl_vec3 pl_grid_part_displacement(const pl_grid_fit* part, pl_vec3 place);

#endif
