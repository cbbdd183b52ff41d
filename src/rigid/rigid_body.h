// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A rigid body: its position, rotation and momentum, from which the motion of all vertices follows.
#ifndef PL_RIGID_BODY_H
#define PL_RIGID_BODY_H

#include "math/mat3.h"

#include <stdbool.h>

// The state, on which later steps depend.
typedef struct pl_rigid_state {
    pl_vec3 centre;   // of mass [m]
    pl_quat turn;     // from the rest shape; unit
    pl_vec3 momentum; // [kg m/s]
    pl_vec3 spin;     // angular momentum about the centre [kg m^2/s]
} pl_rigid_state;

typedef struct pl_rigid_body {
    const char* name; // borrowed
    int first_vertex, vertex_count;
    double* arms; // 3 per vertex: from the centre, at rest
    double mass;
    pl_mat3 inertia, inverse, inverse_root; // at rest, about the centre
    double damping;                         // rate [1/s]
    pl_rigid_state state;
    // of the last step
    pl_rigid_state before;  // where it started
    pl_rigid_state whole;   // where it ends unless its way is cut
    double part;            // of its way that it went
    bool is_held;           // attachments say where it goes
    bool flies;             // nothing acts but gravity, whose parabola is then exact
    double inverse_mass;    // 0 if held
    pl_mat3 inverse_turned; // of the inertia, turned as at the end; zero if held
    pl_vec3 pushed, turned; // changes of velocity and angular velocity that a solve has found
    pl_vec3 free_momentum, free_spin; // without contacts and attachments
} pl_rigid_body;

pl_mat3 pl_rigid_rotation(const pl_rigid_state* state);
// A tensor of the rest shape, turned: R A R'.
pl_mat3 pl_rigid_turned(pl_mat3 rotation, pl_mat3 tensor);
pl_vec3 pl_rigid_velocity(const pl_rigid_body* body);
pl_vec3 pl_rigid_angular_velocity(const pl_rigid_body* body, const pl_rigid_state* state);
double pl_rigid_kinetic(const pl_rigid_body* body);

// The rotation of a free body after a time, given its angular momentum: integrated by the implicit
// midpoint rule in steps of a tenth of a radian.
pl_quat pl_rigid_spun(const pl_rigid_body* body, pl_quat turn, pl_vec3 spin, double time);
// The state at a fraction of the way from one to another; momentum is that of the end.
pl_rigid_state pl_rigid_between(const pl_rigid_state* from, const pl_rigid_state* to, double part);
// The constant angular velocity that leads from one turn to another in a time [rad/s].
pl_vec3 pl_rigid_rate(pl_quat from, pl_quat to, double time);

// Vertices of a state, 3 each; the arrays begin with the body's first. velocities: may be NULL.
void pl_rigid_show(const pl_rigid_body* body, const pl_rigid_state* state, double* positions,
                   double* velocities);

// Fits the body to given positions of its vertices by least squares. items: entries of the body's
// arms, NULL for all; weights: NULL for equal ones. Angular velocity stays. False if the positions
// lie on a line.
bool pl_rigid_fit(pl_rigid_body* body, const int* items, int count, const double* places,
                  const double* weights);
// Applies a change of the velocities of all vertices, as far as a rigid motion can follow it.
void pl_rigid_change_velocities(pl_rigid_body* body, const double* now, const double* before,
                                const double* masses);

#endif
