// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Voxelises a surface: finds the cells that the body overlaps, and adds cells to parts that are one
// cell thin.
#ifndef PL_GRID_VOXELS_H
#define PL_GRID_VOXELS_H

#include "base/array.h"
#include "base/pool.h"
#include "grid/grid_cells.h"
#include "grid/grid_lattice.h"

// Memory is proportional to the cells in use, plus a few bytes for each cell and row of the
// bounding box, from which wide empty slabs are folded away. Lattices beyond these limits are
// refused before anything is allocated.
#define PL_GRID_MAX_BOX_BYTES 8e9
enum { PL_GRID_MAX_CELLS = 1 << 26 }; // in use; each takes 1 to 2 kB

typedef struct pl_grid_thickening {
    pl_array added; // 3 ints for each added cell
    int thin_count; // cells in parts one cell thin, before cells were added
} pl_grid_thickening;

// Interior cells are those that a triangle cuts and those whose centre has a winding number above
// one half, so holes and self-intersections do no harm; plus `padding` layers. thickening: lists
// the cells added so that each cell belongs to a cube of 2 x 2 x 2 of them (a body of a single cell
// stays as it is); NULL: adds none. The caller sets the frame's cell size; this function sets
// origin and folds.
pl_status pl_grid_voxelise(const pl_mesh* surface, int padding, pl_pool* pool, pl_grid_frame* frame,
                           pl_grid_cells* out, pl_grid_thickening* thickening, pl_error* error);

// Moves a part of `amount` from the cells beside an added one into it. amount: stiffness or mass,
// for example; per index of the level.
pl_status pl_grid_share_cells(const pl_grid_thickening* thickening, const pl_grid_level* level,
                              const pl_grid_cells* cells, float* amount, pl_error* error);

// Calls visit for every cell of the box that a triangle intersects. corners: 3 positions.
void pl_grid_visit_triangle(const pl_grid_cells* cells, const pl_grid_frame* frame,
                            const double* const corners[3], void (*visit)(void* user, size_t cell),
                            void* user);

#endif
