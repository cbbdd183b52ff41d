// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Solvers of the nonlinear equations of method mixed at rest, those that the paper compares
// (section 7, Fig. 11): each iteration takes the matrix anew and goes a full step of what `inner`
// iterations make of its linear system.
#ifndef PL_BENCH_S3_SOLVERS_H
#define PL_BENCH_S3_SOLVERS_H

#include "s3_system.h"

typedef enum s3_solver_kind {
    S3_BY_MULTIGRID, // flexible GMRES around cycles: what the method takes
    S3_BY_VANKA,     // the sweeps of its finest level alone
    S3_BY_MINRES,    // with inverses of blocks of the diagonal
    S3_BY_UZAWA,     // positions by conjugate gradients on K, then pressures, in turn
    S3_SOLVER_COUNT
} s3_solver_kind;

typedef struct s3_solver s3_solver;

const char* s3_solver_name(s3_solver_kind kind);
// NULL after an error. s and pool are borrowed.
s3_solver* s3_solver_create(s3_solver_kind kind, s3_system* s, int inner, pl_pool* pool,
                            pl_error* error);
void s3_solver_destroy(s3_solver* m);
// x and the pressures of the system go one iteration on; false if there is no factor. Adds the time
// that matrix and residual took.
bool s3_solver_iterate(s3_solver* m, double* x, double* assembly_seconds);

#endif
