// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Inverses of the diagonal blocks of the scalar levels.
#ifndef PL_MULTIGRID_SMALL_INVERSE_H
#define PL_MULTIGRID_SMALL_INVERSE_H

#include <stdbool.h>

enum { PL_SMALL_INVERSE_MAX = 12 };

// Inverts a symmetric positive definite n x n matrix, stored by rows. If round-off makes a pivot
// too small, the diagonal of A is raised by a small amount, which grows until the inverse exists; A
// is changed accordingly. Returns false and sets the inverse to 0 if that fails: A is indefinite by
// more than round-off, or not finite.
bool pl_invert_raised(int n, double* A, double* inverse);

#endif
