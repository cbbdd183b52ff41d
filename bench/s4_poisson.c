// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "s4_poisson.h"

#include <math.h>

static int point(int n, int i, int j, int k) {
    return (((k + n) % n) * n + (j + n) % n) * n + (i + n) % n;
}

// minus the Laplacian, in units of the level's own spacing
static pl_status make_matrix(int n, s4_sparse* out, pl_error* error) {
    pl_status status = s4_sparse_create(n * n * n, 7 * n * n * n, out, error);
    for (int row = 0; status == PL_OK && row < n * n * n; row++) {
        int i = row % n, j = row / n % n, k = row / n / n;
        s4_sparse_add(out, row, row, 6.0);
        for (int step = -1; step <= 1; step += 2) {
            s4_sparse_add(out, row, point(n, i + step, j, k), -1.0);
            s4_sparse_add(out, row, point(n, i, j + step, k), -1.0);
            s4_sparse_add(out, row, point(n, i, j, k + step), -1.0);
        }
        s4_sparse_end_row(out, row);
    }
    return status;
}

// full weighting, times four for the spacing
static pl_status make_restriction(int n, s4_sparse* out, pl_error* error) {
    int half = n / 2;
    pl_status status = s4_sparse_create(half * half * half, 27 * half * half * half, out, error);
    for (int row = 0; status == PL_OK && row < half * half * half; row++) {
        int i = row % half, j = row / half % half, k = row / half / half;
        for (int m = 0; m < 27; m++) {
            int x = m % 3 - 1, y = m / 3 % 3 - 1, z = m / 9 - 1;
            double weight = 4.0 * (x ? 0.25 : 0.5) * (y ? 0.25 : 0.5) * (z ? 0.25 : 0.5);
            s4_sparse_add(out, row, point(n, 2 * i + x, 2 * j + y, 2 * k + z), weight);
        }
        s4_sparse_end_row(out, row);
    }
    return status;
}

pl_status s4_poisson_hierarchy(int n, s4_hierarchy* out, pl_error* error) {
    *out = (s4_hierarchy){0};
    pl_status status = PL_OK;
    for (int l = 0; status == PL_OK && l < S4_LEVELS; l++, n /= 2) {
        status = make_matrix(n, &out->A[l], error);
        out->level_count = l + 1;
        if (status != PL_OK || n <= 4) break;
        status = make_restriction(n, &out->R[l], error);
        if (status == PL_OK) status = s4_sparse_transpose(&out->R[l], n * n * n, &out->P[l], error);
        // linear interpolation is full weighting turned round, 8 / 4 times as large
        for (int e = 0; status == PL_OK && e < out->P[l].offsets[n * n * n]; e++)
            out->P[l].values[e] *= 2.0;
    }
    if (status == PL_OK) status = s4_hierarchy_allocate(out, error);
    if (status != PL_OK) s4_hierarchy_free(out);
    return status;
}
