// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Neighbour lookup of the general lattice, and the terms of T for single cells.
#ifndef PL_GRID_COROT_STENCIL_H
#define PL_GRID_COROT_STENCIL_H

#include "grid/grid_corot.h"

// The neighbour at (x, y, z), each -1 to 1, of a chunk's first cell is at base[13 + x + 3 y + 9 z].
static const int pl_corot_stride[3] = {1, 3, 9};

static inline void pl_corot_reach(const pl_corot_chunk* c, int base[27]) {
    for (int n = 0; n < 27; n++) base[n] = c->rows[n / 3] + n % 3 - 1;
}

// What some chunks add to a sum over interior cells and the held cells beside them. A cell adds its
// terms one by one, so that the sum has the same bits however the terms are grouped.
typedef void (*pl_corot_add_cell)(const void* user, const int* base, int i, double* sum);

static inline double pl_corot_sum_cells(const pl_corot_level* l, int begin, int end,
                                        pl_corot_add_cell add, const void* user) {
    int base[27];
    double sum = 0.0;
    for (int k = begin; k < end; k++) {
        pl_corot_reach(&l->chunks[k], base);
        for (int i = 0; i < PL_GRID_CHUNK; i++)
            if (l->flags[base[13] + i] & (PL_COROT_INTERIOR | PL_COROT_BESIDE))
                add(user, base, i, &sum);
    }
    return sum;
}

static inline void pl_corot_rotation(const pl_corot_level* l, int n, float R[9]) {
    for (int e = 0; e < 9; e++) R[e] = l->R[e][n];
}

// The variable faces in the T of a cell and their factors; at most 30. Which faces they are does
// not depend on rotations.
typedef struct pl_corot_form {
    int count;
    int axis[30];
    int face[30];
    float factor[30];
} pl_corot_form;

static inline void pl_corot_add_face(const pl_corot_level* l, pl_corot_form* form, int a, int face,
                                     float factor) {
    if (!(l->flags[face] & (PL_COROT_FACE << a))) return;
    form->axis[form->count] = a, form->face[form->count] = face;
    form->factor[form->count++] = factor;
}

static inline void pl_corot_form_of(const pl_corot_level* l, const int* base, int i,
                                    pl_corot_form* form) {
    const int *S = pl_corot_stride, n = base[13] + i;
    form->count = 0;
    for (int a = 0; a < 3; a++) {
        const int next = base[13 + S[a]] + i;
        float low = l->cell_weight[a][n] > 0.0f ? -l->R[4 * a][n] : 0.0f, high = -low;
        for (int e = 0; e < 2; e++) {
            const int b = e == 0 ? (a == 0) : (a == 2 ? 1 : 2), c = 3 - a - b;
            const float part = 0.25f * l->R[3 * a + b][n];
            const int up = base[13 + S[b]] + i, far = base[13 + S[a] + S[b]] + i;
            const float w[4] = {l->edge_weight[c][n], l->edge_weight[c][up],
                                l->edge_weight[c][next], l->edge_weight[c][far]};
            low += (w[0] > 0.0f ? part : 0.0f) - (w[1] > 0.0f ? part : 0.0f);
            high += (w[2] > 0.0f ? part : 0.0f) - (w[3] > 0.0f ? part : 0.0f);
            if (w[0] > 0.0f) pl_corot_add_face(l, form, a, base[13 - S[b]] + i, -part);
            if (w[1] > 0.0f) pl_corot_add_face(l, form, a, up, part);
            if (w[2] > 0.0f) pl_corot_add_face(l, form, a, base[13 + S[a] - S[b]] + i, -part);
            if (w[3] > 0.0f) pl_corot_add_face(l, form, a, far, part);
        }
        pl_corot_add_face(l, form, a, n, low);
        pl_corot_add_face(l, form, a, next, high);
    }
}

// Fraction of each of a cell's nine gradients that is a boundary one: 0 to 1.
static inline void pl_corot_missing(const pl_corot_level* l, const int* base, int i,
                                    float missing[9]) {
    const int *S = pl_corot_stride, n = base[13] + i;
    bool interior = l->flags[n] & PL_COROT_INTERIOR;
    for (int a = 0; a < 3; a++) {
        missing[4 * a] = interior && l->cell_weight[a][n] == 0.0f ? 1.0f : 0.0f;
        const int b = (a + 1) % 3, c = 3 - a - b;
        float lost = 0.0f;
        for (int k = 0; k < 4; k++) {
            const int at = base[13 + (k & 1 ? S[a] : 0) + (k & 2 ? S[b] : 0)] + i;
            lost += l->edge_weight[c][at] > 0.0f ? 0.0f : 0.25f;
        }
        missing[3 * a + b] = missing[3 * b + a] = lost;
    }
}

#endif
