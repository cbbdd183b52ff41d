// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "math/symmetric.h"

enum { N = PL_SYMMETRIC_MAX, MAX_SWEEPS = 30 };

static void rotate(int n, double a[N][N], double v[N][N], int p, int q) {
    // entries are scaled to at most 1, so one this small counts as zero; its square would underflow
    if (fabs(a[p][q]) < 1e-150) return;
    double difference = a[q][q] - a[p][p], twice = 2.0 * a[p][q];
    double t = twice / (fabs(difference) + sqrt(difference * difference + twice * twice));
    if (difference < 0.0) t = -t;
    double c = 1.0 / sqrt(1.0 + t * t), s = c * t;
    a[p][p] -= t * a[p][q];
    a[q][q] += t * a[p][q];
    a[p][q] = a[q][p] = 0.0;
    for (int i = 0; i < n; i++) {
        if (i != p && i != q) {
            double ip = a[i][p], iq = a[i][q];
            a[i][p] = a[p][i] = c * ip - s * iq;
            a[i][q] = a[q][i] = s * ip + c * iq;
        }
        double vp = v[i][p], vq = v[i][q];
        v[i][p] = c * vp - s * vq;
        v[i][q] = s * vp + c * vq;
    }
}

// The largest entry in size, or a value that is not finite if there is one.
static double largest_entry(int n, const double* A) {
    double largest = 0.0;
    for (int i = 0; i < n * n; i++)
        if (!(fabs(A[i]) <= largest)) largest = fabs(A[i]);
    return largest;
}

static double rest2(int n, double a[N][N]) {
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) sum += a[i][j] * a[i][j];
    return sum;
}

bool pl_symmetric_eigen(int n, const double* A, double* values, double* V) {
    double a[N][N], v[N][N] = {{0}};
    double largest = largest_entry(n, A);
    if (!isfinite(largest)) return false;
    int exponent;
    frexp(largest, &exponent);
    for (int i = 0; i < n * n; i++) a[i / n][i % n] = ldexp(A[i], -exponent);
    for (int i = 0; i < n; i++) v[i][i] = 1.0;
    for (int sweep = 0; sweep < MAX_SWEEPS && rest2(n, a) > 1e-36; sweep++)
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) rotate(n, a, v, p, q);
    for (int i = 0; i < n; i++) values[i] = ldexp(a[i][i], exponent);
    for (int i = 0; V && i < n * n; i++) V[i] = v[i / n][i % n];
    return true;
}

bool pl_symmetric_project(int n, double* A) {
    double values[N], V[N * N];
    if (!pl_symmetric_eigen(n, A, values, V)) return false;
    bool negative = false;
    for (int k = 0; k < n; k++) negative = negative || values[k] < 0.0;
    if (!negative) return true;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0.0;
            for (int k = 0; k < n; k++) sum += fmax(values[k], 0.0) * V[n * i + k] * V[n * j + k];
            A[n * i + j] = A[n * j + i] = sum;
        }
    return true;
}
