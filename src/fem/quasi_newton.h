// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Directions of L-BFGS around a constant matrix A (Liu, Bouaziz and Kavan 2017): the last steps s
// and the changes y of the gradient along them correct A^-1, which one solution (a multigrid cycle
// is enough) applies. Without pairs the direction is that of Projective Dynamics.
//
// Vectors are float4 per vertex: only the direction comes from them, and gradients are right to
// what evaluates them.
#ifndef PL_FEM_QUASI_NEWTON_H
#define PL_FEM_QUASI_NEWTON_H

#include "base/fail.h"
#include "base/pool.h"

enum { PL_QUASI_NEWTON_PAIRS = 8 };

typedef struct pl_quasi_newton {
    int vertex_count;
    pl_pool* pool;
    float* gradient;        // at x; filled by the caller, 0 at vertices that are held
    float* gradient_before; // where the last direction was found
    float* direction;       // the last one
    // pair k is in slot (first + k) % PL_QUASI_NEWTON_PAIRS, the oldest first
    float *s[PL_QUASI_NEWTON_PAIRS], *y[PL_QUASI_NEWTON_PAIRS]; // NULL before they are needed
    int first, pair_count;
    double sy[PL_QUASI_NEWTON_PAIRS][PL_QUASI_NEWTON_PAIRS]; // s_i.y_j by slots, j not older than i
    double alpha[PL_QUASI_NEWTON_PAIRS];                     // of the recursion, by slots
    double* partials; // PL_QUASI_NEWTON_SUMS per block of vertices
} pl_quasi_newton;

pl_status pl_quasi_newton_setup(pl_quasi_newton* q, int vertex_count, pl_pool* pool,
                                pl_error* error);
void pl_quasi_newton_free(pl_quasi_newton* q);
// Space for pairs, if it is not there yet.
pl_status pl_quasi_newton_reserve(pl_quasi_newton* q, pl_error* error);
// The pairs are of another function.
void pl_quasi_newton_forget(pl_quasi_newton* q);

// x has moved by length times the direction, and the gradient is that at x: a new pair.
void pl_quasi_newton_learn(pl_quasi_newton* q, double length);
// The right-hand side whose solution pl_quasi_newton_end takes. place_of: where b and x have each
// vertex, float4 (NULL: as it is here). From now on `gradient` is to be filled for the next x.
void pl_quasi_newton_begin(pl_quasi_newton* q, const int* place_of, float* b);
// Takes pl_quasi_newton_begin back.
void pl_quasi_newton_retry(pl_quasi_newton* q);
// The direction, from the solution x of A x = b. Returns the slope along it, negative downhill.
double pl_quasi_newton_end(pl_quasi_newton* q, const int* place_of, const float* x);
// The slope along the direction at the end of a step.
double pl_quasi_newton_slope(const pl_quasi_newton* q);

#endif
