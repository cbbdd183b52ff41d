// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Contacts of two surfaces as constraints of position based dynamics: a vertex and a triangle, or
// two edges, stay as far apart as they should, and friction takes slip back.
#ifndef PL_PBD_PAIR_ROWS_H
#define PL_PBD_PAIR_ROWS_H

#include "contact/contact.h"
#include "contact/surface_set.h"

// n . sum of weights[i] x[v[i]] >= distance.
typedef struct pl_pair_row {
    int v[4];
    double weights[4]; // of the closest points; they sum up to 0
    double share;      // sum of weights^2 / mass [1/kg]
    pl_vec3 normal;    // from the second to the first
    double distance;   // [m]
    double friction;
    double push;  // multiplier so far, times the time squared [kg m]
    pl_vec3 drag; // that of friction
} pl_pair_row;

// What is solved: places at the start and the end of a part of a step, 3 per vertex.
typedef struct pl_pair_motion {
    const pl_surface_set* surfaces;
    const double* start;
    double* end;
    const double* mass;
    const bool* held;
    double share_of_step; // that the part is: what is too near comes apart within a step
    double time;          // of the part [s]
} pl_pair_motion;

// False if a pair is too far apart to be too near at the end or to meet on the way.
bool pl_pair_may_touch(const pl_pair_motion* motion, const pl_contact_pair* pair);

// The row of a pair, if it may come near its distance.
bool pl_pair_row_make(const pl_pair_motion* motion, const pl_contact_pair* pair, pl_pair_row* out);

// One sweep over all rows, in order.
void pl_pair_rows_project(const pl_pair_motion* motion, pl_pair_row* rows, int count);

#endif
