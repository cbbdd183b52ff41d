// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "multigrid/small_inverse.h"

#include <math.h>
#include <string.h>

// MIN_PIVOT is relative to the diagonal: a smaller pivot has lost most of its digits.
static const double MIN_PIVOT = 1e-10, FIRST_RAISE = 1e-7, MAX_RAISE = 1.0;

// Elimination without pivoting. Returns false if a pivot is too small relative to its diagonal.
static bool invert_definite(int n, const double* A, double* inverse) {
    double M[PL_SMALL_INVERSE_MAX][2 * PL_SMALL_INVERSE_MAX];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) M[i][j] = A[n * i + j], M[i][n + j] = i == j;
    for (int k = 0; k < n; k++) {
        if (!(M[k][k] > MIN_PIVOT * A[n * k + k]) || !isfinite(M[k][k])) return false;
        double scale = 1.0 / M[k][k];
        for (int j = 0; j < 2 * n; j++) M[k][j] *= scale;
        for (int i = 0; i < n; i++) {
            if (i == k) continue;
            double factor = M[i][k];
            for (int j = 0; j < 2 * n; j++) M[i][j] -= factor * M[k][j];
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) inverse[n * i + j] = M[i][n + j];
    return true;
}

bool pl_invert_raised(int n, double* A, double* inverse) {
    double mean = 0.0;
    for (int a = 0; a < n; a++) mean += A[(n + 1) * a] / n;
    if (mean <= 0.0) mean = 1.0;
    for (double raise = FIRST_RAISE; !invert_definite(n, A, inverse); raise *= 10.0) {
        if (!(raise <= MAX_RAISE) || !isfinite(mean)) {
            memset(inverse, 0, (size_t)(n * n) * sizeof(double));
            return false;
        }
        for (int a = 0; a < n; a++) A[(n + 1) * a] += raise * mean;
    }
    return true;
}
