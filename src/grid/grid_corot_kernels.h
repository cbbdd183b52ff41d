// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The equations of the general lattice: neighbour lookup, the terms of T for single cells, and
// kernels for PL_LANES cells of a chunk at a time.
#ifndef PL_GRID_COROT_KERNELS_H
#define PL_GRID_COROT_KERNELS_H

#include "grid/grid_corot.h"
#include "grid/grid_lanes.h"

// The neighbour at (x, y, z), each -1 to 1, of a chunk's first cell is at base[13 + x + 3 y + 9 z].
static const int pl_corot_stride[3] = {1, 3, 9};

static inline void pl_corot_reach(const pl_corot_chunk* c, int base[27]) {
    for (int n = 0; n < 27; n++) base[n] = c->rows[n / 3] + n % 3 - 1;
}

// Adds the terms of one cell to a sum over the interior cells of some chunks and the held cells
// beside them. It adds them one by one, so that the sum has the same bits for any grouping.
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

// The variable faces in the T of a cell, at most 30, and their factors. The set of faces does not
// depend on rotations.
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
            const int b = pl_grid_other_axis(a, e), c = 3 - a - b;
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

// Entry e of C^k = R [e_k]x, the change of R as it turns about axis k (grid_corot_smooth.c): column
// k + 1 is R's column k + 2, column k + 2 minus R's column k + 1.
static inline double pl_corot_turn_entry(const double R[9], int k, int e) {
    const int p = (k + 1) % 3, q = (k + 2) % 3, a = e / 3, m = e % 3;
    return m == p ? R[3 * a + q] : m == q ? -R[3 * a + p] : 0.0;
}

// K^-1, where K_kl = sum of known C^k C^l. Regularised, because a limb one cell thick has rotations
// that nothing resists and no gradient sees.
static inline bool pl_corot_untwist(const double R[9], const double known[9], pl_mat3* out) {
    pl_mat3 K = pl_mat3_diagonal(0.02, 0.02, 0.02);
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++)
            for (int e = 0; e < 9; e++)
                K.m[3 * k + j] +=
                    known[e] * pl_corot_turn_entry(R, k, e) * pl_corot_turn_entry(R, j, e);
    return pl_mat3_inverse(K, out);
}

// ------------------------------------------------------------------ PL_LANES cells at a time

// Lanes outside the body read whatever is stored and produce meaningless values; callers mask them.
// Loops over axes are unrolled, because neighbour offsets are constants for a constant axis.

// Index of cell i of a chunk (way 13) or of a neighbour: add the strides of axes to 13.
PL_WIDE int pl_corot_at(const int* rows, int i, int way) { return rows[way / 3] + way % 3 - 1 + i; }
// values of PL_LANES such cells
PL_WIDE pl_fw pl_beside_w(const float* field, const int* rows, int i, int way) {
    return pl_loadu_w(field + pl_corot_at(rows, i, way));
}
PL_WIDE int pl_corot_way(int a) { return a == 0 ? 1 : a == 1 ? 3 : 9; }

PL_WIDE pl_fw pl_where_w(pl_iw mask, pl_fw value) { return (pl_fw)((pl_iw)value & mask); }

typedef uint16_t pl_flags_loose __attribute__((vector_size(2 * PL_LANES), aligned(2), may_alias));
PL_WIDE pl_iw pl_flags_w(const uint16_t* flags) {
    return __builtin_convertvector(*(const pl_flags_loose*)flags, pl_iw);
}

// ------------------------------------------------------------------ T

// Averaged gradients of u_a in cells: along a, then along the two other axes. Boundary gradients
// are left out; a core cell has none.
PL_WIDE void pl_corot_gradient_w(const pl_corot_level* l, const float* v, const int* rows, int i,
                                 int a, bool core, pl_fw out[3]) {
    const int A = pl_corot_way(a);
    const pl_fw own = pl_beside_w(v, rows, i, 13), next = pl_beside_w(v, rows, i, 13 + A);
    out[0] = next - own;
    if (!core) out[0] = pl_where_w(pl_beside_w(l->cell_weight[a], rows, i, 13) > 0.0f, out[0]);
#pragma GCC unroll 9
    for (int e = 0; e < 2; e++) {
        const int b = pl_grid_other_axis(a, e), B = pl_corot_way(b);
        const float* edge = l->edge_weight[3 - a - b];
        const pl_fw low = pl_beside_w(v, rows, i, 13 - B), up = pl_beside_w(v, rows, i, 13 + B);
        const pl_fw low_next = pl_beside_w(v, rows, i, 13 + A - B);
        const pl_fw up_next = pl_beside_w(v, rows, i, 13 + A + B);
        if (core) {
            out[1 + e] = 0.25f * ((up - low) + (up_next - low_next));
            continue;
        }
        pl_fw part = pl_where_w(pl_beside_w(edge, rows, i, 13) > 0.0f, own - low);
        part += pl_where_w(pl_beside_w(edge, rows, i, 13 + B) > 0.0f, up - own);
        part += pl_where_w(pl_beside_w(edge, rows, i, 13 + A) > 0.0f, next - low_next);
        part += pl_where_w(pl_beside_w(edge, rows, i, 13 + A + B) > 0.0f, up_next - next);
        out[1 + e] = 0.25f * part;
    }
}

PL_WIDE pl_fw pl_corot_add_trace_w(const pl_corot_level* l, float* const u[3], const int* rows,
                                   int i, int a, bool core, pl_fw sum) {
    pl_fw F[3];
    pl_corot_gradient_w(l, u[a], rows, i, a, core, F);
    sum = pl_fma_w(pl_beside_w(l->R[4 * a], rows, i, 13), F[0], sum);
#pragma GCC unroll 9
    for (int e = 0; e < 2; e++)
        sum = pl_fma_w(pl_beside_w(l->R[3 * a + pl_grid_other_axis(a, e)], rows, i, 13), F[1 + e],
                       sum);
    return sum;
}

// T of cells. core: all are core cells, which have all their edges.
PL_WIDE pl_fw pl_corot_trace_w(const pl_corot_level* l, float* const u[3], const int* rows, int i,
                               bool core) {
    pl_fw sum = {0};
#pragma GCC unroll 9
    for (int a = 0; a < 3; a++) sum = pl_corot_add_trace_w(l, u, rows, i, a, core, sum);
    return sum;
}

// ------------------------------------------------------------------ rotation term, see
// grid_corot_smooth.c

// Fraction of each of the nine gradients that is not a boundary one: 0 to 1.
PL_WIDE void pl_corot_known_w(const pl_corot_level* l, const int* rows, int i, pl_fw known[9]) {
#pragma GCC unroll 9
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, A = pl_corot_way(a), B = pl_corot_way(b);
        const float* edge = l->edge_weight[3 - a - b];
        const pl_fw one = pl_splat_w(1.0f), quarter = pl_splat_w(0.25f);
        known[4 * a] = pl_where_w(pl_beside_w(l->cell_weight[a], rows, i, 13) > 0.0f, one);
        pl_fw sum = pl_where_w(pl_beside_w(edge, rows, i, 13) > 0.0f, quarter);
        sum += pl_where_w(pl_beside_w(edge, rows, i, 13 + A) > 0.0f, quarter);
        sum += pl_where_w(pl_beside_w(edge, rows, i, 13 + B) > 0.0f, quarter);
        sum += pl_where_w(pl_beside_w(edge, rows, i, 13 + A + B) > 0.0f, quarter);
        known[3 * a + b] = known[3 * b + a] = sum;
    }
}

// y = K^-1 g, with K_kl = sum of known C^k C^l, regularised as in pl_corot_untwist, which is the
// same for one cell. MUL_ADD(a, b, c) is a b + c.
#define PL_COROT_DEFINE_UNTWIST(name, vector, MUL_ADD)                                             \
    PL_WIDE void name(const vector R[9], const vector known[9], const vector g[3], vector y[3]) {  \
        vector d[3], o[3]; /* diagonal of K, and the entry of the two other axes */                \
        _Pragma("GCC unroll 9") for (int k = 0; k < 3; k++) {                                      \
            const int p = (k + 1) % 3, q = (k + 2) % 3;                                            \
            d[k] = (vector){0} + 0.02f, o[k] = (vector){0};                                        \
            _Pragma("GCC unroll 9") for (int a = 0; a < 3; a++) {                                  \
                const vector *r = R + 3 * a, *w = known + 3 * a;                                   \
                d[k] = MUL_ADD(w[p] * r[q], r[q], MUL_ADD(w[q] * r[p], r[p], d[k]));               \
                o[k] = MUL_ADD(-(w[k] * r[p]), r[q], o[k]);                                        \
            }                                                                                      \
        }                                                                                          \
        const vector c00 = d[1] * d[2] - o[0] * o[0], c01 = o[1] * o[0] - o[2] * d[2];             \
        const vector c02 = o[2] * o[0] - o[1] * d[1], c11 = d[0] * d[2] - o[1] * o[1];             \
        const vector c12 = o[2] * o[1] - d[0] * o[0], c22 = d[0] * d[1] - o[2] * o[2];             \
        const vector scale = 1.0f / (d[0] * c00 + o[2] * c01 + o[1] * c02);                        \
        y[0] = scale * (c00 * g[0] + c01 * g[1] + c02 * g[2]);                                     \
        y[1] = scale * (c01 * g[0] + c11 * g[1] + c12 * g[2]);                                     \
        y[2] = scale * (c02 * g[0] + c12 * g[1] + c22 * g[2]);                                     \
    }
PL_COROT_DEFINE_UNTWIST(pl_corot_untwist_w, pl_fw, pl_fma_w)

// g: rotation that the displacements induce in cells, relative to their R; y = 2 mu K^-1 g. core:
// all are core cells.
PL_WIDE void pl_corot_twist_w(const pl_corot_level* l, float* const u[3], const int* rows, int i,
                              bool core, pl_fw R[9], pl_fw g[3], pl_fw y[3]) {
    pl_fw F[9], part[3];
#pragma GCC unroll 9
    for (int e = 0; e < 9; e++) R[e] = pl_beside_w(l->R[e], rows, i, 13);
#pragma GCC unroll 9
    for (int a = 0; a < 3; a++) {
        pl_corot_gradient_w(l, u[a], rows, i, a, core, part);
        F[4 * a] = part[0];
#pragma GCC unroll 9
        for (int e = 0; e < 2; e++) F[3 * a + pl_grid_other_axis(a, e)] = part[1 + e];
    }
#pragma GCC unroll 9
    for (int k = 0; k < 3; k++) {
        const int p = (k + 1) % 3, q = (k + 2) % 3;
        g[k] = (pl_fw){0};
#pragma GCC unroll 9
        for (int a = 0; a < 3; a++)
            g[k] =
                pl_fma_w(R[3 * a + q], F[3 * a + p], pl_fnma_w(R[3 * a + p], F[3 * a + q], g[k]));
    }
    const pl_fw soft = pl_beside_w(l->soft, rows, i, 13);
    if (core) {
#pragma GCC unroll 9
        for (int k = 0; k < 3; k++) y[k] = soft * g[k]; // K = 2 I
        return;
    }
    pl_fw known[9];
    pl_corot_known_w(l, rows, i, known);
    pl_corot_untwist_w(R, known, g, y);
    // cells without boundary gradients are not regularised
    const pl_iw whole = pl_beside_w(l->inverse_k, rows, i, 13) > 0.0f;
#pragma GCC unroll 9
    for (int k = 0; k < 3; k++) y[k] = soft * pl_select_w(whole, g[k], 2.0f * y[k]);
}

// ------------------------------------------------------------------ rows of faces

// The part of A u at faces that does not involve T, without `extra` and inertia. plain: all weights
// are 2.
PL_WIDE pl_fw pl_corot_natural_w(const pl_corot_level* l, const int* rows, int i, int a,
                                 bool plain) {
    const int A = pl_corot_way(a), B = pl_corot_way(pl_grid_other_axis(a, 0)),
              C = pl_corot_way(pl_grid_other_axis(a, 1));
    const float* u = l->u[a];
    const pl_fw own = pl_beside_w(u, rows, i, 13);
    const pl_fw next = pl_beside_w(u, rows, i, 13 + A), last = pl_beside_w(u, rows, i, 13 - A);
    if (plain) {
        pl_fw sum = (pl_beside_w(u, rows, i, 13 - B) + pl_beside_w(u, rows, i, 13 + B)) +
                    (pl_beside_w(u, rows, i, 13 - C) + pl_beside_w(u, rows, i, 13 + C));
        return 2.0f * pl_fma_w(own, pl_splat_w(6.0f), -(sum + (next + last)));
    }
    pl_fw sum = pl_beside_w(l->cell_weight[a], rows, i, 13) * (own - next);
    sum = pl_fma_w(pl_beside_w(l->cell_weight[a], rows, i, 13 - A), own - last, sum);
#pragma GCC unroll 9
    for (int e = 0; e < 2; e++) {
        const int b = pl_grid_other_axis(a, e), W = pl_corot_way(b);
        const float* edge = l->edge_weight[3 - a - b];
        const pl_fw under = pl_beside_w(edge, rows, i, 13),
                    over = pl_beside_w(edge, rows, i, 13 + W);
        pl_fw low = own - pl_beside_w(u, rows, i, 13 - W),
              up = own - pl_beside_w(u, rows, i, 13 + W);
        if (l->shear > 0.0f) { // linear elasticity: mu (F_ab + F_ba)
            const float* v = l->u[b];
            low += pl_beside_w(v, rows, i, 13) - pl_beside_w(v, rows, i, 13 - A);
            up -= pl_beside_w(v, rows, i, 13 + W) - pl_beside_w(v, rows, i, 13 + W - A);
            low *= 0.5f, up *= 0.5f;
        }
        sum = pl_fma_w(under, low, pl_fma_w(over, up, sum));
    }
    return sum;
}

// An entry of a cell's tensor, times s unless s is NULL.
PL_WIDE pl_fw pl_corot_entry_w(const float* entry, const float* s, const int* rows, int i,
                               int way) {
    const pl_fw value = pl_beside_w(entry, rows, i, way);
    return s ? value * pl_beside_w(s, rows, i, way) : value;
}

// Divergence at faces of a tensor field in cells, times s unless s is NULL. inner: faces between
// core cells.
PL_WIDE pl_fw pl_corot_differences_w(const pl_corot_level* l, float* const tensor[9],
                                     const float* s, const int* rows, int i, int a, bool inner) {
    const int A = pl_corot_way(a);
    pl_fw low = pl_corot_entry_w(tensor[4 * a], s, rows, i, 13 - A);
    pl_fw high = pl_corot_entry_w(tensor[4 * a], s, rows, i, 13);
    if (!inner) {
        low = pl_where_w(pl_beside_w(l->cell_weight[a], rows, i, 13 - A) > 0.0f, low);
        high = pl_where_w(pl_beside_w(l->cell_weight[a], rows, i, 13) > 0.0f, high);
    }
    pl_fw sum = low - high;
#pragma GCC unroll 9
    for (int e = 0; e < 2; e++) {
        const int b = pl_grid_other_axis(a, e), B = pl_corot_way(b);
        const float *T = tensor[3 * a + b], *edge = l->edge_weight[3 - a - b];
        pl_fw under =
            pl_corot_entry_w(T, s, rows, i, 13 - B) + pl_corot_entry_w(T, s, rows, i, 13 - B - A);
        pl_fw over =
            pl_corot_entry_w(T, s, rows, i, 13 + B) + pl_corot_entry_w(T, s, rows, i, 13 + B - A);
        if (!inner) {
            const pl_fw own =
                pl_corot_entry_w(T, s, rows, i, 13) + pl_corot_entry_w(T, s, rows, i, 13 - A);
            under = pl_where_w(pl_beside_w(edge, rows, i, 13) > 0.0f, under + own);
            over = pl_where_w(pl_beside_w(edge, rows, i, 13 + B) > 0.0f, over + own);
        }
        sum = pl_fma_w(pl_splat_w(0.25f), under - over, sum);
    }
    return sum;
}

// The part of A u at faces that involves T: the divergence of s R.
PL_WIDE pl_fw pl_corot_through_w(const pl_corot_level* l, const int* rows, int i, int a,
                                 bool inner) {
    return pl_corot_differences_w(l, l->R, l->s, rows, i, a, inner);
}

// f - A u at faces, with the current pressures
PL_WIDE pl_fw pl_corot_residual_w(const pl_corot_level* l, const int* rows, int i, int a,
                                  bool inner, bool plain) {
    const pl_fw stiff = l->inertia + pl_beside_w(l->extra[a], rows, i, 13);
    pl_fw row = pl_corot_natural_w(l, rows, i, a, plain) + pl_corot_through_w(l, rows, i, a, inner);
    row = pl_fma_w(stiff, pl_beside_w(l->u[a], rows, i, 13), row);
    return pl_beside_w(l->f[a], rows, i, 13) - row;
}

// ------------------------------------------------------------------ scatter to neighbours

// Adds to the value of each lane, the one before it and the one after it. Writes nothing where
// nothing is added, because that memory may belong to another row.
PL_WIDE void pl_add_beside_w(float* at, pl_fw before, pl_fw own, pl_fw after) {
    const pl_fw zero = {0};
    own += pl_next_lanes_w(before, zero) + pl_last_lanes_w(zero, after);
    pl_storeu_w(at, pl_loadu_w(at) + own);
    if (before[0] != 0.0f) at[-1] += before[0];
    if (after[PL_LANES - 1] != 0.0f) at[PL_LANES] += after[PL_LANES - 1];
}
PL_WIDE void pl_add_to_w(float* at, pl_fw own) { pl_storeu_w(at, pl_loadu_w(at) + own); }

#endif
