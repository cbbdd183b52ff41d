// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The pressures of method mixed, as a coupling of a step (step_coupling.h). With B = C + S, the
// pressures at a given x maximise
//
//   p.phi(x) - 1/2 p.C p - 1/2 (p - p0).S (p - p0) - 1/2 (p - centre).D (p - centre),
//
//   so   (B + D) p = phi(x) + S p0 + D centre,
//
// and the maximum is added to the distortion energy that the step minimises.
//
// p0 = 0 is the full stabilisation of the paper. Moving p0 to p until it stops changing leaves the
// stabilisation only in the matrix (the paper's quasi-Newton variant): a proximal-point iteration.
//
// D raises 1 / kappa to a small fraction of 1 / mu, so it is 0 for compressible material. Without D
// the energy of nearly incompressible material is a narrow curved valley, in which a line search
// cuts every long step. After each direction the centre moves to the predicted pressures. At
// convergence p = centre, and D has no effect (an augmented Lagrangian).
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

// neighbours: as for pl_step_system_create. Call pl_mixed_pressure_use and
// pl_mixed_pressure_changed next.
pl_status pl_mixed_pressure_create(int vertex_count, const int* neighbour_offsets,
                                   const int* neighbours, const pl_mixed_options* options,
                                   pl_pool* pool, pl_mixed_pressure** out, pl_error* error);
void pl_mixed_pressure_destroy(pl_mixed_pressure* m);
// The mixed tets and the pieces of their system; they stay where they are.
pl_status pl_mixed_pressure_use(pl_mixed_pressure* m, const pl_element_set* set,
                                const pl_step_pieces* pieces, pl_error* error);
// Pressures for the Hessian of the tets.
const double* pl_mixed_pressure_values(const pl_mixed_pressure* m);
// Call when materials or options change: updates B.
pl_status pl_mixed_pressure_changed(pl_mixed_pressure* m, const pl_mixed_options* options,
                                    pl_error* error);

const pl_step_coupling* pl_mixed_coupling(const pl_mixed_pressure* m);
// The solver for pl_step_solvers, for steps whose settings have this coupling.
pl_status pl_mixed_newton(const pl_solver_input* input, pl_newton_solver* out, pl_error* error);

// The pressures at x, valid until the next call of a function of this header.
const double* pl_mixed_pressures_at(pl_mixed_pressure* m, const double* x);

// The largest mean of Phi at x over the nearly incompressible pieces: for small values, the
// relative change of volume. 0 if there are no such pieces.
double pl_mixed_worst_change(pl_mixed_pressure* m, const double* x);

size_t pl_mixed_pressure_state_size(const pl_mixed_pressure* m);
void pl_mixed_pressure_state_save(const pl_mixed_pressure* m, void* out);
void pl_mixed_pressure_state_load(pl_mixed_pressure* m, const void* in);

#endif
