// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Forces and energies of several tets at a time, in double, for laws that line searches and steps
// ask most: plain loops over lanes, which the compiler makes wide for the constant count.
#ifndef PL_FEM_TET_LANES_H
#define PL_FEM_TET_LANES_H

#include "material/material.h"
#include "step/element_set.h"

// What a set of tets knows of them.
typedef struct pl_tet_data {
    int count;
    double* gradients; // 12 per tet: g_0 .. g_3
    double* volumes;
    pl_material* materials;
} pl_tet_data;

enum { PL_TET_LANES = 8 };

// For the PL_TET_LANES tets from `first` on: gradient += theirs, and *energy += theirs. False, with
// nothing done, if their laws are not among those that go together: stable Neo-Hookean for both,
// ARAP and corotated for the energy.
bool pl_tet_lanes_gradient(const pl_element_set* set, int first, const double* x, double* gradient);
bool pl_tet_lanes_energy(const pl_element_set* set, int first, const double* x, double* energy);

#endif
