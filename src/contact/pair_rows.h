// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Contacts between two surfaces as position constraints: a vertex and a triangle, or two edges,
// keep their distance; friction removes slip.
#ifndef PL_CONTACT_PAIR_ROWS_H
#define PL_CONTACT_PAIR_ROWS_H

#include "base/pool.h"
#include "contact/contact.h"
#include "contact/surface_set.h"

// n . sum of weights[i] x[v[i]] >= distance.
typedef struct pl_pair_row {
    int v[4];
    bool is_edges;
    double weights[4]; // weights of the closest points; they sum to 0
    double share;      // sum of weights^2 / mass [1/kg]
    pl_vec3 normal;    // from the second to the first
    double distance;   // [m]
    double friction;
    double push;  // accumulated multiplier times time^2 [kg m]
    pl_vec3 drag; // the same for friction
} pl_pair_row;

// Inputs: positions at the start and the end of a substep, 3 per vertex.
typedef struct pl_pair_motion {
    const pl_surface_set* surfaces;
    const double* start;
    double* end;
    const double* mass;
    const bool* held;
    double share_of_step; // length of the substep / length of the step: pairs that are too close
                          // separate within a step
    double time;          // length of the substep [s]
} pl_pair_motion;

// Two unit vectors perpendicular to a normal and to each other.
static inline void pl_directions_across(pl_vec3 n, pl_vec3 across[2]) {
    const pl_vec3 other = fabs(n.x) < 0.6 ? (pl_vec3){1, 0, 0} : (pl_vec3){0, 1, 0};
    across[0] = pl_normalize(pl_cross(n, other));
    across[1] = pl_cross(n, across[0]);
}

// Pairs within this multiple of their distance get a row, because other contacts may push them
// closer together.
#define PL_PAIR_NEAR 2.0

// Returns false if a pair is too far apart to come too close or to meet on the way.
bool pl_pair_may_touch(const pl_pair_motion* motion, const pl_contact_pair* pair);

// Makes the row of a pair if the two may come near their distance; otherwise returns false.
bool pl_pair_row_make(const pl_pair_motion* motion, const pl_contact_pair* pair, pl_pair_row* out);

// One sweep over all rows, in order.
void pl_pair_rows_project(const pl_pair_motion* motion, pl_pair_row* rows, int count);

// For each pair the fraction of the motion that continuous collision detection allows: 1 if the two
// do not meet. Returns the smallest.
double pl_pairs_advance(const pl_pair_motion* motion, pl_pool* pool, const pl_contact_pair* pairs,
                        int count, double* parts);
// Lowers the limit of each vertex to the smallest fraction that its pairs allow, times margin.
void pl_pairs_limit(const pl_contact_pair* pairs, int count, const double* parts, double margin,
                    double* limits);

#endif
