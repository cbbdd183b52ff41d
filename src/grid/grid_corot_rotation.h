// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Rotations and stresses of the cells of the general lattice, with scalar helpers for single cells.
#ifndef PL_GRID_COROT_ROTATION_H
#define PL_GRID_COROT_ROTATION_H

#include "grid/grid_corot_stencil.h"

// Updates the rotations of the finest level's cells to the state's positions if update_rotations;
// then sets their stresses, and g where pressures are unknowns.
void pl_corot_update_rotations(pl_grid_corot* c, const pl_grid_state* state, double h,
                               bool update_rotations);
// The same for cell i of a chunk, interior or Dirichlet, for any deformation.
void pl_corot_update_rotation(pl_grid_corot* c, const pl_grid_state* state, double h,
                              bool update_rotations, const pl_corot_chunk* chunk, int i);

// h F of a cell without boundary gradients
static inline void pl_corot_known_gradient(const pl_corot_level* l, double* const u[3],
                                           const int* base, int i, double h, double F[9]) {
    const int *S = pl_corot_stride, n = base[13] + i;
    for (int a = 0; a < 3; a++) {
        const double* v = u[a];
        const int next = base[13 + S[a]] + i;
        F[4 * a] = l->cell_weight[a][n] > 0.0f ? h + v[next] - v[n] : 0.0;
        for (int e = 0; e < 2; e++) {
            const int b = e == 0 ? (a == 0) : (a == 2 ? 1 : 2), c = 3 - a - b;
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

// s of a cell, times h; and its T and w
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

// Removes the couple stress from the stresses of cells (grid_corot_couple_stress.c).
void pl_corot_uncouple(pl_grid_corot* c, double h);
// Couple-stress part of the energy.
double pl_corot_coupling(const pl_grid_corot* c, double h);

#endif
