// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Cells by kind, and the slabs of empty space that are folded away. A connected surface and its
// inside cover a range of cells along an axis without gaps. So the empty slabs are the gaps between
// the ranges of triangles in ascending order.
#include "grid/grid_cells.h"
#include "base/memory.h"
#include "math/vec3.h"

#include <math.h>
#include <stdlib.h>
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

// ------------------------------------------------------------------ positions of cells

enum { KEPT = 64, UNIT = 64 };

// range of cells along an axis, inclusive
typedef struct cell_range {
    int64_t first, last;
} cell_range;

static int compare_ranges(const void* a, const void* b) {
    int64_t x = ((const cell_range*)a)->first, y = ((const cell_range*)b)->first;
    return (x > y) - (x < y);
}

static void fill_ranges(const pl_grid_frame* frame, int axis, const pl_mesh* surface, int reach,
                        cell_range* ranges) {
    for (int t = 0; t < surface->triangle_count; t++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < 3; i++) {
            int v = surface->triangles[3 * (size_t)t + (size_t)i];
            double x = (surface->positions[3 * (size_t)v + (size_t)axis] - frame->origin[axis]) /
                       frame->cell;
            low = fmin(low, x), high = fmax(high, x);
        }
        ranges[t] = (cell_range){(int64_t)floor(low) - reach, (int64_t)floor(high) + reach};
    }
}

// Folds away most of the empty cells [first, end). If there are too many folds, the widest are
// kept.
static void add_fold(pl_grid_frame* frame, int axis, int64_t first, int64_t end) {
    pl_grid_fold* folds = frame->folds[axis];
    int count = frame->fold_count[axis], narrowest = 0;
    pl_grid_fold fold = {first + KEPT / 2, (end - first - KEPT) / UNIT * UNIT};
    if (fold.width < UNIT) return;
    if (count == PL_GRID_MAX_FOLDS) {
        for (int k = 1; k < count; k++)
            if (folds[k].width < folds[narrowest].width) narrowest = k;
        if (folds[narrowest].width >= fold.width) return;
        for (int k = narrowest; k + 1 < count; k++) folds[k] = folds[k + 1];
        count--;
    }
    folds[count] = fold;
    frame->fold_count[axis] = count + 1;
}

pl_status pl_grid_frame_fold(pl_grid_frame* frame, int axis, const pl_mesh* surface, int reach,
                             pl_error* error) {
    int count = surface->triangle_count;
    frame->fold_count[axis] = 0;
    if (count == 0) return PL_OK;
    cell_range* ranges = PL_ALLOC(cell_range, count);
    if (!ranges) return pl_fail_memory(error, "a lattice");
    fill_ranges(frame, axis, surface, reach, ranges);
    qsort(ranges, (size_t)count, sizeof(cell_range), compare_ranges);
    int64_t end = ranges[0].last + 1;
    for (int t = 1; t < count; t++) {
        if (ranges[t].first > end) add_fold(frame, axis, end, ranges[t].first);
        if (ranges[t].last + 1 > end) end = ranges[t].last + 1;
    }
    PL_FREE(ranges, cell_range, count);
    return PL_OK;
}

int64_t pl_grid_left_out(const pl_grid_frame* frame, int axis) {
    int64_t sum = 0;
    for (int k = 0; k < frame->fold_count[axis]; k++) sum += frame->folds[axis][k].width;
    return sum;
}

bool pl_grid_tet_point(const pl_grid_frame* frame, const double* positions, const int tet[4],
                       int* k, double at[3]) {
    pl_vec3 x[4];
    double longest = 0.0;
    for (int i = 0; i < 4; i++) x[i] = pl_vec3_load(positions + 3 * (size_t)tet[i]);
    for (int i = 1; i < 4; i++) longest = fmax(longest, pl_norm(pl_sub(x[i], x[0])));
    const int n = (int)fmin(ceil(2.0 * longest / frame->cell) + 1.0, 64.0);
    for (; *k < n * n * n; ++*k) {
        // (k + 1/2) / n along each of three edges
        const double r = (*k % n + 0.5) / n, s = (*k / n % n + 0.5) / n,
                     t = ((double)(*k / n / n) + 0.5) / n;
        if (r + s + t > 1.0) continue;
        const pl_vec3 along = pl_madd(x[0], r, pl_sub(x[1], x[0]));
        pl_vec3_store(at, pl_madd(pl_madd(along, s, pl_sub(x[2], x[0])), t, pl_sub(x[3], x[0])));
        return true;
    }
    return false;
}
