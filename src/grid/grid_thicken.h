// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Adds cells to parts of a body that are one cell thin.
#ifndef PL_GRID_THICKEN_H
#define PL_GRID_THICKEN_H

#include "base/array.h"
#include "geometry/solid.h"
#include "grid/grid_frame.h"
#include "grid/grid_level.h"

typedef struct pl_grid_thickening {
    pl_array added; // 3 ints for each added cell
    int thin_count; // cells in parts one cell thin, before cells were added
} pl_grid_thickening;

// Adds cells so that each belongs to a cube of 2 x 2 x 2 of them; a body of a single cell stays as
// it is. The box grows by a layer.
pl_status pl_grid_thicken(const pl_solid* solid, const pl_grid_frame* frame, pl_grid_cells* cells,
                          pl_grid_thickening* out, pl_error* error);
// amount: of something that cells have, such as stiffness or mass; per index of the level. Moves a
// part of that of the cells beside an added one into it.
pl_status pl_grid_share_cells(const pl_grid_thickening* thickening, const pl_grid_level* level,
                              const pl_grid_cells* cells, float* amount, pl_error* error);

#endif
