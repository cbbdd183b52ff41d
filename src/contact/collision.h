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

// Where a obstacle's frame is: world = rotation * local + translation.
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

// A obstacle with its motion over a step.
typedef struct pl_moving_obstacle {
    pl_obstacle obstacle;
    bool changes_size;           // of a kind that is given by numbers, which change during the step
    pl_obstacle obstacle_before; // if so: what it was at the start of the step
    pl_rigid begin, end;
    double thickness; // kept free around it [m]
    double friction;  // NAN: that of the vertex
    double stiffness; // of the penalty [N/m]; 0: that of the vertex
    bool is_body;     // and no collider
    int body;         // of the world, if so
    // All that it covers during the step, in the world and in its own frame; thickness included. Of
    // a body, `reach` is given; the rest is set by pl_moving_obstacle_bound.
    pl_box reach, local_reach;
} pl_moving_obstacle;

// Sets the boxes that detection asks first; to be called when shape and motion of a step are set.
void pl_moving_obstacle_bound(pl_moving_obstacle* obstacle);

// What is tested: vertices (of a body's surface) with the room they keep and the penalty they ask
// for.
typedef struct pl_colliding_vertices {
    const int* vertices;
    int count;
    int first;        // added to each
    double thickness; // [m]
    double stiffness; // [N/m]
    double friction;
    bool meets;         // bodies too
    const bool* passes; // but not these, by their number; NULL: none
    // How far each obstacle is held back for them, and how much less than at the start of the step
    // [m]; NULL: not at all.
    const double *recesses, *recess_steps;
} pl_colliding_vertices;

typedef struct pl_collision_job {
    const pl_moving_obstacle* obstacles;
    int obstacle_count;
    const pl_colliding_vertices* groups;
    int group_count;
    pl_pool* pool; // or NULL
} pl_collision_job;

// False if a vertex on its way cannot touch an obstacle: a cheap question to ask first.
bool pl_may_touch(const pl_moving_obstacle* obstacle, pl_vec3 start, pl_vec3 end, double thickness);

// The nearest contact of one vertex with one obstacle during a step, if there is any.
bool pl_find_contact(const pl_moving_obstacle* obstacle, pl_vec3 start, pl_vec3 end,
                     double thickness, pl_contact* out);

// A pl_detect whose user is a pl_collision_job: contacts by group, vertex and obstacle, in this
// order.
int pl_detect_collisions(void* job, const double* start, const double* x, pl_contact* out,
                         int capacity);

#endif
