// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// All eigenvalues and eigenvectors of dense symmetric matrices of up to a few hundred rows:
// Householder reflections to a tridiagonal matrix, then implicit QR steps with Wilkinson's shift
// (Golub and Van Loan, sections 8.3.1 to 8.3.5).
#ifndef PL_MODES_DENSE_EIGEN_H
#define PL_MODES_DENSE_EIGEN_H

#include <stdbool.h>

// A: n x n; only the lower triangle is read, and A is overwritten. values: ascending. vectors: n x
// n, row k is the unit eigenvector of values[k]. scratch: 2 n. False if A is not finite.
bool pl_dense_eigen(int n, double* A, double* values, double* vectors, double* scratch);

#endif
