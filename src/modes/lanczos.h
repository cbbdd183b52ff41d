// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The largest eigenvalues of an operator that is symmetric in the inner product of a mass matrix:
// block Lanczos with full orthogonalisation and thick restarts (Wu and Simon 2000). The block finds
// multiple eigenvalues with their multiplicity.
#ifndef PL_MODES_LANCZOS_H
#define PL_MODES_LANCZOS_H

#include "base/fail.h"
#include "base/pool.h"

#include <stdbool.h>
#include <stdint.h>

enum { PL_LANCZOS_APPLY = 4 };

typedef struct pl_lanczos_operator {
    void* user;
    int count; // of unknowns
    // result = M x
    void (*mass)(void* user, const double* x, double* result);
    // T x for up to PL_LANCZOS_APPLY consecutive vectors M x, in place
    void (*apply)(void* user, int vectors, double* Mx);
    // Sets held unknowns of x to zero.
    void (*restrict_to)(void* user, double* x);
} pl_lanczos_operator;

typedef struct pl_lanczos_options {
    int wanted;       // eigenvalues
    int unknowns;     // free ones, which limit the number of eigenvalues
    int block;        // vectors at the start
    int room;         // largest number of vectors; at least wanted + 2 (block + PL_LANCZOS_APPLY)
    double tolerance; // of |T u - theta u|, relative to theta
    int max_applications;
    uint64_t seed;
} pl_lanczos_options;

typedef struct pl_lanczos_result {
    int found;        // at most wanted
    int applications; // of the operator
    bool converged;
} pl_lanczos_result;

// values: `wanted`, descending. vectors: consecutive, `count` numbers each, M-norm 1.
pl_status pl_lanczos(const pl_lanczos_operator* T, const pl_lanczos_options* options, pl_pool* pool,
                     double* values, double* vectors, pl_lanczos_result* result, pl_error* error);

#endif
