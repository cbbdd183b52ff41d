// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Distances of coarse faces from the Dirichlet boundary of the finest level.
#ifndef PL_GRID_WALL_DISTANCE_H
#define PL_GRID_WALL_DISTANCE_H

#include "grid/grid_level.h"

// Distances to the Dirichlet boundary of the finest level, which differs from that of the coarse
// Dirichlet cells: 18 values per index of the fields (axis of the face, then towards low x, high x,
// low y, ...), in cells of the level; 1 where the stencil is already right.
typedef struct pl_grid_distances {
    float* values; // NULL: 1 everywhere
    int field_size;
} pl_grid_distances;
// Computes the distances of a coarse level from those of the next finer one, and sets the resulting
// stiffness as `wall` of the coarse level.
pl_status pl_grid_find_walls(const pl_grid_level* fine, const pl_grid_cells* fine_cells,
                             const pl_grid_distances* fine_distances, pl_grid_level* coarse,
                             const pl_grid_cells* coarse_cells, pl_grid_distances* out,
                             pl_error* error);
void pl_grid_distances_free(pl_grid_distances* distances);

#endif
