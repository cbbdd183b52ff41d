// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "s4_staggered.h"
#include "base/memory.h"

#include <math.h>

static const int shift[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static pl_cell kind(const s4_faces* f, const int at[3]) {
    return pl_grid_cell(f->cells, at[0], at[1], at[2]);
}
static void move(const int at[3], int axis, int step, int out[3]) {
    for (int d = 0; d < 3; d++) out[d] = at[d] + step * shift[axis][d];
}
static pl_cell beside(const s4_faces* f, const int at[3], int axis, int step) {
    int to[3];
    move(at, axis, step, to);
    return kind(f, to);
}

pl_status s4_faces_create(const pl_grid_cells* cells, s4_faces* out, pl_error* error) {
    *out = (s4_faces){.cells = cells};
    size_t size = pl_grid_cells_count(cells);
    for (int a = 0; a < 3; a++)
        if (!(out->unknown[a] = PL_ALLOC(int, size))) {
            s4_faces_free(out);
            return pl_fail_memory(error, "faces");
        }
    size_t n = 0;
    for (int k = 0; k < cells->size[2]; k++)
        for (int j = 0; j < cells->size[1]; j++)
            for (int i = 0; i < cells->size[0]; i++, n++)
                for (int a = 0; a < 3; a++) {
                    const int at[3] = {cells->low[0] + i, cells->low[1] + j, cells->low[2] + k};
                    bool own = kind(out, at) == PL_CELL_INTERIOR &&
                               beside(out, at, a, -1) == PL_CELL_INTERIOR;
                    out->unknown[a][n] = own ? out->count++ : -1;
                }
    return PL_OK;
}

void s4_faces_free(s4_faces* f) {
    for (int a = 0; a < 3; a++) PL_FREE(f->unknown[a], int, pl_grid_cells_count(f->cells));
    *f = (s4_faces){0};
}

int s4_face(const s4_faces* f, int a, int i, int j, int k) {
    return pl_grid_cells_has(f->cells, i, j, k)
               ? f->unknown[a][pl_grid_cells_index(f->cells, i, j, k)]
               : -1;
}

// weight * own * (difference of a component over two faces), a row of K for one stress
static void add_difference(s4_sparse* A, int row, const s4_faces* f, int a, const int high[3],
                           const int low[3], double weight) {
    int h = s4_face(f, a, high[0], high[1], high[2]), l = s4_face(f, a, low[0], low[1], low[2]);
    if (h >= 0) s4_sparse_add(A, row, h, weight);
    if (l >= 0) s4_sparse_add(A, row, l, -weight);
}

static bool has_stress(const s4_faces* f, int a, const int at[3]) {
    return kind(f, at) == PL_CELL_INTERIOR && beside(f, at, a, -1) != PL_CELL_EXTERIOR &&
           beside(f, at, a, 1) != PL_CELL_EXTERIOR;
}

// What the stretch and the divergence of a cell add to the equation of one of its faces across a;
// sign: +1 if the face is the high one.
static void add_cell(s4_sparse* A, int row, const s4_faces* f, int a, const int at[3], double eps,
                     double sign) {
    if (!has_stress(f, a, at)) return;
    int high[3];
    move(at, a, 1, high);
    add_difference(A, row, f, a, high, at, 2.0 * sign);
    double divisor = eps;
    for (int b = 0; b < 3; b++) divisor += has_stress(f, b, at) ? 0.0 : 0.5;
    for (int b = 0; b < 3; b++) {
        if (!has_stress(f, b, at)) continue;
        move(at, b, 1, high);
        add_difference(A, row, f, b, high, at, sign / divisor);
    }
}

// What the shear of the low edge of a cell, between a and b, adds to the equation of a face across
// a; sign: +1 if the edge is below the face.
static void add_edge(s4_sparse* A, int row, const s4_faces* f, int a, int b, const int at[3],
                     double sign) {
    int one[3], two[3], both[3];
    move(at, a, -1, one), move(at, b, -1, two), move(one, b, -1, both);
    if (!kind(f, at) || !kind(f, one) || !kind(f, two) || !kind(f, both)) return;
    add_difference(A, row, f, a, at, two, sign);
    add_difference(A, row, f, b, at, one, sign);
}

static bool is_held(const s4_faces* f, int a, const int at[3]) {
    return kind(f, at) == PL_CELL_DIRICHLET || beside(f, at, a, -1) == PL_CELL_DIRICHLET;
}

static void add_row(s4_sparse* A, int row, const s4_faces* f, int a, const int at[3], double eps,
                    double wall) {
    int low[3], to[3];
    move(at, a, -1, low);
    add_cell(A, row, f, a, at, eps, -1.0);
    add_cell(A, row, f, a, low, eps, 1.0);
    for (int b = 0; b < 3; b++) {
        if (b == a) continue;
        add_edge(A, row, f, a, b, at, 1.0);
        move(at, b, 1, to);
        add_edge(A, row, f, a, b, to, -1.0);
        for (int side = -1; side <= 1; side += 2) {
            move(at, b, side, to);
            if (is_held(f, a, to)) s4_sparse_add(A, row, row, wall);
        }
    }
    s4_sparse_end_row(A, row);
}

// calls visit for every unknown in turn
#define FOR_UNKNOWNS(f, a, at)                                                                     \
    for (int k_ = (f)->cells->low[2]; k_ < (f)->cells->low[2] + (f)->cells->size[2]; k_++)         \
        for (int j_ = (f)->cells->low[1]; j_ < (f)->cells->low[1] + (f)->cells->size[1]; j_++)     \
            for (int i_ = (f)->cells->low[0]; i_ < (f)->cells->low[0] + (f)->cells->size[0]; i_++) \
                for (int a = 0; a < 3; a++)                                                        \
                    for (int at[3] = {i_, j_, k_}, once_ = s4_face(f, a, i_, j_, k_) >= 0; once_;  \
                         once_ = 0)

pl_status s4_staggered_matrix(const s4_faces* f, double eps, int level, s4_sparse* out,
                              pl_error* error) {
    enum { MOST = 15 }; // entries of a row
    pl_status status = s4_sparse_create(f->count, MOST * f->count + 1, out, error);
    if (status != PL_OK) return status;
    // half a coarse cell inside, half a finest one behind, in place of a whole coarse one
    double wall = 2.0 / (1.0 + pow(0.5, level)) - 1.0;
    int row = 0;
    FOR_UNKNOWNS(f, a, at) {
        add_row(out, row, f, a, at, eps, wall);
        row++;
    }
    return PL_OK;
}

// R: 1/4 1/2 1/4 along the axis, 1/2 1/2 across; times four, as cells are twice as large
static pl_status make_restriction(const s4_faces* fine, const s4_faces* coarse, s4_sparse* out,
                                  pl_error* error) {
    pl_status status = s4_sparse_create(coarse->count, 12 * coarse->count + 1, out, error);
    if (status != PL_OK) return status;
    int row = 0;
    FOR_UNKNOWNS(coarse, a, at) {
        for (int n = 0; n < 12; n++) {
            int along = n % 3 - 1, b = (a + 1) % 3, c = (a + 2) % 3, to[3];
            to[a] = 2 * at[a] + along, to[b] = 2 * at[b] + n / 3 % 2, to[c] = 2 * at[c] + n / 6;
            int column = s4_face(fine, a, to[0], to[1], to[2]);
            if (column >= 0) s4_sparse_add(out, row, column, along ? 0.25 : 0.5);
        }
        s4_sparse_end_row(out, row);
        row++;
    }
    return PL_OK;
}

// A coarse value; outside of the body it continues what is inside linearly.
static void add_coarse(s4_sparse* P, int row, const s4_faces* coarse, int a, const int at[3],
                       double weight) {
    int own = s4_face(coarse, a, at[0], at[1], at[2]);
    if (own >= 0) s4_sparse_add(P, row, own, weight);
    if (own >= 0 || is_held(coarse, a, at)) return;
    int count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int n = 0; n < 6; n++) {
            int in[3], next[3];
            move(at, n / 2, n % 2 ? 1 : -1, in);
            move(in, n / 2, n % 2 ? 1 : -1, next);
            int one = s4_face(coarse, a, in[0], in[1], in[2]);
            int two = s4_face(coarse, a, next[0], next[1], next[2]);
            if (one < 0 || (two < 0 && !is_held(coarse, a, next))) continue;
            if (pass == 0) {
                count++;
                continue;
            }
            s4_sparse_add(P, row, one, 2.0 * weight / count);
            if (two >= 0) s4_sparse_add(P, row, two, -weight / count);
        }
}

// P: linear along the axis, 3/4 1/4 across
static pl_status make_prolongation(const s4_faces* fine, const s4_faces* coarse, s4_sparse* out,
                                   pl_error* error) {
    pl_status status = s4_sparse_create(fine->count, 60 * fine->count + 1, out, error);
    if (status != PL_OK) return status;
    int row = 0;
    FOR_UNKNOWNS(fine, a, at) {
        for (int n = 0; n < 8; n++) {
            int to[3];
            double weight = 1.0;
            for (int d = 0; d < 3; d++) {
                int odd = at[d] & 1, step = n >> d & 1;
                to[d] = (at[d] - odd) / 2;
                if (d == a) {
                    to[d] += step;
                    weight *= odd ? 0.5 : step ? 0.0 : 1.0;
                } else {
                    to[d] += step ? 2 * odd - 1 : 0;
                    weight *= step ? 0.25 : 0.75;
                }
            }
            if (weight > 0.0) add_coarse(out, row, coarse, a, to, weight);
        }
        s4_sparse_end_row(out, row);
        row++;
    }
    return PL_OK;
}

pl_status s4_staggered_hierarchy(const pl_grid_cells* cells, double eps, s4_hierarchy* out,
                                 pl_error* error) {
    enum { SMALL = 400 };
    *out = (s4_hierarchy){0};
    pl_grid_cells own[S4_LEVELS] = {0};
    s4_faces faces[S4_LEVELS] = {0};
    pl_status status = s4_faces_create(cells, &faces[0], error);
    for (int l = 0; status == PL_OK; l++) {
        status = s4_staggered_matrix(&faces[l], eps, l, &out->A[l], error);
        out->level_count = l + 1;
        if (status != PL_OK || l + 1 == S4_LEVELS || faces[l].count < SMALL) break;
        status = pl_grid_cells_coarsen(l ? &own[l] : cells, &own[l + 1], error);
        if (status == PL_OK) status = s4_faces_create(&own[l + 1], &faces[l + 1], error);
        if (status == PL_OK) status = make_restriction(&faces[l], &faces[l + 1], &out->R[l], error);
        if (status == PL_OK)
            status = make_prolongation(&faces[l], &faces[l + 1], &out->P[l], error);
    }
    for (int l = 0; l < S4_LEVELS; l++) {
        if (faces[l].cells) s4_faces_free(&faces[l]);
        pl_grid_cells_free(&own[l]);
    }
    if (status == PL_OK) status = s4_hierarchy_allocate(out, error);
    if (status != PL_OK) s4_hierarchy_free(out);
    return status;
}
