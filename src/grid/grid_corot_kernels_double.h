// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Gradients of four cells of a chunk at a time in double, for the state of the general lattice.
#ifndef PL_GRID_COROT_KERNELS_DOUBLE_H
#define PL_GRID_COROT_KERNELS_DOUBLE_H

#include "grid/grid_corot_kernels.h"
#include "math/double4.h"

typedef float pl_f4 __attribute__((vector_size(4 * PL_FOUR)));
typedef float pl_f4_loose __attribute__((vector_size(4 * PL_FOUR), aligned(4), may_alias));

PL_WIDE pl_d4 pl_load_floats_d4(const float* p) {
    return __builtin_convertvector(*(const pl_f4_loose*)p, pl_d4);
}
PL_WIDE void pl_store_floats_d4(float* p, pl_d4 a) {
    *(pl_f4_loose*)p = __builtin_convertvector(a, pl_f4);
}
PL_WIDE double pl_sum_d4(pl_d4 a) { return (a[0] + a[2]) + (a[1] + a[3]); }
// mask from the bits of a chunk; i is a multiple of four
PL_WIDE pl_i4 pl_lanes_d4(uint16_t bits, int i) {
    const pl_i4 bit = {1, 2, 4, 8};
    return (((pl_i4){0} + (bits >> i)) & bit) != 0;
}

// Values of cells i to i + 3 of a chunk, or of their neighbours (see pl_beside_w).
PL_WIDE pl_d4 pl_beside_d4(const double* field, const int* rows, int i, int way) {
    return pl_load_d4(field + pl_corot_at(rows, i, way));
}
PL_WIDE pl_d4 pl_weight_d4(const float* field, const int* rows, int i, int way) {
    return pl_load_floats_d4(field + pl_corot_at(rows, i, way));
}
// mask of the lanes where a weight is not zero
PL_WIDE pl_i4 pl_has_d4(const float* field, const int* rows, int i, int way) {
    return pl_weight_d4(field, rows, i, way) > 0.0;
}

PL_WIDE pl_d4 pl_mul_add_d4(pl_d4 a, pl_d4 b, pl_d4 c) { return a * b + c; }
PL_COROT_DEFINE_UNTWIST(pl_corot_untwist_d4, pl_d4, pl_mul_add_d4)

// h F of interior cells without their boundary gradients. core: there are none.
PL_WIDE void pl_corot_gradient_d4(const pl_corot_level* l, double* const u[3], const int* rows,
                                  int i, bool core, double h, pl_d4 F[9]) {
#pragma GCC unroll 9
    for (int a = 0; a < 3; a++) {
        const double* v = u[a];
        const int A = pl_corot_way(a);
        const pl_d4 own = pl_beside_d4(v, rows, i, 13), next = pl_beside_d4(v, rows, i, 13 + A);
        F[4 * a] = h + (next - own);
        if (!core) F[4 * a] = pl_where_d4(pl_has_d4(l->cell_weight[a], rows, i, 13), F[4 * a]);
#pragma GCC unroll 9
        for (int e = 0; e < 2; e++) {
            const int b = pl_grid_other_axis(a, e), B = pl_corot_way(b);
            const float* edge = l->edge_weight[3 - a - b];
            const pl_d4 low = pl_beside_d4(v, rows, i, 13 - B),
                        up = pl_beside_d4(v, rows, i, 13 + B);
            const pl_d4 low_next = pl_beside_d4(v, rows, i, 13 + A - B);
            const pl_d4 up_next = pl_beside_d4(v, rows, i, 13 + A + B);
            if (core) {
                F[3 * a + b] = 0.25 * ((up - low) + (up_next - low_next));
                continue;
            }
            pl_d4 part = pl_where_d4(pl_has_d4(edge, rows, i, 13), own - low);
            part += pl_where_d4(pl_has_d4(edge, rows, i, 13 + B), up - own);
            part += pl_where_d4(pl_has_d4(edge, rows, i, 13 + A), next - low_next);
            part += pl_where_d4(pl_has_d4(edge, rows, i, 13 + A + B), up_next - next);
            F[3 * a + b] = 0.25 * part;
        }
    }
}

// Fraction of each gradient of interior cells that is a boundary one: 0 to 1.
PL_WIDE void pl_corot_missing_d4(const pl_corot_level* l, const int* rows, int i, pl_d4 out[9]) {
#pragma GCC unroll 9
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, A = pl_corot_way(a), B = pl_corot_way(b);
        const float* edge = l->edge_weight[3 - a - b];
        const pl_d4 quarter = pl_splat_d4(0.25);
        out[4 * a] = pl_where_d4(~pl_has_d4(l->cell_weight[a], rows, i, 13), pl_splat_d4(1.0));
        pl_d4 lost = pl_where_d4(~pl_has_d4(edge, rows, i, 13), quarter);
        lost += pl_where_d4(~pl_has_d4(edge, rows, i, 13 + A), quarter);
        lost += pl_where_d4(~pl_has_d4(edge, rows, i, 13 + B), quarter);
        lost += pl_where_d4(~pl_has_d4(edge, rows, i, 13 + A + B), quarter);
        out[3 * a + b] = out[3 * b + a] = lost;
    }
}

// Visits the cells of some chunks, four at a time.
typedef void (*pl_corot_four)(const void* user, const pl_corot_chunk* chunk,
                              const pl_corot_masks* masks, int first);

PL_WIDE void pl_corot_each_four(const pl_corot_level* l, int begin, int end, pl_corot_four visit,
                                const void* user) {
    for (int k = begin; k < end; k++) {
        const pl_corot_chunk* chunk = &l->chunks[k];
        const pl_corot_masks* m = &l->masks[chunk->begin / PL_GRID_CHUNK];
        for (int i = 0; i < PL_GRID_CHUNK; i += PL_FOUR) visit(user, chunk, m, i);
    }
}

// ------------------------------------------------------------------ rotations and stresses of
// cells (grid_corot_rotation.c)

// Rotations and stresses of the cells of the general lattice, with scalar helpers for single cells.

// Turns cells of the finest level to the state's positions; then sets the stresses of all, and g
// where pressures are unknowns.
void pl_corot_update_rotations(pl_grid_corot* c, const pl_grid_state* state, double h,
                               pl_corot_turn turn);
// The same for cell i of a chunk, interior or Dirichlet, for any deformation.
void pl_corot_update_rotation(pl_grid_corot* c, const pl_grid_state* state, double h,
                              pl_corot_turn turn, const pl_corot_chunk* chunk, int i);

// h F of a cell without boundary gradients
static inline void pl_corot_known_gradient(const pl_corot_level* l, double* const u[3],
                                           const int* base, int i, double h, double F[9]) {
    const int *S = pl_corot_stride, n = base[13] + i;
    for (int a = 0; a < 3; a++) {
        const double* v = u[a];
        const int next = base[13 + S[a]] + i;
        F[4 * a] = l->cell_weight[a][n] > 0.0f ? h + v[next] - v[n] : 0.0;
        for (int e = 0; e < 2; e++) {
            const int b = pl_grid_other_axis(a, e), c = 3 - a - b;
            const int up = base[13 + S[b]] + i, far = base[13 + S[a] + S[b]] + i;
            double part = 0.0;
            if (l->edge_weight[c][n] > 0.0f) part += v[n] - v[base[13 - S[b]] + i];
            if (l->edge_weight[c][up] > 0.0f) part += v[up] - v[n];
            if (l->edge_weight[c][next] > 0.0f) part += v[next] - v[base[13 + S[a] - S[b]] + i];
            if (l->edge_weight[c][far] > 0.0f) part += v[far] - v[next];
            F[3 * a + b] = 0.25 * part;
        }
    }
}

static inline double pl_corot_product(const double F[9], const pl_mat3* R) {
    double sum = 0.0;
    for (int k = 0; k < 9; k++) sum += F[k] * R->m[k];
    return sum;
}

// s of a cell, times h; also its T and w
static inline double pl_corot_cell_stress(const pl_corot_level* l, const double F[9],
                                          const float missing[9], const pl_mat3* R, double h,
                                          double eps, int n, double* energy) {
    double w = 0.0, T = pl_corot_product(F, R), mu = (double)l->mu[n];
    for (int k = 0; k < 9; k++) w += (double)missing[k] * R->m[k] * R->m[k];
    bool interior = l->flags[n] & PL_COROT_INTERIOR;
    double k = interior ? mu / (eps + 0.5 * w) : 0.0, growth = T - h * (3.0 - w);
    if (energy) *energy = mu * h * (h * (3.0 - w) - 2.0 * T) + 0.5 * k * growth * growth;
    return k * growth - 2.0 * mu * h;
}

// Removes the couple stress from the stresses of cells (grid_corot_forces.c).
void pl_corot_uncouple(pl_grid_corot* c, double h);

#endif
