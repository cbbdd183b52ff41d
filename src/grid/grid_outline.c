// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A staggered lattice has no values at corners. Corners are embedded like vertices of the body:
// each displacement component is interpolated from the faces that carry it.
#include "base/memory.h"
#include "grid/grid_body.h"

// corners of the cells of a box, and flags for their outer edges
typedef struct outline {
    const pl_grid_cells* cells;
    size_t size[3]; // in corners
    uint8_t* marks; // per corner: bit a: edge from here along axis a; bit 3: the corner
    size_t count;   // of marks
    int* numbers;   // of corners with bit 3
    int corner_count;
    double* rest;      // 3 per corner
    double* positions; // of the same
} outline;

enum { IS_CORNER = 8 };

static size_t corner_at(const outline* o, const int place[3]) {
    const int* low = o->cells->low;
    return ((size_t)(place[2] - low[2]) * o->size[1] + (size_t)(place[1] - low[1])) * o->size[0] +
           (size_t)(place[0] - low[0]);
}

// the face of a cell across an axis, on its low or high side
static void mark_face(outline* o, const int cell[3], int axis, int side) {
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (int k = 0; k < 4; k++) {
        int place[3] = {cell[0], cell[1], cell[2]};
        place[axis] += side;
        place[u] += k % 2, place[v] += k / 2;
        uint8_t mark = IS_CORNER;
        if (k % 2 == 0) mark |= (uint8_t)(1 << u);
        if (k / 2 == 0) mark |= (uint8_t)(1 << v);
        o->marks[corner_at(o, place)] |= mark;
    }
}

static void mark_faces(outline* o) {
    size_t cell_count = pl_grid_cells_count(o->cells);
    for (size_t i = 0; i < cell_count; i++) {
        if (o->cells->kinds[i] == PL_CELL_EXTERIOR) continue;
        int cell[3];
        pl_grid_cells_place(o->cells, i, cell);
        for (int axis = 0; axis < 3; axis++)
            for (int side = 0; side < 2; side++) {
                int next[3] = {cell[0], cell[1], cell[2]};
                next[axis] += 2 * side - 1;
                if (pl_grid_cell(o->cells, next[0], next[1], next[2]) == PL_CELL_EXTERIOR)
                    mark_face(o, cell, axis, side);
            }
    }
}

static pl_status place_corners(outline* o, pl_grid_body* b, pl_error* error) {
    for (size_t i = 0; i < o->count; i++)
        if (o->marks[i] & IS_CORNER) o->numbers[i] = o->corner_count++;
    o->rest = PL_ALLOC(double, 3 * (size_t)o->corner_count);
    o->positions = PL_ALLOC(double, 3 * (size_t)o->corner_count);
    if (o->corner_count > 0 && (!o->rest || !o->positions))
        return pl_fail_memory(error, "the outline of a lattice");
    for (size_t i = 0; i < o->count; i++) {
        if (!(o->marks[i] & IS_CORNER)) continue;
        size_t row = i / o->size[0];
        const size_t at[3] = {i % o->size[0], row % o->size[1], row / o->size[1]};
        for (int d = 0; d < 3; d++) {
            double place = (double)o->cells->low[d] + (double)at[d];
            o->rest[3 * o->numbers[i] + d] =
                b->frame.origin[d] + b->frame.cell * pl_grid_unfolded(&b->frame, d, place);
        }
    }
    pl_grid_embedding_map map = {0};
    pl_status status = pl_grid_embed(&b->lattice.levels[0], &b->cells, &b->frame, o->rest,
                                     o->corner_count, &map, error);
    if (status != PL_OK) return status;
    pl_grid_extend(&map, b->state.u);
    pl_grid_interpolate(&map, b->state.u, o->positions, b->pool);
    pl_grid_embedding_free(&map);
    for (size_t i = 0; i < 3 * (size_t)o->corner_count; i++) o->positions[i] += o->rest[i];
    return PL_OK;
}

static pl_status hand_over(const outline* o, pl_array* corners, pl_array* edges, pl_error* error) {
    const size_t step[3] = {1, o->size[0], o->size[0] * o->size[1]};
    bool ready = true;
    for (int i = 0; i < o->corner_count && ready; i++)
        ready = pl_array_push(corners, o->positions + 3 * (size_t)i);
    for (size_t i = 0; i < o->count && ready; i++)
        for (int axis = 0; axis < 3 && ready; axis++) {
            if (!(o->marks[i] >> axis & 1)) continue;
            int ends[2] = {o->numbers[i], o->numbers[i + step[axis]]};
            ready = pl_array_push(edges, ends);
        }
    return ready ? PL_OK : pl_fail_memory(error, "the outline of a lattice");
}

pl_status pl_grid_outline(pl_grid_body* b, pl_array* corners, pl_array* edges, pl_error* error) {
    outline o = {.cells = &b->cells};
    o.count = 1;
    for (int d = 0; d < 3; d++) {
        o.size[d] = (size_t)b->cells.size[d] + 1;
        o.count *= o.size[d];
    }
    o.marks = PL_ALLOC(uint8_t, o.count);
    o.numbers = PL_ALLOC(int, o.count);
    pl_status status =
        o.marks && o.numbers ? PL_OK : pl_fail_memory(error, "the outline of a lattice");
    if (status == PL_OK) {
        mark_faces(&o);
        status = place_corners(&o, b, error);
    }
    if (status == PL_OK) status = hand_over(&o, corners, edges, error);
    PL_FREE(o.marks, uint8_t, o.count);
    PL_FREE(o.numbers, int, o.count);
    PL_FREE(o.rest, double, 3 * (size_t)o.corner_count);
    PL_FREE(o.positions, double, 3 * (size_t)o.corner_count);
    return status;
}
