// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Improves approximate eigenvectors of K u = lambda M u, for example those of a similar state, by
// Rayleigh-Ritz in the space of the vectors and their preconditioned residuals. This is repeated
// until they are accurate enough. An iteration costs one product and one cycle for each vector that
// has not converged. davidson.h costs more, because it also searches with random vectors; this
// method only finds modes near the given space.
#ifndef PL_MODES_SUBSPACE_H
#define PL_MODES_SUBSPACE_H

#include "modes/davidson.h"

// Work space: vectors and small matrices for `wanted` eigenvectors of `count` numbers.
typedef struct pl_subspace pl_subspace;
pl_status pl_subspace_create(int count, int wanted, pl_subspace** out, pl_error* error);
void pl_subspace_destroy(pl_subspace* s);

// Improves `vectors` to Ritz vectors of M-norm 1, with their values in ascending order.
// options->tolerance bounds the estimated error of each value before its last iteration; that
// iteration makes it several times smaller. start and seed are not used. result->converged is false
// if the tolerance is not reached, if vectors are linearly dependent, or if a value is negative;
// the vectors are then useless. Allocates nothing.
void pl_subspace_improve(pl_subspace* s, const pl_davidson_operator* A,
                         const pl_davidson_options* options, pl_pool* pool, double* values,
                         double* vectors, pl_davidson_result* result);

#endif
