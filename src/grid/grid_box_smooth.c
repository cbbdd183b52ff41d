// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The matrix of a box is found column by column: each of the seven variables is moved by one, and
// what its equations answer is their column. Residuals come from the same function, so that no
// second form of the equations has to be kept right.
#include "grid/grid_box_smooth.h"

#include <math.h>

enum { VARIABLES = 7 };

static int above(const pl_grid_segment* g, int a, int i) {
    return i + (a == 0 ? g->begin + 1 : g->rows[a == 1 ? PL_ROW_Y_HIGH : PL_ROW_Z_HIGH]);
}

// Where a face lies: its segment and offset there, so that neighbours are found.
typedef struct place {
    const pl_grid_segment* segment;
    int offset, axis, index;
} place;

// the segment of an index
static const pl_grid_segment* segment_of(const pl_grid_level* l, int index) {
    int low = 0, high = l->segment_count - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (l->segments[middle].begin <= index) low = middle;
        else high = middle - 1;
    }
    return &l->segments[low];
}

static place place_of(const pl_grid_level* l, int axis, int index) {
    const pl_grid_segment* g = segment_of(l, index);
    return (place){g, index - g->begin, axis, index};
}

// The equations of a box: faces that are variables, then the pressure.
typedef struct box {
    place face[6];
    int face_count;
    const pl_grid_segment* segment;
    int offset; // of the cell
} box;

static box make_box(const pl_grid_level* l, const pl_grid_segment* g, int i) {
    box b = {.segment = g, .offset = i};
    for (int a = 0; a < 3; a++)
        for (int side = 0; side < 2; side++) {
            int index = side ? above(g, a, i) : g->begin + i;
            if (pl_grid_bit(l->masks[index / PL_GRID_CHUNK].face[a], index))
                b.face[b.face_count++] = place_of(l, a, index);
        }
    return b;
}

static void find_residuals(const pl_grid_level* l, const pl_grid_state* s, const box* b,
                           double* out) {
    for (int k = 0; k < b->face_count; k++) {
        const place* f = &b->face[k];
        out[k] = pl_grid_face_residual(l, s, f->segment, f->axis, f->offset);
    }
    out[b->face_count] = pl_grid_cell_residual(l, s, b->segment, b->offset);
}

static double* variable(pl_grid_state* s, const box* b, int k) {
    return k < b->face_count ? &s->u[b->face[k].axis][b->face[k].index]
                             : &s->p[b->segment->begin + b->offset];
}

// A x = b with the largest pivot of each column; variables without one stay zero
static void solve(double A[VARIABLES][VARIABLES], double* b, int n, double* x) {
    int row_of[VARIABLES], used = 0;
    for (int c = 0; c < n; c++) {
        int best = used;
        for (int r = used; r < n; r++)
            if (fabs(A[r][c]) > fabs(A[best][c])) best = r;
        row_of[c] = -1;
        if (used == n || fabs(A[best][c]) < 1e-12) continue;
        for (int k = 0; k < n; k++) {
            double swap = A[best][k];
            A[best][k] = A[used][k], A[used][k] = swap;
        }
        double swap = b[best];
        b[best] = b[used], b[used] = swap;
        for (int r = used + 1; r < n; r++) {
            double share = A[r][c] / A[used][c];
            for (int k = c; k < n; k++) A[r][k] -= share * A[used][k];
            b[r] -= share * b[used];
        }
        row_of[c] = used++;
    }
    for (int c = n - 1; c >= 0; c--) {
        x[c] = 0.0;
        if (row_of[c] < 0) continue;
        double sum = b[row_of[c]];
        for (int k = c + 1; k < n; k++) sum -= A[row_of[c]][k] * x[k];
        x[c] = sum / A[row_of[c]][c];
    }
}

static void smooth_box(const pl_grid_level* l, const box* b, pl_grid_state* s) {
    double A[VARIABLES][VARIABLES], r[VARIABLES], moved[VARIABLES], change[VARIABLES];
    int n = b->face_count + 1;
    find_residuals(l, s, b, r);
    for (int c = 0; c < n; c++) {
        double *x = variable(s, b, c), before = *x;
        *x = before + 1.0;
        find_residuals(l, s, b, moved);
        *x = before;
        for (int k = 0; k < n; k++) A[k][c] = r[k] - moved[k];
    }
    solve(A, r, n, change);
    for (int c = 0; c < n; c++) *variable(s, b, c) += change[c];
}

static bool is_wanted(const pl_grid_masks* m, int index, pl_grid_boxes boxes) {
    if (!pl_grid_bit(m->interior, index)) return false;
    return boxes == PL_BOXES_ALL || !pl_grid_bit(m->core, index) || pl_grid_bit(m->rim, index);
}

void pl_grid_box_smooth(const pl_grid_level* l, pl_grid_boxes boxes, pl_grid_state* s) {
    for (int k = 0; k < l->segment_count; k++) {
        const pl_grid_segment* g = &l->segments[k];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++) {
            if (!is_wanted(&l->masks[(g->begin + i) / PL_GRID_CHUNK], g->begin + i, boxes))
                continue;
            box b = make_box(l, g, i);
            smooth_box(l, &b, s);
        }
    }
}
