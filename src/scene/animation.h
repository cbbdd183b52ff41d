// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Evaluates curves and motions of a scene at a time: values and their rates.
#ifndef PL_SCENE_ANIMATION_H
#define PL_SCENE_ANIMATION_H

#include "math/mat3.h"

#include <pliant/scene.h>

// The curve at a time, and its derivative if rate is not NULL (zero where it jumps).
double pl_curve_value(const pl_curve* curve, double time, double* rate);
// The smallest and the largest value of the curve.
void pl_curve_bounds(const pl_curve* curve, double* low, double* high);

// A rigid motion at one time: x = pivot + translate + R (start - pivot).
typedef struct pl_pose {
    pl_mat3 rotation; // R
    pl_vec3 pivot;
    pl_vec3 translate;        // [m]
    pl_vec3 velocity;         // of the pivot [m/s]
    pl_vec3 angular_velocity; // [rad/s]
} pl_pose;

// Returns false if it describes no motion.
static inline bool pl_motion_moves(const pl_motion* motion) {
    return motion->key_count > 0 || motion->spin_rate != 0.0 || motion->oscillation_count > 0;
}
// middle: pivot if the motion does not set one.
pl_pose pl_motion_pose(const pl_motion* motion, pl_vec3 middle, double time);
// Current position of a point that started at `start`.
pl_vec3 pl_pose_point(const pl_pose* pose, pl_vec3 start);

// Rotation about x, then y, then z [deg].
pl_mat3 pl_rotation_of_angles(const double angles[3]);

#endif
