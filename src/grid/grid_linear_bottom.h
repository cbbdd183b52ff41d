// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The exact solve on the coarsest level: a dense factor for a few hundred unknowns, a sparse one
// for more. The coarsest level is that large where the body is too thin for another one.
#ifndef PL_GRID_LINEAR_BOTTOM_H
#define PL_GRID_LINEAR_BOTTOM_H

#include "grid/grid_linear_thin.h"

typedef struct pl_grid_bottom {
    int count;       // unknowns: the interior faces
    int* unknown[3]; // unknown of each index of the fields, or -1
    int field_size;
    pl_grid_thin sparse; // for the whole level; the members below are then unused
    double* factor;      // count * count, upper triangle of L D L': unit L', by rows
    double* pivot;       // 1 / D, 0 for rows without stiffness
    double* x;
} pl_grid_bottom;

pl_status pl_grid_bottom_create(const pl_grid_linear_level* level, pl_grid_bottom* out,
                                pl_error* error);
// Allocates a sparse factor.
pl_status pl_grid_bottom_reserve(pl_grid_bottom* bottom, pl_error* error);
void pl_grid_bottom_free(pl_grid_bottom* bottom);
// Call after the level's coefficients change.
void pl_grid_bottom_update(pl_grid_bottom* bottom, const pl_grid_linear_level* level,
                           pl_pool* pool);
// Solves for u and c from f and g; c is p in cells that are not core.
void pl_grid_bottom_solve(pl_grid_bottom* bottom, pl_grid_linear_level* level);

#endif
