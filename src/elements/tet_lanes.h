// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Forces and energies of several tets at a time, in double, for the most common laws: plain loops
// over lanes with a constant count, which the compiler vectorises.
#ifndef PL_ELEMENTS_TET_LANES_H
#define PL_ELEMENTS_TET_LANES_H

#include "material/material.h"
#include "step/element_set.h"

// The data of a set of tets.
typedef struct pl_tet_data {
    int count;
    double* gradients; // 12 per tet: g_0 .. g_3
    double* volumes;
    pl_material* materials;
} pl_tet_data;

// positions of the corners of a tet of a set
void pl_tet_gather(const pl_element_set* set, int e, const double* x, double local[12]);
// Sums over the tets [first, last) of a set: by lanes if these support the law, else by the set's
// functions for single elements. d: the data of the tets. with_volume: as for the lanes below.
void pl_tet_sum_gradients(const pl_element_set* set, const pl_tet_data* d, bool with_volume,
                          int first, int last, const double* x, double* gradient);
double pl_tet_sum_energies(const pl_element_set* set, const pl_tet_data* d, bool with_volume,
                           int first, int last, const double* x);

// F of a tet whose corners are at x, 3 numbers per corner; and its stiffness for a given tangent,
// 12 x 12 (tet_elements.c).
pl_mat3 pl_tet_deformation(const pl_tet_data* d, int e, const double* x);
void pl_tet_stiffness(const pl_tet_data* d, int e, const pl_principal* tangent, double* hessian);

enum { PL_TET_LANES = 8 };

// Adds the gradient, or the energy, of the PL_TET_LANES tets starting at `first`. corners: 4 per
// tet. with_volume: the whole law; else the law without its volume part, kappa/2 Phi^2. Returns
// false and adds nothing if their laws are not supported: stable Neo-Hookean supports all, ARAP and
// corotated the energy of the whole law.
bool pl_tet_lanes_gradient(const pl_tet_data* d, const int* corners, int first, bool with_volume,
                           const double* x, double* gradient);
bool pl_tet_lanes_energy(const pl_tet_data* d, const int* corners, int first, bool with_volume,
                         const double* x, double* energy);

// The volume part of stable Neo-Hookean tets. Constraint: phi = V Phi of each tet. Pressure:
// gradient += V p dPhi/dx, with a pressure p for each tet. Returns false as above.
bool pl_tet_lanes_constraint(const pl_tet_data* d, const int* corners, int first, const double* x,
                             double phi[PL_TET_LANES]);
bool pl_tet_lanes_pressure(const pl_tet_data* d, const int* corners, int first, const double* x,
                           const double pressure[PL_TET_LANES], double* gradient);

#endif
