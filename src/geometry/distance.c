// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The closest point of a triangle is the foot of the perpendicular if this is inside the triangle,
// otherwise the closest point of its three edges. A triangle too thin to have a normal has no
// inside, so only its edges count. Two segments are closest at the feet of their common
// perpendicular, or at one of the four ends.
#include "geometry/distance.h"

pl_segment_point pl_closest_on_segment(pl_vec3 p, pl_vec3 a, pl_vec3 b) {
    pl_vec3 ab = pl_sub(b, a);
    double length2 = pl_norm2(ab), along = pl_dot(pl_sub(p, a), ab);
    pl_segment_point result = {.point = a, .t = 0.0};
    if (along >= length2 && length2 > 0.0) result.point = b, result.t = 1.0;
    else if (along > 0.0 && length2 > 0.0) {
        result.t = along / length2;
        result.point = pl_madd(a, result.t, ab);
    }
    result.distance2 = pl_norm2(pl_sub(p, result.point));
    return result;
}

static void take_edge(pl_triangle_point* best, pl_segment_point s, int from, int to) {
    if (!(s.distance2 < best->distance2)) return;
    best->point = s.point;
    best->distance2 = s.distance2;
    best->weights[0] = best->weights[1] = best->weights[2] = 0.0;
    best->weights[from] = 1.0 - s.t;
    best->weights[to] = s.t;
}

pl_triangle_point pl_closest_on_triangle(pl_vec3 p, pl_vec3 a, pl_vec3 b, pl_vec3 c) {
    pl_vec3 ab = pl_sub(b, a), ac = pl_sub(c, a), ap = pl_sub(p, a);
    pl_vec3 normal = pl_cross(ab, ac);
    double area2 = pl_norm2(normal), size2 = pl_norm2(ab) + pl_norm2(ac);
    pl_triangle_point best = {.point = a, .weights = {1.0, 0.0, 0.0}, .distance2 = INFINITY};
    // below this, the direction of the normal is only rounding error
    if (area2 > 1e-24 * size2 * size2) {
        double v = pl_dot(pl_cross(ap, ac), normal), w = pl_dot(pl_cross(ab, ap), normal);
        if (v >= 0.0 && w >= 0.0 && v + w <= area2) {
            best.weights[1] = v / area2;
            best.weights[2] = w / area2;
            best.weights[0] = fmax(1.0 - best.weights[1] - best.weights[2], 0.0);
            best.point = pl_madd(pl_madd(a, best.weights[1], ab), best.weights[2], ac);
            best.distance2 = pl_norm2(pl_sub(p, best.point));
            return best;
        }
    }
    take_edge(&best, pl_closest_on_segment(p, a, b), 0, 1);
    take_edge(&best, pl_closest_on_segment(p, b, c), 1, 2);
    take_edge(&best, pl_closest_on_segment(p, c, a), 2, 0);
    return best;
}

static void take_end(pl_segment_pair* best, double s, double t, double distance2) {
    if (distance2 < best->distance2) *best = (pl_segment_pair){s, t, distance2};
}

pl_segment_pair pl_closest_segments(pl_vec3 a0, pl_vec3 a1, pl_vec3 b0, pl_vec3 b1) {
    pl_vec3 u = pl_sub(a1, a0), v = pl_sub(b1, b0), w = pl_sub(b0, a0);
    pl_vec3 normal = pl_cross(u, v);
    double normal2 = pl_norm2(normal);
    pl_segment_pair best = {0.0, 0.0, INFINITY};
    pl_segment_point at = pl_closest_on_segment(a0, b0, b1);
    take_end(&best, 0.0, at.t, at.distance2);
    at = pl_closest_on_segment(a1, b0, b1);
    take_end(&best, 1.0, at.t, at.distance2);
    at = pl_closest_on_segment(b0, a0, a1);
    take_end(&best, at.t, 0.0, at.distance2);
    at = pl_closest_on_segment(b1, a0, a1);
    take_end(&best, at.t, 1.0, at.distance2);
    if (!(normal2 > 0.0)) return best; // parallel or of zero length: an end is a closest point
    double s = pl_dot(pl_cross(w, v), normal) / normal2;
    double t = pl_dot(pl_cross(w, u), normal) / normal2;
    if (s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0)
        take_end(&best, s, t, pl_norm2(pl_sub(pl_madd(w, t, v), pl_scale(s, u))));
    return best;
}
