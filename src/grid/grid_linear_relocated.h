// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Relocated cells: free on a level but Dirichlet on the next coarser one, where a cell is Dirichlet
// as soon as one of its eight children is (Zhu 2010, section 6 and Fig. 8).
#ifndef PL_GRID_RELOCATED_H
#define PL_GRID_RELOCATED_H

#include "grid/grid_linear_level.h"

// A cell or face and its neighbours at low y, high y, low z, high z.
typedef struct pl_grid_spot {
    int at; // places, see grid_linear_level.h
    int rows[4];
} pl_grid_spot;

// A free coarse cell near a relocated cell, and the share of the cell that it takes.
typedef struct pl_grid_share {
    int coarse;
    float weight;
} pl_grid_share;

typedef struct pl_grid_relocated {
    pl_grid_spot* cells; // core cells of the finer level
    int* shares_begin;   // cell_count + 1
    pl_grid_share* shares;
    int cell_count, share_count;
    pl_grid_spot* faces; // inner faces of these cells: across x, then y, then z
    int faces_begin[4];
} pl_grid_relocated;

pl_status pl_grid_relocated_create(const pl_grid_linear_level* fine,
                                   const pl_grid_linear_level* coarse, pl_grid_relocated* out,
                                   pl_error* error);
void pl_grid_relocated_free(pl_grid_relocated* relocated);

// Adds what restriction drops: the pressure residuals of relocated cells go to free coarse cells
// nearby, so that the coarse level sees all of the missing volume.
void pl_grid_relocated_restrict(const pl_grid_relocated* relocated,
                                const pl_grid_linear_level* fine, pl_grid_linear_level* coarse);
// Adds what prolongation omits: c of relocated cells, from the same coarse cells.
void pl_grid_relocated_prolong(const pl_grid_relocated* relocated, pl_grid_linear_level* fine,
                               const pl_grid_linear_level* coarse);
// Distributive sweeps over relocated cells alone.
void pl_grid_relocated_smooth(const pl_grid_relocated* relocated, pl_grid_linear_level* level,
                              int sweeps);

#endif
