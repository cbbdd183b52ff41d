// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// One interface for all solvers of A x = b with a symmetric positive definite A: setup (structure),
// update (values), solve. Which one runs is a matter of the kind; multigrid joins this table from
// its own folder.
#ifndef PL_SPARSE_LINEAR_SOLVER_H
#define PL_SPARSE_LINEAR_SOLVER_H

#include "sparse/block_matrix.h"

#include <pliant/scene_names.h>

typedef struct pl_linear_options {
    double tolerance;   // stop when |b - A x| <= tolerance |b|
    int max_iterations; // or after so many
} pl_linear_options;

enum { PL_HISTORY_SIZE = 256 };

// What a solve did. Not converging is no error: it stands here.
typedef struct pl_linear_info {
    int iterations;
    bool converged;
    bool singular;   // direct: pivots vanished
    bool indefinite; // a direction of negative curvature was met: x is of no use
    bool switched;   // multigrid: cycles stalled, and conjugate gradients went on
    int tiny_pivot_count;
    double residual; // |b - A x| / |b| at the end
    double update_seconds;
    double solve_seconds;
    int history_count; // relative residuals, the first PL_HISTORY_SIZE of them
    float history[PL_HISTORY_SIZE];
} pl_linear_info;

typedef struct pl_linear_solver pl_linear_solver;

// What a solver from another folder (multigrid) does with an object of its own.
typedef struct pl_linear_functions {
    pl_status (*update)(void* object, pl_error* error);
    void (*solve)(void* object, const pl_linear_options* options, const double* b, double* x,
                  pl_linear_info* info);
    void (*destroy)(void* object);
} pl_linear_functions;
// The solver behind this interface; it owns the object, which is destroyed if this fails.
pl_status pl_linear_wrap(pl_linear kind, const pl_linear_functions* functions, void* object,
                         pl_linear_solver** out, pl_error* error);

// True for the kinds that this folder has.
bool pl_linear_is_known(pl_linear kind);
// True for the kinds that notice if A is not positive semi-definite.
bool pl_linear_sees_indefinite(pl_linear kind);
// A is kept by reference: its structure may not change, its values may, followed by an update.
pl_status pl_linear_setup(pl_linear kind, const pl_block_matrix* A, int rhs_count, pl_pool* pool,
                          pl_linear_solver** out, pl_error* error);
pl_status pl_linear_update(pl_linear_solver* solver, pl_error* error);
// x holds the start and gets the solution; rhs_count values per row of a matrix with block 1.
void pl_linear_solve(pl_linear_solver* solver, const pl_linear_options* options, const double* b,
                     double* x, pl_linear_info* info);
void pl_linear_destroy(pl_linear_solver* solver);

// PL_LINEAR_DIRECT is CHOLMOD where it is built in, for large matrices as long as they are positive
// definite, and our own LDL^T otherwise. Tests and benches may want the one or the other.
typedef enum pl_direct_choice { PL_DIRECT_ANY, PL_DIRECT_OWN, PL_DIRECT_CHOLMOD } pl_direct_choice;
pl_status pl_linear_setup_direct(pl_direct_choice choice, const pl_block_matrix* A, int rhs_count,
                                 pl_pool* pool, pl_linear_solver** out, pl_error* error);

#endif
