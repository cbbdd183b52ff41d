// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The box smoother (Zhu 2010, section 5.2), slow: for each cell in turn its six faces and its
// pressure are changed together so that the equations of all seven hold. It needs no definite
// equations and no difference between inside and boundary, so it is what fast sweeps are compared
// with, and a cure near boundaries where point sweeps fail.
//
// Where we differ: the paper's boxes are two cells wide, ours one; seven equations are solved
// exactly, in double.
#ifndef PL_GRID_BOX_SMOOTH_H
#define PL_GRID_BOX_SMOOTH_H

#include "grid/grid_operator.h"

typedef enum pl_grid_boxes {
    PL_BOXES_ALL,
    PL_BOXES_BOUNDARY, // cells with an exterior neighbour, and those next to them
} pl_grid_boxes;

// One sweep over the cells of a level in the order of their rows; changes u and p of the state.
void pl_grid_box_smooth(const pl_grid_level* level, pl_grid_boxes boxes, pl_grid_state* state);

#endif
