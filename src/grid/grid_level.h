// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// One level of the lattice: which variables there are, and where they lie in memory.
//
// Memory follows the cells that are in use. A row of cells (fixed y and z) is cut into chunks of 16
// cells along x; a chunk is stored if the body, or the layer of cells around it, reaches into it.
// Stored chunks that follow one another along x are neighbours in memory too, so x + 1 is index
// + 1. A segment is a run of chunks whose neighbour rows are stored (or missing) all along, so that
// one offset per neighbour row serves the whole run; a missing row is read from a strip of zeros.
//
// The fields of cycles lie split by colour: of each chunk first the eight cells of even x, then
// those of odd x, so that a red-black sweep reads and writes half of each chunk and nothing else.
// Where a cell lies in them is its place, pl_place_of(index); all that kernels read beside them
// (split masks, rates of the band, walls, lists of faces) is in the order of places. What is in
// double, and what is known of cells before there are cycles, is in the order of x.
//
//   paper              here
//   phi_1, phi_2, phi_3  u[0], u[1], u[2] on the low faces of a cell along x, y, z
//   p                    c = div(phi) - p in core cells, p itself in the other interior cells
//   interior variable    face[a]: both cells of the face are interior
//   distributive         core: an interior cell without exterior neighbours; inner[a]: a face
//                        between two of them. All other interior faces are of the band.
//   stress P_aa          stress[a]: in a cell that has no traction boundary across a
//   stress P_ab          edge[n] around axis n, on the low edge of a cell: no exterior cell there
//
// Variables that are not interior are zero in a level: cycles compute corrections, which vanish
// where values are given, and boundary stresses are left out of the equations (section 5.3).
#ifndef PL_GRID_LEVEL_H
#define PL_GRID_LEVEL_H

#include "base/pool.h"
#include "grid/grid_cells.h"

enum { PL_GRID_CHUNK = 16 };

// The place of a cell in the fields of cycles.
static inline int pl_place_of(int index) {
    const int i = index & (PL_GRID_CHUNK - 1);
    return index - i + (i & 1) * (PL_GRID_CHUNK / 2) + i / 2;
}
// The places of the cells before and after one along x.
static inline int pl_place_below(int place) {
    const int i = place & (PL_GRID_CHUNK - 1), half = PL_GRID_CHUNK / 2;
    return place + (i >= half ? -half : i > 0 ? half - 1 : -1);
}
static inline int pl_place_above(int place) {
    const int i = place & (PL_GRID_CHUNK - 1), half = PL_GRID_CHUNK / 2;
    return place + (i < half ? half : i < PL_GRID_CHUNK - 1 ? 1 - half : 1);
}

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

// Chunks that follow one another in a row, all with core cells or interior faces.
typedef struct pl_grid_run {
    int begin;   // index of its first cell
    int count;   // chunks
    int rows[4]; // index of the cell beside the first one, as in a segment
    bool odd_y, odd_z;
} pl_grid_run;

enum { PL_GRID_FULL_CELLS = 8, PL_GRID_FAR = 16, PL_GRID_DEEP = 32 };

// A chunk with faces of the band, or with cells whose pressure such faces change.
typedef struct pl_grid_band_chunk {
    int begin;
    int rows[PL_ROW_COUNT];
    uint16_t odd;          // 0x5555 or 0xaaaa: cells of odd x + y + z
    uint16_t stress[3][2]; // P_aa of the cell below and of the cell above a face
    uint16_t edge[3][4];   // P_ab below and above a face, for the two other axes in turn
    uint16_t slaved;       // interior cells that are not core
    uint16_t rim;
    uint16_t cell_stress[3];
    float inverse_diagonal[3][PL_GRID_CHUNK]; // of faces of the band, else 0
    float wall[3][PL_GRID_CHUNK];             // stiffness of a face beyond that of its stencil
    float stiffness[3][PL_GRID_CHUNK];        // the same, with springs and contacts
    float compliance[PL_GRID_CHUNK];          // of slaved cells: p = (g - div) compliance, else 0
} pl_grid_band_chunk;

// What sweeps read of a band chunk, close together. A byte for each face says which stresses its
// equation has (bits 0 and 1: P_aa below and above it, 2 to 5: P_ab as in `edge`); one for each
// cell, whether it is slaved and has P_aa (bits 0 to 2), slaved (3), at the rim (4). A face's
// change times the compliance of the slaved cells below and above it moves their pressures.
typedef struct pl_grid_band_rates {
    // what all chunks are asked before and after sweeps, in two lines of the cache
    _Alignas(64) int begin;
    int rows[PL_ROW_COUNT];
    bool is_odd; // y + z is odd, so that cells of even x are of the second colour
    bool has_slaved, has_rim;
    // not all zero: the compliance of cells above and below faces, and the stiffness of faces
    bool has_own[3], has_low[3], is_stiff[3];
    uint16_t faces[3]; // those of the band
    uint8_t cells[PL_GRID_CHUNK];
    float compliance[PL_GRID_CHUNK];
    uint8_t stresses[3][PL_GRID_CHUNK];
    float inverse_diagonal[3][PL_GRID_CHUNK];
    float low[3][PL_GRID_CHUNK]; // compliance of the cell below a face across an axis
    float stiffness[3][PL_GRID_CHUNK];
} pl_grid_band_rates;

// A face of the band that has few others beside it in its chunk, with what its equation needs: such
// faces are relaxed one by one.
typedef struct pl_grid_band_face {
    int at;      // place of the face
    int rows[5]; // place beside it at low y, high y, low z, high z; then across both, as corner
    int low_x, high_x; // how far away the places before and after it along x are
    int kept;          // where its residual is in band_residual
    int stresses;      // as in pl_grid_band_rates
    float diagonal, inverse_diagonal;
    float own, low; // compliance of the cells above and below
} pl_grid_band_face;

// Lists of the band for each row of a level: of single faces across each axis in two colours, and
// of chunks with many faces across each axis.
enum { PL_BAND_FACES = 6, PL_BAND_LISTS = 9 };

// What is different in the equations of core cells and inner faces next to Dirichlet cells, by
// place.
typedef struct pl_grid_wall_chunk {
    float stiffness[3][PL_GRID_CHUNK]; // of a face, beyond that of its stencil
    float closed[PL_GRID_CHUNK];       // faces of a cell that are given
    float inverse[4][PL_GRID_CHUNK];   // of the diagonals: of faces, and of q
} pl_grid_wall_chunk;

// A variable outside, from inside ones: value = sum of weight * source (section 5.3, end).
typedef struct pl_grid_ghost {
    int field; // 0 to 2
    int place;
    int source_count;
    int source_field[3]; // 3 is the pressure
    int source[3];       // their places
    float weight[3];
} pl_grid_ghost;

typedef struct pl_grid_level {
    int low[3], size[3];  // box of the rows, with one layer around the body
    int field_size;       // floats of a field
    pl_grid_masks* masks; // field_size / 16: that of a cell at masks[index / 16]
    pl_grid_masks* split; // the same in the order of places
    int* row_segments;    // size[1] * size[2] + 1: the segments of each row, z slowest
    pl_grid_segment* segments;
    int segment_count;
    int* row_runs; // size[1] * size[2] + 1: the runs of each row
    pl_grid_run* runs;
    int run_count;
    // field_size / 16: what needs no mask in a chunk. Bits 0 to 2: all faces across an axis are
    // inner ones; PL_GRID_FULL_CELLS: all cells are core, all faces interior, no Dirichlet cell
    // near. And where it is: PL_GRID_FAR: neither the chunk nor one beside it has a record of the
    // band; PL_GRID_DEEP: it is in a run, and it and those beside it are far
    uint8_t* full;
    pl_grid_band_chunk* band;
    int band_count;
    pl_grid_band_rates* band_rates;           // band_count
    int* band_index;                          // field_size / 16: the band chunk of a chunk, or -1
    float (*band_residual)[3][PL_GRID_CHUNK]; // of faces of the band, else 0
    pl_grid_band_face* band_faces;            // in six lists, each in the order of rows
    int* band_dense;                          // band chunks, in three lists
    int* row_lists;                           // for each list, size[1] * size[2] + 1 places
    int kept_faces, kept_dense;
    int kept_count, kept_walls; // records of the two before and of wall_q
    int* band_rows;             // size[2] + 1: the band chunks of each plane
    int* row_band;              // size[1] * size[2] + 1: the band chunks of each row
    int* wall_index;            // field_size / 16: the wall chunk of a chunk, or -1
    pl_grid_wall_chunk* walls;
    int wall_count;
    float (*wall_q)[2][PL_GRID_CHUNK]; // of wall chunks: closed, and the inverse diagonal of q
    bool has_stiff_walls;              // stiffness of a wall chunk is not zero somewhere
    pl_grid_ghost* ghosts;
    int ghost_count;
    int face_count, cell_count; // interior variables

    float compressibility; // mu / lambda
    float inertia;         // kappa: L u - kappa u = f, in units of mu / h^2

    float* u[3];
    float* c;
    float* f[3];
    float* g;
    float* q;      // auxiliary pressure; zero outside core cells
    float* fields; // the block that holds them
} pl_grid_level;

// Index of a cell in the fields, or -1 where nothing is stored.
int pl_grid_index(const pl_grid_level* level, int i, int j, int k);
static inline bool pl_grid_bit(uint16_t mask, int index) {
    return mask >> (index & (PL_GRID_CHUNK - 1)) & 1;
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
// Whether P_aa of a cell, and P_ab on its low edge along n, are interior stresses.
static inline bool pl_grid_has_stress(const pl_grid_level* level, int a, int index) {
    return pl_grid_bit(level->masks[index / PL_GRID_CHUNK].stress[a], index);
}
static inline bool pl_grid_has_edge(const pl_grid_level* level, int n, int index) {
    return pl_grid_bit(level->masks[index / PL_GRID_CHUNK].edge[n], index);
}

// Layout, masks and fields. The cells are not needed afterwards.
pl_status pl_grid_level_create(const pl_grid_cells* cells, bool with_fields, pl_grid_level* out,
                               pl_error* error);
void pl_grid_level_free(pl_grid_level* level);
// Sets masks, band and ghosts anew from cells that differ only in which of the used ones are
// Dirichlet.
pl_status pl_grid_level_classify(pl_grid_level* level, const pl_grid_cells* cells, pl_error* error);
// The runs of a level that has been classified.
pl_status pl_grid_level_list_runs(pl_grid_level* level, pl_error* error);

// Distances to the Dirichlet boundary of the finest level, which on coarse levels is not where the
// coarse Dirichlet cells have it: 18 values per index of the fields (axis of the face, then towards
// low x, high x, low y, ...), in cells of the level; 1 where the stencil is right.
typedef struct pl_grid_distances {
    float* values; // NULL: 1 everywhere
    int field_size;
} pl_grid_distances;
// Those of a coarse level from those of the next finer one; and the stiffness that they bring.
pl_status pl_grid_find_walls(const pl_grid_level* fine, const pl_grid_cells* fine_cells,
                             const pl_grid_distances* fine_distances, pl_grid_level* coarse,
                             const pl_grid_cells* coarse_cells, pl_grid_distances* out,
                             pl_error* error);
void pl_grid_distances_free(pl_grid_distances* distances);

// Coefficients of the band.
void pl_grid_level_set_material(pl_grid_level* level, double compressibility, double inertia);

// The lists of the band of a level whose band chunks are known, and their coefficients.
pl_status pl_grid_band_list(pl_grid_level* level, pl_error* error);
void pl_grid_band_list_free(pl_grid_level* level);
void pl_grid_band_list_pack(pl_grid_level* level);

// Coefficients as kernels read them; the last part of setting the material.
void pl_grid_level_pack(pl_grid_level* level);

// Springs on faces, by place, in units of mu / h^2; only those of the band count. Coefficients must
// be set again afterwards.
void pl_grid_level_set_stiffness(pl_grid_level* level, float* const stiffness[3]);

#endif
