// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Classification of the cells of a lattice (Zhu 2010, section 5.1), and its coarsening (section 6).
// One byte per cell of the bounding box, needed only while levels are built.
#ifndef PL_GRID_CELLS_H
#define PL_GRID_CELLS_H

#include "base/fail.h"

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

// Whether a cell is of a single layer: it has no neighbours on both sides along some axis.
bool pl_grid_is_layer(const pl_grid_cells* cells, int i, int j, int k);
int pl_grid_cells_count_layers(const pl_grid_cells* cells);

#endif
