// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Contacts of moving vertices with moving obstacles.
#ifndef PL_CONTACT_COLLISION_H
#define PL_CONTACT_COLLISION_H

#include "base/pool.h"
#include "contact/contact.h"
#include "contact/obstacle.h"
#include "math/mat3.h"

// The pose of an obstacle's frame: world = rotation * local + translation.
typedef struct pl_rigid {
    pl_mat3 rotation;
    pl_vec3 translation;
} pl_rigid;

static inline pl_rigid pl_rigid_identity(void) {
    return (pl_rigid){pl_mat3_identity(), {0.0, 0.0, 0.0}};
}
static inline pl_vec3 pl_rigid_to_world(const pl_rigid* pose, pl_vec3 local) {
    return pl_add(pl_mat3_apply(&pose->rotation, local), pose->translation);
}
static inline pl_vec3 pl_rigid_to_local(const pl_rigid* pose, pl_vec3 world) {
    pl_mat3 inverse = pl_mat3_transpose(pose->rotation);
    return pl_mat3_apply(&inverse, pl_sub(world, pose->translation));
}

// An obstacle and its motion during a step.
typedef struct pl_moving_obstacle {
    pl_obstacle obstacle;
    bool changes_size;           // its shape is given by numbers that change during the step
    pl_obstacle obstacle_before; // if so: the obstacle at the start of the step
    pl_rigid begin, end;
    double thickness; // distance kept free around it [m]
    double friction;  // NAN: use that of the vertex
    double stiffness; // of the penalty [N/m]; 0: use that of the vertex
    bool is_body;     // a body, not a collider
    int body;         // if so: its number in the world
    // Boxes of everything it covers during the step, thickness included, in the world and in its
    // own frame. For a body the caller sets `reach`; pl_moving_obstacle_bound sets the rest.
    pl_box reach, local_reach;
} pl_moving_obstacle;

// Sets the boxes that detection tests first. Call after the shape and motion for a step are set.
void pl_moving_obstacle_bound(pl_moving_obstacle* obstacle);

// A group of vertices to test (of the surface of a body), with their thickness and penalty.
typedef struct pl_colliding_vertices {
    const int* vertices;
    int count;
    int first;        // added to each vertex number
    double thickness; // [m]
    double stiffness; // [N/m]
    double friction;
    bool meets;         // collides with bodies too
    const bool* passes; // per body of the world: do not collide with it; NULL: none
    // How far each obstacle is set back for these vertices, and how much this decreased since the
    // start of the step [m]; NULL: not at all.
    const double *recesses, *recess_steps;
} pl_colliding_vertices;

typedef struct pl_collision_job {
    const pl_moving_obstacle* obstacles;
    int obstacle_count;
    const pl_colliding_vertices* groups;
    int group_count;
    pl_pool* pool; // or NULL
} pl_collision_job;

// A cheap test: false if a vertex cannot touch the obstacle on its path.
bool pl_may_touch(const pl_moving_obstacle* obstacle, pl_vec3 start, pl_vec3 end, double thickness);

// The contact of a vertex with an obstacle during a step; false if there is none.
bool pl_find_contact(const pl_moving_obstacle* obstacle, pl_vec3 start, pl_vec3 end,
                     double thickness, pl_contact* out);

// A pl_detect whose `user` is a pl_collision_job. Contacts are in order of group, vertex and
// obstacle.
int pl_detect_collisions(void* job, const double* start, const double* x, pl_contact* out,
                         int capacity);

#endif
