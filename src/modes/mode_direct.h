// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Finds modes by the Lanczos method on (K + sigma M)^-1 M, with the direct solver.
#ifndef PL_MODES_MODE_DIRECT_H
#define PL_MODES_MODE_DIRECT_H

#include "modes/mode_problem.h"

typedef struct pl_modes_direct pl_modes_direct;

// Chooses a shift and factors K + sigma M. PL_ERROR_ARGUMENT if K has a negative eigenvalue.
pl_status pl_modes_direct_create(const pl_modes_problem* p, pl_pool* pool, pl_modes_direct** out,
                                 pl_error* error);
// Finds the `wanted` lowest modes, in ascending order; counts solves with the factor.
pl_status pl_modes_direct_find(pl_modes_direct* d, int wanted, double* lambda, double* shapes,
                               int* applications, pl_error* error);
// Estimated bytes to find `wanted` modes, without the matrix.
double pl_modes_direct_memory(int vertex_count, int wanted);
void pl_modes_direct_destroy(pl_modes_direct* d);

#endif
