// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The table that defines a kind of linear solver. A kind is one file, linear_NAME.c, that defines
// the table pl_linear_NAME below, and one line in PL_MATRIX_SOLVER_LIST of pliant/scene_names.h:
// scenes, their documentation, the checks and this interface follow from that line.
#ifndef PL_SPARSE_LINEAR_KIND_H
#define PL_SPARSE_LINEAR_KIND_H

#include "sparse/block_matrix.h"
#include "sparse/krylov.h"
#include "sparse/linear_info.h"

#include <pliant/scene_names.h>

typedef struct pl_linear_solver pl_linear_solver; // declared here for linear_solver.h too

// One call of pl_linear_solve.
typedef struct pl_linear_task {
    const pl_linear_options* options;
    const double* b;
    double* x;
    double scale; // |b|
    pl_linear_info* info;
} pl_linear_task;

typedef struct pl_linear_kind {
    bool sees_indefinite; // notices if A is not positive semi-definite
    pl_status (*setup)(pl_linear_solver* solver, pl_error* error); // creates solver->own
    pl_status (*update)(pl_linear_solver* solver, pl_error* error);
    void (*solve)(pl_linear_solver* solver, const pl_linear_task* task);
    // frees solver->own; must accept one that setup did not finish
    void (*destroy)(pl_linear_solver* solver);
} pl_linear_kind;

#define PL_LINEAR_DECLARE(X, code, symbol, name, help)                                             \
    extern const pl_linear_kind pl_linear_##symbol;
PL_MATRIX_SOLVER_LIST(PL_LINEAR_DECLARE, )
#undef PL_LINEAR_DECLARE

enum { PL_LINEAR_SCRATCH = 4 };

struct pl_linear_solver {
    const pl_linear_kind* kind;
    const pl_block_matrix* A;
    int rhs_count;
    int count; // values in a vector
    pl_pool* pool;
    double* scratch[PL_LINEAR_SCRATCH]; // vectors
    void* own;                          // data of the kind
    double update_seconds;
};

// Creates a solver, without the kind's own data.
pl_status pl_linear_create(const pl_linear_kind* kind, const pl_block_matrix* A, int rhs_count,
                           pl_pool* pool, pl_linear_solver** out, pl_error* error);

// Number of values in the diagonal blocks of A.
size_t pl_linear_diagonal_size(const pl_linear_solver* solver);
// r = b - A x
void pl_linear_residual(const pl_linear_solver* solver, const double* b, const double* x,
                        double* r);
// Records the norm of a residual; true if the solve is over.
bool pl_linear_note_norm(const pl_linear_task* task, double norm);
// y = A x, as `apply` of a Krylov driver whose user is the solver.
void pl_linear_apply(void* solver, const void* x, void* y);
// A Krylov driver that uses all four scratch vectors of the solver.
pl_krylov pl_linear_krylov(pl_linear_solver* solver, const pl_krylov_operations* operations);
// Solves by conjugate gradients.
void pl_linear_cg(pl_linear_solver* solver, const pl_krylov_operations* operations,
                  const pl_linear_task* task);

#endif
