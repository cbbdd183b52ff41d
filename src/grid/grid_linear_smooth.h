// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Smoothing of a level (Zhu 2010, sections 4.2 and 5.3).
#ifndef PL_GRID_SMOOTH_H
#define PL_GRID_SMOOTH_H

#include "grid/grid_linear_level.h"

// One distributive sweep over the faces between core cells and over the core cells (Algorithm 2).
void pl_grid_smooth_interior(pl_grid_linear_level* level, pl_pool* pool);

// The same starting from u = 0, c = 0. Chunks far from the band are written without being read. All
// others must have been cleared, and the band may have been smoothed since.
void pl_grid_clear_around(pl_grid_linear_level* level, pl_pool* pool);
void pl_grid_smooth_interior_first(pl_grid_linear_level* level, pl_pool* pool);
// The same where u and c of deep chunks (PL_GRID_DEEP) are set row by row, just before the sweep
// reads them.
typedef void (*pl_grid_arrive)(int row_begin, int row_end, void* user);
void pl_grid_smooth_interior_arriving(pl_grid_linear_level* level, pl_grid_arrive arrive,
                                      void* user, pl_pool* pool);

// The stages of the sweep, over rows of the level (z slowest): both colours of the positions, the
// start of q, the second colour of q, its distribution.
enum { PL_GRID_STAGES = 5 };
void pl_grid_sweep_stage(pl_grid_linear_level* level, int stage, int row_begin, int row_end);

// Gauss-Seidel on the faces of the boundary band, with the pressures of their cells substituted
// (Eq. 12). Stores the remaining residual of these faces in band_residual if asked to.
void pl_grid_band_smooth(pl_grid_linear_level* level, int sweeps, bool keeps_residual,
                         pl_pool* pool);

// f - L u at a single face across an axis, where c holds the pressures of its cells.
float pl_grid_single_face_residual(const pl_grid_linear_level* level,
                                   const pl_grid_single_face* face, int axis);

// Smoothing of the band in separate passes over the whole level: c becomes the pressure in all
// cells that a band face touches, one sweep, the residual into band_residual, and the pressure
// becomes c again.
void pl_grid_band_begin(pl_grid_linear_level* level);
void pl_grid_band_sweep(pl_grid_linear_level* level);
void pl_grid_band_residual(pl_grid_linear_level* level);
void pl_grid_band_end(pl_grid_linear_level* level);

// ------------------------------------------------------------------ order of a sweep
// (grid_linear_wavefront.c)

// Pipelines the stages of a sweep over the planes of a level, each stage right behind the one
// before.

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
