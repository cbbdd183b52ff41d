// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Corrects the position of Dirichlet boundaries on coarse levels. A coarse cell is Dirichlet if any
// of its eight children is (Zhu 2010, section 6), and components along a boundary are prescribed
// half a cell behind it, in cells of each level. So each coarse level holds the body at a different
// place. Bending depends on lengths to the third power and more, so its corrections come out too
// large or too small.
//
// Where we differ: a difference towards a prescribed value is divided by the true distance to its
// position on the finest level. Corrections are zero there, so this only changes the diagonal of a
// face's equation: it adds 1/distance - 1 for each direction. The rate on the bench's box falls
// from 0.7 to 0.26 at nu = 0.2.
#include "base/memory.h"
#include "grid/grid_lattice.h"

#include <math.h>

enum { DIRECTIONS = 6 };

void pl_grid_distances_free(pl_grid_distances* d) {
    PL_FREE(d->values, float, 3 * DIRECTIONS * (size_t)d->field_size);
    *d = (pl_grid_distances){0};
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

static float* entry(const pl_grid_distances* d, int index, int a, int direction) {
    return &d->values[((size_t)index * 3 + (size_t)a) * DIRECTIONS + (size_t)direction];
}

// Distance in fine cells from a coarse face to the boundary along one line of fine faces; `first`
// is the nearest of these, at distance `offset`.
static double along_line(const pl_grid_level* level, const pl_grid_cells* cells,
                         const pl_grid_distances* fine, int a, int direction, const int first[3],
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
                           const pl_grid_distances* fine, int a, int direction, const int at[3]) {
    int axis = direction / 2, b = (a + 1) % 3, c = (a + 2) % 3, count = 0;
    double sum = 0.0;
    for (int n = 0; n < 4; n++) {
        int first[3];
        first[a] = 2 * at[a];
        first[b] = 2 * at[b] + n % 2, first[c] = 2 * at[c] + n / 2;
        // across the axis, only the half nearer to the boundary starts a line
        if (axis != a && first[axis] != 2 * at[axis] + direction % 2) continue;
        sum += 2.0 / along_line(level, cells, fine, a, direction, first, axis == a ? 0.0 : 0.5);
        count++;
    }
    return sum / count;
}

// wall stiffness of a face over all directions; stores the distances
static float measure(const pl_grid_level* fine, const pl_grid_cells* fine_cells,
                     const pl_grid_distances* fine_distances, const pl_grid_cells* cells, int a,
                     const int at[3], int index, const pl_grid_distances* out) {
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

pl_status pl_grid_find_walls(const pl_grid_level* fine, const pl_grid_cells* fine_cells,
                             const pl_grid_distances* fine_distances, pl_grid_level* coarse,
                             const pl_grid_cells* cells, pl_grid_distances* out, pl_error* error) {
    const size_t size = (size_t)coarse->field_size;
    *out = (pl_grid_distances){PL_ALLOC(float, 3 * DIRECTIONS * size), coarse->field_size};
    bool ok = out->values;
    for (int a = 0; a < 3; a++) ok = (coarse->wall[a] = PL_ALLOC(float, size)) && ok;
    if (!ok) {
        if (!out->values) out->field_size = 0;
        pl_grid_distances_free(out);
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
