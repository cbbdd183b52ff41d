// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The eigenvalue problem K u = lambda M u of a body, without its held unknowns.
#ifndef PL_MODES_MODE_PROBLEM_H
#define PL_MODES_MODE_PROBLEM_H

#include "sparse/block_matrix.h"
#include "step/step_holds.h"

// Everything is borrowed. Held vertices and directions are not unknowns.
typedef struct pl_modes_problem {
    const pl_block_matrix* K; // block 3, symmetric; identity rows where `fixed`
    const double* mass;       // per vertex [kg]: the row sums of M
    const pl_block_matrix* M; // block 1, with the pattern of K; NULL: lumped masses
    const double* positions;  // 3 per vertex [m]; NULL: there is no multigrid
    const bool* fixed;        // per vertex; NULL: none
    const pl_hold* holds;
    int hold_count;
} pl_modes_problem;

enum { PL_RIGID_MODES = 6 }; // of a free piece
// A mode is rigid if its lambda is below this fraction of the largest one; rounding gives about
// 1e-15.
#define PL_RIGID_LAMBDA 1e-11

int pl_modes_unknowns(const pl_modes_problem* p);
// Estimate of the largest lambda, usually close: |diagonal of K| / mass.
double pl_modes_largest(const pl_modes_problem* p);

// Sets held unknowns of x to zero.
void pl_modes_restrict(const pl_modes_problem* p, double* x);
// result = M x and result = K x, zero at held unknowns
void pl_modes_mass(const pl_modes_problem* p, pl_pool* pool, const double* x, double* result);
void pl_modes_stiffness(const pl_modes_problem* p, pl_pool* pool, const double* x, double* result);

// pl_modes_shift: A = K + sigma M; rows and columns of held unknowns become those of the identity
// times `size`. A must have the pattern of pl_modes_copy_pattern.
pl_status pl_modes_copy_pattern(const pl_modes_problem* p, pl_block_matrix* A, pl_error* error);
void pl_modes_shift(const pl_modes_problem* p, double sigma, double size, pl_block_matrix* A);

// Fails with PL_ERROR_ARGUMENT. growing: number of negative eigenvalues of K.
pl_status pl_modes_fail_unstable(int growing, pl_error* error);

#endif
