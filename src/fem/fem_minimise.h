// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Minimisation of a step's objective by Newton; fem_projective_loop.h is that of Projective
// Dynamics.
#ifndef PL_FEM_MINIMISE_H
#define PL_FEM_MINIMISE_H

#include "fem/fem_objective.h"
#include "fem/fem_settings.h"
#include "fem/minimiser.h"
#include "method/method.h"

// pieces: borrowed.
pl_status pl_minimiser_setup(pl_minimiser* m, const pl_fem_pieces* pieces, int block,
                             const int* neighbour_offsets, const int* neighbours, pl_error* error);
// The linear solver, when the matrix has the values it has at rest; sets are borrowed.
pl_status pl_minimiser_setup_linear(pl_minimiser* m, const double* rest, const pl_element_set* sets,
                                    int set_count, const pl_fem_settings* settings, pl_pool* pool,
                                    pl_error* error);
void pl_minimiser_free(pl_minimiser* m);
// Projective Dynamics: prepares the solver for the values of A, if they are others than before.
pl_status pl_minimiser_update_solver(pl_minimiser* m, pl_method_info* info, pl_error* error);

// Minimises from m->x on; contacts are found anew in every iteration (S0 Alg. 4).
pl_status pl_minimise(pl_minimiser* m, pl_fem_objective* f, const pl_fem_settings* settings,
                      pl_detect detect, void* detect_user, pl_method_info* info, pl_error* error);
// Says that elements of laws with a barrier are inverted; what was solved does not count.
pl_status pl_fail_inverted(pl_method_info* info, pl_error* error);

#endif
