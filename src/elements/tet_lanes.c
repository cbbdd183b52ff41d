// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "elements/tet_lanes.h"
#include "material/law_stable_neohookean.h"
#include "material/rotation_trace.h"

#include <math.h>

_Static_assert((int)PL_TET_LANES == (int)PL_TRACE_LANES, "traces of as many tets");

typedef struct tet_lanes {
    double F[9][PL_TET_LANES], shapes[9][PL_TET_LANES]; // shapes: g_1 .. g_3
} tet_lanes;

// Tets to evaluate: their corners, 4 per tet, starting at `first`.
typedef struct tet_group {
    const pl_tet_data* d;
    const int* corners;
    int first;
} tet_group;

static inline __attribute__((always_inline)) void load_lanes(const tet_group* g, const double* x,
                                                             tet_lanes* t) {
    double edges[9][PL_TET_LANES];
    for (int k = 0; k < PL_TET_LANES; k++) {
        const int e = g->first + k, *v = g->corners + 4 * (size_t)e;
        const double *shape = g->d->gradients + 12 * (size_t)e + 3, *a = x + 3 * (size_t)v[0];
        for (int i = 0; i < 3; i++)
            for (int c = 0; c < 3; c++)
                edges[3 * i + c][k] = x[3 * (size_t)v[i + 1] + (size_t)c] - a[c];
        for (int i = 0; i < 9; i++) t->shapes[i][k] = shape[i];
    }
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < PL_TET_LANES; k++)
                t->F[3 * r + c][k] = edges[r][k] * t->shapes[c][k] +
                                     edges[3 + r][k] * t->shapes[3 + c][k] +
                                     edges[6 + r][k] * t->shapes[6 + c][k];
}

// the cofactor (r, c) of F
#define COFACTOR(F, r, c, k)                                                                       \
    ((F)[3 * (((r) + 1) % 3) + ((c) + 1) % 3][k] * (F)[3 * (((r) + 2) % 3) + ((c) + 2) % 3][k] -   \
     (F)[3 * (((r) + 1) % 3) + ((c) + 2) % 3][k] * (F)[3 * (((r) + 2) % 3) + ((c) + 1) % 3][k])

// I2 and J - 1
static inline __attribute__((always_inline)) void find_invariants(const tet_lanes* t, double* I2,
                                                                  double* dilation) {
    for (int k = 0; k < PL_TET_LANES; k++) {
        double sum = 0.0;
        for (int i = 0; i < 9; i++) sum += t->F[i][k] * t->F[i][k];
        I2[k] = sum;
        dilation[k] = t->F[0][k] * COFACTOR(t->F, 0, 0, k) + t->F[1][k] * COFACTOR(t->F, 0, 1, k) +
                      t->F[2][k] * COFACTOR(t->F, 0, 2, k) - 1.0;
    }
}

// The moduli of stable Neo-Hookean tets, multiplied by their volumes. kappa is 0 without the volume
// part.
typedef struct tet_moduli {
    double modulus[PL_TET_LANES], kappa[PL_TET_LANES];
} tet_moduli;

static tet_moduli load_moduli(const tet_group* g, bool with_volume) {
    tet_moduli of;
    for (int k = 0; k < PL_TET_LANES; k++) {
        const pl_material* m = &g->d->materials[g->first + k];
        const double volume = g->d->volumes[g->first + k];
        of.modulus[k] = volume * (4.0 / 3.0) * m->mu;
        of.kappa[k] = with_volume ? volume * pl_stable_neohookean_kappa(m) : 0.0;
    }
    return of;
}

// gradient += P g_i at each corner i
static inline __attribute__((always_inline)) void
add_forces(const tet_group* g, const tet_lanes* t, double P[9][PL_TET_LANES], double* gradient) {
    double forces[9][PL_TET_LANES];
    for (int i = 0; i < 3; i++)
        for (int r = 0; r < 3; r++)
            for (int k = 0; k < PL_TET_LANES; k++)
                forces[3 * i + r][k] = P[3 * r][k] * t->shapes[3 * i][k] +
                                       P[3 * r + 1][k] * t->shapes[3 * i + 1][k] +
                                       P[3 * r + 2][k] * t->shapes[3 * i + 2][k];
    for (int k = 0; k < PL_TET_LANES; k++) {
        const int* v = g->corners + 4 * (size_t)(g->first + k);
        for (int r = 0; r < 3; r++) {
            gradient[3 * (size_t)v[0] + (size_t)r] -=
                forces[r][k] + forces[3 + r][k] + forces[6 + r][k];
            for (int i = 0; i < 3; i++)
                gradient[3 * (size_t)v[i + 1] + (size_t)r] += forces[3 * i + r][k];
        }
    }
}

static void add_neohookean_gradient(const tet_group* g, bool with_volume, const double* x,
                                    double* gradient) {
    tet_lanes t;
    const tet_moduli of = load_moduli(g, with_volume);
    double I2[PL_TET_LANES], dilation[PL_TET_LANES], along[PL_TET_LANES], across[PL_TET_LANES],
        P[9][PL_TET_LANES];
    load_lanes(g, x, &t);
    find_invariants(&t, I2, dilation);
    for (int k = 0; k < PL_TET_LANES; k++) {
        pl_slopes f = pl_stable_neohookean_slopes(of.modulus[k], I2[k]);
        along[k] = 2.0 * f.f2;
        across[k] = of.kappa[k] * dilation[k] + f.f3;
    }
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < PL_TET_LANES; k++)
                P[3 * r + c][k] = along[k] * t.F[3 * r + c][k] + across[k] * COFACTOR(t.F, r, c, k);
    add_forces(g, &t, P, gradient);
}

static double neohookean_energy(const tet_group* g, bool with_volume, const double* x) {
    tet_lanes t;
    const tet_moduli of = load_moduli(g, with_volume);
    double I2[PL_TET_LANES], dilation[PL_TET_LANES], sum = 0.0;
    load_lanes(g, x, &t);
    find_invariants(&t, I2, dilation);
    for (int k = 0; k < PL_TET_LANES; k++)
        sum += pl_stable_neohookean_stretch(of.modulus[k], I2[k]) +
               (0.5 * of.kappa[k] * dilation[k] - 0.75 * of.modulus[k]) * dilation[k];
    return sum;
}

// mu |F - R|^2 + lambda/2 (tr(R'F) - 3)^2; ARAP is the first term
static double corotated_energy(const tet_group* g, const double* x) {
    tet_lanes t;
    double I1[PL_TET_LANES], I2[PL_TET_LANES], sum = 0.0;
    load_lanes(g, x, &t);
    pl_rotation_traces(t.F, I2, I1);
    for (int k = 0; k < PL_TET_LANES; k++) {
        const pl_material* m = &g->d->materials[g->first + k];
        double lambda = m->kind == PL_MATERIAL_COROTATED ? m->lambda : 0.0;
        double growth = I1[k] - 3.0;
        sum += g->d->volumes[g->first + k] *
               (m->mu * (I2[k] - 2.0 * I1[k] + 3.0) + 0.5 * lambda * growth * growth);
    }
    return sum;
}

static bool are_all(const tet_group* g, pl_material_kind one, pl_material_kind other) {
    const pl_material* materials = g->d->materials + g->first;
    for (int k = 0; k < PL_TET_LANES; k++)
        if (materials[k].kind != one && materials[k].kind != other) return false;
    return true;
}

static bool are_neohookean(const tet_group* g) {
    return are_all(g, PL_MATERIAL_STABLE_NEOHOOKEAN, PL_MATERIAL_STABLE_NEOHOOKEAN);
}

bool pl_tet_lanes_gradient(const pl_tet_data* d, const int* corners, int first, bool with_volume,
                           const double* x, double* gradient) {
    const tet_group g = {d, corners, first};
    if (!are_neohookean(&g)) return false;
    add_neohookean_gradient(&g, with_volume, x, gradient);
    return true;
}

bool pl_tet_lanes_energy(const pl_tet_data* d, const int* corners, int first, bool with_volume,
                         const double* x, double* energy) {
    const tet_group g = {d, corners, first};
    if (are_neohookean(&g)) *energy += neohookean_energy(&g, with_volume, x);
    else if (with_volume && are_all(&g, PL_MATERIAL_ARAP, PL_MATERIAL_COROTATED))
        *energy += corotated_energy(&g, x);
    else return false;
    return true;
}

bool pl_tet_lanes_constraint(const pl_tet_data* d, const int* corners, int first, const double* x,
                             double phi[PL_TET_LANES]) {
    const tet_group g = {d, corners, first};
    tet_lanes t;
    double I2[PL_TET_LANES];
    if (!are_neohookean(&g)) return false;
    load_lanes(&g, x, &t);
    find_invariants(&t, I2, phi);
    for (int k = 0; k < PL_TET_LANES; k++) phi[k] *= d->volumes[first + k];
    return true;
}

bool pl_tet_lanes_pressure(const pl_tet_data* d, const int* corners, int first, const double* x,
                           const double pressure[PL_TET_LANES], double* gradient) {
    const tet_group g = {d, corners, first};
    tet_lanes t;
    double across[PL_TET_LANES], P[9][PL_TET_LANES];
    if (!are_neohookean(&g)) return false;
    load_lanes(&g, x, &t);
    for (int k = 0; k < PL_TET_LANES; k++) across[k] = d->volumes[first + k] * pressure[k];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < PL_TET_LANES; k++)
                P[3 * r + c][k] = across[k] * COFACTOR(t.F, r, c, k);
    add_forces(&g, &t, P, gradient);
    return true;
}
