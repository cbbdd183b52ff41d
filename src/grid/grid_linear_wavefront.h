// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Stages of a sweep over the planes of a level, one close behind the other.
#ifndef PL_GRID_WAVEFRONT_H
#define PL_GRID_WAVEFRONT_H

#include "grid/grid_linear_level.h"

typedef struct pl_grid_wave {
    // One stage on rows of a plane. It may read rows and planes next to them, as the stage before
    // has left them there, and write to them what that stage no longer reads.
    void (*run)(pl_grid_linear_level* level, int stage, int z, int y_begin, int y_end, void* user);
    void* user;
    int stages;
    int strip;       // rows that stages take at a time
    const int* work; // size[1] * size[2] + 1: what there is to do before each row, z slowest
} pl_grid_wave;

// All stages everywhere: the bits are those of one stage after the other over the whole level.
void pl_grid_run_wave(pl_grid_linear_level* level, const pl_grid_wave* plan, pl_pool* pool);

#endif
