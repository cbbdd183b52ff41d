// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Forces on a set of points that add up to a given force and torque: w (a + b x r) on a point of
// weight w at r from the middle. They are the smallest such forces, relative to the weights.
#ifndef PL_CONTACT_FORCE_SHARE_H
#define PL_CONTACT_FORCE_SHARE_H

#include "contact/contact.h"

// A sum of forces at their places.
typedef struct pl_force_sum {
    pl_vec3 force, torque; // about the world's origin
} pl_force_sum;

static inline void pl_force_sum_add(pl_force_sum* sum, pl_vec3 place, pl_vec3 force) {
    sum->force = pl_add(sum->force, force);
    sum->torque = pl_add(sum->torque, pl_cross(place, force));
}

typedef struct pl_force_share {
    pl_vec3 origin; // places are summed relative to it; set before the first point
    double weight;
    pl_vec3 moment; // sum of w r, then the middle
    pl_mat3 spread; // sum of w r r'
    pl_vec3 force, turn;
} pl_force_share;

void pl_force_share_add(pl_force_share* share, pl_vec3 place, double weight);
// After all points: the force, and its torque about the world's origin. Torque that no forces on
// these points have, as on a single one, is left out.
void pl_force_share_solve(pl_force_share* share, pl_vec3 force, pl_vec3 torque);
pl_vec3 pl_force_share_at(const pl_force_share* share, pl_vec3 place, double weight);

// Adds to the forces of a body's pins (3 each) what they lack of a force and a torque that they
// have together, in proportion to their own forces; x: 3 per vertex of the body.
void pl_force_share_fill(const pl_pin* pins, int pin_count, int first_vertex, int vertex_count,
                         const double* x, pl_vec3 force, pl_vec3 torque, double* pin_forces);

#endif
