// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Computes the masks of a level with bit operations, sixteen cells at a time.
#ifndef PL_GRID_MASKS_H
#define PL_GRID_MASKS_H

#include "grid/grid_level.h"

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

#endif
