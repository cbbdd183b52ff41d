// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Smoothing of a level (Zhu 2010, sections 4.2 and 5.3).
#ifndef PL_GRID_SMOOTH_H
#define PL_GRID_SMOOTH_H

#include "grid/grid_linear_level.h"

// One distributive sweep over the faces between core cells and over the core cells (Algorithm 2).
void pl_grid_smooth_interior(pl_grid_linear_level* level, pl_pool* pool);

// The same where u and c start from zero: what is not near the band is written without being read.
// The rest must have been cleared, and the band may have been smoothed since.
void pl_grid_clear_around(pl_grid_linear_level* level, pl_pool* pool);
void pl_grid_smooth_interior_first(pl_grid_linear_level* level, pl_pool* pool);
// The same where u and c of the chunks that are deep inside (PL_GRID_DEEP) are set only now, row by
// row before the sweep reads them.
typedef void (*pl_grid_arrive)(int row_begin, int row_end, void* user);
void pl_grid_smooth_interior_arriving(pl_grid_linear_level* level, pl_grid_arrive arrive,
                                      void* user, pl_pool* pool);

// The sweep stage by stage, over rows of the level (z slowest): the two colours of the positions,
// the start of q, the second colour of q, its distribution.
enum { PL_GRID_STAGES = 5 };
void pl_grid_sweep_stage(pl_grid_linear_level* level, int stage, int row_begin, int row_end);

// Gauss-Seidel on the other faces, with the pressure of the cells there substituted (Eq. 12). The
// residual that is left on these faces is kept in band_residual if that is asked for.
void pl_grid_band_smooth(pl_grid_linear_level* level, int sweeps, bool keeps_residual,
                         pl_pool* pool);

// The same step by step, one after the other over the whole level: c becomes the pressure in all
// cells that such a face touches, one sweep, the residual in band_residual, and back.
void pl_grid_band_begin(pl_grid_linear_level* level);
void pl_grid_band_sweep(pl_grid_linear_level* level);
void pl_grid_band_residual(pl_grid_linear_level* level);
void pl_grid_band_end(pl_grid_linear_level* level);

#endif
