// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The pressures of method mixed, as a coupling of a step (step_coupling.h). With B = C + S, the
// pressures of a given x are those that maximise
//
//   p.phi(x) - 1/2 p.C p - 1/2 (p - p0).S (p - p0),   so   B p = phi(x) + S p0,
//
// and the maximum is the energy that the step minimises beside the distortion. p0 = 0 is the full
// stabilisation of the paper. Moving p0 to p until it stays there leaves the stabilisation in the
// matrix only (its quasi-Newton variant): a proximal-point iteration, each round of which is a
// minimisation with a line search of its own.
#ifndef PL_MIXED_PRESSURE_H
#define PL_MIXED_PRESSURE_H

#include "step/step_objective.h"
#include "step/step_solvers.h"

typedef struct pl_mixed_pressure pl_mixed_pressure;

typedef struct pl_mixed_options {
    double stabilisation; // alpha
    bool in_matrix_only;  // p0 follows p
} pl_mixed_options;

// neighbours: as for pl_step_system_create. Then pl_mixed_pressure_use and
// pl_mixed_pressure_changed.
pl_status pl_mixed_pressure_create(int vertex_count, const int* neighbour_offsets,
                                   const int* neighbours, const pl_mixed_options* options,
                                   pl_pool* pool, pl_mixed_pressure** out, pl_error* error);
void pl_mixed_pressure_destroy(pl_mixed_pressure* m);
// The mixed tets; they stay where they are.
void pl_mixed_pressure_use(pl_mixed_pressure* m, const pl_element_set* set);
// Where the Hessian of the tets takes its pressures from.
const double* pl_mixed_pressure_values(const pl_mixed_pressure* m);
// Materials or options have changed: B anew.
pl_status pl_mixed_pressure_changed(pl_mixed_pressure* m, const pl_mixed_options* options,
                                    pl_error* error);

const pl_step_coupling* pl_mixed_coupling(const pl_mixed_pressure* m);
// The solver of pl_step_solvers, of a step whose settings have that coupling.
pl_status pl_mixed_newton(const pl_solver_input* input, pl_newton_solver* out, pl_error* error);

// The pressures at x, valid until the next call of anything here.
const double* pl_mixed_pressures_at(pl_mixed_pressure* m, const double* x);

// The mean of Phi over all tets at x: the relative change of volume, for small ones.
double pl_mixed_mean_change(pl_mixed_pressure* m, const double* x);
// All tets are as good as incompressible.
bool pl_mixed_is_incompressible(const pl_mixed_pressure* m);

size_t pl_mixed_pressure_state_size(const pl_mixed_pressure* m);
void pl_mixed_pressure_state_save(const pl_mixed_pressure* m, void* out);
void pl_mixed_pressure_state_load(pl_mixed_pressure* m, const void* in);

#endif
