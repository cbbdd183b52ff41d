// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A lattice takes over what a host wrote into the vertices of its body.
#ifndef PL_GRID_HOST_EDITS_H
#define PL_GRID_HOST_EDITS_H

#include "grid/grid_body.h"

// Adds the change from `before` to `now` (3 per vertex) to the field: positions to displacements,
// velocities to velocities. A change that is affine is taken over exactly. Any other one is taken
// over through the body's tets, so that the lattice stands where they do up to its resolution. A
// body without tets gets the affine field that is nearest. Allocates only if the change is not
// affine.
pl_status pl_grid_take_over_positions(pl_grid_body* body, const double* now, const double* before,
                                      pl_error* error);
pl_status pl_grid_take_over_velocities(pl_grid_body* body, const double* now, const double* before,
                                       pl_error* error);

#endif
