// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The equations of a coarse level, solved by a few cycles from there down that are combined to the
// smallest residual. A coarse level of a body with thin limbs is too soft or too stiff for them in
// its turn, by large factors: with a V-cycle its correction is wrong, with two that are only added
// (a W-cycle) more so. Combined they are about right: the factor is found as they go. Levels have
// an eighth of the cells each, so that two cycles on each cost a fifth to a half more than a
// V-cycle.
#ifndef PL_GRID_INNER_H
#define PL_GRID_INNER_H

#include "grid/grid_level.h"

enum { PL_GRID_MAX_INNER = 4 };

typedef struct pl_grid_inner {
    size_t size;                         // of a field; 0: one cycle is all
    int count;                           // of the following
    float* change[PL_GRID_MAX_INNER][4]; // u and c
    float* image[PL_GRID_MAX_INNER][4];  // what it adds to the residual in f and g
} pl_grid_inner;

// Memory for so many cycles, unless it is there.
pl_status pl_grid_inner_create(const pl_grid_level* level, int cycles, pl_grid_inner* out,
                               pl_error* error);
void pl_grid_inner_free(pl_grid_inner* inner);

// u and c of the level from its f and g, which are lost. A cycle starts from zero and leaves the
// residual of the band with the level.
void pl_grid_inner_solve(pl_grid_inner* inner, pl_grid_level* level, int cycles,
                         void (*cycle)(void* user, int l), void* user, int l, pl_pool* pool);

#endif
