// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Restriction and prolongation (Zhu 2010, section 6).
#ifndef PL_GRID_TRANSFER_H
#define PL_GRID_TRANSFER_H

#include "grid/grid_linear_level.h"

// The eight coarse cells over a chunk are half of a coarse chunk: four of even x, and PL_HALF
// further on four of odd x.
typedef float pl_quarter __attribute__((vector_size(16)));
typedef float pl_quarter_loose __attribute__((vector_size(16), aligned(4), may_alias));

// Restricts the residual of a level to f and g of the coarse one. It is computed for inner
// faces and core cells, and read from band_residual for the band.
void pl_grid_restrict_residual(const pl_grid_linear_level* fine, pl_grid_linear_level* coarse,
                               pl_pool* pool);
// The same from values passed in: faces across x, y, z and cells (NULL: the fine level's residual).
void pl_grid_restrict(const pl_grid_linear_level* fine, const float* const source[4],
                      pl_grid_linear_level* coarse, pl_pool* pool);
// Computes the residual that pl_grid_restrict_residual restricts: faces across x, y, z and cells.
void pl_grid_store_residual(const pl_grid_linear_level* level, float* const out[4]);
// Prepares a level for prolongation: sets the ghost values, and c in place of p in all interior
// cells.
void pl_grid_fill_ghosts(pl_grid_linear_level* coarse, pl_pool* pool);
// Adds the prolonged u and c of the coarse level to those of the fine one, in two parts: first all
// chunks that are not deep (PL_GRID_DEEP); later the deep ones, by rows of the fine level.
void pl_grid_prolong_around(pl_grid_linear_level* fine, const pl_grid_linear_level* coarse,
                            pl_pool* pool);
void pl_grid_prolong_deep(pl_grid_linear_level* fine, const pl_grid_linear_level* coarse,
                          int row_begin, int row_end);

#endif
