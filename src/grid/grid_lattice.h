// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A lattice: the layouts of its levels (Zhu 2010, section 6) and the state of a body on the finest
// one. Two kinds of cycles use it, each with its own fields: grid_linear.h for linear elasticity
// with one material, grid_corot.h for everything else.
//
// The layout of one level of a lattice: which cells are stored, where they are in memory, and how
// each is classified. Fields are stored elsewhere; a field has one value per index of the level.
//
// Memory is proportional to the cells in use. A row of cells (fixed y and z) is divided into chunks
// of 16 cells along x. A chunk is stored if it contains a cell of the body or of the layer around
// it. Stored chunks that are adjacent along x are adjacent in memory, so x + 1 is index + 1. A
// segment is a run of chunks whose neighbour rows are stored (or missing) along its whole length,
// so one offset per neighbour row serves the whole run. A missing row is read from a strip of
// zeros.
//
//   paper                here
//   phi_1, phi_2, phi_3  u[0], u[1], u[2] on the low faces of a cell along x, y, z
//   interior variable    face[a]: both cells of the face are interior
//   distributive         core: an interior cell without exterior neighbours; inner[a]: a face
//                        between two of them. All other interior faces are of the band.
//   stress P_aa          stress[a]: in a cell that has no traction boundary across a
//   stress P_ab          edge[n] around axis n, on the low edge of a cell: no exterior cell there
#ifndef PL_GRID_LATTICE_H
#define PL_GRID_LATTICE_H

#include "base/pool.h"
#include "grid/grid_cells.h"

enum { PL_GRID_CHUNK = 16 };

// One bit for each cell of a chunk.
typedef struct pl_grid_masks {
    uint16_t interior, dirichlet;
    uint16_t core;
    uint16_t rim; // core cells with an interior neighbour that is not core
    uint16_t face[3];
    uint16_t inner[3];
    uint16_t stress[3];
    uint16_t edge[3];
} pl_grid_masks;

// The neighbour rows that the stencils of a chunk reach.
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
    int rows[PL_ROW_COUNT]; // index of the first cell's neighbour in each row
} pl_grid_segment;

typedef struct pl_grid_level {
    int low[3], size[3];  // bounding box of the rows, with one layer around the body
    int field_size;       // number of values in a field
    pl_grid_masks* masks; // field_size / 16; that of a cell is masks[index / 16]
    int* row_segments;    // size[1] * size[2] + 1: first segment of each row, z slowest
    pl_grid_segment* segments;
    int segment_count;
    int face_count, cell_count; // number of interior variables
    // Per index: stiffness of a face in addition to its stencil, because the Dirichlet boundary of
    // this level is not where that of the finest level is (grid_lattice.c). NULL on the
    // finest level.
    float* wall[3];
    // Per chunk: the place of the cell of the next coarser level above its first cell, in the nine
    // coarse rows around it (y fastest, from -1 to 1), or PL_GRID_NO_PARENT. NULL on the coarsest
    // level.
    int (*parents)[9];
} pl_grid_level;
enum { PL_GRID_NO_PARENT = 2 * PL_GRID_CHUNK }; // reads zeros

// The two axes other than a, in turn: e is 0 or 1.
static inline int pl_grid_other_axis(int a, int e) { return e == 0 ? (a == 0) : (a == 2 ? 1 : 2); }

// Index of a cell in the fields, or -1 if it is not stored.
int pl_grid_index(const pl_grid_level* level, int i, int j, int k);
static inline bool pl_grid_bit(uint16_t mask, int index) {
    return mask >> (index & (PL_GRID_CHUNK - 1)) & 1;
}

// Fields that are split by colour store the eight cells of even x of a chunk first, then those of
// odd x. The place of a cell is its position in such fields.
static inline int pl_place_of(int index) {
    const int i = index & (PL_GRID_CHUNK - 1);
    return index - i + (i & 1) * (PL_GRID_CHUNK / 2) + i / 2;
}
// The index of the cell at a place.
static inline int pl_index_of(int place) {
    const int i = place & (PL_GRID_CHUNK - 1), half = PL_GRID_CHUNK / 2;
    return place - i + (i < half ? 2 * i : 2 * (i - half) + 1);
}
// The places of the previous and the next cell along x.
static inline int pl_place_below(int place) {
    const int i = place & (PL_GRID_CHUNK - 1), half = PL_GRID_CHUNK / 2;
    return place + (i >= half ? -half : i > 0 ? half - 1 : -1);
}
static inline int pl_place_above(int place) {
    const int i = place & (PL_GRID_CHUNK - 1), half = PL_GRID_CHUNK / 2;
    return place + (i < half ? half : i < PL_GRID_CHUNK - 1 ? 1 - half : 1);
}

// Distance between consecutive fields of a cycle, in floats. Fields share one allocation and are
// staggered relative to pages: a load whose low address bits match those of a pending store to
// another field would stall.
static inline size_t pl_grid_field_stride(const pl_grid_level* level) {
    enum { STAGGER = 6 * PL_GRID_CHUNK, PAGE = 1024 };
    return ((size_t)level->field_size + PAGE - 1) / PAGE * PAGE + STAGGER;
}

// The neighbour of cell i of a segment along an axis.
static inline int pl_grid_above(const pl_grid_segment* g, int axis, int i) {
    if (axis == 0) return g->begin + i + 1;
    return i + g->rows[axis == 1 ? PL_ROW_Y_HIGH : PL_ROW_Z_HIGH];
}
static inline int pl_grid_below(const pl_grid_segment* g, int axis, int i) {
    if (axis == 0) return g->begin + i - 1;
    return i + g->rows[axis == 1 ? PL_ROW_Y_LOW : PL_ROW_Z_LOW];
}
// The neighbour above along one axis and below along another.
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

// Builds layout and masks. The cells are not needed afterwards.
pl_status pl_grid_level_create(const pl_grid_cells* cells, pl_grid_level* out, pl_error* error);
void pl_grid_level_free(pl_grid_level* level);

// Cell kinds as bits for all rows of a level's box, with one more row and word on each side. Only
// needed while a level is classified.
typedef struct pl_grid_bits {
    int words;   // 16-bit words of a row
    int size[3]; // of the level
    uint16_t* interior;
    uint16_t* used; // interior or Dirichlet
    uint16_t* core; // interior without exterior neighbours
} pl_grid_bits;

pl_status pl_grid_bits_create(const pl_grid_level* level, const pl_grid_cells* cells,
                              pl_grid_bits* out, pl_error* error);
void pl_grid_bits_free(pl_grid_bits* bits);

// For a chunk of a segment: the faces across each axis that are variables or prescribed by a
// Dirichlet cell, and the cells within one step of an interior one, corners included.
void pl_grid_known_faces(const pl_grid_level* level, const pl_grid_bits* bits,
                         const pl_grid_segment* g, int chunk, uint16_t known[3], uint16_t* near);

// ------------------------------------------------------------------ all levels, and the state

enum { PL_GRID_MAX_LEVELS = 24 };

typedef struct pl_grid_lattice {
    pl_grid_level* levels; // finest first; PL_GRID_MAX_LEVELS allocated, level_count used
    int level_count;
} pl_grid_lattice;

pl_status pl_grid_lattice_create(const pl_grid_cells* cells, pl_grid_lattice* out, pl_error* error);
void pl_grid_lattice_free(pl_grid_lattice* lattice);

// Positions and pressures on a level. Faces that are not interior hold prescribed values if they
// touch a Dirichlet cell.
typedef struct pl_grid_state {
    double* u[3]; // displacement [m]
    double* p;    // pressure of interior cells, times the cell edge
    double* f[3]; // right-hand side of interior faces
    double* g;    // right-hand side of interior cells
    double compressibility, inertia;
    const float* more_mass[3]; // mass of faces in addition to one cell's, in cells; NULL: none
} pl_grid_state;

// Mass of a face, in cells, and its inertia.
static inline double pl_grid_mass_of(const pl_grid_state* s, int axis, int index) {
    return s->more_mass[axis] ? 1.0 + (double)s->more_mass[axis][index] : 1.0;
}
static inline double pl_grid_inertia_of(const pl_grid_state* s, int axis, int index) {
    return s->inertia * pl_grid_mass_of(s, axis, index);
}

pl_status pl_grid_state_create(const pl_grid_level* level, pl_grid_state* out, pl_error* error);
void pl_grid_state_free(const pl_grid_level* level, pl_grid_state* state);

// Marks the interior cells of thin parts (up to about four cells across) that are small enough for
// a factor of their own. bytes: two for each cell of the box; *marks, one for each cell, is one
// half of them. left_share: fraction of all interior cells that are thin but not marked. Returns
// false if allocation fails.
bool pl_grid_mark_thin(const pl_grid_cells* cells, uint8_t* bytes, const uint8_t** marks,
                       double* left_share);

#endif
