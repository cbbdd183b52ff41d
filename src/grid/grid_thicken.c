// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Thickens parts of a body that are one cell thin. Displacements live on faces between two cells of
// the body, and shear on edges between four. So a single layer has no displacement across itself
// and does not bend: what happens across it is extrapolated from the rest of the body.
//
// Where we differ from the paper: it asks for lattices fine enough. Here every cell gets to belong
// to a cube of 2 x 2 x 2 cells of the body: cells that lack one complete the cheapest. The cells
// beside an added one give it a twelfth of their stiffness and mass. A layer then stretches as
// before, and bends like solid material one cell thick: its second moment of area is that of 11/12
// and 1/12 at a distance of one cell, (11/12) (1/12) = 0.076, where a solid layer has 1/12.
#include "grid/grid_thicken.h"
#include "base/memory.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// Marks added cells until all are known. They do not count as bridges.
enum { ADDED = PL_CELL_DIRICHLET + 1 };
// Adding this many cells is better than touching a part of the body that is not near.
enum { BRIDGE_COST = 4 };

// cell `n` of the 8 around the low (0) or high (1) corner of a cell along each axis
static void cube_cell(const int at[3], int corner, int n, int out[3]) {
    for (int a = 0; a < 3; a++) out[a] = at[a] - 1 + (corner >> a & 1) + (n >> a & 1);
}

static bool is_used(const pl_grid_cells* c, const int at[3]) {
    return pl_grid_cell(c, at[0], at[1], at[2]) != PL_CELL_EXTERIOR;
}

// Number of cells near a new one that belong to the body but do not touch the cell `at`.
static int count_bridges(const pl_grid_cells* c, const int at[3], const int added[3]) {
    int count = 0;
    for (int side = 0; side < 6; side++) {
        int near[3] = {added[0], added[1], added[2]};
        near[side / 2] += side % 2 ? 1 : -1;
        bool touches = true;
        for (int a = 0; a < 3; a++) touches = touches && abs(near[a] - at[a]) < 2;
        count += !touches && pl_grid_cell(c, near[0], near[1], near[2]) == PL_CELL_INTERIOR;
    }
    return count;
}

// What completing the cube around a corner of a cell costs; 0 if it is complete.
static int cost_of(const pl_grid_cells* c, const int at[3], int corner) {
    int cost = 0, cell[3];
    for (int n = 0; n < 8; n++) {
        cube_cell(at, corner, n, cell);
        if (!is_used(c, cell)) cost += 1 + BRIDGE_COST * count_bridges(c, at, cell);
    }
    return cost;
}

// Signed distance of the eight corners of a cell from the surface [m].
static void corner_distances(const pl_solid* solid, const pl_grid_frame* frame, const int at[3],
                             double out[8]) {
    double points[24];
    for (int n = 0; n < 8; n++)
        for (int a = 0; a < 3; a++)
            points[3 * n + a] =
                frame->origin[a] + frame->cell * pl_grid_unfolded(frame, a, at[a] + (n >> a & 1));
    pl_solid_distances(solid, points, 8, frame->cell, out);
}

// The corner of a cell whose cube costs least; of equal ones the corner deepest inside the surface,
// or nearest to it. -1 if a cube is complete.
static int cheapest_corner(const pl_solid* solid, const pl_grid_frame* frame, const int at[3],
                           const pl_grid_cells* c) {
    int costs[8], least = INT_MAX, best = -1;
    double distance[8];
    for (int corner = 0; corner < 8; corner++) {
        costs[corner] = cost_of(c, at, corner);
        if (costs[corner] == 0) return -1;
        if (costs[corner] < least) least = costs[corner];
    }
    corner_distances(solid, frame, at, distance);
    for (int corner = 0; corner < 8; corner++)
        if (costs[corner] == least && (best < 0 || distance[corner] < distance[best]))
            best = corner;
    return best;
}

// Adds what the cube around a corner of a cell lacks; false if allocation fails.
static bool complete_cube(pl_grid_cells* c, const int at[3], int corner, pl_array* added) {
    bool ok = true;
    for (int n = 0; ok && n < 8; n++) {
        int cell[3];
        cube_cell(at, corner, n, cell);
        if (is_used(c, cell)) continue;
        c->kinds[pl_grid_cells_index(c, cell[0], cell[1], cell[2])] = ADDED;
        ok = pl_array_push(added, cell);
    }
    return ok;
}

static size_t count_used(const pl_grid_cells* c) {
    size_t count = 0;
    for (size_t n = 0; n < pl_grid_cells_count(c); n++) count += c->kinds[n] != PL_CELL_EXTERIOR;
    return count;
}

pl_status pl_grid_thicken(const pl_solid* solid, const pl_grid_frame* frame, pl_grid_cells* c,
                          pl_grid_thickening* out, pl_error* error) {
    pl_status status = pl_grid_cells_widen(c, error);
    if (status != PL_OK) return status;
    bool ok = true;
    out->thin_count = pl_grid_cells_count_layers(c);
    if (count_used(c) < 2) return PL_OK; // cells far too large
    for (size_t n = 0; ok && n < pl_grid_cells_count(c); n++) {
        int at[3];
        if (c->kinds[n] != PL_CELL_INTERIOR) continue;
        pl_grid_cells_place(c, n, at);
        const int corner = cheapest_corner(solid, frame, at, c);
        ok = corner < 0 || complete_cube(c, at, corner, &out->added);
    }
    for (size_t n = 0; n < pl_grid_cells_count(c); n++)
        if (c->kinds[n] == ADDED) c->kinds[n] = PL_CELL_INTERIOR;
    return ok ? PL_OK : pl_fail_memory(error, "the cells of a lattice");
}

// ------------------------------------------------------------------ stiffness and mass

// Part of their own that cells give to an added cell beside them across a face; across an
// edge or a corner the square or cube of it.
static const float SHARE = 1.0f / 12.0f;

// The cells around an added one that were there before, across faces, else edges, else corners.
// Returns their number; *share: what they give.
static int list_donors(const pl_grid_level* level, const pl_grid_cells* c, const bool* is_added,
                       const int at[3], int out[27], float* share) {
    int count = 0;
    *share = 1.0f;
    for (int far = 1; far <= 3 && count == 0; far++) {
        *share *= SHARE;
        for (int n = 0; n < 27; n++) {
            const int x = n % 3 - 1, y = n / 3 % 3 - 1, z = n / 9 - 1;
            if (abs(x) + abs(y) + abs(z) != far) continue;
            if (pl_grid_cell(c, at[0] + x, at[1] + y, at[2] + z) == PL_CELL_EXTERIOR) continue;
            const int index = pl_grid_index(level, at[0] + x, at[1] + y, at[2] + z);
            if (!is_added[index]) out[count++] = index;
        }
    }
    return count;
}

pl_status pl_grid_share_cells(const pl_grid_thickening* t, const pl_grid_level* level,
                              const pl_grid_cells* cells, float* amount, pl_error* error) {
    const int* places = t->added.data;
    bool* is_added = PL_ALLOC(bool, level->field_size);
    float* before = PL_ALLOC(float, level->field_size);
    const bool ok = is_added && before;
    if (ok) memcpy(before, amount, (size_t)level->field_size * sizeof(float));
    for (size_t n = 0; ok && n < 3 * t->added.count; n += 3)
        is_added[pl_grid_index(level, places[n], places[n + 1], places[n + 2])] = true;
    for (size_t n = 0; ok && n < 3 * t->added.count; n += 3) {
        int donors[27];
        float share, own = 0.0f;
        const int count = list_donors(level, cells, is_added, places + n, donors, &share);
        for (int k = 0; k < count; k++) {
            const float gift = share * before[donors[k]] / (float)count;
            amount[donors[k]] -= gift, own += gift;
        }
        amount[pl_grid_index(level, places[n], places[n + 1], places[n + 2])] = own;
    }
    PL_FREE(is_added, bool, level->field_size);
    PL_FREE(before, float, level->field_size);
    return ok ? PL_OK : pl_fail_memory(error, "the cells of a lattice");
}
