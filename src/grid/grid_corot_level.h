// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// One level of the general lattice: set-up and rotations.
#ifndef PL_GRID_COROT_LEVEL_H
#define PL_GRID_COROT_LEVEL_H

#include "grid/grid_corot.h"

// Level l of a lattice; fine: the level before, or NULL. Freed by pl_corot_level_free, also after
// a failure.
pl_status pl_corot_level_create(const pl_grid_lattice* lattice, int l, const float* mu,
                                const pl_corot_level* fine, pl_corot_level* out, pl_error* error);
void pl_corot_level_free(pl_corot_level* level);
// extra = what the distances to Dirichlet boundaries bring (grid_wall_distance.c).
void pl_corot_level_walls(pl_corot_level* level);
// Rotations of cells, and what turning them does not cost: softest times ease.
void pl_corot_take_rotations(pl_corot_level* level, const pl_quat* turn, const float* ease,
                             float softest, pl_pool* pool);
void pl_corot_coarsen_rotations(const pl_corot_level* fine, pl_corot_level* coarse, pl_pool* pool);

// One of the eight cells below cell i of a chunk, in the next finer level.
static inline int pl_corot_child(const pl_corot_chunk* c, int i, int child) {
    int row = 4 + (child >> 1 & 1) + 3 * (child >> 2);
    int x = 2 * i + (child & 1);
    return c->children[row][x / PL_GRID_CHUNK] + x % PL_GRID_CHUNK;
}

#endif
