// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Reaction forces of pins and obstacles on a body in its lattice.
#ifndef PL_GRID_REACTIONS_H
#define PL_GRID_REACTIONS_H

#include "grid/grid_springs.h"

// Call at the end of a step, before velocities are set. Adds the reactions to the outputs of
// `loads`. Overwrites the right-hand side.
void pl_grid_add_reactions(pl_grid_body* body, const pl_grid_loads* loads);

#endif
