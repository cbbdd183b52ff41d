// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The linear system of method mixed for a body (S3, Eq. 6 and 16): stable Neo-Hookean, mu = 1 Pa,
// alpha = 1, rest shape or a deformed one, the lowest 2 % of its height held, with pressures scaled
// as the method scales them.
#ifndef PL_BENCH_S3_SYSTEM_H
#define PL_BENCH_S3_SYSTEM_H

#include "sparse/block_matrix.h"

#include <pliant/mesh.h>

typedef struct s3_system {
    int vertex_count;
    double* rest;      // 3 per vertex
    pl_block_matrix A; // 4 unknowns per vertex
    double* b;         // gravity on the free vertices
} s3_system;

// x: positions, or NULL for those at rest. inertia: density / h^2 [Pa/m^2], 0 at rest.
bool s3_system_create(s3_system* s, const pl_mesh* mesh, const double* x, double nu, double inertia,
                      pl_pool* pool, pl_error* error);
void s3_system_free(s3_system* s);

#endif
