// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Cells that pins hold.
#ifndef PL_GRID_DIRICHLET_H
#define PL_GRID_DIRICHLET_H

#include "grid/grid_springs.h"

// Which cells are held, and all that depends on it, should pins have changed. The layout of fields
// may change with it (grid_relayout.h).
pl_status pl_grid_hold(pl_grid_body* body, const pl_grid_acts* acts, pl_error* error);
// Faces of held cells go where the pins go.
void pl_grid_place_held(pl_grid_body* body, const pl_grid_acts* acts);
// Where a part of held cells takes a point, as a displacement.
pl_vec3 pl_grid_part_displacement(const pl_grid_fit* part, pl_vec3 place);

#endif
