// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The linear systems of Newton's method on multigrid. If float is accurate enough, elements write
// the projected Hessian directly into the finest level, and there is no other matrix. Its relative
// error of 1e-7 may cost iterations but does not change the result, which the gradient in double
// determines. If masses are so small, or stiffness so large, that this error would hide soft
// motions, the matrix is assembled in double.
#ifndef PL_FEM_NEWTON_MULTIGRID_H
#define PL_FEM_NEWTON_MULTIGRID_H

#include "step/step_solvers.h"

typedef struct pl_newton_multigrid pl_newton_multigrid;

// As a solver of a step, for "linear": "multigrid" and "mgpcg"; none for other values.
pl_status pl_newton_multigrid_solver(const pl_solver_input* input, pl_newton_solver* out,
                                     pl_error* error);

// A: the sparsity pattern, kept by reference. Its values at rest, which the sampling of nodes may
// follow, are read only here. Sets are borrowed; rest positions are 3 per vertex.
pl_status pl_newton_multigrid_create(const pl_block_matrix* A, const double* rest,
                                     const pl_element_set* sets, int set_count,
                                     const pl_step_settings* settings, pl_pool* pool,
                                     pl_newton_multigrid** out, pl_error* error);
void pl_newton_multigrid_destroy(pl_newton_multigrid* n);
// Starts a step. If cycles failed in the last step and the direct solver took over, cycles are
// tried again.
void pl_newton_multigrid_begin(pl_newton_multigrid* n);
// Call when the materials of the elements have changed.
void pl_newton_multigrid_forget(pl_newton_multigrid* n);

// Assembles the matrix at x in float. projected: from 0 to 1. Returns false if float is not
// accurate enough.
bool pl_newton_multigrid_assemble(pl_newton_multigrid* n, const pl_step_objective* f,
                                  const double* x, double projected);
// Updates all levels from the assembled matrix (A NULL) or from the values of A, which must then
// stay valid during solves.
void pl_newton_multigrid_update(pl_newton_multigrid* n, const pl_block_matrix* A);
// As pl_linear_solve. residual_unread: the residual of the last cycle is not needed and may be NaN.
void pl_newton_multigrid_solve(pl_newton_multigrid* n, const pl_linear_options* options,
                               bool residual_unread, const double* b, double* x,
                               pl_linear_info* info);
// |D x|^2 over the vertices [begin, end), with D the diagonal of the matrix, after an update. end
// -1: over all vertices, on all threads.
double pl_newton_multigrid_force_square(const pl_newton_multigrid* n, int begin, int end,
                                        const double* x);
// The levels, for measurements.
struct pl_block_mg* pl_newton_multigrid_levels(pl_newton_multigrid* n);

#endif
