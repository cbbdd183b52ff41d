// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Between two levels (Zhu 2010, section 6).
#ifndef PL_GRID_TRANSFER_H
#define PL_GRID_TRANSFER_H

#include "grid/grid_level.h"

typedef struct pl_grid_transfer {
    // per chunk of the fine fields: the coarse cell above its first cell, in the nine coarse rows
    // around it (y fastest, from -1 to 1)
    int (*parents)[9];
    int parent_count;
    // per chunk of the coarse fields: the fine cell below its first cell and the one 16 further, in
    // the fine rows -1 to 1 from the lower of its two (y fastest)
    int (*children)[9][2];
    int child_count;
} pl_grid_transfer;

pl_status pl_grid_transfer_create(const pl_grid_level* fine, const pl_grid_level* coarse,
                                  pl_grid_transfer* out, pl_error* error);
void pl_grid_transfer_free(pl_grid_transfer* transfer);

// f and g of the coarse level from r and q of the fine one.
void pl_grid_restrict(const pl_grid_transfer* transfer, const pl_grid_level* fine,
                      pl_grid_level* coarse, pl_pool* pool);
// Values outside, and c in place of p in all interior cells, so that the level can be interpolated.
void pl_grid_fill_ghosts(pl_grid_level* coarse);
// u and c of the fine level plus those of the coarse one.
void pl_grid_prolong(const pl_grid_transfer* transfer, pl_grid_level* fine,
                     const pl_grid_level* coarse, pl_pool* pool);

#endif
