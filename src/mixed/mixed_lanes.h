// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What mixed tets add to matrices, PL_LANES of them at a time, by the laws in float of
// material_wide.h: matrices need fewer digits than forces. F is computed in double, so that it is
// right to 1e-7 wherever the body is.
#ifndef PL_MIXED_LANES_H
#define PL_MIXED_LANES_H

#include "elements/tet_lanes.h"

// The PL_LANES tets from `first` on. False, with nothing done, if they have several laws.
//
// A += scale d2(Psi_d + p Phi)/dx2, projected or not; p: mean pressure of the corners
bool pl_mixed_lanes_hessian(const pl_element_set* set, const pl_tet_data* d, int first,
                            const double* x, const double* pressure, bool projected, double scale,
                            pl_block_matrix* A);
// gradients[lane][i] = V dPhi/dx of corner i; false for laws with a rotation too
bool pl_mixed_lanes_gradients(const pl_element_set* set, const pl_tet_data* d, int first,
                              const double* x, pl_vec3 (*gradients)[4]);

#endif
