// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
// Distances to balls and to cones with round ends, the building blocks of round shapes.
#ifndef PL_COLLIDER_ROUND_SOLID_H
#define PL_COLLIDER_ROUND_SOLID_H

#include "geometry/box.h"

#include <float.h>
#include <math.h>

// any unit vector orthogonal to a unit vector
static inline pl_vec3 pl_any_across(pl_vec3 n) {
    pl_vec3 axis = fabs(n.x) < 0.6 ? (pl_vec3){1, 0, 0} : (pl_vec3){0, 1, 0};
    return pl_normalize(pl_cross(n, axis));
}

// distance to a ball, and the normal, which is arbitrary at the centre
static inline double pl_ball_distance(pl_vec3 p, pl_vec3 centre, double radius, pl_vec3* normal) {
    pl_vec3 d = pl_sub(p, centre);
    double length = pl_norm(d);
    *normal = length > 0.0 ? pl_scale(1.0 / length, d) : (pl_vec3){0, 1, 0};
    return length - radius;
}

static inline pl_box pl_ball_box(pl_vec3 centre, double r) {
    pl_vec3 reach = {r, r, r};
    return (pl_box){pl_sub(centre, reach), pl_add(centre, reach)};
}

// A cone with round ends is the union of balls along its axis. Returns the fraction of the axis
// where the ball nearest to p is. With x along the axis from a, y across it, l its length and s =
// (r_b - r_a) / l, it is t = (x + s y / sqrt(1 - s^2)) / l.
static inline double pl_cone_part(pl_vec3 a, double ra, pl_vec3 b, double rb, pl_vec3 p) {
    pl_vec3 axis = pl_sub(b, a);
    double length = pl_norm(axis);
    if (length <= fabs(rb - ra)) return rb > ra ? 1.0 : 0.0; // one ball contains the other
    double x = pl_dot(pl_sub(p, a), axis) / length;
    double across2 = pl_norm2(pl_sub(p, a)) - x * x, s = (rb - ra) / length;
    double y = across2 > 0.0 ? sqrt(across2) : 0.0; // fmax would be a function call
    double t = (x + s * y / sqrt(1.0 - s * s)) / length;
    return t > 0.0 ? (t < 1.0 ? t : 1.0) : 0.0;
}

static inline double pl_cone_distance(pl_vec3 a, double ra, pl_vec3 b, double rb, pl_vec3 p,
                                      pl_vec3* normal) {
    pl_vec3 axis = pl_sub(b, a);
    double length = pl_norm(axis), t = pl_cone_part(a, ra, b, rb, p);
    pl_vec3 centre = pl_lerp(a, b, t);
    double distance = pl_ball_distance(p, centre, ra + t * (rb - ra), normal);
    // on the axis itself, any direction orthogonal to it leads out
    if (pl_distance(p, centre) <= DBL_EPSILON * length && t > 0.0 && t < 1.0)
        *normal = pl_any_across(pl_scale(1.0 / length, axis));
    return distance;
}

// Radius of curvature at p; *axis: the direction in which the surface is straight.
static inline double pl_cone_radius(pl_vec3 a, double ra, pl_vec3 b, double rb, pl_vec3 p,
                                    pl_vec3 normal, pl_vec3* axis) {
    double t = pl_cone_part(a, ra, b, rb, p);
    pl_vec3 along = pl_sub(b, a);
    along = pl_madd(along, -pl_dot(along, normal), normal);
    if (t > 0.0 && t < 1.0 && pl_norm(along) > 0.0) *axis = pl_normalize(along);
    return ra + t * (rb - ra);
}

// Bounding box of two balls of the same radius, which is that of a rod between them.
static inline pl_box pl_rod_box(pl_vec3 a, pl_vec3 b, double radius) {
    return pl_box_add_box(pl_ball_box(a, radius), pl_ball_box(b, radius));
}

#endif
