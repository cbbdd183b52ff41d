// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bodies that nothing holds. They have an equilibrium at rest only if the forces on them add up to
// zero.
#ifndef PL_STEP_FREE_BODIES_H
#define PL_STEP_FREE_BODIES_H

#include "contact/contact.h"
#include "math/mat3.h"

#include <pliant/status.h>

// Sums over the vertices of a body, for its rigid motion.
typedef struct pl_body_motion {
    double mass;
    pl_vec3 centre, shift, angular, turn;
    pl_mat3 inertia;
    bool is_loaded; // by forces that do not rotate with the body
} pl_body_motion;

typedef struct pl_free_bodies {
    int vertex_count;
    int* first;    // lowest vertex of each vertex's body
    bool* held;    // work, at first vertices: a pin holds the body
    double* force; // 3 per vertex, at first vertices: their sum; then the sum of their lengths
    int* body_of;  // of each vertex: number of its body
    int body_count;
    pl_body_motion* motions; // per body
    bool any_free;           // some body had no pin in the last check
} pl_free_bodies;

// neighbours: vertices that share an element with each vertex (CSR).
pl_status pl_free_bodies_setup(pl_free_bodies* bodies, int vertex_count,
                               const int* neighbour_offsets, const int* neighbours,
                               pl_error* error);
void pl_free_bodies_free(pl_free_bodies* bodies);
// Fails if the forces on a body without pins do not add up to zero. Counts the rigid modes of such
// bodies.
pl_status pl_free_bodies_check(pl_free_bodies* bodies, const double* force, const pl_pin* pins,
                               int pin_count, int* rigid_mode_count, pl_error* error);
// Removes the rigid motion of bodies without pins from a direction (3 per vertex), because it is in
// the null space of their matrix. Their centres of mass stay in place, and they rotate only if dead
// forces have a torque.
void pl_free_bodies_keep_place(pl_free_bodies* bodies, const double* mass, const double* force,
                               const double* x, double* direction);

#endif
