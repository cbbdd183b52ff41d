// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The position of a lattice in space. Parts of a body can be far apart, with wide empty slabs of
// space between them. Such slabs are cut out of the lattice (it is folded), so memory is
// proportional to the parts and not to the box around them.
#ifndef PL_GRID_FRAME_H
#define PL_GRID_FRAME_H

#include "base/fail.h"

#include <pliant/mesh.h>
#include <stdint.h>

enum { PL_GRID_MAX_FOLDS = 16 }; // along an axis

// A range of cells that is left out along an axis, counted from the origin.
typedef struct pl_grid_fold {
    int64_t at;    // the first cell that is left out
    int64_t width; // how many are
} pl_grid_fold;

// Cell (i, j, k) of a lattice that is not folded spans origin + cell * (i..i+1, j..j+1, k..k+1).
typedef struct pl_grid_frame {
    double origin[3]; // [m]
    double cell;      // edge [m]
    int fold_count[3];
    pl_grid_fold folds[3][PL_GRID_MAX_FOLDS]; // ascending
} pl_grid_frame;

// Maps a coordinate in cells to the folded lattice, along an axis. A position inside a fold maps to
// the cell after it.
static inline double pl_grid_folded(const pl_grid_frame* frame, int axis, double x) {
    int64_t shift = 0;
    for (int k = 0; k < frame->fold_count[axis]; k++) {
        const pl_grid_fold* fold = &frame->folds[axis][k];
        if (x < (double)fold->at) break;
        if (x < (double)(fold->at + fold->width)) x = (double)(fold->at + fold->width);
        shift += fold->width;
    }
    return shift ? x - (double)shift : x;
}
// The inverse.
static inline double pl_grid_unfolded(const pl_grid_frame* frame, int axis, double x) {
    for (int k = 0; k < frame->fold_count[axis]; k++) {
        const pl_grid_fold* fold = &frame->folds[axis][k];
        if (x < (double)fold->at) break;
        x += (double)fold->width;
    }
    return x;
}

// Folds a lattice around a surface along one axis. Wide slabs that no triangle comes near are left
// out, in multiples of 64 cells, so that coarser levels stay aligned; at least 64 cells remain
// between parts. reach: layers of cells around triangles that may be in use. Returns PL_OK without
// folds if there is nothing to leave out.
pl_status pl_grid_frame_fold(pl_grid_frame* frame, int axis, const pl_mesh* surface, int reach,
                             pl_error* error);
// Cells that the folds of an axis leave out.
int64_t pl_grid_left_out(const pl_grid_frame* frame, int axis);

// Visits points of a tet at most about half a cell apart: sets `at` to point k, or to the next one
// that is inside, and k to its number. Returns false after the last one.
bool pl_grid_tet_point(const pl_grid_frame* frame, const double* positions, const int tet[4],
                       int* k, double at[3]);

#endif
