// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A triangle's closest point is the foot of the perpendicular if that lies inside, else the best of
// the three edges' points. A triangle too thin for a normal has no inside, so its edges decide.
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
    // below this the direction of the normal is rounding noise
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
