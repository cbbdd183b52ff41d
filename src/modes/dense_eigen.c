// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "modes/dense_eigen.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

enum { STEPS_PER_VALUE = 60 }; // two or three are usual

// Makes column k zero below its subdiagonal: A = H A H, Q = H Q, with H = 1 - beta v v'.
static void reflect(int n, int k, double* A, double* Q, double* v, double* p) {
    double norm2 = 0.0;
    for (int i = k + 1; i < n; i++) {
        v[i] = A[(size_t)i * n + k];
        norm2 += v[i] * v[i];
    }
    double rest = norm2 - v[k + 1] * v[k + 1];
    if (!(rest > 0.0)) return;
    double alpha = -copysign(sqrt(norm2), v[k + 1]);
    v[k + 1] -= alpha;
    double beta = 2.0 / (rest + v[k + 1] * v[k + 1]), half = 0.0;
    for (int i = k + 1; i < n; i++) {
        p[i] = 0.0;
        for (int j = k + 1; j < n; j++) p[i] += beta * A[(size_t)i * n + j] * v[j];
        half += 0.5 * beta * p[i] * v[i];
    }
    for (int i = k + 1; i < n; i++) p[i] -= half * v[i];
    for (int i = k + 1; i < n; i++)
        for (int j = k + 1; j < n; j++) A[(size_t)i * n + j] -= v[i] * p[j] + p[i] * v[j];
    A[(size_t)(k + 1) * n + k] = alpha;
    for (int c = 0; c < n; c++) {
        double sum = 0.0;
        for (int i = k + 1; i < n; i++) sum += v[i] * Q[(size_t)i * n + c];
        for (int i = k + 1; i < n; i++) Q[(size_t)i * n + c] -= beta * sum * v[i];
    }
}

// One implicit QR step on rows first .. last of the tridiagonal matrix (d, e).
static void qr_step(int n, int first, int last, double* d, double* e, double* Q) {
    double delta = 0.5 * (d[last - 1] - d[last]), off = e[last - 1];
    double shift = d[last] - off * off / (delta + copysign(hypot(delta, off), delta));
    double x = d[first] - shift, z = e[first];
    for (int k = first; k < last; k++) {
        double r = hypot(x, z), c = r > 0.0 ? x / r : 1.0, s = r > 0.0 ? z / r : 0.0;
        if (k > first) e[k - 1] = r;
        double a = d[k], b = d[k + 1], g = e[k];
        d[k] = c * c * a + 2.0 * c * s * g + s * s * b;
        d[k + 1] = s * s * a - 2.0 * c * s * g + c * c * b;
        e[k] = (c * c - s * s) * g + c * s * (b - a);
        x = e[k];
        if (k + 1 < last) {
            z = s * e[k + 1];
            e[k + 1] *= c;
        }
        double *low = Q + (size_t)k * n, *high = low + n;
        for (int i = 0; i < n; i++) {
            double q = low[i];
            low[i] = c * q + s * high[i];
            high[i] = c * high[i] - s * q;
        }
    }
}

static void diagonalise(int n, double* d, double* e, double* Q) {
    int last = n - 1, steps = STEPS_PER_VALUE * n;
    while (last > 0 && steps-- > 0) {
        for (int k = 0; k < last; k++)
            if (fabs(e[k]) <= DBL_EPSILON * (fabs(d[k]) + fabs(d[k + 1]))) e[k] = 0.0;
        if (e[last - 1] == 0.0) {
            last--;
            continue;
        }
        int first = last - 1;
        while (first > 0 && e[first - 1] != 0.0) first--;
        qr_step(n, first, last, d, e, Q);
    }
}

static void sort(int n, double* values, double* Q) {
    for (int i = 0; i < n; i++) {
        int least = i;
        for (int j = i + 1; j < n; j++)
            if (values[j] < values[least]) least = j;
        if (least == i) continue;
        double value = values[i];
        values[i] = values[least];
        values[least] = value;
        double *a = Q + (size_t)i * n, *b = Q + (size_t)least * n;
        for (int c = 0; c < n; c++) {
            double q = a[c];
            a[c] = b[c];
            b[c] = q;
        }
    }
}

bool pl_dense_eigen(int n, double* A, double* values, double* vectors, double* scratch) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            if (!isfinite(A[(size_t)i * n + j])) return false;
            A[(size_t)j * n + i] = A[(size_t)i * n + j];
        }
    memset(vectors, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++) vectors[(size_t)i * n + i] = 1.0;
    for (int k = 0; k + 2 < n; k++) reflect(n, k, A, vectors, scratch, scratch + n);
    double* e = scratch;
    for (int i = 0; i < n; i++) {
        values[i] = A[(size_t)i * n + i];
        if (i + 1 < n) e[i] = A[(size_t)(i + 1) * n + i];
    }
    diagonalise(n, values, e, vectors);
    sort(n, values, vectors);
    return true;
}
