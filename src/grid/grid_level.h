// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The layout of one level of a lattice: which cells are stored, where they lie in memory, and what
// each of them is. Fields are kept elsewhere; a field has one value for each index of a level.
//
// Memory follows the cells that are in use. A row of cells (fixed y and z) is cut into chunks of 16
// cells along x; a chunk is stored if the body, or the layer of cells around it, reaches into it.
// Stored chunks that follow one another along x are neighbours in memory too, so x + 1 is index
// + 1. A segment is a run of chunks whose neighbour rows are stored (or missing) all along, so that
// one offset per neighbour row serves the whole run; a missing row is read from a strip of zeros.
//
//   paper                here
//   phi_1, phi_2, phi_3  u[0], u[1], u[2] on the low faces of a cell along x, y, z
//   interior variable    face[a]: both cells of the face are interior
//   distributive         core: an interior cell without exterior neighbours; inner[a]: a face
//                        between two of them. All other interior faces are of the band.
//   stress P_aa          stress[a]: in a cell that has no traction boundary across a
//   stress P_ab          edge[n] around axis n, on the low edge of a cell: no exterior cell there
#ifndef PL_GRID_LEVEL_H
#define PL_GRID_LEVEL_H

#include "base/pool.h"
#include "grid/grid_cells.h"

enum { PL_GRID_CHUNK = 16 };

// Sixteen bits for the cells of a chunk.
typedef struct pl_grid_masks {
    uint16_t interior, dirichlet;
    uint16_t core;
    uint16_t rim; // core cells with an interior neighbour that is none
    uint16_t face[3];
    uint16_t inner[3];
    uint16_t stress[3];
    uint16_t edge[3];
} pl_grid_masks;

// The neighbour rows of a chunk that equations reach.
typedef enum pl_grid_row {
    PL_ROW_Y_LOW,
    PL_ROW_Y_HIGH,
    PL_ROW_Z_LOW,
    PL_ROW_Z_HIGH,
    PL_ROW_Y_LOW_Z_HIGH,
    PL_ROW_Y_HIGH_Z_LOW,
    PL_ROW_COUNT
} pl_grid_row;

typedef struct pl_grid_segment {
    int begin; // index of its first cell in the fields
    int count; // chunks
    int x, y, z;
    int rows[PL_ROW_COUNT]; // index of the cell beside the first one in each neighbour row
} pl_grid_segment;

typedef struct pl_grid_level {
    int low[3], size[3];  // box of the rows, with one layer around the body
    int field_size;       // values of a field
    pl_grid_masks* masks; // field_size / 16: that of a cell at masks[index / 16]
    int* row_segments;    // size[1] * size[2] + 1: the segments of each row, z slowest
    pl_grid_segment* segments;
    int segment_count;
    int face_count, cell_count; // interior variables
    // Per index, stiffness of a face beyond that of its stencil, as held cells of the finest level
    // are not where those of this level are (grid_wall_distance.c). NULL on the finest level.
    float* wall[3];
} pl_grid_level;

// Index of a cell in the fields, or -1 where nothing is stored.
int pl_grid_index(const pl_grid_level* level, int i, int j, int k);
static inline bool pl_grid_bit(uint16_t mask, int index) {
    return mask >> (index & (PL_GRID_CHUNK - 1)) & 1;
}

// Fields of cycles lie in one block, each a little further on in its pages than the one before: a
// load that has the low bits of a store to another field under way would wait for it. This is how
// many floats they are apart.
static inline size_t pl_grid_field_stride(const pl_grid_level* level) {
    enum { STAGGER = 6 * PL_GRID_CHUNK, PAGE = 1024 };
    return ((size_t)level->field_size + PAGE - 1) / PAGE * PAGE + STAGGER;
}

// The cell beside the one that lies i cells along a segment.
static inline int pl_grid_above(const pl_grid_segment* g, int axis, int i) {
    if (axis == 0) return g->begin + i + 1;
    return i + g->rows[axis == 1 ? PL_ROW_Y_HIGH : PL_ROW_Z_HIGH];
}
static inline int pl_grid_below(const pl_grid_segment* g, int axis, int i) {
    if (axis == 0) return g->begin + i - 1;
    return i + g->rows[axis == 1 ? PL_ROW_Y_LOW : PL_ROW_Z_LOW];
}
// The cell above along one axis and below along another.
static inline int pl_grid_corner(const pl_grid_segment* g, int above, int below, int i) {
    if (below == 0) return pl_grid_above(g, above, i) - 1;
    if (above == 0) return pl_grid_below(g, below, i) + 1;
    return i + g->rows[below == 1 ? PL_ROW_Y_LOW_Z_HIGH : PL_ROW_Y_HIGH_Z_LOW];
}
// Whether P_aa of a cell, and P_ab on its low edge along n, are interior stresses.
static inline bool pl_grid_has_stress(const pl_grid_level* level, int a, int index) {
    return pl_grid_bit(level->masks[index / PL_GRID_CHUNK].stress[a], index);
}
static inline bool pl_grid_has_edge(const pl_grid_level* level, int n, int index) {
    return pl_grid_bit(level->masks[index / PL_GRID_CHUNK].edge[n], index);
}

// Layout and masks. The cells are not needed afterwards.
pl_status pl_grid_level_create(const pl_grid_cells* cells, pl_grid_level* out, pl_error* error);
void pl_grid_level_free(pl_grid_level* level);
// Masks and counts of a level that is laid out; a part of its creation (grid_masks.c).
pl_status pl_grid_level_classify(pl_grid_level* level, const pl_grid_cells* cells, pl_error* error);

#endif
