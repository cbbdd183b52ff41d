// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The discrete equations in double, written plainly. Cycles reduce their residual, and tests
// compare the kernels with them.
#ifndef PL_GRID_LINEAR_OPERATOR_H
#define PL_GRID_LINEAR_OPERATOR_H

#include "grid/grid_lattice.h"
#include "grid/grid_linear_level.h"

// Sets f and g of the level to the residuals f - L u and g - div u - eps p of the state. Returns
// the norm of both together.
double pl_grid_residual(pl_grid_linear_level* level, const pl_grid_state* state, pl_pool* pool);
// The residual of one interior face across an axis, or of one interior cell: `offset` counts cells
// along the segment.
double pl_grid_face_residual(const pl_grid_level* level, const pl_grid_state* state,
                             const pl_grid_segment* segment, int axis, int offset);
double pl_grid_cell_residual(const pl_grid_level* level, const pl_grid_state* state,
                             const pl_grid_segment* segment, int offset);
// out[a] = L u on interior faces, with the state's pressures.
void pl_grid_apply(const pl_grid_level* level, const pl_grid_state* state, double* const out[3]);
// u' K u / 2, where K is -L with all pressures substituted. Prescribed values are included.
double pl_grid_energy(const pl_grid_level* level, const pl_grid_state* state);
// Adds the level's u and c to the state.
void pl_grid_correct(const pl_grid_linear_level* level, pl_grid_state* state, pl_pool* pool);
// Stores the correction in the order of the state, with pressures in place of c and zeros outside.
void pl_grid_take_correction(const pl_grid_linear_level* level, float* const to[4], pl_pool* pool);
// Sets the pressures so that their equations hold.
void pl_grid_substitute(const pl_grid_level* level, pl_grid_state* state);

#endif
