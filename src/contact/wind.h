// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Wind on the triangles of a surface: drag along it and lift across it.
#ifndef PL_CONTACT_WIND_H
#define PL_CONTACT_WIND_H

#include "math/vec3.h"

#include <pliant/scene.h>

// Velocity of the air at a place and time [m/s]: steady, plus gusts along it, plus turbulence that
// is smooth in space and time and follows from the seed.
pl_vec3 pl_wind_velocity(const pl_wind* wind, int seed, pl_vec3 place, double time);

// Force [N] on a triangle a b c that moves with the given velocity in air that moves with `air`.
pl_vec3 pl_wind_force(const pl_wind* wind, pl_vec3 a, pl_vec3 b, pl_vec3 c, pl_vec3 velocity,
                      pl_vec3 air);

#endif
