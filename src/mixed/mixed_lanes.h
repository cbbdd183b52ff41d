// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Adds mixed tets to matrices, PL_LANES tets at a time, with the float laws of material_wide.h:
// matrices need fewer digits than forces. F is computed in double, so that its relative error is
// 1e-7 wherever the body is.
#ifndef PL_MIXED_LANES_H
#define PL_MIXED_LANES_H

#include "elements/tet_lanes.h"

// Both functions work on the PL_LANES tets from `first` on, and return false without doing anything
// if those have different laws.
//
// A += scale d2(Psi_d + p Phi)/dx2, projected or not; p: mean pressure of the corners
bool pl_mixed_lanes_hessian(const pl_element_set* set, const pl_tet_data* d, int first,
                            const double* x, const double* pressure, bool projected, double scale,
                            pl_block_matrix* A);
// gradients[lane][i] = V dPhi/dx of corner i; also false for laws with a rotation
bool pl_mixed_lanes_gradients(const pl_element_set* set, const pl_tet_data* d, int first,
                              const double* x, pl_vec3 (*gradients)[4]);

#endif
