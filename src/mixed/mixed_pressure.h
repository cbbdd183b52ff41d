// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The pressures of method mixed, as a coupling of a step (step_coupling.h). With B = C + S, the
// pressures of a given x are those that maximise
//
//   p.phi(x) - 1/2 p.C p - 1/2 (p - p0).S (p - p0) - 1/2 (p - centre).D (p - centre),
//
//   so   (B + D) p = phi(x) + S p0 + D centre,
//
// and the maximum is the energy that the step minimises beside the distortion.
//
// p0 = 0 is the full stabilisation of the paper. Moving p0 to p until it stays there leaves the
// stabilisation in the matrix only (its quasi-Newton variant): a proximal-point iteration.
//
// D is what 1 / kappa lacks of a small part of 1 / mu, so it is 0 for compressible material.
// Without it the energy of nearly incompressible material is a narrow curved valley, and a line
// search cuts every long step. The centre goes with every direction to the pressures that it leads
// to, so that at the end p = centre and D does nothing (an augmented Lagrangian).
#ifndef PL_MIXED_PRESSURE_H
#define PL_MIXED_PRESSURE_H

#include "step/step_objective.h"
#include "step/step_solvers.h"

typedef struct pl_mixed_pressure pl_mixed_pressure;

typedef struct pl_mixed_options {
    double stabilisation; // alpha
    bool in_matrix_only;  // p0 follows p
    double relaxation;    // of the sweeps of multigrid; NAN: automatic
} pl_mixed_options;

// neighbours: as for pl_step_system_create. Then pl_mixed_pressure_use and
// pl_mixed_pressure_changed.
pl_status pl_mixed_pressure_create(int vertex_count, const int* neighbour_offsets,
                                   const int* neighbours, const pl_mixed_options* options,
                                   pl_pool* pool, pl_mixed_pressure** out, pl_error* error);
void pl_mixed_pressure_destroy(pl_mixed_pressure* m);
// The mixed tets and the pieces of their system; they stay where they are.
pl_status pl_mixed_pressure_use(pl_mixed_pressure* m, const pl_element_set* set,
                                const pl_step_pieces* pieces, pl_error* error);
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

// Of the pieces that are as good as incompressible, the largest mean of Phi at x: the relative
// change of volume, for small ones. 0 if there are none.
double pl_mixed_worst_change(pl_mixed_pressure* m, const double* x);

size_t pl_mixed_pressure_state_size(const pl_mixed_pressure* m);
void pl_mixed_pressure_state_save(const pl_mixed_pressure* m, void* out);
void pl_mixed_pressure_state_load(pl_mixed_pressure* m, const void* in);

#endif
