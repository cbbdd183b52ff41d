// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The equations of method mixed for a body (S3, Eq. 6 and 16): stable Neo-Hookean, mu = 1 Pa, alpha
// = 1, the lowest 2 % of its height held, with pressures scaled as the method scales them.
#ifndef PL_BENCH_S3_SYSTEM_H
#define PL_BENCH_S3_SYSTEM_H

#include "mixed/mixed_tets.h"

#include <pliant/mesh.h>

typedef struct s3_body {
    const pl_mesh* mesh;
    double nu;
    double inertia;         // density / h^2 [Pa/m^2], 0 at rest
    const double* contrast; // mu of each tet [Pa]; NULL: 1
    bool holds_top;         // too
} s3_body;

typedef struct s3_system {
    int vertex_count;
    double* rest;         // 3 per vertex
    pl_block_matrix A;    // 4 unknowns per vertex
    double* b;            // gravity on the free vertices
    pl_block_matrix K, B; // what A is made of; held vertices are as free in them
    double* units;        // of the pressures in A, per vertex [Pa]
    double inertia;
    pl_element_set set;
    double *pressure, *mass; // per vertex; pressure: 0 at first
    bool* held;
    double* scratch; // 5 per vertex
} s3_system;

// A at rest.
bool s3_system_create(s3_system* s, const s3_body* body, pl_pool* pool, pl_error* error);
void s3_system_free(s3_system* s);
// A at x and s->pressure; and the residual of the equations without gravity there, in the unit of
// A, as another b.
void s3_system_linearise(s3_system* s, const double* x, pl_pool* pool);
void s3_system_residual(s3_system* s, const double* x, pl_pool* pool, double* b);

#endif
