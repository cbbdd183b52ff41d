// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Minimisation of a step's objective: Newton, or the constant matrix of Projective Dynamics in
// place of the Hessian.
#ifndef PL_FEM_MINIMISE_H
#define PL_FEM_MINIMISE_H

#include "base/array.h"
#include "fem/fem_newton.h"
#include "fem/fem_objective.h"
#include "fem/fem_search.h"
#include "fem/fem_settings.h"
#include "fem/spring_relax.h"
#include "method/method.h"
#include "sparse/linear_solver.h"

struct pl_minimiser {
    const pl_fem_pieces* pieces; // borrowed
    pl_search search;
    pl_block_matrix A; // Newton on multigrid: without values, until they are needed
    pl_linear_solver* solver;
    pl_newton_multigrid* newton; // in place of the solver
    pl_spring_relax* relax;      // Newton on cloth of springs; else NULL
    // Projective Dynamics: the values that the solver was last prepared for; NULL: none yet
    double* known_values;
    size_t known_count;
    bool is_known;
    int count;     // 3 per vertex
    double* x;     // start and result
    double value;  // Phi(x) without contacts, of a system of one piece; NaN: not known
    double* trial; // of the line search
    double* gradient;
    double* trial_gradient;
    double *further, *further_gradient; // a step that is longer than the trial
    bool gradient_known;                // at x, without contacts
    double* direction;
    double* scratch;      // twice as long
    pl_array contacts;    // of pl_contact
    pl_array found;       // of pl_contact: those of this iteration
    int* contact_mark;    // per vertex: the last iteration that found it in contact
    double* normal_force; // per vertex
    double* friction_dual;
};

// pieces: borrowed.
pl_status pl_minimiser_setup(pl_minimiser* m, const pl_fem_pieces* pieces, int block,
                             const int* neighbour_offsets, const int* neighbours, pl_error* error);
// The linear solver, when the matrix has the values it has at rest; sets are borrowed.
pl_status pl_minimiser_setup_linear(pl_minimiser* m, const double* rest, const pl_element_set* sets,
                                    int set_count, const pl_fem_settings* settings, pl_pool* pool,
                                    pl_error* error);
void pl_minimiser_free(pl_minimiser* m);

// Minimises from m->x on; contacts are found anew in every iteration (S0 Alg. 4).
pl_status pl_minimise(pl_minimiser* m, pl_fem_objective* f, const pl_fem_settings* settings,
                      pl_detect detect, void* detect_user, pl_method_info* info, pl_error* error);

#endif
