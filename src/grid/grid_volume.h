// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The volume of a body.
#ifndef PL_GRID_VOLUME_H
#define PL_GRID_VOLUME_H

#include "base/pool.h"

#include <pliant/mesh.h>

// The volume of a mesh's tets, of either orientation [m^3].
double pl_grid_tet_volume(const pl_mesh* mesh);
// The volume inside a closed surface without intersections [m^3]. Parts may face either way; a part
// inside another that faces the opposite way is a cavity. For other surfaces, sum the filled
// fractions of their cells (pl_grid_fractions).
pl_status pl_grid_enclosed_volume(const pl_mesh* surface, pl_pool* pool, double* out,
                                  pl_error* error);

#endif
