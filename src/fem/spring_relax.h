// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Relaxes the vertices of a cloth of springs one after the other, which removes local residuals
// that a long step of Newton's method leaves. See spring_relax.c.
#ifndef PL_FEM_SPRING_RELAX_H
#define PL_FEM_SPRING_RELAX_H

#include "step/step_solvers.h"

typedef struct pl_spring_relax pl_spring_relax;

// A: the sparsity pattern of the system (block 3); it and the sets are borrowed. *out is NULL if no
// set is gathered by vertex (pl_element_set_gather).
pl_status pl_spring_relax_create(const pl_block_matrix* A, const pl_element_set* sets,
                                 int set_count, pl_spring_relax** out, pl_error* error);
void pl_spring_relax_destroy(pl_spring_relax* relax);
// The solver for a step; none if there are no such springs.
pl_status pl_spring_relax_solver(const pl_solver_input* input, pl_step_relax* out, pl_error* error);

// Before the first call of a step: everything except springs and contacts.
void pl_spring_relax_begin(pl_spring_relax* relax, const pl_step_objective* f);
// After contacts were found, before the next sweep.
pl_status pl_spring_relax_contacts(pl_spring_relax* relax, const pl_step_objective* f,
                                   pl_error* error);
// A few sweeps over x, where Phi has the given gradient. chosen: the pieces to relax; NULL: all.
// bounds: further bounds of single vertices; NULL: none.
void pl_spring_relax_sweep(pl_spring_relax* relax, const pl_step_objective* f,
                           const double* gradient, const int* piece_of, const bool* chosen,
                           const pl_vertex_bound* bounds, double* x);

#endif
