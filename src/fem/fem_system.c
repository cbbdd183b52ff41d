// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "fem/fem_system.h"
#include "fem/newton_multigrid.h"
#include "fem/spring_relax.h"

const pl_step_solvers pl_fem_solvers = {.newton = pl_newton_multigrid_solver,
                                        .projective = pl_projective_fast_solver,
                                        .relax = pl_spring_relax_solver};

pl_status pl_fem_system_create(const double* positions, const double* mass, int vertex_count,
                               const int* neighbour_offsets, const int* neighbours,
                               pl_element_set* sets, int set_count,
                               const pl_step_settings* settings, pl_pool* pool,
                               pl_step_system** out, pl_error* error) {
    return pl_step_system_create(positions, mass, vertex_count, neighbour_offsets, neighbours, sets,
                                 set_count, settings, &pl_fem_solvers, pool, out, error);
}

pl_projective_fast* pl_fem_projective_of(const pl_step_system* system) {
    return pl_projective_fast_of(pl_step_projective_solver(system));
}
