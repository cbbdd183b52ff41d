// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The bars and linear systems that several benches solve: matrices of elasticity (3 x 3 blocks) and
// of Projective Dynamics (one value per pair of vertices, three right-hand sides).
#ifndef PL_BENCH_SYSTEMS_H
#define PL_BENCH_SYSTEMS_H

#include "sparse/block_matrix.h"
#include "system_file.h"

#include <pliant/mesh.h>

// A bar 1 m long along x with the region left, a Kuhn lattice with every inner vertex shifted,
// in reverse Cuthill-McKee order. Cells: 36 x 9 x 9, 92 x 23 x 23, 140 x 37 x 37.
typedef enum bench_bar { BENCH_BAR_4K, BENCH_BAR_53K, BENCH_BAR_203K } bench_bar;
pl_status bench_bar_mesh(bench_bar bar, pl_mesh** out, pl_error* error);
// The mesh in reverse Cuthill-McKee order. Takes the mesh over, also if it fails.
pl_status bench_reorder(pl_mesh* mesh, pl_mesh** out, pl_error* error);

typedef struct bench_solid {
    double young;           // E [Pa]
    double poisson;         // nu
    double density;         // [kg/m^3]
    double time_step;       // h [s]
    const double* contrast; // factor of Young's modulus per tet, or NULL
} bench_solid;

// E = 1e5 Pa, nu = 0.3, 1000 kg/m^3, h = 1/30 s
bench_solid bench_default_solid(void);

typedef struct bench_system {
    pl_block_matrix A;
    int rhs_count;
    double* rhs;       // block * rhs_count per row: gravity with 20 % noise
    double* positions; // 3 per row, at rest
} bench_system;

// The pattern of a mesh of tets: blocks of 1 or 3 that are zero.
pl_status bench_matrix(const pl_mesh* mesh, int block, pl_block_matrix* out, pl_error* error);
// M/h^2 + K at rest, without the rows of the vertices in the region `clamped` (NULL: none).
pl_status bench_elasticity(const pl_mesh* mesh, const bench_solid* material, const char* clamped,
                           bench_system* out, pl_error* error);
// M/h^2 + sum of 2 mu V (grad N_i . grad N_j) over the tets; three right-hand sides.
pl_status bench_projective(const pl_mesh* mesh, const bench_solid* material, bench_system* out,
                           pl_error* error);
void bench_system_free(bench_system* system);

// The system as it goes into a file; a view, not to be freed.
system_rows bench_system_rows(const bench_system* system);

#endif
