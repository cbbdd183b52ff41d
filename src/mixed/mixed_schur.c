// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "mixed/mixed_schur.h"
#include "mixed/mixed_tets.h"

// |G' 1|^2 at a vertex: 0 inside the body and where it is held
static double boundary_square(const pl_mixed_schur* m, int v) {
    const pl_block_matrix* A = m->A;
    double sum[3] = {0.0, 0.0, 0.0};
    for (int e = A->offsets[v]; e < A->offsets[v + 1]; e++)
        for (int c = 0; c < 3; c++)
            sum[c] += A->values[16 * (size_t)e + (size_t)(4 * c + 3)] / m->units[A->columns[e]];
    return sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2];
}

// L + B, where K has `inertia` times the mass. L is G M^-1 G' divided by `inertia`, approximated in
// the pattern of the mesh: a Laplacian inside the body, with zero slope where the body is held and
// zero pressure where it is free.
static void sum_laplacian(const pl_mixed_schur* m, double inertia, pl_block_matrix* sum) {
    const double* mass = m->f->mass;
    double* lightness = m->volumes; // 1 / (inertia density)
    for (int v = 0; v < m->A->row_count; v++)
        lightness[v] = mass[v] > 0.0 ? m->volumes[v] / (inertia * mass[v]) : 0.0;
    for (int e = 0; e < pl_block_matrix_entry_count(sum); e++) sum->values[e] = m->B->values[e];
    pl_mixed_add_laplacian(m->set, lightness, sum);
    for (int v = 0; v < m->A->row_count; v++) {
        if (mass[v] > 0.0)
            sum->values[sum->diagonal[v]] += boundary_square(m, v) / (inertia * mass[v]);
    }
    for (int v = 0; v < m->A->row_count; v++)
        for (int e = sum->offsets[v]; e < sum->offsets[v + 1]; e++)
            sum->values[e] *= m->units[v] * m->units[sum->columns[e]];
}

bool pl_mixed_schur_find(const pl_mixed_schur* m, double* W, pl_block_matrix* sum) {
    const pl_step_objective* f = m->f;
    double inertia = f->inertia, stiffness = 1.0; // factors of M and of the elasticity in K
    if (f->velocity_time > 0.0) {
        inertia += f->damping_mass / f->velocity_time;
        stiffness += f->damping_stiffness / f->velocity_time;
    }
    pl_mixed_softness(m->set, m->A->row_count, W, m->volumes);
    for (int v = 0; v < m->A->row_count; v++)
        W[v] = m->units[v] * m->units[v] * (W[v] / stiffness + m->B->values[m->B->diagonal[v]]);
    if (inertia > 0.0) sum_laplacian(m, inertia, sum);
    return inertia > 0.0;
}

double pl_mixed_schur_stiffness(const pl_block_matrix* A, const pl_block_matrix* B,
                                const double* units, int i) {
    const int v = i / 3, c = i % 3;
    double sum = A->values[16 * (size_t)A->diagonal[v] + 5 * (size_t)c];
    for (int e = A->offsets[v]; e < A->offsets[v + 1]; e++) {
        double g = A->values[16 * (size_t)e + 4 * (size_t)c + 3] / units[A->columns[e]];
        sum += g * g / B->values[B->diagonal[A->columns[e]]];
    }
    return sum;
}
