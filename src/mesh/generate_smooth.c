// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Smoothing of quads and hexahedra, which removes the kinks where blocks of cells meet.
#include "base/memory.h"
#include "mesh/generator.h"

#include <string.h>

// sums the neighbours' coordinates, followed by their number
static void sum_neighbours(const double* points, int dims, const int* corners, int cell_count,
                           double* sums) {
    size_t n = (size_t)dims, corner_count = (size_t)1 << dims;
    for (size_t cell = 0; cell < (size_t)cell_count; cell++) {
        const int* c = corners + corner_count * cell;
        for (size_t i = 0; i < corner_count; i++) {
            double* sum = sums + (n + 1) * (size_t)c[i];
            for (size_t k = 0; k < n; k++) {
                const double* neighbour = points + n * (size_t)c[i ^ ((size_t)1 << k)];
                for (size_t d = 0; d < n; d++) sum[d] += neighbour[d];
            }
            sum[n] += (double)n;
        }
    }
}

bool pl_smooth_cells(double* points, int dims, int point_count, const unsigned char* masks,
                     const int* corners, int cell_count, int rounds) {
    size_t n = (size_t)dims, size = (n + 1) * (size_t)point_count;
    double* sums = PL_ALLOC(double, size);
    if (!sums) return false;
    for (int round = 0; round < rounds; round++) {
        memset(sums, 0, size * sizeof(double));
        sum_neighbours(points, dims, corners, cell_count, sums);
        // only half of the way, since the steps of neighbours could alternate for ever
        for (size_t v = 0; v < (size_t)point_count; v++)
            for (size_t d = 0; d < n && !masks[v]; d++)
                points[n * v + d] =
                    0.5 * (points[n * v + d] + sums[(n + 1) * v + d] / sums[(n + 1) * v + n]);
    }
    PL_FREE(sums, double, size);
    return true;
}
