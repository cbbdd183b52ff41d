// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The consistent mass matrix of linear elements: M_ij = integral of rho N_i N_j, one number per
// pair of vertices. Its row sums are the lumped masses, so both give the same uniform motion (free
// fall, linear momentum). Frequencies of vibration come out too high with it and too low with
// lumped masses.
#ifndef PL_STEP_MASS_MATRIX_H
#define PL_STEP_MASS_MATRIX_H

#include "sparse/block_matrix.h"

// M += the mass of one element with n corners: m (1 + delta_ij) / (n (n + 1)). M has block 1 and
// the pattern of the system.
void pl_mass_matrix_add(pl_block_matrix* M, const int* corners, int corner_count, double mass);
// A += s M on the diagonals of blocks; A has the pattern of M.
void pl_mass_matrix_add_to(const pl_block_matrix* M, double s, pl_block_matrix* A);

#endif
