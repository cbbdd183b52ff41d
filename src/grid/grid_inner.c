// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "grid/grid_inner.h"
#include "base/memory.h"
#include "grid/grid_recombine.h"
#include "grid/grid_transfer.h"

#include <math.h>
#include <string.h>

pl_status pl_grid_inner_create(const pl_grid_level* level, int cycles, pl_grid_inner* out,
                               pl_error* error) {
    if (cycles < 2 || out->count >= cycles) return PL_OK;
    pl_grid_inner_free(out);
    *out = (pl_grid_inner){.size = (size_t)level->field_size, .count = cycles};
    for (int k = 0; k < cycles; k++)
        if (!pl_grid_fields_create(out->size, out->change[k]) ||
            !pl_grid_fields_create(out->size, out->image[k])) {
            pl_grid_inner_free(out);
            return pl_fail_memory(error, "the levels of a lattice");
        }
    return PL_OK;
}

void pl_grid_inner_free(pl_grid_inner* inner) {
    for (int k = 0; k < inner->count; k++) {
        pl_grid_fields_free(inner->size, inner->change[k]);
        pl_grid_fields_free(inner->size, inner->image[k]);
    }
    *inner = (pl_grid_inner){0};
}

// The change and the image of the cycle that has just been made: the residual after it less f.
static void keep(pl_grid_inner* h, pl_grid_level* l, int k, pl_pool* pool) {
    float *residual[4] = {l->f[0], l->f[1], l->f[2], l->g},
          *u[4] = {l->u[0], l->u[1], l->u[2], l->c};
    for (int a = 0; a < 4; a++) {
        memcpy(h->change[k][a], u[a], h->size * sizeof(float));
        memset(h->image[k][a], 0, h->size * sizeof(float)); // not all of it is written below
    }
    pl_grid_store_residual(l, h->image[k]);
    pl_grid_fields_add(h->size, -1.0, residual, h->image[k], pool);
}

void pl_grid_inner_solve(pl_grid_inner* h, pl_grid_level* l, int cycles,
                         void (*cycle)(void* user, int l), void* user, int index, pl_pool* pool) {
    if (cycles < 2 || h->count < cycles) {
        cycle(user, index);
        return;
    }
    float *residual[4] = {l->f[0], l->f[1], l->f[2], l->g},
          *u[4] = {l->u[0], l->u[1], l->u[2], l->c};
    double square[PL_GRID_MAX_INNER], step[PL_GRID_MAX_INNER];
    int count = 0;
    for (; count < cycles; count++) {
        float **d = h->change[count], **q = h->image[count];
        cycle(user, index);
        keep(h, l, count, pool);
        for (int k = 0; k < count; k++) {
            double share = pl_grid_fields_product(h->size, q, h->image[k], pool) / square[k];
            pl_grid_fields_add(h->size, -share, h->image[k], q, pool);
            pl_grid_fields_add(h->size, -share, h->change[k], d, pool);
        }
        square[count] = pl_grid_fields_product(h->size, q, q, pool);
        if (!(square[count] > 0.0) || !(square[count] < INFINITY)) break;
        step[count] = -pl_grid_fields_product(h->size, residual, q, pool) / square[count];
        pl_grid_fields_add(h->size, step[count], q, residual, pool);
    }
    for (int a = 0; a < 4; a++) memset(u[a], 0, h->size * sizeof(float));
    for (int k = 0; k < count; k++) pl_grid_fields_add(h->size, step[k], h->change[k], u, pool);
}
