// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// All rigid bodies of a scene, and their contacts in a step.
#ifndef PL_RIGID_SYSTEM_H
#define PL_RIGID_SYSTEM_H

#include "base/array.h"
#include "contact/pair_rows.h"
#include "contact/push_response.h"
#include "method/method.h"
#include "rigid/rigid_body.h"

// A contact between two bodies, or between a body and an obstacle. `push` and `drag` of the pair
// are not used.
typedef struct pl_rigid_row {
    pl_pair_row pair; // obstacle: one vertex of weight 1; the distance is that of the plane
    bool is_edges;
    int obstacle;      // or -1
    int bodies[2];     // the second is -1 for an obstacle
    double impulse[3]; // along the axes: normal force, and two of friction [kg m/s]
    pl_vec3 axes[3];   // the normal, and two tangents
    pl_vec3 motion;    // of the obstacle during the step
    // at the present placement of the bodies
    pl_vec3 arms[2];            // from the centres of the bodies to the point of contact
    pl_vec3 levers[2][3];       // arm x axis
    pl_vec3 rate_changes[2][3]; // the change of angular velocity by an impulse along an axis
    double speeds[3]; // along the axes; the first: (distance - required distance) / time step
    double inverse_masses[3]; // change of the speed along an axis by a unit impulse [1/kg]
    // work of the solve
    double before[3];    // impulses before the last sweep
    double direction[3]; // of conjugate gradients
} pl_rigid_row;

// The force of a row in the last step: the initial guess of the next step.
typedef struct pl_rigid_kept {
    int v[4];
    int obstacle;
    int is_edges;
    double force[3]; // [N]
} pl_rigid_kept;
// The number of forces kept for each body.
enum { PL_RIGID_KEPT = 64 };

// A vertex that an attachment holds.
typedef struct pl_rigid_pin {
    int pin; // of the step
    int body;
    double softness; // 1 / (stiffness h^2) [1/kg]; 0: exact
    pl_vec3 impulse; // [kg m/s]
    // at the present placement of the bodies
    pl_vec3 arm;
    pl_vec3 velocity_error; // distance to the target / time step
    double inverse_masses[3];
    // work of the solve
    pl_vec3 before, direction;
} pl_rigid_pin;

typedef struct pl_rigid_system {
    pl_pool* pool;
    pl_rigid_body* bodies;
    int body_count;
    int vertex_count;
    int* body_of_vertex;
    double* mass;                     // per vertex
    bool* held;                       // per vertex: true if its body is held
    double *positions, *velocities;   // 3 per vertex; the world reads and writes them
    double *shown, *shown_velocities; // their values at the end of the last step
    double *start, *end;              // positions in the step
    int* clusters;            // per body: union-find parent among bodies that stop each other
    double* limits;           // per body: fraction of its path
    pl_array contacts;        // of pl_contact
    pl_array pairs;           // of pl_contact_pair
    pl_array parts;           // of double: time of contact of each pair, 0 to 1
    pl_array rows, found;     // of pl_rigid_row: all, sorted; the new ones
    pl_array pins;            // of pl_rigid_pin
    pl_array items, places;   // of int and double: pins of a held body
    pl_push_rigid* responses; // per body
    pl_rigid_kept* kept;      // in the order of rows
    int kept_count;
    double* response_places; // 3 per vertex
} pl_rigid_system;

// rigid_step.c. Takes over positions and velocities that the host wrote.
void pl_rigid_take_over(const pl_rigid_system* system, pl_rigid_body* body);
pl_status pl_rigid_system_step(pl_rigid_system* system, const pl_method_step* step,
                               pl_method_info* info, pl_error* error);
// Sets the vertices of a body from its state.
void pl_rigid_system_show(pl_rigid_system* system, const pl_rigid_body* body);

// rigid_rows.c. Adds rows for all contacts of the bodies on their paths from `start` to `end`. A
// row keeps its normal for the rest of the step.
pl_status pl_rigid_rows_find(pl_rigid_system* system, const pl_method_step* step, bool* has_new,
                             pl_error* error);

// pl_rigid_rows_keep saves the forces of rows. pl_rigid_rows_warm_start applies them to the rows of
// the next step; place the bodies again afterwards. It returns false if there is nothing to apply.
// pl_rigid_rows_forget undoes it.
void pl_rigid_rows_keep(pl_rigid_system* system, double time_step);
bool pl_rigid_rows_warm_start(pl_rigid_system* system, double time_step);

void pl_rigid_rows_forget(pl_rigid_system* system);

// rigid_pins.c. Moves the bodies that attachments hold, and lists the attachments of the others.
pl_status pl_rigid_pins_begin(pl_rigid_system* system, const pl_method_step* step, pl_error* error);
// Computes the forces of attachments and obstacles, if the step asks for them.
void pl_rigid_reactions(const pl_rigid_system* system, const pl_method_step* step);

// rigid_solve.c. Computes the speeds of rows and pins at the present placement of the bodies.
// Returns the largest speed that violates a constraint.
double pl_rigid_measure(pl_rigid_system* system, const pl_method_step* step);
// Finds impulses that remove these speeds. Normal impulses do not pull, and friction is at most its
// coefficient times the normal impulse. Ends when a sweep changes no speed by more than
// `tolerance`. Returns the number of sweeps.
int pl_rigid_solve(pl_rigid_system* system, double tolerance);
// Adds an impulse along one axis of a row, to the row and to its bodies.
void pl_rigid_push(pl_rigid_system* system, pl_rigid_row* row, int axis, double by);
// Applies the velocity changes since pl_rigid_measure to the momenta of the bodies.
void pl_rigid_take_momentum(pl_rigid_system* system);

// rigid_cut.c. Shortens the paths of bodies that would pass through each other.
pl_status pl_rigid_keep_apart(pl_rigid_system* system, const pl_method_step* step, pl_error* error);
// Shortens the last step of a body to a fraction of its path.
void pl_rigid_shorten(pl_rigid_system* system, int body, double part);

static inline pl_status pl_rigid_fail_memory(pl_error* error) {
    return pl_fail_memory(error, "rigid bodies");
}

#endif
