// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Momentum and angular momentum of the pieces of a lattice that nothing holds or touches.
#ifndef PL_GRID_MOMENTUM_H
#define PL_GRID_MOMENTUM_H

#include "grid/grid_springs.h"

// At the end of a step, before velocities are set: moves and turns each free piece so that its
// momentum and, where the law knows rotations, its angular momentum have changed by the forces on
// it and by nothing else. The right side is lost.
void pl_grid_keep_momentum(pl_grid_body* body, const pl_grid_acts* acts);

// The mean of a field over the two faces across each axis of the cell i of a segment; and where the
// middle of the cell is at rest.
pl_vec3 pl_grid_cell_mean(double* const field[3], const pl_grid_segment* segment, int i);
pl_vec3 pl_grid_cell_rest(const pl_grid_body* body, const pl_grid_segment* segment, int i);

#endif
