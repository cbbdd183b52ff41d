// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The levels of a lattice: where coarsening stops, which parts are thin, and how far the Dirichlet
// boundary of each coarse level is from that of the finest one.
#include "grid/grid_lattice.h"
#include "base/array.h"
#include "base/memory.h"

#include <math.h>

// ------------------------------------------------------------------ walls

// Corrects the position of Dirichlet boundaries on coarse levels. A coarse cell is Dirichlet if any
// of its eight children is (Zhu 2010, section 6), and components along a boundary are prescribed
// half a cell behind it, in cells of each level. So each coarse level holds the body at a different
// place. Bending depends on lengths to the third power and more, so its corrections come out too
// large or too small.
//
// Differs from the paper: a difference towards a prescribed value is divided by the true distance
// to its position on the finest level. Corrections are zero there, so this only changes the
// diagonal of a face's equation: it adds 1/distance - 1 for each direction. The rate on the bench's
// box falls from 0.7 to 0.26 at nu = 0.2.

enum { DIRECTIONS = 6 };

// Distances to the Dirichlet boundary of the finest level, which differs from that of the coarse
// Dirichlet cells: 18 values per index of the fields (axis of the face, then towards low x, high x,
// low y, ...), in cells of the level; 1 where the stencil is already right.
typedef struct distances {
    float* values; // NULL: 1 everywhere
    int field_size;
} distances;

static void free_distances(distances* d) {
    PL_FREE(d->values, float, 3 * DIRECTIONS * (size_t)d->field_size);
    *d = (distances){0};
}

typedef enum face_kind { UNKNOWN, VARIABLE, HELD } face_kind;

static face_kind kind_of(const pl_grid_cells* c, int a, const int at[3]) {
    int below[3] = {at[0], at[1], at[2]};
    below[a]--;
    pl_cell low = pl_grid_cell(c, below[0], below[1], below[2]);
    pl_cell high = pl_grid_cell(c, at[0], at[1], at[2]);
    if (low == PL_CELL_DIRICHLET || high == PL_CELL_DIRICHLET) return HELD;
    return low == PL_CELL_INTERIOR && high == PL_CELL_INTERIOR ? VARIABLE : UNKNOWN;
}

static float* entry(const distances* d, int index, int a, int direction) {
    return &d->values[((size_t)index * 3 + (size_t)a) * DIRECTIONS + (size_t)direction];
}

// Distance in fine cells from a coarse face to the boundary along one line of fine faces; `first`
// is the nearest of these, at distance `offset`.
static double along_line(const pl_grid_level* level, const pl_grid_cells* cells,
                         const distances* fine, int a, int direction, const int first[3],
                         double offset) {
    int at[3] = {first[0], first[1], first[2]}, axis = direction / 2;
    double far = offset + 3.0;
    for (int n = 0; n < 3; n++, offset += 1.0) {
        if (kind_of(cells, a, at) != VARIABLE) return far;
        int next[3] = {at[0], at[1], at[2]};
        next[axis] += direction % 2 ? 1 : -1;
        if (kind_of(cells, a, next) == HELD) {
            int index = pl_grid_index(level, at[0], at[1], at[2]);
            return offset + (fine->values ? (double)*entry(fine, index, a, direction) : 1.0);
        }
        at[axis] = next[axis];
    }
    return far;
}

// mean of 1 / distance over the lines of a coarse face
static double mean_inverse(const pl_grid_level* level, const pl_grid_cells* cells,
                           const distances* fine, int a, int direction, const int at[3]) {
    int axis = direction / 2, b = (a + 1) % 3, c = (a + 2) % 3, count = 0;
    double sum = 0.0;
    for (int n = 0; n < 4; n++) {
        int first[3];
        first[a] = 2 * at[a];
        first[b] = 2 * at[b] + n % 2, first[c] = 2 * at[c] + n / 2;
        // across the axis, a line starts only in the half nearer to the boundary
        if (axis != a && first[axis] != 2 * at[axis] + direction % 2) continue;
        sum += 2.0 / along_line(level, cells, fine, a, direction, first, axis == a ? 0.0 : 0.5);
        count++;
    }
    return sum / count;
}

// wall stiffness of a face over all directions; stores the distances
static float measure(const pl_grid_level* fine, const pl_grid_cells* fine_cells,
                     const distances* fine_distances, const pl_grid_cells* cells, int a,
                     const int at[3], int index, const distances* out) {
    double sum = 0.0;
    for (int direction = 0; direction < DIRECTIONS; direction++) {
        int next[3] = {at[0], at[1], at[2]};
        next[direction / 2] += direction % 2 ? 1 : -1;
        if (kind_of(cells, a, next) != HELD) continue;
        double inverse = mean_inverse(fine, fine_cells, fine_distances, a, direction, at);
        *entry(out, index, a, direction) = (float)(1.0 / inverse);
        sum += inverse - 1.0;
    }
    return (float)sum;
}

// Computes the distances of a coarse level from those of the next finer one, and sets the resulting
// stiffness as `wall` of the coarse level.
static pl_status find_walls(const pl_grid_level* fine, const pl_grid_cells* fine_cells,
                            const distances* fine_distances, pl_grid_level* coarse,
                            const pl_grid_cells* cells, distances* out, pl_error* error) {
    const size_t size = (size_t)coarse->field_size;
    *out = (distances){PL_ALLOC(float, 3 * DIRECTIONS * size), coarse->field_size};
    bool ok = out->values;
    for (int a = 0; a < 3; a++) ok = (coarse->wall[a] = PL_ALLOC(float, size)) && ok;
    if (!ok) {
        if (!out->values) out->field_size = 0;
        free_distances(out);
        return pl_fail_memory(error, "the levels of a lattice");
    }
    for (size_t i = 0; i < 3 * DIRECTIONS * size; i++) out->values[i] = 1.0f;
    for (int s = 0; s < coarse->segment_count; s++) {
        const pl_grid_segment* g = &coarse->segments[s];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++)
            for (int a = 0; a < 3; a++) {
                const int at[3] = {g->x + i, g->y, g->z};
                int index = g->begin + i;
                if (!pl_grid_bit(coarse->masks[index / PL_GRID_CHUNK].face[a], index)) continue;
                coarse->wall[a][index] =
                    measure(fine, fine_cells, fine_distances, cells, a, at, index, out);
            }
    }
    return PL_OK;
}

// ------------------------------------------------------------------ thin parts

// Thin parts are the cells farther than NEAR from any cube of CUBE cells inside the body (nearer
// ones are only ragged sides), plus the cells around them. With cubes of 4, or fewer cells around,
// the bench's armadillo with a skeleton converges at 0.5 per cycle asymptotically; with these
// values at 0.29.

enum {
    CUBE = 5,
    NEAR = 1,
    AROUND = 3,            // cells around a part that belong to it
    MAX_CELLS = 8000,      // cells of one part; the factor of a larger part would be too big
    MAX_THICK_CELLS = 4000 // cells outside thin parts, in a level that is factored as a whole
};
// Largest fraction of cells in single layers that a level may have. A single layer does not resist
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
// `first` to `last`; cells outside the box count as 0.
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

// Whether a level with these cells should be the coarsest, factored as a whole: the next level,
// with the cells `next`, would lose the bending of a large part of the body, and this level is thin
// enough for a small factor.
static pl_status thin_is_last(const pl_grid_cells* cells, const pl_grid_cells* next, bool* out,
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

// ------------------------------------------------------------------ levels

// A level with at most this many faces is the coarsest.
enum { BOTTOM_FACES = 500 };

// whether a lattice has a face between two interior cells
static bool has_faces(const pl_grid_cells* c) {
    for (int k = c->low[2]; k < c->low[2] + c->size[2]; k++)
        for (int j = c->low[1]; j < c->low[1] + c->size[1]; j++)
            for (int i = c->low[0]; i < c->low[0] + c->size[0]; i++)
                if (pl_grid_cell(c, i, j, k) == PL_CELL_INTERIOR &&
                    (pl_grid_cell(c, i - 1, j, k) == PL_CELL_INTERIOR ||
                     pl_grid_cell(c, i, j - 1, k) == PL_CELL_INTERIOR ||
                     pl_grid_cell(c, i, j, k - 1) == PL_CELL_INTERIOR))
                    return true;
    return false;
}

static pl_status add_level(pl_grid_lattice* l, const pl_grid_cells* cells, pl_error* error) {
    pl_status status = pl_grid_level_create(cells, &l->levels[l->level_count], error);
    if (status == PL_OK) l->level_count++;
    return status;
}

// Links the chunks of a level to the cells above them.
static pl_status find_parents(pl_grid_level* fine, const pl_grid_level* coarse, pl_error* error) {
    fine->parents =
        pl_alloc_items((size_t)(fine->field_size / PL_GRID_CHUNK), sizeof *fine->parents);
    if (!fine->parents) return pl_fail_memory(error, "the levels of a lattice");
    for (int s = 0; s < fine->segment_count; s++) {
        const pl_grid_segment* g = &fine->segments[s];
        for (int n = 0; n < 9 * g->count; n++) {
            const int c = n / 9, y = pl_grid_halve(g->y) + n % 3 - 1,
                      z = pl_grid_halve(g->z) + n % 9 / 3 - 1,
                      at = pl_grid_index(coarse, pl_grid_halve(g->x + c * PL_GRID_CHUNK), y, z);
            fine->parents[g->begin / PL_GRID_CHUNK + c][n % 9] =
                at >= 0 ? pl_place_of(at) : PL_GRID_NO_PARENT;
        }
    }
    return PL_OK;
}

// Input of the next coarser level: cells and wall distances of the finer one.
typedef struct last_level {
    const pl_grid_cells* cells; // the lattice's, or `own`
    pl_grid_cells own;
    distances away;
} last_level;

static void replace_last(last_level* last, pl_grid_cells cells, distances away) {
    pl_grid_cells_free(&last->own);
    free_distances(&last->away);
    last->own = cells, last->away = away;
    last->cells = &last->own;
}

// Adds a level, unless it would have no unknowns or the last one is better factored.
static pl_status coarsen(pl_grid_lattice* l, last_level* last, bool* more, pl_error* error) {
    pl_grid_cells next = {0};
    distances found = {0};
    bool is_last = false;
    pl_status status = pl_grid_cells_coarsen(last->cells, &next, error);
    if (status == PL_OK) status = thin_is_last(last->cells, &next, &is_last, error);
    *more = status == PL_OK && !is_last && has_faces(&next);
    if (*more) status = add_level(l, &next, error);
    if (*more && status == PL_OK) {
        pl_grid_level* coarse = &l->levels[l->level_count - 1];
        status = find_walls(coarse - 1, last->cells, &last->away, coarse, &next, &found, error);
        if (status == PL_OK) status = find_parents(coarse - 1, coarse, error);
    }
    replace_last(last, next, found);
    return status;
}

pl_status pl_grid_lattice_create(const pl_grid_cells* cells, pl_grid_lattice* out,
                                 pl_error* error) {
    *out = (pl_grid_lattice){.levels = PL_ALLOC(pl_grid_level, PL_GRID_MAX_LEVELS)};
    if (!out->levels) return pl_fail_memory(error, "a lattice");
    last_level last = {.cells = cells};
    pl_status status = add_level(out, cells, error);
    for (bool more = true; status == PL_OK && more && out->level_count < PL_GRID_MAX_LEVELS &&
                           out->levels[out->level_count - 1].face_count > BOTTOM_FACES;)
        status = coarsen(out, &last, &more, error);
    pl_grid_cells_free(&last.own);
    free_distances(&last.away);
    if (status != PL_OK) pl_grid_lattice_free(out);
    return status;
}

void pl_grid_lattice_free(pl_grid_lattice* l) {
    for (int k = 0; k < l->level_count; k++) pl_grid_level_free(&l->levels[k]);
    PL_FREE(l->levels, pl_grid_level, PL_GRID_MAX_LEVELS);
    *l = (pl_grid_lattice){0};
}

// ------------------------------------------------------------------ state

static double** field_of(pl_grid_state* s, int k) {
    double** fields[] = {&s->u[0], &s->u[1], &s->u[2], &s->p, &s->f[0], &s->f[1], &s->f[2], &s->g};
    return fields[k];
}

pl_status pl_grid_state_create(const pl_grid_level* level, pl_grid_state* out, pl_error* error) {
    *out = (pl_grid_state){0};
    for (int k = 0; k < 8; k++) {
        *field_of(out, k) = PL_ALLOC(double, level->field_size);
        if (!*field_of(out, k)) return pl_fail_memory(error, "the state of a lattice");
    }
    return PL_OK;
}

void pl_grid_state_free(const pl_grid_level* level, pl_grid_state* s) {
    for (int k = 0; k < 8; k++) PL_FREE(*field_of(s, k), double, level->field_size);
    *s = (pl_grid_state){0};
}
