// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Conserves linear and angular momentum of the free pieces of a lattice: those without attachment
// or contact.
#ifndef PL_GRID_MOMENTUM_H
#define PL_GRID_MOMENTUM_H

#include "grid/grid_springs.h"

// Call at the end of a step, before velocities are set. Moves and rotates each free piece so that
// only the forces on it change its momentum and, if the law allows rotations, its angular momentum.
// Overwrites the right-hand side.
void pl_grid_keep_momentum(pl_grid_body* body, const pl_grid_loads* loads);

// Mean of a field over the two faces across each axis of cell i of a segment; and the rest position
// of the cell's centre.
pl_vec3 pl_grid_cell_mean(double* const field[3], const pl_grid_segment* segment, int i);
pl_vec3 pl_grid_cell_rest(const pl_grid_body* body, const pl_grid_segment* segment, int i);

#endif
