// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Applies positions and velocities that the host program wrote into the vertices of a body to its
// lattice.
#ifndef PL_GRID_HOST_EDITS_H
#define PL_GRID_HOST_EDITS_H

#include "grid/grid_body.h"

// Adds the change from `before` to `now` (3 per vertex) to the field: positions to displacements,
// velocities to velocities. An affine change is applied exactly. Any other change is applied
// through the body's tets, so the lattice matches them up to its resolution. A body without tets
// gets the nearest affine field. Allocates only if the change is not affine.
pl_status pl_grid_apply_position_edits(pl_grid_body* body, const double* now, const double* before,
                                       pl_error* error);
pl_status pl_grid_apply_velocity_edits(pl_grid_body* body, const double* now, const double* before,
                                       pl_error* error);

#endif
