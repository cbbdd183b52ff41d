// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Smoothers for the matrix of method mixed, those that the paper compares (section 5.2, Fig. 7),
// all in double and on one thread, so that only the methods differ.
#ifndef PL_BENCH_S3_SMOOTHERS_H
#define PL_BENCH_S3_SMOOTHERS_H

#include "s3_system.h"

typedef enum s3_smoother_kind {
    S3_VERTEX_VANKA,   // 4 unknowns of a vertex at a time: what the method takes
    S3_CELL_VANKA,     // 16 unknowns of a tet at a time
    S3_ADDITIVE_VANKA, // all tets with one residual
    S3_JACOBI_UZAWA,   // positions by Jacobi, then pressures
    S3_GAUSS_UZAWA,    // positions by Gauss-Seidel, then pressures
    S3_KACZMARZ,       // Jacobi on the normal equations
    S3_SMOOTHER_COUNT
} s3_smoother_kind;

typedef struct s3_smoother s3_smoother;

const char* s3_smoother_name(s3_smoother_kind kind);
// NULL if memory is out. s and mesh are borrowed.
s3_smoother* s3_smoother_create(s3_smoother_kind kind, const s3_system* s, const pl_mesh* mesh);
void s3_smoother_destroy(s3_smoother* m);
// u moves towards A^-1 b by one sweep, with these relaxations.
void s3_smoother_sweep(s3_smoother* m, double of_positions, double of_pressures, double* u);

#endif
