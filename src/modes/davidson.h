// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The lowest eigenvalues of K u = lambda M u without a factor: a block method of Davidson's kind. A
// preconditioner B ~ (K + sigma M)^-1 turns the residuals of the lowest Ritz vectors that have not
// converged into new directions; a full basis is restarted with its lowest Ritz vectors and those
// of the iteration before (Stathopoulos and Saad 1998), which makes it as good as LOBPCG (Knyazev
// 2001) for each vector.
#ifndef PL_MODES_DAVIDSON_H
#define PL_MODES_DAVIDSON_H

#include "base/fail.h"
#include "base/pool.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct pl_davidson_operator {
    void* user;
    // result = M x, and result = K x for some vectors x, one after the other; both zero at what is
    // held
    void (*mass)(void* user, const double* x, double* result);
    void (*stiffness)(void* user, int vectors, const double* x, double* result);
    // z = B r: symmetric and positive definite
    void (*precondition)(void* user, const double* r, double* z);
    // Optional: called with the Ritz values, ascending, before each of the first iterations. May
    // change the preconditioner, and then sets its shift sigma.
    pl_status (*tune)(void* user, int values, const double* ritz, double* shift, pl_error* error);
    // Takes out of x what is no unknown.
    void (*restrict_to)(void* user, double* x);
} pl_davidson_operator;

typedef struct pl_davidson_options {
    const double*
        start;        // vectors to begin with, which need not be orthogonal; random ones are added
    double shift;     // sigma; in the tolerance, lower values count as this one
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

// The most eigenvalues that can be asked for.
enum { PL_DAVIDSON_MAX = 200 };
// How many long vectors pl_davidson_create takes at most, to find so many.
int pl_davidson_vectors(int wanted);
// Its vectors, for problems with `count` unknowns of which `free_count` are free.
typedef struct pl_davidson pl_davidson;
pl_status pl_davidson_create(int count, int free_count, int wanted, int start_count,
                             pl_davidson** out, pl_error* error);
void pl_davidson_destroy(pl_davidson* d);
// values: `wanted`, ascending; vectors: count numbers each, one after the other, of M-norm 1. What
// is wanted, and how many vectors start, is what the vectors were made for. Allocates nothing.
pl_status pl_davidson_solve(pl_davidson* d, const pl_davidson_operator* A,
                            const pl_davidson_options* options, pl_pool* pool, double* values,
                            double* vectors, pl_davidson_result* result, pl_error* error);

#endif
