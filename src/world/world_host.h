// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
// What the host (the program that uses the library) changes between frames.
#ifndef PL_WORLD_HOST_H
#define PL_WORLD_HOST_H

#include "scene/animation.h"
#include "world/world_build.h"

void pl_driver_free(pl_world_driver* driver);
pl_status pl_driver_points(pl_world_driver* driver, int point_count, const double* places,
                           pl_error* error);
// The pose of a driven object at a fraction of the frame, 0 to 1. Its middle moves on a straight
// line, and it rotates at a constant rate. The pivot of the pose is the origin.
pl_pose pl_driver_pose(const pl_world_driver* driver, pl_vec3 middle, double part);
// The points of a driven shape at a fraction of the frame, 3 per point.
void pl_driver_places(const pl_world_driver* driver, double part, double* out);

// The pose of a collider at a time within the present frame.
pl_pose pl_world_collider_pose(const pl_world* world, int collider, double time, double part);

// is_touched: true if the host wrote positions or velocities since pl_world_remember.
bool pl_world_is_touched(const pl_world_system* system);
void pl_world_remember(pl_world_system* system);

// host_begin, host_end: call before the first and after the last step of a frame.
void pl_world_host_begin(pl_world* world);
void pl_world_host_end(pl_world* world);
void pl_world_host_free(pl_world* world);

// Sets a number for the host; drops all numbers that the host has set.
pl_status pl_world_put_number(pl_world* world, const char* path, double value, pl_error* error);
void pl_world_drop_numbers(pl_world* world);

#endif
