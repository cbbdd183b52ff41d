// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Forces and energies of several tets at a time, in double, for the most used laws: plain loops
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

// F of a tet whose corners are at x, 3 per corner; and its stiffness with a given tangent, 12 x 12
// (tet_elements.c).
pl_mat3 pl_tet_deformation(const pl_tet_data* d, int e, const double* x);
void pl_tet_stiffness(const pl_tet_data* d, int e, const pl_principal* tangent, double* hessian);

enum { PL_TET_LANES = 8 };

// Adds the gradient, or the energy, of the PL_TET_LANES tets from `first` on. Returns false and
// adds nothing if their laws are not supported: stable Neo-Hookean for both, ARAP and corotated for
// the energy only.
bool pl_tet_lanes_gradient(const pl_element_set* set, int first, const double* x, double* gradient);
bool pl_tet_lanes_energy(const pl_element_set* set, int first, const double* x, double* energy);

// The same for stable Neo-Hookean tets with the volume part of their law, kappa/2 Phi^2, split off.
// corners: 4 per tet. Distortion: what is left of the law. Constraint: phi = V Phi of each tet.
// Pressure: gradient += V p dPhi/dx, with a pressure p of each tet.
bool pl_tet_lanes_distortion_gradient(const pl_tet_data* d, const int* corners, int first,
                                      const double* x, double* gradient);
bool pl_tet_lanes_distortion_energy(const pl_tet_data* d, const int* corners, int first,
                                    const double* x, double* energy);
bool pl_tet_lanes_constraint(const pl_tet_data* d, const int* corners, int first, const double* x,
                             double phi[PL_TET_LANES]);
bool pl_tet_lanes_pressure(const pl_tet_data* d, const int* corners, int first, const double* x,
                           const double pressure[PL_TET_LANES], double* gradient);

#endif
