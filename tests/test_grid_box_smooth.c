// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The box smoother (Zhu 2010, section 5.2), which is slow and needs no definite equations and no
// difference between inside and boundary: what fast sweeps are compared with. For each cell in turn
// its six faces and its pressure are changed together so that the equations of all seven hold.
//
// Where we differ: the paper's boxes are two cells wide, ours one; seven equations are solved
// exactly, in double. The matrix of a box is found column by column: each of the seven variables is
// moved by one, and what its equations answer is their column.
#include "grid/grid_linear.h"
#include "grid_samples.h"
#include "test.h"

#include <math.h>

typedef enum box_choice {
    ALL_BOXES,
    BOUNDARY_BOXES, // cells with an exterior neighbour, and those next to them
} box_choice;

enum { VARIABLES = 7 };

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
            int index = side ? pl_grid_above(g, a, i) : g->begin + i;
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

static bool is_wanted(const pl_grid_masks* m, int index, box_choice boxes) {
    if (!pl_grid_bit(m->interior, index)) return false;
    return boxes == ALL_BOXES || !pl_grid_bit(m->core, index) || pl_grid_bit(m->rim, index);
}

// One sweep over the cells of a level in the order of their rows; changes u and p of the state.
static void smooth_boxes(const pl_grid_level* l, box_choice boxes, pl_grid_state* s) {
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

// ------------------------------------------------------------------ tests

typedef struct body {
    pl_grid_cells cells;
    pl_grid_lattice lattice;
    pl_grid_linear mg;
    pl_grid_state state;
} body;

static body make_body(pl_grid_cells cells, double nu) {
    body b = {.cells = cells};
    pl_error error;
    CHECK_OK(pl_grid_lattice_create(&cells, &b.lattice, &error), &error);
    CHECK_OK(pl_grid_linear_create(&b.lattice, &cells, NULL, &b.mg, &error), &error);
    CHECK_OK(pl_grid_state_create(&b.lattice.levels[0], &b.state, &error), &error);
    b.state.compressibility = (1.0 - 2.0 * nu) / (2.0 * nu);
    pl_grid_linear_update(&b.mg, b.state.compressibility, 0.0);
    return b;
}

static void free_body(body* b) {
    pl_grid_state_free(&b->lattice.levels[0], &b->state);
    pl_grid_linear_free(&b->mg);
    pl_grid_lattice_free(&b->lattice);
    pl_grid_cells_free(&b->cells);
}

static void load(body* b) {
    const pl_grid_level* l = &b->lattice.levels[0];
    for (int i = 0; i < l->field_size; i++)
        for (int a = 0; a < 3; a++)
            if (pl_grid_bit(l->masks[i / PL_GRID_CHUNK].face[a], i))
                b->state.f[a][i] = sin(0.1 * i + a);
}

TEST(grid_box_smooth_solves_the_box_of_a_cell)
{
    // one cell between held ones along x, y and z: a single box, so one sweep is the answer
    const int low[3] = {0, 0, 0}, size[3] = {4, 3, 3};
    pl_grid_cells cells;
    pl_error error;
    CHECK_OK(pl_grid_cells_create(low, size, &cells, &error), &error);
    for (int n = 0; n < 36; n++) cells.kinds[n] = PL_CELL_DIRICHLET;
    cells.kinds[pl_grid_cells_index(&cells, 1, 1, 1)] = PL_CELL_INTERIOR;
    cells.kinds[pl_grid_cells_index(&cells, 2, 1, 1)] = PL_CELL_INTERIOR;
    body b = make_body(cells, 0.3);
    fill_random(&b.lattice.levels[0], &b.state, 1);
    load(&b);
    // two cells share one face: sweeps go to and fro between two boxes
    for (int k = 0; k < 60; k++) smooth_boxes(&b.lattice.levels[0], ALL_BOXES, &b.state);
    CHECK(pl_grid_residual(&b.mg.levels[0], &b.state, NULL) < 1e-12);
    free_body(&b);
}

LONG_TEST(grid_box_smooth_converges_to_what_cycles_find)
{
    static const double nu[] = {0.2, 0.49};
    for (int n = 0; n < 2; n++) {
        body boxes = make_body(sample_ball_cells(4), nu[n]);
        body cycles = make_body(sample_ball_cells(4), nu[n]);
        load(&boxes), load(&cycles);
        pl_grid_linear_level* l = &cycles.mg.levels[0];
        double first = pl_grid_residual(l, &cycles.state, NULL);
        for (int k = 0; k < 120; k++) {
            pl_grid_linear_cycle(&cycles.mg);
            pl_grid_correct(l, &cycles.state, NULL);
            pl_grid_residual(l, &cycles.state, NULL);
        }
        for (int k = 0; k < 1500; k++)
            smooth_boxes(&boxes.lattice.levels[0], ALL_BOXES, &boxes.state);
        CHECK(pl_grid_residual(&boxes.mg.levels[0], &boxes.state, NULL) < 1e-7 * first);
        double largest = 0.0, off = 0.0;
        for (int i = 0; i < l->layout->field_size; i++)
            for (int a = 0; a < 3; a++) {
                largest = fmax(largest, fabs(cycles.state.u[a][i]));
                off = fmax(off, fabs(cycles.state.u[a][i] - boxes.state.u[a][i]));
            }
        if (!(off < 1e-4 * largest))
            pl_test_fail(__FILE__, __LINE__, "%g of %g apart at nu %g", off, largest, nu[n]);
        free_body(&boxes);
        free_body(&cycles);
    }
}

TEST(grid_box_smooth_boundary_leaves_the_middle_alone)
{
    body b = make_body(sample_box_cells(8), 0.4);
    pl_grid_linear_level* fine = &b.mg.levels[0];
    const pl_grid_level* l = fine->layout;
    fill_random(l, &b.state, 2);
    int middle = pl_grid_index(l, 4, 4, 4), side = pl_grid_index(l, 4, 1, 4);
    double before[2] = {b.state.u[1][middle], b.state.u[1][side]};
    double residual = pl_grid_residual(fine, &b.state, NULL);
    smooth_boxes(l, BOUNDARY_BOXES, &b.state);
    CHECK(b.state.u[1][middle] == before[0]);
    CHECK(b.state.u[1][side] != before[1]);
    CHECK(pl_grid_residual(fine, &b.state, NULL) < residual);
    free_body(&b);
}
