// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Between two levels (Zhu 2010, section 6).
#ifndef PL_GRID_TRANSFER_H
#define PL_GRID_TRANSFER_H

#include "grid/grid_linear_level.h"

enum { PL_GRID_NO_PARENT = 2 * PL_GRID_CHUNK }; // reads zeros

typedef struct pl_grid_transfer {
    // per chunk of the fine fields: the place of the coarse cell above its first cell, in the nine
    // coarse rows around it (y fastest, from -1 to 1), or PL_GRID_NO_PARENT
    int (*parents)[9];
    int parent_count;
} pl_grid_transfer;

// The eight coarse cells above a chunk are half of a coarse chunk: four of even x, and PL_HALF
// further on four of odd x.
typedef float pl_quarter __attribute__((vector_size(16)));
typedef float pl_quarter_loose __attribute__((vector_size(16), aligned(4), may_alias));

pl_status pl_grid_transfer_create(const pl_grid_linear_level* fine,
                                  const pl_grid_linear_level* coarse, pl_pool* pool,
                                  pl_grid_transfer* out, pl_error* error);
void pl_grid_transfer_free(pl_grid_transfer* transfer);

// f and g of the coarse level from the residual of the fine one: that of inner faces and core
// cells, and that of the band as pl_grid_band_smooth left it.
void pl_grid_restrict_residual(const pl_grid_transfer* transfer, const pl_grid_linear_level* fine,
                               pl_grid_linear_level* coarse, pl_pool* pool);
// The same from given values of the fine level: of faces across x, y, z and of cells (NULL: its
// residual).
void pl_grid_restrict(const pl_grid_transfer* transfer, const pl_grid_linear_level* fine,
                      const float* const source[4], pl_grid_linear_level* coarse, pl_pool* pool);
// The residual that pl_grid_restrict_residual restricts: of faces across x, y, z and of cells.
void pl_grid_store_residual(const pl_grid_linear_level* level, float* const out[4]);
// Values outside, and c in place of p in all interior cells, so that the level can be interpolated.
void pl_grid_fill_ghosts(pl_grid_linear_level* coarse, pl_pool* pool);
// u and c of the fine level plus those of the coarse one.
void pl_grid_prolong(const pl_grid_transfer* transfer, pl_grid_linear_level* fine,
                     const pl_grid_linear_level* coarse, pl_pool* pool);
// The same in two parts: all chunks but those that are deep inside (PL_GRID_DEEP), and later these,
// by rows of the fine level.
void pl_grid_prolong_around(const pl_grid_transfer* transfer, pl_grid_linear_level* fine,
                            const pl_grid_linear_level* coarse, pl_pool* pool);
void pl_grid_prolong_deep(const pl_grid_transfer* transfer, pl_grid_linear_level* fine,
                          const pl_grid_linear_level* coarse, int row_begin, int row_end);

#endif
