// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// One level of the general lattice: set-up and rotations.
#ifndef PL_GRID_COROT_LEVEL_H
#define PL_GRID_COROT_LEVEL_H

#include "grid/grid_corot.h"

// Builds level l of a lattice. fine: the next finer level, or NULL. Free with pl_corot_level_free,
// also after a failure.
pl_status pl_corot_level_create(const pl_grid_lattice* lattice, int l, const float* mu,
                                const pl_corot_level* fine, pl_corot_level* out, pl_error* error);
void pl_corot_level_free(pl_corot_level* level);
// Sets `extra` to the stiffness from the distances to Dirichlet boundaries (grid_wall_distance.c).
void pl_corot_level_walls(pl_corot_level* level);
// Sets the rotations of cells, and the factor of their rotation term: softest * ease
// (grid_corot_tangent.c).
void pl_corot_take_rotations(pl_corot_level* level, const pl_quat* turn, const float* ease,
                             float softest, pl_pool* pool);
void pl_corot_coarsen_rotations(const pl_corot_level* fine, pl_corot_level* coarse, pl_pool* pool);

// Index of one of the eight children of cell i of a chunk, in the next finer level.
static inline int pl_corot_child(const pl_corot_chunk* c, int i, int child) {
    int row = 4 + (child >> 1 & 1) + 3 * (child >> 2);
    int x = 2 * i + (child & 1);
    return c->children[row][x / PL_GRID_CHUNK] + x % PL_GRID_CHUNK;
}

#endif
