// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// One level of the linear lattice: linear elasticity with one material, which has the fastest
// cycles. A level holds the fields of its cycles and, close together, everything that kernels read.
//
// Fields are split by colour: each chunk stores the eight cells of even x first, then those of odd
// x, so a red-black sweep reads and writes only half of each chunk. The place of a cell is its
// position in these fields, pl_place_of(index). Everything else that kernels read (split masks,
// band records, walls, face lists) is in place order too. Data in double, and data from before
// there are cycles, is in x order.
//
//   paper  here
//   phi    u
//   p      c = div(phi) - p in core cells, p itself in the other interior cells
//
// Variables that are not interior are zero in a level: cycles compute corrections, which vanish
// where values are prescribed, and boundary stresses are left out of the equations (section 5.3).
#ifndef PL_GRID_LINEAR_LEVEL_H
#define PL_GRID_LINEAR_LEVEL_H

#include "grid/grid_factor.h"
#include "grid/grid_lattice.h"
#include "grid/grid_transfer.h"

// Consecutive chunks of a row that all have core cells or interior faces.
typedef struct pl_grid_run {
    int begin;   // index of its first cell
    int count;   // chunks
    int rows[4]; // index of the first cell's neighbour in each row, as in a segment
    bool odd_y, odd_z;
} pl_grid_run;

enum { PL_GRID_FULL_CELLS = 8, PL_GRID_FAR = 16, PL_GRID_DEEP = 32 };

// A chunk with band faces, or with cells whose pressure band faces change, by place. `stresses` has
// a byte for each face: the stresses in its equation (bits 0 and 1: P_aa below and above it, 2 to
// 5: P_ab below and above it, for the two other axes in turn). `cells` has a byte for each cell:
// slaved (interior but not core) and has P_aa (bits 0 to 2), slaved (3), at the rim (4). A face's
// change times the compliance of the slaved cells below and above it changes their pressures.
typedef struct pl_grid_band_chunk {
    // read for all chunks before and after sweeps: two cache lines
    _Alignas(64) int begin;
    int rows[PL_ROW_COUNT];
    bool is_odd; // y + z is odd, so cells of even x have the second colour
    bool has_slaved, has_rim;
    // false if all are zero: compliance of the cells above and below faces, stiffness of faces
    bool has_own[3], has_low[3], is_stiff[3];
    uint16_t faces[3]; // those of the band
    uint8_t cells[PL_GRID_CHUNK];
    float compliance[PL_GRID_CHUNK]; // of slaved cells: p = (g - div) compliance, else 0
    uint8_t stresses[3][PL_GRID_CHUNK];
    float inverse_diagonal[3][PL_GRID_CHUNK]; // of faces of the band, else 0
    float low[3][PL_GRID_CHUNK];              // compliance of the cell below each face
    float stiffness[3][PL_GRID_CHUNK]; // of a face in addition to its stencil: walls, springs
} pl_grid_band_chunk;

// A face with all data of its equation. Either it is relaxed alone, because it shares its chunk
// with few other band faces, or it belongs to an exact solve (grid_linear_exact.c).
typedef struct pl_grid_single_face {
    int at;            // place of the face
    int rows[5];       // neighbours at low y, high y, low z, high z; then the diagonal one, as in
                       // pl_grid_corner
    int low_x, high_x; // offsets of the neighbours along x
    int kept;          // position of its residual in band_residual
    int stresses;      // as in pl_grid_band_chunk
    float diagonal;    // inertia, walls and springs
    float inverse_diagonal;
    float own, low; // compliance of the cells above and below
} pl_grid_single_face;

// Lists of the band for each row of a level: single faces across each axis in two colours, and
// chunks with many faces across each axis.
enum { PL_BAND_FACES = 6, PL_BAND_LISTS = 9 };

// Changes to the equations of core cells and inner faces next to Dirichlet cells, by place.
typedef struct pl_grid_wall_chunk {
    float stiffness[3][PL_GRID_CHUNK]; // of a face, in addition to its stencil
    float inverse[3][PL_GRID_CHUNK];   // inverse diagonals of faces
} pl_grid_wall_chunk;

// A ghost variable outside the body: value = sum of weight * source over interior variables (end of
// section 5.3).
typedef struct pl_grid_ghost {
    int field; // 0 to 2
    int place;
    int source_count;
    int source_field[3]; // 3 is the pressure
    int source[3];       // their places
    float weight[3];
} pl_grid_ghost;

typedef struct pl_grid_linear_level {
    const pl_grid_level* layout;
    pl_grid_masks* split; // the masks of the layout, in place order
    int* row_runs;        // size[1] * size[2] + 1: first run of each row
    pl_grid_run* runs;
    int run_count;
    // field_size / 16: what needs no mask in a chunk. Bits 0 to 2: all faces across that axis are
    // inner ones. PL_GRID_FULL_CELLS: all cells are core, all faces interior, no Dirichlet cell
    // near. PL_GRID_FAR: neither the chunk nor a neighbour has a band record. PL_GRID_DEEP: in a
    // run, and it and its neighbours are far
    uint8_t* full;
    pl_grid_band_chunk* band;
    int band_count;
    int* band_index;                          // field_size / 16: band record of a chunk, or -1
    float (*band_residual)[3][PL_GRID_CHUNK]; // of faces of the band, else 0
    pl_grid_single_face* band_faces;          // in six lists, each in row order
    int* band_dense;                          // band chunks, in three lists
    int* row_lists;                           // for each list, size[1] * size[2] + 1 offsets
    int band_face_count, band_dense_count;
    int* row_band;   // size[1] * size[2] + 1: first band chunk of each row
    int* wall_index; // field_size / 16: wall record of a chunk, or -1
    pl_grid_wall_chunk* walls;
    int wall_count;
    // of wall chunks: number of prescribed faces of a cell, and inverse diagonal of q
    float (*wall_q)[2][PL_GRID_CHUNK];
    bool has_stiff_walls; // some wall chunk has a nonzero stiffness
    pl_grid_ghost* ghosts;
    int ghost_count;

    float compressibility; // mu / lambda
    float inertia;         // kappa: L u - kappa u = f, in units of mu / h^2

    float* u[3];
    float* c;
    float* f[3];
    float* g;
    float* q;      // auxiliary pressure; zero outside core cells
    float* fields; // the allocation that holds all of them
} pl_grid_linear_level;

// Builds structure and fields on a layout, which must outlive the level. The cells are those of the
// layout and are not needed afterwards.
pl_status pl_grid_linear_level_create(const pl_grid_level* layout, const pl_grid_cells* cells,
                                      pl_grid_linear_level* out, pl_error* error);
void pl_grid_linear_level_free(pl_grid_linear_level* level);

// Sets the coefficients, in units of mu / h^2.
void pl_grid_linear_level_set_material(pl_grid_linear_level* level, double compressibility,
                                       double inertia);
// Sets springs on faces, by place, in units of mu / h^2 (NULL: none); only those of the band count.
// Set the coefficients again afterwards.
void pl_grid_linear_level_set_stiffness(pl_grid_linear_level* level, float* const stiffness[3]);

// ------------------------------------------------------------------ parts of the above

// The band (grid_linear_band.c): its chunks, then the lists of its faces.
pl_status pl_grid_band_create(pl_grid_linear_level* level, pl_error* error);
void pl_grid_band_free(pl_grid_linear_level* level);
void pl_grid_band_set_coefficients(pl_grid_linear_level* level);
// The ghosts (grid_linear_transfer.c).
pl_status pl_grid_ghosts_create(pl_grid_linear_level* level, const pl_grid_cells* cells,
                                pl_error* error);

// The stresses of a face, as in pl_grid_band_chunk. i counts cells along the segment.
static inline uint8_t pl_grid_face_stresses(const pl_grid_level* l, const pl_grid_segment* g, int a,
                                            int i) {
    unsigned bits = pl_grid_has_stress(l, a, pl_grid_below(g, a, i)) |
                    pl_grid_has_stress(l, a, g->begin + i) << 1;
    for (int e = 0; e < 2; e++) {
        const int b = pl_grid_other_axis(a, e), edge = 3 - a - b;
        bits |= (unsigned)pl_grid_has_edge(l, edge, g->begin + i) << (2 * e + 2);
        bits |= (unsigned)pl_grid_has_edge(l, edge, pl_grid_above(g, b, i)) << (2 * e + 3);
    }
    return (uint8_t)bits;
}
// A face at a place of a chunk, without its coefficients.
static inline pl_grid_single_face pl_grid_single_face_at(int begin, const int* rows, int a, int i,
                                                         int stresses) {
    pl_grid_single_face face = {.at = begin + i,
                                .low_x = pl_place_below(i) - i,
                                .high_x = pl_place_above(i) - i,
                                .stresses = stresses};
    for (int n = 0; n < 4; n++) face.rows[n] = rows[n] + i;
    face.rows[4] = rows[a == 1 ? PL_ROW_Y_LOW_Z_HIGH : PL_ROW_Y_HIGH_Z_LOW] + i;
    return face;
}

// ------------------------------------------------------------------ sweeps (Zhu 2010, sections 4.2
// and 5.3)

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

// Pipelines the stages of a sweep over the planes of a level, each stage right after the
// previous one.
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

// ------------------------------------------------------------------ transfer (Zhu 2010, section 6)

// Restricts the residual of a level to f and g of the coarse one. It is computed for inner
// faces and core cells, and read from band_residual for the band.
void pl_grid_restrict_residual(const pl_grid_linear_level* fine, pl_grid_linear_level* coarse,
                               pl_pool* pool);
// A restriction to f and g of the coarse level, to restrict other values (pl_grid_restrict_fields).
pl_grid_restriction pl_grid_linear_restriction(const pl_grid_linear_level* fine,
                                               const pl_grid_linear_level* coarse);
// Computes the residual that pl_grid_restrict_residual restricts: faces across x, y, z and cells.
void pl_grid_store_residual(const pl_grid_linear_level* level, float* const out[4]);
// Prepares a level for prolongation: sets the ghost values, and c in place of p in all interior
// cells.
void pl_grid_fill_ghosts(pl_grid_linear_level* coarse, pl_pool* pool);
// Adds the prolonged u and c of the coarse level to those of the fine one, in two parts: first all
// chunks that are not deep (PL_GRID_DEEP); later the deep ones, by rows of the fine level.
void pl_grid_prolong_around(pl_grid_linear_level* fine, const pl_grid_linear_level* coarse,
                            pl_pool* pool);
void pl_grid_prolong_deep(pl_grid_linear_level* fine, const pl_grid_linear_level* coarse,
                          int row_begin, int row_end);

// ------------------------------------------------------------------ relocated cells
// (grid_linear_relocated.c)

// Cells that are free on a level but Dirichlet on the next coarser one, where a cell is Dirichlet
// as soon as one of its eight children is (Zhu 2010, section 6 and Fig. 8).

// A cell or face and its neighbours at low y, high y, low z, high z.
typedef struct pl_grid_spot {
    int at; // places
    int rows[4];
} pl_grid_spot;

// A free coarse cell near a relocated cell, and the share of the cell that it takes.
typedef struct pl_grid_share {
    int coarse;
    float weight;
} pl_grid_share;

typedef struct pl_grid_relocated {
    pl_grid_spot* cells; // core cells of the finer level
    int* shares_begin;   // cell_count + 1
    pl_grid_share* shares;
    int cell_count, share_count;
    pl_grid_spot* faces; // inner faces of these cells: across x, then y, then z
    int faces_begin[4];
} pl_grid_relocated;

pl_status pl_grid_relocated_create(const pl_grid_linear_level* fine,
                                   const pl_grid_linear_level* coarse, pl_grid_relocated* out,
                                   pl_error* error);
void pl_grid_relocated_free(pl_grid_relocated* relocated);

// Adds what restriction drops: the pressure residuals of relocated cells go to free coarse cells
// nearby, so that the coarse level sees all of the missing volume.
void pl_grid_relocated_restrict(const pl_grid_relocated* relocated,
                                const pl_grid_linear_level* fine, pl_grid_linear_level* coarse);
// Adds what prolongation omits: c of relocated cells, from the same coarse cells.
void pl_grid_relocated_prolong(const pl_grid_relocated* relocated, pl_grid_linear_level* fine,
                               const pl_grid_linear_level* coarse);
// Distributive sweeps over relocated cells alone.
void pl_grid_relocated_smooth(const pl_grid_relocated* relocated, pl_grid_linear_level* level,
                              int sweeps);

// ------------------------------------------------------------------ exact solves
// (grid_linear_exact.c)

// Exact solves on a level of the linear lattice: the whole coarsest level, and the thin parts of
// the others. Parts up to about four cells across are too soft or too stiff on the next coarser
// level by large factors, and sweeps do not bend them, so cycles converge slowly or not at all.
// These parts are slender and have few cells, so their factor is small. After each interior sweep
// they are solved with their surroundings fixed (a Schwarz step; not in the paper).

// A face that is an unknown.
typedef struct pl_grid_exact_face {
    int axis;
    pl_grid_single_face face;
} pl_grid_exact_face;

typedef struct pl_grid_exact_cell {
    int at; // a place, see grid_linear_level.h
    int high[3];
    uint8_t stress; // bits: P_aa is an interior stress
    bool is_core;
    bool follows; // its pressure is eliminated; false: it is fixed
    int form;     // the divergence of a cell that follows, or -1 if that has no unknowns
} pl_grid_exact_cell;

// A linear form of unknowns whose square is a term of the energy.
typedef struct pl_grid_exact_form {
    int count;
    int unknown[6];
    int8_t sign[6];
    int8_t boundary; // -1: `weight` is constant; else it is 1 / (mu/lambda + half of this)
    float weight;
} pl_grid_exact_form;

typedef struct pl_grid_exact {
    pl_grid_exact_face* faces;
    pl_grid_exact_cell* cells;
    pl_grid_exact_form* forms;
    int face_count, cell_count, form_count;
    pl_grid_factor factor; // one clique per form
    bool works;            // there are unknowns, and their current equations are factored
    double* change;        // face_count
    double left_share; // fraction of the level's cells in thin parts that are too large to factor
} pl_grid_exact;

// The thin parts of a level with these cells; the whole level if cells is NULL.
pl_status pl_grid_exact_create(const pl_grid_cells* cells, const pl_grid_linear_level* level,
                               pl_grid_exact* out, pl_error* error);
void pl_grid_exact_free(pl_grid_exact* exact);
// Call after the level's coefficients change. If allocation fails, nothing is solved.
void pl_grid_exact_update(pl_grid_exact* exact, const pl_grid_linear_level* level, pl_pool* pool);
// Solves for u and c of these parts. Leaves c of interior cells that are not core as their
// pressure.
void pl_grid_exact_solve(pl_grid_exact* exact, pl_grid_linear_level* level);

#endif
