// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Forces and energies of four patches at a time, in double. Equal to pl_patch_energy up to
// round-off.
#ifndef PL_FEM_PATCH_LANES_H
#define PL_FEM_PATCH_LANES_H

#include "step/element_set.h"

typedef struct pl_patch_values {
    double rest[3], form[6];
    double slopes[3][4]; // of the angles laid flat, for Projective Dynamics
} pl_patch_values;

// Sum of the energies of patches [first, last).
double pl_patch_lanes_energy(const int* corners, const pl_patch_values* patches, int first,
                             int last, const double* x);
// adds their gradient; returns their energy as well
double pl_patch_lanes_gradient(const int* corners, const pl_patch_values* patches, int first,
                               int last, const double* x, double* gradient);

#endif
