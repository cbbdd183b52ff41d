// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Pipelines the stages of a sweep over the planes of a level, each stage right behind the one
// before.
#ifndef PL_GRID_WAVEFRONT_H
#define PL_GRID_WAVEFRONT_H

#include "grid/grid_linear_level.h"

typedef struct pl_grid_wave {
    // One stage on some rows of a plane. It may read adjacent rows and planes as the previous stage
    // left them, and write values there that the previous stage no longer reads.
    void (*run)(pl_grid_linear_level* level, int stage, int z, int y_begin, int y_end, void* user);
    void* user;
    int stages;
    int strip;       // rows that a stage processes at a time
    const int* work; // size[1] * size[2] + 1: cumulative amount of work before each row, z slowest
} pl_grid_wave;

// Runs all stages everywhere. The bits are the same as with one stage after another over the whole
// level.
void pl_grid_run_wave(pl_grid_linear_level* level, const pl_grid_wave* plan, pl_pool* pool);

#endif
