// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Removes the couple stress: the cost of different rotations in neighbouring cells. The energy of
// an edge is the mean over its four cells of mu (F - R)^2 = mu (F - mean R)^2 + mu (mean R^2 -
// (mean R)^2). The last term has nothing to do with strain: it makes a bending bar of N cells
// across 6 / ((1 + nu) N^2) too stiff, 29 % at 4 cells and nu = 0.3. Let V = sum over a cell's
// edges of (mean R of the edge - R) / 4, and let the rotation follow the gradients as in
// grid_corot_tangent.c. Then the stress of a cell gets
//   2 mu sum of C^k (K^-1 v)_k,   v_k = sum of V_ab C^k_ab.
//
// Where we differ from the paper: it keeps this term. K is that of small strains, so forces are the
// gradient of an energy up to products of strains and rotation differences.
#include "grid/grid_corot_rotation.h"
#include "grid/grid_corot_stencil.h"

#include <math.h>

enum { CHUNKS = 32 };

typedef struct job {
    pl_grid_corot* c;
    double h;
} job;

// C^k: column k + 1 is R's column k + 2, column k + 2 minus R's column k + 1
static double turn_entry(const double R[9], int k, int e) {
    const int p = (k + 1) % 3, q = (k + 2) % 3, a = e / 3, m = e % 3;
    return m == p ? R[3 * a + q] : m == q ? -R[3 * a + p] : 0.0;
}

// V of a cell, and the fraction of each gradient that is not a boundary one
static void differences(const pl_grid_corot* c, const int* base, int i, const double R[9],
                        double V[9], double known[9]) {
    const pl_corot_level* l = &c->levels[0];
    const int* S = pl_corot_stride;
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, ab = 3 * a + b, ba = 3 * b + a;
        V[4 * a] = V[ab] = V[ba] = known[ab] = known[ba] = 0.0;
        known[4 * a] = l->cell_weight[a][base[13] + i] > 0.0f;
        for (int k = 0; k < 4; k++) {
            const int at = 13 + (k & 1 ? S[a] : 0) + (k & 2 ? S[b] : 0);
            if (!(l->edge_weight[3 - a - b][base[at] + i] > 0.0f)) continue;
            double mass = 0.0, first = 0.0, second = 0.0;
            for (int n = 0; n < 4; n++) {
                const int cell = base[at - (n & 1 ? S[a] : 0) - (n & 2 ? S[b] : 0)] + i;
                const double mu = (double)l->mu[cell];
                mass += mu;
                first += mu * c->rotation[ab][cell], second += mu * c->rotation[ba][cell];
            }
            V[ab] += 0.25 * (first / mass - R[ab]), V[ba] += 0.25 * (second / mass - R[ba]);
            known[ab] += 0.25, known[ba] += 0.25;
        }
    }
}

// K^-1 v, regularised: a limb one cell thick has rotations that no gradient sees
static pl_vec3 untwist(const double R[9], const double known[9], const double v[3]) {
    pl_mat3 K = {{0}}, inverse;
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++)
            for (int e = 0; e < 9; e++)
                K.m[3 * k + j] += known[e] * turn_entry(R, k, e) * turn_entry(R, j, e);
    for (int k = 0; k < 3; k++) K.m[4 * k] += 0.02;
    if (!pl_mat3_inverse(K, &inverse)) return (pl_vec3){0, 0, 0};
    return pl_mat3_apply(&inverse, pl_vec3_load(v));
}

static void uncouple_cell(const job* j, const int* base, int i) {
    const pl_grid_corot* c = j->c;
    const pl_corot_level* l = &c->levels[0];
    const int n = base[13] + i;
    double R[9], V[9], known[9], v[3] = {0.0}, y[3];
    for (int e = 0; e < 9; e++) R[e] = c->rotation[e][n];
    differences(c, base, i, R, V, known);
    for (int k = 0; k < 3; k++)
        for (int e = 0; e < 9; e++) v[k] += V[e] * turn_entry(R, k, e);
    if (l->flags[n] & PL_COROT_CORE)
        for (int k = 0; k < 3; k++) y[k] = 0.5 * v[k];
    else pl_vec3_store(y, untwist(R, known, v));
    for (int e = 0; e < 9; e++)
        for (int k = 0; k < 3; k++)
            c->stress[e][n] += 2.0 * (double)l->mu[n] * j->h * y[k] * turn_entry(R, k, e);
}

static void couple_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const job* j = user;
    const pl_corot_level* l = &j->c->levels[0];
    int base[27];
    for (int k = begin; k < end; k++) {
        const pl_corot_masks* m = &l->masks[l->chunks[k].begin / PL_GRID_CHUNK];
        pl_corot_reach(&l->chunks[k], base);
        for (int i = 0; i < PL_GRID_CHUNK; i++)
            if ((m->core | m->slaved) >> i & 1) uncouple_cell(j, base, i);
    }
}

void pl_corot_uncouple(pl_grid_corot* c, double h) {
    pl_parallel_for(c->pool, couple_task, c->levels[0].chunk_count, CHUNKS, &(job){c, h});
}

// ------------------------------------------------------------------ energy

// energy of the low edges of a cell
static void add_coupling(const void* user, const int* base, int i, double* out) {
    const pl_grid_corot* c = ((const job*)user)->c;
    const pl_corot_level* l = &c->levels[0];
    const int* S = pl_corot_stride;
    double sum = 0.0;
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, at[2] = {3 * a + b, 3 * b + a};
        double mass = 0.0, mean[2] = {0.0}, square[2] = {0.0};
        bool counts = false;
        if (!(l->edge_weight[3 - a - b][base[13] + i] > 0.0f)) continue;
        for (int n = 0; n < 4; n++) {
            const int cell = base[13 - (n & 1 ? S[a] : 0) - (n & 2 ? S[b] : 0)] + i;
            const double mu = (double)l->mu[cell];
            const pl_mat3 R = pl_quat_to_mat3(c->turn[cell]);
            counts = counts || l->flags[cell] & PL_COROT_INTERIOR;
            mass += mu;
            for (int k = 0; k < 2; k++)
                mean[k] += mu * R.m[at[k]], square[k] += mu * R.m[at[k]] * R.m[at[k]];
        }
        for (int k = 0; counts && k < 2; k++) sum += 0.25 * (square[k] - mean[k] * mean[k] / mass);
    }
    *out += sum;
}

static double coupling_part(int begin, int end, void* user) {
    const job* j = user;
    return pl_corot_sum_cells(&j->c->levels[0], begin, end, add_coupling, j);
}

double pl_corot_coupling(const pl_grid_corot* c, double h) {
    job j = {(pl_grid_corot*)c, h};
    return h * h * pl_parallel_sum(c->pool, coupling_part, c->levels[0].chunk_count, CHUNKS, &j);
}
