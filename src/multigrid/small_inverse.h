// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Inverses of the diagonal blocks of the scalar levels.
#ifndef PL_MULTIGRID_SMALL_INVERSE_H
#define PL_MULTIGRID_SMALL_INVERSE_H

#include <stdbool.h>

enum { PL_SMALL_INVERSE_MAX = 12 };

// The inverse of a symmetric positive definite n x n matrix, by rows. Round-off may leave a pivot
// that is lost beside its diagonal: then the diagonal of A is raised by as little as it takes, and
// the inverse is that of the raised A. Returns false, with an inverse of 0, if no such A is found:
// A is indefinite by more than round-off, or not finite.
bool pl_invert_raised(int n, double* A, double* inverse);

#endif
