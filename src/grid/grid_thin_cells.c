// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Thin parts are the cells farther than NEAR from any cube of CUBE cells inside the body (nearer
// ones are just ragged sides), and the cells around them. With cubes of 4, or fewer cells around,
// the bench's armadillo with a skeleton converges at 0.5 per cycle asymptotically; with these
// values at 0.29.
#include "base/array.h"
#include "base/memory.h"
#include "grid/grid_lattice.h"

enum {
    CUBE = 5,
    NEAR = 1,
    AROUND = 3,            // cells around a part that belong to it
    MAX_CELLS = 8000,      // cells of one part; the factor of a larger part would be too big
    MAX_THICK_CELLS = 4000 // cells outside thin parts, in a level that is factored as a whole
};
// Largest share of cells in single layers that a level may have. A single layer does not resist
// bending, so its corrections would be unbounded.
static const double MAX_LAYERS = 0.125;

// One byte per cell of the bounding box.
typedef struct mask {
    const pl_grid_cells* cells;
    uint8_t *own, *other;
} mask;

static size_t stride_of(const pl_grid_cells* c, int axis) {
    return axis == 0 ? 1 : axis == 1 ? (size_t)c->size[0] : (size_t)c->size[0] * (size_t)c->size[1];
}

// Erosion (or dilation) along an axis: a byte becomes that of all (or any) of the cells at offsets
// `first` to `last`; outside the box there is nothing.
static void spread(mask* m, int axis, int first, int last, bool all) {
    const pl_grid_cells* c = m->cells;
    size_t stride = stride_of(c, axis), count = pl_grid_cells_count(c);
    int size = c->size[axis];
    for (size_t n = 0; n < count; n++) {
        int i = (int)(n / stride % (size_t)size);
        bool value = all;
        for (int d = first; d <= last; d++) {
            bool there = i + d >= 0 && i + d < size &&
                         m->own[(size_t)((int64_t)n + (int64_t)d * (int64_t)stride)];
            value = all ? value && there : value || there;
        }
        m->other[n] = value;
    }
    uint8_t* swap = m->own;
    m->own = m->other, m->other = swap;
}
static void spread_all(mask* m, int first, int last, bool all) {
    for (int axis = 0; axis < 3; axis++) spread(m, axis, first, last, all);
}

// Marks interior cells of thin parts.
static void mark_thin(mask* m) {
    const pl_grid_cells* c = m->cells;
    size_t count = pl_grid_cells_count(c);
    for (size_t n = 0; n < count; n++) m->own[n] = c->kinds[n] != PL_CELL_EXTERIOR;
    spread_all(m, 0, CUBE - 1, true);
    spread_all(m, 1 - CUBE - NEAR, NEAR, false);
    for (size_t n = 0; n < count; n++) m->own[n] = c->kinds[n] == PL_CELL_INTERIOR && !m->own[n];
    spread_all(m, -AROUND, AROUND, false);
    for (size_t n = 0; n < count; n++) m->own[n] &= c->kinds[n] == PL_CELL_INTERIOR;
}

static double share_of_layers(const pl_grid_cells* c) {
    int64_t layers = 0, all = 0;
    for (int k = c->low[2]; k < c->low[2] + c->size[2]; k++)
        for (int j = c->low[1]; j < c->low[1] + c->size[1]; j++)
            for (int i = c->low[0]; i < c->low[0] + c->size[0]; i++) {
                if (pl_grid_cell(c, i, j, k) != PL_CELL_INTERIOR) continue;
                all++, layers += pl_grid_is_layer(c, i, j, k);
            }
    return all ? (double)layers / (double)all : 0.0;
}

pl_status pl_grid_thin_is_last(const pl_grid_cells* cells, const pl_grid_cells* next, bool* out,
                               pl_error* error) {
    const size_t count = pl_grid_cells_count(cells);
    int64_t thick = 0;
    *out = share_of_layers(next) > MAX_LAYERS;
    if (!*out) return PL_OK;
    uint8_t* bytes = PL_ALLOC(uint8_t, 2 * count);
    if (!bytes && count) return pl_fail_memory(error, "the levels of a lattice");
    mask m = {cells, bytes, bytes + count};
    mark_thin(&m);
    for (size_t n = 0; n < count; n++) thick += cells->kinds[n] == PL_CELL_INTERIOR && !m.own[n];
    PL_FREE(bytes, uint8_t, 2 * count);
    *out = thick <= MAX_THICK_CELLS;
    return PL_OK;
}

// collects a part, connected through faces, starting from one cell; marks it 2
static bool collect(const mask* m, size_t first, pl_array* out) {
    const pl_grid_cells* c = m->cells;
    out->count = 0;
    m->own[first] = 2;
    if (!pl_array_push(out, &first)) return false;
    for (size_t k = 0; k < out->count; k++) {
        size_t n = ((size_t*)out->data)[k];
        for (int side = 0; side < 6; side++) {
            size_t stride = stride_of(c, side / 2);
            int i = (int)(n / stride % (size_t)c->size[side / 2]) + (side % 2 ? 1 : -1);
            if (i < 0 || i >= c->size[side / 2]) continue;
            size_t next = side % 2 ? n + stride : n - stride;
            if (m->own[next] != 1) continue;
            m->own[next] = 2;
            if (!pl_array_push(out, &next)) return false;
        }
    }
    return true;
}

// Unmarks parts that are too large; share: their fraction of all interior cells.
static bool drop_large(const mask* m, double* share) {
    pl_array part = pl_array_of(sizeof(size_t));
    bool ok = true;
    size_t left = 0, all = 0;
    for (size_t n = 0; ok && n < pl_grid_cells_count(m->cells); n++) {
        all += m->cells->kinds[n] == PL_CELL_INTERIOR;
        if (m->own[n] != 1) continue;
        ok = collect(m, n, &part);
        if (part.count > MAX_CELLS) left += part.count;
        for (size_t k = 0; part.count > MAX_CELLS && k < part.count; k++)
            m->own[((size_t*)part.data)[k]] = 0;
    }
    pl_array_free(&part);
    *share = all ? (double)left / (double)all : 0.0;
    return ok;
}

bool pl_grid_mark_thin(const pl_grid_cells* cells, uint8_t* bytes, const uint8_t** marks,
                       double* left_share) {
    mask m = {cells, bytes, bytes + pl_grid_cells_count(cells)};
    mark_thin(&m);
    *marks = m.own;
    return drop_large(&m, left_share);
}
