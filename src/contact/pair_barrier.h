// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The barrier between a vertex and a triangle, or two edges: an energy that is zero beyond a
// distance and grows without bound as the two approach each other.
#ifndef PL_CONTACT_PAIR_BARRIER_H
#define PL_CONTACT_PAIR_BARRIER_H

#include "geometry/ccd.h"

typedef struct pl_pair_barrier {
    double reach;    // no energy beyond this distance [m]
    double size;     // K: scale of the energy [J]
    double parallel; // two edges are nearly parallel if |u x v|^2 is below this [m^4]; 0 for a
                     // vertex and a triangle
} pl_pair_barrier;

// The barrier of a pair whose rest positions are `rest`.
pl_pair_barrier pl_pair_barrier_of(const pl_quad* rest, bool is_edges, double reach, double size);

// Energy at the given positions; infinite if the two touch.
double pl_pair_barrier_energy(const pl_pair_barrier* b, const pl_quad* at, bool is_edges);
// Energy, and its gradient with respect to each corner. Both are zero out of reach.
double pl_pair_barrier_gradient(const pl_pair_barrier* b, const pl_quad* at, bool is_edges,
                                pl_vec3 gradient[4]);
// Force that pushes the two apart [N], the weights of their closest points (as pl_quad_distance
// gives them), and the unit vector from the second to the first. 0 out of reach.
double pl_pair_barrier_force(const pl_pair_barrier* b, const pl_quad* at, bool is_edges,
                             double weights[4], pl_vec3* normal);
// The full Hessian (not projected): 12 x 12, row-major, corner by corner.
void pl_pair_barrier_hessian(const pl_pair_barrier* b, const pl_quad* at, bool is_edges,
                             double H[144]);

// The Hessian without its negative eigenvalues, as a sum of r r' over at most this many rows r.
enum { PL_BARRIER_ROWS = 12 };
int pl_pair_barrier_rows(const pl_pair_barrier* b, const pl_quad* at, bool is_edges,
                         double rows[PL_BARRIER_ROWS][12]);

#endif
