// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Momentum and angular momentum of the pieces of a lattice that nothing holds or touches.
#ifndef PL_GRID_MOMENTUM_H
#define PL_GRID_MOMENTUM_H

#include "grid/grid_reactions.h"

// At the end of a step, before velocities are set: moves and turns each free piece so that its
// momentum and, where the law knows rotations, its angular momentum have changed by the forces on
// it and by nothing else. The right side is lost.
void pl_grid_keep_momentum(pl_grid_body* body, const pl_grid_acts* acts);

#endif
