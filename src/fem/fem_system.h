// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A system of tets, cloth and springs, with the solvers specialised for them.
#ifndef PL_FEM_SYSTEM_H
#define PL_FEM_SYSTEM_H

#include "fem/fem_projective_fast.h"
#include "step/step_system.h"

extern const pl_step_solvers pl_fem_solvers;

// As pl_step_system_create, with pl_fem_solvers.
pl_status pl_fem_system_create(const double* positions, const double* mass, int vertex_count,
                               const int* neighbour_offsets, const int* neighbours,
                               pl_element_set* sets, int set_count,
                               const pl_step_settings* settings, pl_pool* pool,
                               pl_step_system** out, pl_error* error);

// The solver for Projective Dynamics on multigrid of a fem system, for tests and measurements; NULL
// if it has none.
pl_projective_fast* pl_fem_projective_of(const pl_step_system* system);

#endif
