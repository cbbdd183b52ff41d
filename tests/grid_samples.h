// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Lattices for the tests of method grid.
#ifndef PL_GRID_SAMPLES_H
#define PL_GRID_SAMPLES_H

#include "grid/grid_corot_kernels.h"
#include "grid/grid_linear.h"

// n^3 interior cells between two walls of Dirichlet cells across x.
pl_grid_cells sample_box_cells(int n);
// A ball of radius r in a lattice, a limb one cell thin, and Dirichlet cells at the ball's low x.
pl_grid_cells sample_ball_cells(int r);
// Random displacements of interior faces, and pressures of interior cells.
void fill_random(const pl_grid_level* level, pl_grid_state* state, uint64_t seed);

// T of cell i of a chunk of the general lattice, whose neighbours pl_corot_reach has found; the
// plain form of pl_corot_trace_w.
float sample_trace(const pl_corot_level* level, float* const u[3], const int* base, int i);

#endif
