// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Which variables, stresses and equations a level has (Zhu 2010, sections 5.1 and 5.3).
#ifndef PL_GRID_CLASSIFY_H
#define PL_GRID_CLASSIFY_H

#include "grid/grid_level.h"

// The functions that pl_grid_level_classify calls in turn.
void pl_grid_set_masks(pl_grid_level* level, const pl_grid_cells* cells);
pl_status pl_grid_list_band(pl_grid_level* level, pl_error* error);
pl_status pl_grid_list_walls(pl_grid_level* level, pl_error* error);
pl_status pl_grid_list_ghosts(pl_grid_level* level, const pl_grid_cells* cells, pl_error* error);

#endif
