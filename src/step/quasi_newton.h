// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Directions of L-BFGS around a constant matrix A (Liu, Bouaziz and Kavan 2017). The last steps s
// and the changes y of the gradient along them correct A^-1, which is applied by one solve; a
// multigrid cycle is enough. Without pairs the direction is that of Projective Dynamics.
//
// Contacts appear and disappear, so they change the gradient in jumps that predict nothing. But
// their Hessian C is known. So pairs store the gradient without contacts, and y becomes y + C s
// with the current contacts.
//
// Vectors are float4 per vertex. Only the direction is computed from them; the caller decides how
// precisely gradients are evaluated.
#ifndef PL_STEP_QUASI_NEWTON_H
#define PL_STEP_QUASI_NEWTON_H

#include "base/array.h"
#include "base/fail.h"
#include "base/pool.h"

enum { PL_QUASI_NEWTON_PAIRS = 5 };

// What contacts exert on a vertex: the gradient of their energy, and its Hessian (xx xy xz yy yz
// zz).
typedef struct pl_quasi_contact {
    int vertex;
    float gradient[3], hessian[6];
} pl_quasi_contact;

typedef struct pl_quasi_newton {
    int vertex_count;
    pl_pool* pool;
    float* gradient;        // at x without contacts; filled by the caller, 0 where a vertex is held
    pl_array contacts;      // of pl_quasi_contact, at most one per vertex; filled by the caller
    pl_array bent;          // of float, 3 per contact and slot: C s
    float* gradient_before; // where the last direction was found
    float* direction;       // the last one
    // pair k is in slot (first + k) % PL_QUASI_NEWTON_PAIRS, the oldest first
    float *s[PL_QUASI_NEWTON_PAIRS], *y[PL_QUASI_NEWTON_PAIRS]; // allocated when first needed
    int first, pair_count;
    // s_i.y_j by slots, j not older than i: without contacts, and with the current ones
    double smooth[PL_QUASI_NEWTON_PAIRS][PL_QUASI_NEWTON_PAIRS];
    double sy[PL_QUASI_NEWTON_PAIRS][PL_QUASI_NEWTON_PAIRS];
    double alpha[PL_QUASI_NEWTON_PAIRS]; // of the recursion, by slots
    double* partials;                    // PL_QUASI_NEWTON_SUMS per block of vertices
} pl_quasi_newton;

pl_status pl_quasi_newton_setup(pl_quasi_newton* q, int vertex_count, pl_pool* pool,
                                pl_error* error);
void pl_quasi_newton_free(pl_quasi_newton* q);
// Allocates the pairs, unless they are allocated already.
pl_status pl_quasi_newton_reserve(pl_quasi_newton* q, pl_error* error);
// Forgets the pairs: the function has changed.
void pl_quasi_newton_forget(pl_quasi_newton* q);

// Adds a pair after x has moved by length times the direction; `gradient` is that at x.
void pl_quasi_newton_learn(pl_quasi_newton* q, double length);
// Computes the right-hand side b of the system whose solution pl_quasi_newton_end takes. place_of:
// position of each vertex in b and x, which are float4 (NULL: as in q).
pl_status pl_quasi_newton_begin(pl_quasi_newton* q, const int* place_of, float* b, pl_error* error);
// The direction, from the solution x of A x = b. Returns the slope along it, negative downhill.
double pl_quasi_newton_end(pl_quasi_newton* q, const int* place_of, const float* x);
// The slope along the direction at the end of a step.
double pl_quasi_newton_slope(const pl_quasi_newton* q);
// Accepts the direction: the caller then fills `gradient` and `contacts` for the next x.
void pl_quasi_newton_leave(pl_quasi_newton* q);

#endif
