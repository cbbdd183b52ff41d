// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The same small bodies under every method, compared with Newton's method (fem, BDF2) at a quarter
// of the step. A method joins with one call of motion_check in a TEST of its own.
#ifndef PL_MOTION_NET_H
#define PL_MOTION_NET_H

#include <stdbool.h>

typedef enum motion_body {
    MOTION_BAR,   // held at one end, sags and swings back
    MOTION_BEAR,  // of jelly, falls on the ground
    MOTION_DRAPE, // cloth that swings from two corners
    MOTION_BODIES
} motion_body;

// How far a method may be from Newton. Places: part of how far the reference goes at all.
typedef struct motion_bounds {
    double centre, tip; // centre of mass; the vertex that is farthest along x
    double volume;      // solids: part of the rest volume
    double stretch;     // cloth: 99th percentile of length over rest length
    double energy;      // gain over the start, part of the potential energy that was lost
    double rest_speed;  // fastest vertex after some seconds [m/s]; 0: not looked at
    bool same_step; // Newton takes the steps of the method: its solver is compared, not its time
} motion_bounds;

// Runs a body with the settings of a method (overrides of its scene) and compares. Overrides of the
// material are those of the reference too.
void motion_check(motion_body body, const char* const* overrides, int override_count,
                  const motion_bounds* bounds);

#endif
