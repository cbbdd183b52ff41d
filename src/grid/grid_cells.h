// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Classification of the cells of a lattice (Zhu 2010, section 5.1), and its coarsening (section 6).
// One byte per cell of the bounding box, needed only while levels are built.
#ifndef PL_GRID_CELLS_H
#define PL_GRID_CELLS_H

#include "base/fail.h"

#include <pliant/mesh.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum pl_cell {
    PL_CELL_EXTERIOR,
    PL_CELL_INTERIOR,
    PL_CELL_DIRICHLET, // prescribed motion
} pl_cell;

typedef struct pl_grid_cells {
    int low[3];  // the first cell of the box; cell (i, j, k) spans (i..i+1, j..j+1, k..k+1)
    int size[3]; // in cells
    uint8_t* kinds;
} pl_grid_cells;

pl_status pl_grid_cells_create(const int low[3], const int size[3], pl_grid_cells* out,
                               pl_error* error);
void pl_grid_cells_free(pl_grid_cells* cells);

static inline size_t pl_grid_cells_count(const pl_grid_cells* c) {
    return (size_t)c->size[0] * (size_t)c->size[1] * (size_t)c->size[2];
}
static inline bool pl_grid_cells_has(const pl_grid_cells* c, int i, int j, int k) {
    return i >= c->low[0] && i < c->low[0] + c->size[0] && j >= c->low[1] &&
           j < c->low[1] + c->size[1] && k >= c->low[2] && k < c->low[2] + c->size[2];
}
static inline size_t pl_grid_cells_index(const pl_grid_cells* c, int i, int j, int k) {
    return ((size_t)(k - c->low[2]) * (size_t)c->size[1] + (size_t)(j - c->low[1])) *
               (size_t)c->size[0] +
           (size_t)(i - c->low[0]);
}
// The cell of an index.
static inline void pl_grid_cells_place(const pl_grid_cells* c, size_t index, int out[3]) {
    const size_t row = index / (size_t)c->size[0];
    out[0] = c->low[0] + (int)(index % (size_t)c->size[0]);
    out[1] = c->low[1] + (int)(row % (size_t)c->size[1]);
    out[2] = c->low[2] + (int)(row / (size_t)c->size[1]);
}
// Coordinate of the coarse cell that contains a cell, along an axis: rounds down, also for negative
// numbers.
static inline int pl_grid_halve(int i) { return i >= 0 ? i / 2 : -((1 - i) / 2); }
// Exterior outside the box.
static inline pl_cell pl_grid_cell(const pl_grid_cells* c, int i, int j, int k) {
    return pl_grid_cells_has(c, i, j, k) ? (pl_cell)c->kinds[pl_grid_cells_index(c, i, j, k)]
                                         : PL_CELL_EXTERIOR;
}

// Merges 2 x 2 x 2 cells into one: Dirichlet if any of them is, else interior if any of them is.
pl_status pl_grid_cells_coarsen(const pl_grid_cells* fine, pl_grid_cells* out, pl_error* error);
// Adds a layer of exterior cells around the box.
pl_status pl_grid_cells_widen(pl_grid_cells* cells, pl_error* error);
// Turns exterior cells within this many layers of others (corners included) into interior cells.
// The box must have room for them.
pl_status pl_grid_cells_pad(pl_grid_cells* cells, int layers, pl_error* error);

// Whether a cell is part of a single layer: along some axis both of its neighbours are exterior.
bool pl_grid_is_layer(const pl_grid_cells* cells, int i, int j, int k);
int pl_grid_cells_count_layers(const pl_grid_cells* cells);

// ------------------------------------------------------------------ positions of cells

// The position of a lattice in space. Parts of a body can be far apart, with wide empty slabs of
// space between them. Such slabs are cut out of the lattice (it is folded), so memory is
// proportional to the parts and not to the box around them.

enum { PL_GRID_MAX_FOLDS = 16 }; // along an axis

// A range of cells that is cut out along an axis, counted from the origin.
typedef struct pl_grid_fold {
    int64_t at;    // the first cell that is cut out
    int64_t width; // number of cells
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

// Folds a lattice around a surface along one axis. Cuts out wide slabs far from all triangles, in
// multiples of 64 cells, so that coarser levels stay aligned; at least 64 cells remain between
// parts. reach: layers of cells around triangles that may be in use. Returns PL_OK without folds if
// there is nothing to cut out.
pl_status pl_grid_frame_fold(pl_grid_frame* frame, int axis, const pl_mesh* surface, int reach,
                             pl_error* error);
// Number of cells cut out by the folds of an axis.
int64_t pl_grid_left_out(const pl_grid_frame* frame, int axis);

// Visits points of a tet that are at most about half a cell apart: sets `at` to point k, or to the
// next one inside, and k to its number. Returns false after the last point.
bool pl_grid_tet_point(const pl_grid_frame* frame, const double* positions, const int tet[4],
                       int* k, double at[3]);

#endif
