// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Cells of a surface: those that it cuts, those inside it, and those added to thin parts.
#include "grid/grid_voxels.h"
#include "base/memory.h"
#include "geometry/box.h"
#include "geometry/solid.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Half edge of a cell in intersection tests. Shrunken: a side of the body between two layers of
// cells cuts neither. Grown: it touches both.
static const double SHRUNKEN = 0.5 - 1e-6;
static const double GROWN = 0.5 + 1e-6;

// Whether a triangle, given relative to a cube's centre, intersects the cube. Separating axes: the
// normal, the cube's axes, and their cross products with the edges.
static bool meets_cube(const pl_vec3 t[3], double half) {
    pl_vec3 axes[13] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    axes[3] = pl_cross(pl_sub(t[1], t[0]), pl_sub(t[2], t[0]));
    for (int e = 0; e < 3; e++)
        for (int a = 0; a < 3; a++)
            axes[4 + 3 * e + a] = pl_cross(axes[a], pl_sub(t[(e + 1) % 3], t[e]));
    for (int k = 0; k < 13; k++) {
        double reach = half * (fabs(axes[k].x) + fabs(axes[k].y) + fabs(axes[k].z));
        double a = pl_dot(axes[k], t[0]), b = pl_dot(axes[k], t[1]), c = pl_dot(axes[k], t[2]);
        if (reach > 0.0 && (fmin(a, fmin(b, c)) > reach || fmax(a, fmax(b, c)) < -reach))
            return false;
    }
    return true;
}

static pl_vec3 in_cells(const pl_grid_frame* frame, const double* position) {
    pl_vec3 x =
        pl_scale(1.0 / frame->cell, pl_sub(pl_vec3_load(position), pl_vec3_load(frame->origin)));
    return (pl_vec3){pl_grid_folded(frame, 0, x.x), pl_grid_folded(frame, 1, x.y),
                     pl_grid_folded(frame, 2, x.z)};
}

static void visit_cells(const pl_grid_cells* cells, const pl_grid_frame* frame,
                        const double* const corners[3], double half,
                        void (*visit)(void* user, size_t cell), void* user) {
    pl_box box = pl_box_empty();
    pl_vec3 corner[3];
    for (int i = 0; i < 3; i++) {
        corner[i] = in_cells(frame, corners[i]);
        box = pl_box_add_point(box, corner[i]);
    }
    const double margin = fmax(half - 0.5, 0.0);
    const double reach[2][3] = {{box.low.x, box.low.y, box.low.z},
                                {box.high.x, box.high.y, box.high.z}};
    int low[3], high[3];
    for (int a = 0; a < 3; a++) {
        low[a] = (int)fmax(floor(reach[0][a] - margin), cells->low[a]);
        high[a] = (int)fmin(floor(reach[1][a] + margin), cells->low[a] + cells->size[a] - 1.0);
    }
    for (int k = low[2]; k <= high[2]; k++)
        for (int j = low[1]; j <= high[1]; j++)
            for (int i = low[0]; i <= high[0]; i++) {
                pl_vec3 middle = {i + 0.5, j + 0.5, k + 0.5}, t[3];
                for (int n = 0; n < 3; n++) t[n] = pl_sub(corner[n], middle);
                if (meets_cube(t, half)) visit(user, pl_grid_cells_index(cells, i, j, k));
            }
}

void pl_grid_visit_triangle(const pl_grid_cells* cells, const pl_grid_frame* frame,
                            const double* const corners[3], void (*visit)(void* user, size_t cell),
                            void* user) {
    visit_cells(cells, frame, corners, SHRUNKEN, visit, user);
}

static void make_interior(void* user, size_t cell) {
    ((pl_grid_cells*)user)->kinds[cell] = PL_CELL_INTERIOR;
}

// Makes a cell interior if no cell around it is in use. So every point of the surface has a cell in
// use within one cell, even if an open surface is exactly between two layers.
static void make_supported(void* user, size_t cell) {
    pl_grid_cells* c = user;
    int at[3];
    pl_grid_cells_place(c, cell, at);
    for (int n = 0; n < 27; n++)
        if (pl_grid_cell(c, at[0] + n % 3 - 1, at[1] + n / 3 % 3 - 1, at[2] + n / 9 - 1) !=
            PL_CELL_EXTERIOR)
            return;
    c->kinds[cell] = PL_CELL_INTERIOR;
}

// marks the cells that triangles cut, then the cells needed to have one near every triangle
static void mark_surface(const pl_mesh* surface, const pl_grid_frame* frame, pl_grid_cells* cells) {
    for (int pass = 0; pass < 2; pass++)
        for (int t = 0; t < surface->triangle_count; t++) {
            const double* corner[3];
            for (int i = 0; i < 3; i++)
                corner[i] =
                    surface->positions + 3 * (size_t)surface->triangles[3 * (size_t)t + (size_t)i];
            visit_cells(cells, frame, corner, pass ? GROWN : SHRUNKEN,
                        pass ? make_supported : make_interior, cells);
        }
}

typedef struct fill_job {
    const pl_solid* solid;
    const pl_grid_frame* frame;
    pl_grid_cells* cells;
} fill_job;

// marks the cells of some rows whose centres are inside
static void fill_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const fill_job* job = user;
    pl_grid_cells* c = job->cells;
    enum { BATCH = 64 };
    double points[3 * BATCH], distance[BATCH];
    for (int row = begin; row < end; row++)
        for (int first = 0; first < c->size[0]; first += BATCH) {
            int count = c->size[0] - first < BATCH ? c->size[0] - first : BATCH;
            for (int i = 0; i < count; i++) {
                const double at[3] = {c->low[0] + first + i + 0.5,
                                      c->low[1] + row % c->size[1] + 0.5,
                                      c->low[2] + row / c->size[1] + 0.5};
                for (int a = 0; a < 3; a++)
                    points[3 * i + a] = job->frame->origin[a] +
                                        job->frame->cell * pl_grid_unfolded(job->frame, a, at[a]);
            }
            pl_solid_distances(job->solid, points, count, job->frame->cell, distance);
            uint8_t* kinds = c->kinds + (size_t)row * (size_t)c->size[0] + first;
            for (int i = 0; i < count; i++)
                if (distance[i] < 0.0) kinds[i] = PL_CELL_INTERIOR;
        }
}

// ------------------------------------------------------------------ thickening

// Thickens parts of a body that are one cell thin. Displacements are on faces between two cells of
// the body, and shear is on edges between four. So a single layer has no displacement across itself
// and does not bend: its values across are extrapolated from the rest of the body.
//
// Differs from the paper, which asks for sufficiently fine lattices. Here every cell gets to belong
// to a cube of 2 x 2 x 2 cells of the body: a cell without one completes the cheapest. The cells
// beside an added one give it a twelfth of their stiffness and mass. A layer then stretches as
// before, and bends like solid material one cell thick: its second moment of area is that of 11/12
// and 1/12 at a distance of one cell, (11/12) (1/12) = 0.076, where a solid layer has 1/12.

// Marks added cells until all are found. They do not count as bridges.
enum { ADDED = PL_CELL_DIRICHLET + 1 };
// Adding this many cells is better than touching a part of the body that is not adjacent.
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

// Cost of completing the cube around a corner of a cell; 0 if it is complete.
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

// The corner of a cell whose cube costs least; among equal ones the corner deepest inside the
// surface, or nearest to it. -1 if a cube is complete.
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

// Adds the missing cells of the cube around a corner of a cell; false if allocation fails.
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

static pl_status thicken(const pl_solid* solid, const pl_grid_frame* frame, pl_grid_cells* c,
                         pl_grid_thickening* out, pl_error* error) {
    pl_status status = pl_grid_cells_widen(c, error);
    if (status != PL_OK) return status;
    bool ok = true;
    out->thin_count = pl_grid_cells_count_layers(c);
    if (count_used(c) < 2) return PL_OK; // cells are far too large
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

// ------------------------------------------------------------------ the box

// Measured memory of a lattice's bounding box, independent of the cells in use: cell kinds on all
// levels, and lists of rows (cells along x).
static const double BYTES_PER_CELL = 2.0, BYTES_PER_ROW = 100.0;
// Larger boxes are folded.
static const double FOLDED_FROM = 16e6;

static double box_bytes(const double cells[3]) {
    return (BYTES_PER_CELL * cells[0] + BYTES_PER_ROW) * cells[1] * cells[2];
}

static pl_status fold(const pl_mesh* surface, int padding, pl_grid_frame* frame, double cells[3],
                      pl_error* error) {
    pl_status status = PL_OK;
    for (int a = 0; status == PL_OK && a < 3; a++) {
        // thin parts may get another layer, and neighbouring cells are read: two layers, to be safe
        status = pl_grid_frame_fold(frame, a, surface, padding + 3, error);
        cells[a] -= (double)pl_grid_left_out(frame, a);
    }
    return status;
}

// The box of cells around a surface, centred on it.
static pl_status choose_box(const pl_mesh* surface, int padding, pl_grid_frame* frame, int low[3],
                            int size[3], pl_error* error) {
    pl_box box = pl_box_empty();
    for (int v = 0; v < surface->vertex_count; v++)
        box = pl_box_add_point(box, pl_vec3_load(surface->positions + 3 * (size_t)v));
    pl_vec3 span = pl_sub(box.high, box.low);
    const double length[3] = {span.x, span.y, span.z};
    double cells[3];
    for (int a = 0; a < 3; a++)
        cells[a] = fmax(ceil(length[a] / frame->cell - 1e-6), 1.0) + 2.0 * padding;
    pl_vec3_store(frame->origin, box.low);
    for (int a = 0; a < 3; a++) {
        frame->origin[a] -= 0.5 * ((cells[a] - 2 * padding) * frame->cell - length[a]);
        frame->fold_count[a] = 0;
    }
    bool numbered = cells[0] < 1e15 && cells[1] < 1e15 && cells[2] < 1e15;
    if (numbered && box_bytes(cells) > FOLDED_FROM) {
        pl_status status = fold(surface, padding, frame, cells, error);
        if (status != PL_OK) return status;
    }
    const double bytes = box_bytes(cells);
    if (!(bytes <= PL_GRID_MAX_BOX_BYTES) || !(cells[0] < 1e9))
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "a lattice of %g m cells would be %.0f x %.0f x %.0f cells; its box alone "
                       "takes about %.2g GB, and at most %g GB are allowed; use larger cells "
                       "(grid.cell), or make bodies of their own of its parts",
                       frame->cell, cells[0], cells[1], cells[2], 1e-9 * bytes,
                       1e-9 * PL_GRID_MAX_BOX_BYTES);
    for (int a = 0; a < 3; a++) {
        size[a] = (int)cells[a];
        low[a] = -padding;
    }
    return PL_OK;
}

static pl_status check_used(const pl_grid_cells* cells, const pl_grid_frame* frame,
                            pl_error* error) {
    const size_t count = pl_grid_cells_count(cells);
    size_t used = 0;
    for (size_t n = 0; n < count; n++) used += cells->kinds[n] != PL_CELL_EXTERIOR;
    if (used <= PL_GRID_MAX_CELLS) return PL_OK;
    return pl_fail(
        error, PL_ERROR_ARGUMENT,
        "a lattice of %g m cells has %zu of them in use, and at most %d are allowed; use "
        "larger cells (grid.cell)",
        frame->cell, used, PL_GRID_MAX_CELLS);
}

pl_status pl_grid_voxelise(const pl_mesh* surface, int padding, pl_pool* pool, pl_grid_frame* frame,
                           pl_grid_cells* out, pl_grid_thickening* thickening, pl_error* error) {
    int low[3], size[3];
    pl_status status = choose_box(surface, padding, frame, low, size, error);
    if (status != PL_OK) return status;
    status = pl_grid_cells_create(low, size, out, error);
    if (status != PL_OK) return status;
    pl_solid solid;
    status = pl_solid_build(surface->positions, surface->triangles, surface->triangle_count, false,
                            &solid, error);
    if (status == PL_OK) {
        pl_parallel_for(pool, fill_task, size[1] * size[2], 16, &(fill_job){&solid, frame, out});
        mark_surface(surface, frame, out);
        status = pl_grid_cells_pad(out, padding, error);
        if (status == PL_OK && thickening) status = thicken(&solid, frame, out, thickening, error);
        pl_solid_free(&solid);
    }
    if (status == PL_OK) status = check_used(out, frame, error);
    if (status != PL_OK) pl_grid_cells_free(out);
    return status;
}

// ------------------------------------------------------------------ stiffness and mass

// Fraction of its stiffness and mass that a cell gives to an added cell across a face; its square
// across an edge and its cube across a corner.
static const float SHARE = 1.0f / 12.0f;

// Lists the original cells around an added one: across faces, or if none across edges, or corners.
// Returns their number; *share: the fraction to give, divided among them.
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
