// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "grid/grid_cells.h"
#include "base/memory.h"

#include <string.h>

pl_status pl_grid_cells_create(const int low[3], const int size[3], pl_grid_cells* out,
                               pl_error* error) {
    for (int a = 0; a < 3; a++) out->low[a] = low[a], out->size[a] = size[a];
    out->kinds = PL_ALLOC(uint8_t, pl_grid_cells_count(out));
    return out->kinds || pl_grid_cells_count(out) == 0 ? PL_OK : pl_fail_memory(error, "a lattice");
}

void pl_grid_cells_free(pl_grid_cells* c) {
    PL_FREE(c->kinds, uint8_t, pl_grid_cells_count(c));
    *c = (pl_grid_cells){0};
}

pl_status pl_grid_cells_coarsen(const pl_grid_cells* fine, pl_grid_cells* out, pl_error* error) {
    int low[3], size[3];
    for (int a = 0; a < 3; a++) {
        low[a] = pl_grid_halve(fine->low[a]);
        size[a] = fine->size[a] ? pl_grid_halve(fine->low[a] + fine->size[a] - 1) + 1 - low[a] : 0;
    }
    pl_status status = pl_grid_cells_create(low, size, out, error);
    if (status != PL_OK) return status;
    const uint8_t* kind = fine->kinds;
    for (int k = fine->low[2]; k < fine->low[2] + fine->size[2]; k++)
        for (int j = fine->low[1]; j < fine->low[1] + fine->size[1]; j++)
            for (int i = fine->low[0]; i < fine->low[0] + fine->size[0]; i++, kind++) {
                uint8_t* coarse = &out->kinds[pl_grid_cells_index(
                    out, pl_grid_halve(i), pl_grid_halve(j), pl_grid_halve(k))];
                if (*kind > *coarse) *coarse = *kind;
            }
    return PL_OK;
}

// adds one layer, reading from a copy
static void grow(pl_grid_cells* c, const uint8_t* before) {
    pl_grid_cells old = *c;
    old.kinds = (uint8_t*)before;
    for (int k = c->low[2]; k < c->low[2] + c->size[2]; k++)
        for (int j = c->low[1]; j < c->low[1] + c->size[1]; j++)
            for (int i = c->low[0]; i < c->low[0] + c->size[0]; i++) {
                uint8_t* kind = &c->kinds[pl_grid_cells_index(c, i, j, k)];
                for (int n = 0; *kind == PL_CELL_EXTERIOR && n < 27; n++)
                    if (pl_grid_cell(&old, i + n % 3 - 1, j + n / 3 % 3 - 1, k + n / 9 - 1) !=
                        PL_CELL_EXTERIOR)
                        *kind = PL_CELL_INTERIOR;
            }
}

pl_status pl_grid_cells_pad(pl_grid_cells* c, int layers, pl_error* error) {
    size_t count = pl_grid_cells_count(c);
    if (layers == 0 || count == 0) return PL_OK;
    uint8_t* before = PL_ALLOC(uint8_t, count);
    if (!before) return pl_fail_memory(error, "a lattice");
    for (int n = 0; n < layers; n++) {
        memcpy(before, c->kinds, count);
        grow(c, before);
    }
    PL_FREE(before, uint8_t, count);
    return PL_OK;
}

pl_status pl_grid_cells_widen(pl_grid_cells* c, pl_error* error) {
    int low[3], size[3];
    for (int a = 0; a < 3; a++) low[a] = c->low[a] - 1, size[a] = c->size[a] + 2;
    pl_grid_cells wide;
    pl_status status = pl_grid_cells_create(low, size, &wide, error);
    if (status != PL_OK) return status;
    for (int k = 0; k < c->size[2]; k++)
        for (int j = 0; j < c->size[1]; j++)
            memcpy(wide.kinds + pl_grid_cells_index(&wide, c->low[0], c->low[1] + j, c->low[2] + k),
                   c->kinds + pl_grid_cells_index(c, c->low[0], c->low[1] + j, c->low[2] + k),
                   (size_t)c->size[0]);
    pl_grid_cells_free(c);
    *c = wide;
    return PL_OK;
}

bool pl_grid_is_layer(const pl_grid_cells* c, int i, int j, int k) {
    for (int a = 0; a < 3; a++) {
        const int x = a == 0, y = a == 1, z = a == 2;
        if (pl_grid_cell(c, i - x, j - y, k - z) == PL_CELL_EXTERIOR &&
            pl_grid_cell(c, i + x, j + y, k + z) == PL_CELL_EXTERIOR)
            return true;
    }
    return false;
}

int pl_grid_cells_count_layers(const pl_grid_cells* c) {
    int count = 0, at[3];
    for (size_t n = 0; n < pl_grid_cells_count(c); n++) {
        pl_grid_cells_place(c, n, at);
        count += c->kinds[n] != PL_CELL_EXTERIOR && pl_grid_is_layer(c, at[0], at[1], at[2]);
    }
    return count;
}
