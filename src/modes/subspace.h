// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Eigenvectors of K u = lambda M u that are nearly known, as those of a step from shapes that are
// not far away: the Ritz vectors of the given space and of its preconditioned residuals, repeated
// until they are good enough. One iteration costs one product and one cycle for each vector that
// needs it, which davidson.h, with random vectors to find what is missing, does not reach. In
// return it finds only what is near the given space.
#ifndef PL_MODES_SUBSPACE_H
#define PL_MODES_SUBSPACE_H

#include "modes/davidson.h"

// Vectors and small matrices for `wanted` eigenvectors of `count` numbers.
typedef struct pl_subspace pl_subspace;
pl_status pl_subspace_create(int count, int wanted, pl_subspace** out, pl_error* error);
void pl_subspace_destroy(pl_subspace* s);

// Improves `vectors`, which come in near the eigenvectors and go out as Ritz vectors of M-norm 1,
// with their values in ascending order. options: tolerance bounds the estimated error of each value
// before the last iteration that it took part in, which makes it several times smaller; start and
// seed are not read.
// result->converged is false if that is not reached, if vectors depend on one another, or if a
// value is negative; then the vectors are of no use. Allocates nothing.
void pl_subspace_improve(pl_subspace* s, const pl_davidson_operator* A,
                         const pl_davidson_options* options, pl_pool* pool, double* values,
                         double* vectors, pl_davidson_result* result);

#endif
