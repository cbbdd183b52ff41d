// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Distributes a force and a torque over a set of points. A point of weight w at r from the middle
// gets w (a + b x r). These are the smallest such forces relative to the weights.
#ifndef PL_CONTACT_FORCE_SHARE_H
#define PL_CONTACT_FORCE_SHARE_H

#include "contact/contact.h"

// A sum of forces and of their torques.
typedef struct pl_force_sum {
    pl_vec3 force, torque; // torque about the origin of the world
} pl_force_sum;

static inline void pl_force_sum_add(pl_force_sum* sum, pl_vec3 place, pl_vec3 force) {
    sum->force = pl_add(sum->force, force);
    sum->torque = pl_add(sum->torque, pl_cross(place, force));
}

typedef struct pl_force_share {
    pl_vec3 origin; // positions are summed relative to it; set before the first point is added
    double weight;
    pl_vec3 moment; // sum of w r; after solving, the middle
    pl_mat3 spread; // sum of w r r'
    pl_vec3 force, turn;
} pl_force_share;

void pl_force_share_add(pl_force_share* share, pl_vec3 place, double weight);
// Call after all points were added. torque: about the origin of the world. Torque that forces on
// these points cannot have, such as on a single point, is dropped.
void pl_force_share_solve(pl_force_share* share, pl_vec3 force, pl_vec3 torque);
pl_vec3 pl_force_share_at(const pl_force_share* share, pl_vec3 place, double weight);

// Adds forces to the pins of a body (3 each) so that they add up to a given force and torque. The
// difference is distributed in proportion to the pins' forces. x: 3 per vertex of the body.
void pl_force_share_fill(const pl_pin* pins, int pin_count, int first_vertex, int vertex_count,
                         const double* x, pl_vec3 force, pl_vec3 torque, double* pin_forces);

#endif
