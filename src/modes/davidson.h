// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A block Davidson method: finds the lowest eigenvalues of K u = lambda M u without factoring a
// matrix. A preconditioner B ~ (K + sigma M)^-1 turns the residuals of the lowest unconverged Ritz
// vectors into new directions. A full basis is restarted with its lowest Ritz vectors and those of
// the iteration before (Stathopoulos and Saad 1998). So it converges at least as fast as LOBPCG
// (Knyazev 2001).
#ifndef PL_MODES_DAVIDSON_H
#define PL_MODES_DAVIDSON_H

#include "base/fail.h"
#include "base/pool.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct pl_davidson_operator {
    void* user;
    // result = M x, and result = K x for several consecutive vectors x; both zero at held unknowns
    void (*mass)(void* user, const double* x, double* result);
    void (*stiffness)(void* user, int vectors, const double* x, double* result);
    // z = B r: symmetric and positive definite
    void (*precondition)(void* user, const double* r, double* z);
    // Optional: called before each of the first iterations, with the Ritz values in ascending
    // order. May change the preconditioner; it then sets its shift sigma.
    pl_status (*tune)(void* user, int values, const double* ritz, double* shift, pl_error* error);
    // Sets held unknowns of x to zero.
    void (*restrict_to)(void* user, double* x);
} pl_davidson_operator;

typedef struct pl_davidson_options {
    // initial vectors, not necessarily orthogonal; random ones are added
    const double* start;
    double shift;     // sigma; for eigenvalues below it, the tolerance is relative to sigma
    double tolerance; // of an eigenvalue, relative
    int max_iterations;
    uint64_t seed;
} pl_davidson_options;

typedef struct pl_davidson_result {
    int found;        // at most wanted
    int iterations;   // blocks
    int applications; // of the preconditioner
    bool converged;
} pl_davidson_result;

// Largest number of eigenvalues.
enum { PL_DAVIDSON_MAX = 200 };
// Upper bound of the number of long vectors that pl_davidson_create allocates for `wanted`
// eigenvalues.
int pl_davidson_vectors(int wanted);
// Allocates the vectors for a problem with `count` unknowns, of which `free_count` are free.
typedef struct pl_davidson pl_davidson;
pl_status pl_davidson_create(int count, int free_count, int wanted, int start_count,
                             pl_davidson** out, pl_error* error);
void pl_davidson_destroy(pl_davidson* d);
// values: `wanted`, ascending. vectors: consecutive, `count` numbers each, M-norm 1. The numbers of
// wanted and start vectors in options must be those given to pl_davidson_create. Allocates nothing.
pl_status pl_davidson_solve(pl_davidson* d, const pl_davidson_operator* A,
                            const pl_davidson_options* options, pl_pool* pool, double* values,
                            double* vectors, pl_davidson_result* result, pl_error* error);

#endif
