// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The consistent mass matrix of linear elements: M_ij = integral of rho N_i N_j, one number per
// pair of vertices. Its row sums are the lumped masses, so that uniform motion (free fall, linear
// momentum) is the same with both; vibrations come out too fast with it and too slow with lumps.
#ifndef PL_STEP_MASS_MATRIX_H
#define PL_STEP_MASS_MATRIX_H

#include "sparse/block_matrix.h"

// M += the mass of one element with n corners: m (1 + delta_ij) / (n (n + 1)). M has block 1 and
// the pattern of the system.
void pl_mass_matrix_add(pl_block_matrix* M, const int* corners, int corner_count, double mass);
// A += s M, of the same pattern; on the diagonals of blocks.
void pl_mass_matrix_add_to(const pl_block_matrix* M, double s, pl_block_matrix* A);

#endif
