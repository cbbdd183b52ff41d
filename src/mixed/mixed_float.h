// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Assembles the matrix of method mixed, 4 unknowns per vertex, in float and directly in the finest
// level of multigrid.
#ifndef PL_MIXED_FLOAT_H
#define PL_MIXED_FLOAT_H

#include "elements/tet_lanes.h"
#include "multigrid/block_multigrid.h"
#include "step/step_objective.h"

typedef struct pl_mixed_float pl_mixed_float;

// Borrows the set of mixed tets, its data, the pattern of the matrix and the levels. rest: 3 per
// vertex.
pl_status pl_mixed_float_create(const pl_element_set* set, const pl_tet_data* tets,
                                const double* rest, const pl_block_matrix* A, pl_block_mg* mg,
                                pl_pool* pool, pl_mixed_float** out, pl_error* error);
void pl_mixed_float_destroy(pl_mixed_float* m);
// Call when materials or matrices change. B has block size 1; slack_B is the matrix that eliminates
// pressures, used to estimate forces of round-off.
void pl_mixed_float_refresh(pl_mixed_float* m, const pl_block_matrix* B,
                            const pl_block_matrix* slack_B);

// Sets the blocks of the finest level to those of f at x with the given pressures, projected by a
// fraction from 0 to 1. units: units of the pressures in the blocks. Returns false if float may not
// be accurate enough: masses are so small, or stiffness so large, that its error would hide soft
// motions.
bool pl_mixed_float_assemble(pl_mixed_float* m, const pl_step_objective* f, const double* x,
                             const double* pressures, double projected, double* units);
// 3 numbers per vertex, of the last assembly: the diagonal of K + G' B^-1 G, with B the diagonal of
// slack_B.
const float* pl_mixed_float_stiffness(const pl_mixed_float* m, int vertex);

#endif
