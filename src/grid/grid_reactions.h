// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What pins and obstacles exert on a body in its lattice.
#ifndef PL_GRID_REACTIONS_H
#define PL_GRID_REACTIONS_H

#include "grid/grid_springs.h"

// At the end of a step, before velocities are set: adds up what the acts ask for. The right side is
// lost.
void pl_grid_tell_forces(pl_grid_body* body, const pl_grid_acts* acts);

#endif
