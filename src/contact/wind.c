// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// F = 1/2 rho A |n.u| |u| (Cd u + Cl l): u is the air's velocity relative to the triangle, n its
// normal turned with the air, and l the direction across the air into which n leans. A triangle
// along the wind feels nothing.
#include "contact/wind.h"
#include "base/random.h"

#include <math.h>

// sum of a few waves with random directions and phases: smooth, and the same on every machine that
// has the same sines
static double turbulence(int seed, int component, pl_vec3 place, double time) {
    enum { WAVES = 4 };
    pl_random random = {(uint64_t)seed * 1000003u + (uint64_t)component};
    double sum = 0.0;
    for (int k = 0; k < WAVES; k++) {
        double length = pow(2.0, -k); // [m]
        pl_vec3 direction = pl_normalize((pl_vec3){
            pl_random_normal(&random), pl_random_normal(&random), pl_random_normal(&random)});
        double frequency = pl_random_uniform(&random, 0.3, 1.0) * pow(2.0, 0.5 * k);
        double phase = pl_random_uniform(&random, 0.0, 6.283185307179586);
        sum +=
            sin(6.283185307179586 * (pl_dot(direction, place) / length + frequency * time) + phase);
    }
    return sum / sqrt(0.5 * WAVES);
}

pl_vec3 pl_wind_velocity(const pl_wind* wind, int seed, pl_vec3 place, double time) {
    pl_vec3 air = pl_vec3_load(wind->velocity);
    double gust = wind->gust * sin(6.283185307179586 * wind->gust_frequency * time);
    air = pl_madd(air, gust, pl_normalize(air));
    if (wind->turbulence > 0.0) {
        pl_vec3 eddies = {turbulence(seed, 0, place, time), turbulence(seed, 1, place, time),
                          turbulence(seed, 2, place, time)};
        air = pl_madd(air, wind->turbulence, eddies);
    }
    return air;
}

pl_vec3 pl_wind_force(const pl_wind* wind, pl_vec3 a, pl_vec3 b, pl_vec3 c, pl_vec3 velocity,
                      pl_vec3 air) {
    pl_vec3 u = pl_sub(air, velocity), doubled = pl_cross(pl_sub(b, a), pl_sub(c, a));
    double speed = pl_norm(u), area = 0.5 * pl_norm(doubled);
    if (!(speed > 0.0) || !(area > 0.0)) return (pl_vec3){0, 0, 0};
    pl_vec3 along = pl_scale(1.0 / speed, u), n = pl_scale(0.5 / area, doubled);
    if (pl_dot(n, along) < 0.0) n = pl_scale(-1.0, n);
    double facing = pl_dot(n, along);
    pl_vec3 across = pl_normalize(pl_madd(n, -facing, along));
    double strength = 0.5 * wind->air_density * area * facing * speed * speed;
    return pl_add(pl_scale(strength * wind->drag, along), pl_scale(strength * wind->lift, across));
}
