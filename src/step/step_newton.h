// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Minimises a step's objective by Newton's method; step_projective_loop.h is the same for
// Projective Dynamics.
#ifndef PL_STEP_NEWTON_H
#define PL_STEP_NEWTON_H

#include "method/method.h"
#include "step/step_minimiser.h"
#include "step/step_objective.h"
#include "step/step_settings.h"

// pieces: borrowed.
pl_status pl_minimiser_setup(pl_minimiser* m, const pl_step_pieces* pieces, int block,
                             const int* neighbour_offsets, const int* neighbours, pl_error* error);
// Creates the method's relaxation sweeps of single vertices, if it has any for these elements and
// the settings allow them. They need elements by vertex (pl_element_set_gather).
bool pl_minimiser_may_relax(const pl_step_settings* settings);
pl_status pl_minimiser_setup_relax(pl_minimiser* m, const pl_solver_input* input,
                                   const pl_step_solvers* solvers, pl_error* error);
// Creates the linear solver; call it while m->A has its values at rest. input->A is m->A. solvers:
// those of the method, or NULL.
pl_status pl_minimiser_setup_linear(pl_minimiser* m, const pl_solver_input* input,
                                    const pl_step_solvers* solvers, pl_error* error);
void pl_minimiser_free(pl_minimiser* m);

// Minimises from m->x; contacts are detected in every iteration (S0 Alg. 4).
pl_status pl_minimise(pl_minimiser* m, pl_step_objective* f, const pl_step_settings* settings,
                      pl_detect detect, void* detect_user, pl_method_info* info, pl_error* error);
// Reports that elements of laws with a barrier are inverted; the solution is discarded.
pl_status pl_fail_inverted(pl_method_info* info, pl_error* error);

#endif
