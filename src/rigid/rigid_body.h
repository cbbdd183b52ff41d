// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A rigid body: its position, rotation and momentum, from which the motion of all vertices follows.
#ifndef PL_RIGID_BODY_H
#define PL_RIGID_BODY_H

#include "math/mat3.h"

#include <stdbool.h>

// The state of a body. Steps depend on nothing else.
typedef struct pl_rigid_state {
    pl_vec3 centre;           // of mass [m]
    pl_quat rotation;         // from the rest shape; a unit quaternion
    pl_vec3 momentum;         // [kg m/s]
    pl_vec3 angular_momentum; // about the centre [kg m^2/s]
} pl_rigid_state;

typedef struct pl_rigid_body {
    const char* name; // borrowed
    int first_vertex, vertex_count;
    double* arms; // 3 per vertex: from the centre to the vertex, at rest
    double mass;
    pl_mat3 inertia, inverse, inverse_root; // at rest, about the centre
    double damping;                         // rate [1/s]
    pl_rigid_state state;
    // of the last step
    pl_rigid_state before;   // at the start
    pl_rigid_state uncut;    // at the end if its path had not been shortened
    double path_fraction;    // of the path from `before` to `uncut`
    bool is_held;            // attachments determine its motion
    bool falls_freely;       // only gravity acts: the body follows the exact parabola
    double inverse_mass;     // 0 if held
    pl_mat3 inverse_rotated; // inverse inertia, rotated with the body; 0 if held
    // changes of velocity and angular velocity by the present solve
    pl_vec3 velocity_change, rate_change;
    pl_vec3 free_momentum, free_angular_momentum; // without contacts and attachments
} pl_rigid_body;

pl_mat3 pl_rigid_rotation(const pl_rigid_state* state);
// R A R': a tensor of the rest shape, rotated with the body.
pl_mat3 pl_rigid_rotate_tensor(pl_mat3 rotation, pl_mat3 tensor);
pl_vec3 pl_rigid_velocity(const pl_rigid_body* body);
pl_vec3 pl_rigid_angular_velocity(const pl_rigid_body* body, const pl_rigid_state* state);
double pl_rigid_kinetic(const pl_rigid_body* body);

// The rotation of a free body after a time, from its rotation and angular momentum now. Integrated
// by the implicit midpoint rule in steps of at most a tenth of a radian.
pl_quat pl_rigid_rotate_freely(const pl_rigid_body* body, pl_quat rotation,
                               pl_vec3 angular_momentum, double time);
// Interpolates between two states; momenta are those of `to`. part: 0 to 1.
pl_rigid_state pl_rigid_between(const pl_rigid_state* from, const pl_rigid_state* to, double part);
// The constant angular velocity [rad/s] that leads from one rotation to another in a time.
pl_vec3 pl_rigid_rate(pl_quat from, pl_quat to, double time);

// Writes positions and velocities of all vertices, 3 each; the arrays start at the body's first
// vertex. velocities may be NULL.
void pl_rigid_show(const pl_rigid_body* body, const pl_rigid_state* state, double* positions,
                   double* velocities);

// Fits the body to given positions of its vertices by least squares. items: vertices of the body,
// NULL: all. weights: NULL: equal. Keeps the angular velocity. Returns false if the positions are
// on a line.
bool pl_rigid_fit(pl_rigid_body* body, const int* items, int count, const double* places,
                  const double* weights);
// Applies a change of vertex velocities from `before` to `now`, as far as a rigid motion can follow
// it.
void pl_rigid_change_velocities(pl_rigid_body* body, const double* now, const double* before,
                                const double* masses);

#endif
