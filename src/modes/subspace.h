// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Improves eigenvectors of K u = lambda M u that are nearly known, for instance from the previous
// step: Rayleigh-Ritz in the given space and its preconditioned residuals, repeated until they are
// accurate enough. An iteration costs one product and one cycle for each vector that still needs
// it. davidson.h costs more, since it searches with random vectors too. In return this method only
// finds modes near the given space.
#ifndef PL_MODES_SUBSPACE_H
#define PL_MODES_SUBSPACE_H

#include "modes/davidson.h"

// Vectors and small matrices for `wanted` eigenvectors of `count` numbers.
typedef struct pl_subspace pl_subspace;
pl_status pl_subspace_create(int count, int wanted, pl_subspace** out, pl_error* error);
void pl_subspace_destroy(pl_subspace* s);

// Improves `vectors`, given near the eigenvectors, to Ritz vectors of M-norm 1, with their values
// in ascending order. options: tolerance bounds the estimated error of each value before its last
// iteration, which makes it several times smaller; start and seed are not used. result->converged
// is false if that is not reached, if vectors are linearly dependent, or if a value is negative;
// the vectors are then useless. Allocates nothing.
void pl_subspace_improve(pl_subspace* s, const pl_davidson_operator* A,
                         const pl_davidson_options* options, pl_pool* pool, double* values,
                         double* vectors, pl_davidson_result* result);

#endif
