// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// One interface for all solvers of A x = b with a symmetric positive definite A: setup (structure),
// update (values), solve. The kinds, and how to add one, are in linear_kind.h. Multigrid needs more
// than a matrix: it has a separate setup in its folder, but the same options, info and fallback
// (linear_fallback.h).
#ifndef PL_SPARSE_LINEAR_SOLVER_H
#define PL_SPARSE_LINEAR_SOLVER_H

#include "sparse/block_matrix.h"
#include "sparse/linear_info.h"

#include <pliant/scene_names.h>

typedef struct pl_linear_solver pl_linear_solver;

// True for the kinds of this interface.
bool pl_linear_is_known(pl_linear kind);
// True for the kinds that notice if A is not positive semi-definite.
bool pl_linear_sees_indefinite(pl_linear kind);
// A is kept by reference. Its structure must not change. After its values change, call update.
pl_status pl_linear_setup(pl_linear kind, const pl_block_matrix* A, int rhs_count, pl_pool* pool,
                          pl_linear_solver** out, pl_error* error);
pl_status pl_linear_update(pl_linear_solver* solver, pl_error* error);
// x is the initial guess and becomes the solution; rhs_count values per row if the block is 1.
void pl_linear_solve(pl_linear_solver* solver, const pl_linear_options* options, const double* b,
                     double* x, pl_linear_info* info);
void pl_linear_destroy(pl_linear_solver* solver);

// PL_LINEAR_DIRECT uses CHOLMOD for large positive definite matrices in builds that have it, and
// our own LDL^T otherwise. Tests and benches can choose one of them.
typedef enum pl_direct_choice { PL_DIRECT_ANY, PL_DIRECT_OWN, PL_DIRECT_CHOLMOD } pl_direct_choice;
pl_status pl_linear_setup_direct(pl_direct_choice choice, const pl_block_matrix* A, int rhs_count,
                                 pl_pool* pool, pl_linear_solver** out, pl_error* error);

#endif
