// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Wind on the triangles of a surface: drag along the wind and lift across it.
#ifndef PL_CONTACT_WIND_H
#define PL_CONTACT_WIND_H

#include "math/vec3.h"

#include <pliant/scene.h>

enum { PL_WIND_WAVES = 4 };

// One wave of turbulence, at a fixed time.
typedef struct pl_wind_wave {
    pl_vec3 direction;
    double length;       // [m]
    double turns, phase; // at the origin
} pl_wind_wave;

// The air of a wind at a fixed time.
typedef struct pl_air {
    pl_vec3 steady; // including gusts [m/s]
    double turbulence;
    pl_wind_wave waves[3][PL_WIND_WAVES]; // of each component
} pl_air;

// Turbulence is smooth in space and time and depends only on the seed.
pl_air pl_air_at(const pl_wind* wind, int seed, double time);
// Velocity of the air at a position [m/s]: steady wind, plus gusts along it, plus turbulence.
pl_vec3 pl_air_velocity(const pl_air* air, pl_vec3 place);

// Force [N] on a triangle a b c that moves with the given velocity in air of velocity `air`.
// rate: magnitude of the force over the relative speed [N s/m].
pl_vec3 pl_wind_force(const pl_wind* wind, pl_vec3 a, pl_vec3 b, pl_vec3 c, pl_vec3 velocity,
                      pl_vec3 air, double* rate);

// The fraction of such a force that acts on a mass during a step: 1, or less if the relative
// velocity would change its sign. So light cloth in a gale moves with the air, and no faster.
static inline double pl_wind_part(double rate, double mass, double time_step) {
    return time_step * rate > mass ? mass / (time_step * rate) : 1.0;
}

#endif
