// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Thin parts of a lattice: up to about four cells across.
#ifndef PL_GRID_THIN_CELLS_H
#define PL_GRID_THIN_CELLS_H

#include "grid/grid_cells.h"

// Whether a level with these cells should be the coarsest, factored as a whole: the next level,
// with the cells `next`, would lose the bending of a large part of the body, and this level is thin
// enough for a small factor.
pl_status pl_grid_thin_is_last(const pl_grid_cells* cells, const pl_grid_cells* next, bool* out,
                               pl_error* error);
// Marks the interior cells of thin parts that are small enough for a factor of their own. bytes:
// two for each cell of the box; *marks, one for each cell, is one half of them. left_share:
// fraction of all interior cells that are thin but not marked. Returns false if allocation fails.
bool pl_grid_mark_thin(const pl_grid_cells* cells, uint8_t* bytes, const uint8_t** marks,
                       double* left_share);

#endif
