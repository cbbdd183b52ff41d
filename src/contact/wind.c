// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// F = 1/2 rho A |n.u| |u| (Cd u + Cl l): u is the velocity of the air relative to the triangle, n
// its normal on the side that u points to, and l the direction perpendicular to u towards which n
// leans. A triangle parallel to the wind has no force.
#include "contact/wind.h"
#include "base/random.h"

#include <math.h>

// a few waves with random directions and phases: smooth, and the same on all machines with the same
// sine function
static void make_waves(int seed, int component, double time, pl_wind_wave* waves) {
    pl_random random = {(uint64_t)seed * 1000003u + (uint64_t)component};
    for (int k = 0; k < PL_WIND_WAVES; k++) {
        pl_vec3 direction = pl_normalize((pl_vec3){
            pl_random_normal(&random), pl_random_normal(&random), pl_random_normal(&random)});
        double frequency = pl_random_uniform(&random, 0.3, 1.0) * pow(2.0, 0.5 * k);
        double phase = pl_random_uniform(&random, 0.0, 2.0 * PL_PI);
        waves[k] = (pl_wind_wave){direction, pow(2.0, -k), frequency * time, phase};
    }
}

pl_air pl_air_at(const pl_wind* wind, int seed, double time) {
    pl_air air = {.steady = pl_vec3_load(wind->velocity), .turbulence = wind->turbulence};
    double gust = wind->gust * sin(2.0 * PL_PI * wind->gust_frequency * time);
    air.steady = pl_madd(air.steady, gust, pl_normalize(air.steady));
    for (int i = 0; i < 3; i++) make_waves(seed, i, time, air.waves[i]);
    return air;
}

static double sum_waves(const pl_wind_wave* waves, pl_vec3 place) {
    double sum = 0.0;
    for (int k = 0; k < PL_WIND_WAVES; k++) {
        double turns = pl_dot(waves[k].direction, place) / waves[k].length + waves[k].turns;
        sum += sin(2.0 * PL_PI * turns + waves[k].phase);
    }
    return sum / sqrt(0.5 * PL_WIND_WAVES);
}

pl_vec3 pl_air_velocity(const pl_air* air, pl_vec3 place) {
    if (!(air->turbulence > 0.0)) return air->steady;
    pl_vec3 eddies = {sum_waves(air->waves[0], place), sum_waves(air->waves[1], place),
                      sum_waves(air->waves[2], place)};
    return pl_madd(air->steady, air->turbulence, eddies);
}

pl_vec3 pl_wind_force(const pl_wind* wind, pl_vec3 a, pl_vec3 b, pl_vec3 c, pl_vec3 velocity,
                      pl_vec3 air, double* rate) {
    *rate = 0.0;
    pl_vec3 u = pl_sub(air, velocity), doubled = pl_cross(pl_sub(b, a), pl_sub(c, a));
    double speed = pl_norm(u), area = 0.5 * pl_norm(doubled);
    if (!(speed > 0.0) || !(area > 0.0)) return (pl_vec3){0, 0, 0};
    pl_vec3 along = pl_scale(1.0 / speed, u), n = pl_scale(0.5 / area, doubled);
    if (pl_dot(n, along) < 0.0) n = pl_scale(-1.0, n);
    double facing = pl_dot(n, along);
    pl_vec3 across = pl_normalize(pl_madd(n, -facing, along));
    double strength = 0.5 * wind->air_density * area * facing * speed * speed;
    pl_vec3 force =
        pl_add(pl_scale(strength * wind->drag, along), pl_scale(strength * wind->lift, across));
    *rate = pl_norm(force) / speed;
    return force;
}
