// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Additive continuous collision detection (Li, Kaufman, Jiang 2021, "Codimensional incremental
// potential contact", section 4 and algorithm 1). The distance d of two primitives decreases by at
// most the longest motion of a corner of one plus that of the other. So d / (this sum) of the whole
// motion is safe. There the distance is computed again, and so on, until only a tenth of the
// initial distance remains.
// the initial distance is left.
//
//   paper          here
//   p, l_p         motion, speed
//   t, t_l         part, step
//   s, g           KEPT, least
//
// Differences: positions are computed from the start instead of being advanced step by step, and
// the largest possible rounding error is subtracted from each distance.
#include "geometry/ccd.h"
#include "geometry/distance.h"

#include <stddef.h>

// KEPT: fraction of the initial distance that must remain. STEP: fraction of the safe motion that
// is taken at once.
static const double KEPT = 0.1, STEP = 0.9;
// Rounding error of a distance, relative to the coordinates.
static const double ROUNDING = 1e-14;
// Two directions count as different if the squared sine of their angle is larger.
static const double MIN_SINE2 = 1e-6;
// Primitives that slide along each other never touch but take many steps; the motion up to this
// number of steps is then the result.
enum { MAX_STEPS = 500 };

double pl_quad_distance(const pl_quad* quad, bool is_edges, double weights[4]) {
    const pl_vec3* x = quad->x;
    if (is_edges) {
        pl_segment_pair at = pl_closest_segments(x[0], x[1], x[2], x[3]);
        if (weights)
            weights[0] = 1.0 - at.s, weights[1] = at.s, weights[2] = at.t - 1.0, weights[3] = -at.t;
        return sqrt(at.distance2);
    }
    pl_triangle_point at = pl_closest_on_triangle(x[0], x[1], x[2], x[3]);
    if (weights) {
        weights[0] = 1.0;
        for (int i = 0; i < 3; i++) weights[i + 1] = -at.weights[i];
    }
    return sqrt(at.distance2);
}

// True if two primitives whose projections on a direction are `gap` apart are farther apart than
// `room`, even with rounding errors.
static bool is_wide(double gap, pl_vec3 direction, double room) {
    const double size2 = pl_norm2(direction), least = (1.0 + 1e-9) * room;
    return gap > 0.0 && gap * gap > size2 * (least * least + 1e-18 * size2);
}

static double greater(double a, double b) { return a > b ? a : b; }

bool pl_quad_is_beyond(const pl_quad* quad, bool is_edges, double room) {
    const pl_vec3* x = quad->x;
    const pl_vec3 a = pl_sub(x[0], x[3]), b = pl_sub(x[1], x[3]), c = pl_sub(x[2], x[3]);
    // project on the line through the centres
    pl_vec3 way = is_edges ? pl_sub(pl_add(a, b), c) : pl_sub(pl_scale(3.0, a), pl_add(b, c));
    const double of_a = pl_dot(a, way), of_b = pl_dot(b, way), of_c = pl_dot(c, way);
    const double gap = is_edges ? -greater(-of_a, -of_b) - greater(of_c, 0.0)
                                : of_a - greater(greater(of_b, of_c), 0.0);
    if (is_wide(gap, way, room)) return true;
    // project on the common normal, unless the edges are so nearly parallel that the cross product
    // is only rounding error
    const pl_vec3 other = is_edges ? pl_sub(a, b) : b;
    way = pl_cross(other, c);
    return pl_norm2(way) > MIN_SINE2 * pl_norm2(other) * pl_norm2(c) &&
           is_wide(fabs(pl_dot(a, way)), way, room);
}

// compares corners and centres
bool pl_quad_is_within(const pl_quad* quad, bool is_edges, double room) {
    const pl_vec3* x = quad->x;
    const int second = is_edges ? 2 : 1;
    const pl_vec3 first_middle = is_edges ? pl_lerp(x[0], x[1], 0.5) : x[0];
    const pl_vec3 second_middle =
        is_edges ? pl_lerp(x[2], x[3], 0.5) : pl_scale(1.0 / 3.0, pl_add(x[1], pl_add(x[2], x[3])));
    double least = pl_norm2(pl_sub(first_middle, second_middle));
    for (int i = 0; i < second; i++)
        for (int j = second; j < 4; j++) {
            const double distance2 = pl_norm2(pl_sub(x[i], x[j]));
            least = distance2 < least ? distance2 : least;
        }
    return least < (1.0 - 1e-9) * room * room;
}

// relative motion of the corners: a common motion does not change the distance
static pl_quad without_mean(const pl_quad* motion) {
    pl_vec3 mean = pl_scale(
        0.25, pl_add(pl_add(motion->x[0], motion->x[1]), pl_add(motion->x[2], motion->x[3])));
    pl_quad rest;
    for (int i = 0; i < 4; i++) rest.x[i] = pl_sub(motion->x[i], mean);
    return rest;
}

// upper bound of the decrease of the distance over the whole motion
static double speed_of(const pl_quad* motion, bool is_edges) {
    const pl_vec3* p = motion->x;
    double n[4];
    for (int i = 0; i < 4; i++) n[i] = pl_norm2(p[i]);
    return is_edges ? sqrt(greater(n[0], n[1])) + sqrt(greater(n[2], n[3]))
                    : sqrt(n[0]) + sqrt(greater(greater(n[1], n[2]), n[3]));
}

double pl_quad_approach(const pl_quad* given, bool is_edges) {
    const pl_quad motion = without_mean(given);
    return speed_of(&motion, is_edges);
}

static double size_of(const pl_quad* start, const pl_quad* motion) {
    double size = 0.0;
    for (int i = 0; i < 4; i++)
        size = fmax(size, pl_distance(start->x[i], start->x[0]) + pl_norm(motion->x[i]));
    return size;
}

static double distance_after(const pl_quad* start, const pl_quad* motion, bool is_edges,
                             double part, double rounding) {
    pl_quad at;
    for (int i = 0; i < 4; i++) at.x[i] = pl_madd(start->x[i], part, motion->x[i]);
    return pl_quad_distance(&at, is_edges, NULL) - rounding;
}

double pl_quad_advance(const pl_quad* given, const pl_quad* given_motion, bool is_edges) {
    const pl_quad motion = without_mean(given_motion);
    pl_quad start; // near the origin, where rounding is small
    for (int i = 0; i < 4; i++) start.x[i] = pl_sub(given->x[i], given->x[0]);
    const double speed = speed_of(&motion, is_edges);
    // coordinates far from the origin have been rounded by the caller
    const double rounding = ROUNDING * (size_of(&start, &motion) + pl_norm(given->x[0]));
    double distance = distance_after(&start, &motion, is_edges, 0.0, rounding);
    if (!(speed > 0.0)) return 1.0;
    if (!(distance > 0.0)) return 0.0;
    const double least = KEPT * distance;
    if (speed <= distance - least) return 1.0;
    double part = (1.0 - KEPT) * distance / speed; // a first step that is always safe
    distance = distance_after(&start, &motion, is_edges, part, rounding);
    for (int k = 0; k < MAX_STEPS; k++) {
        const double next = fmin(part + STEP * (distance - 0.5 * least) / speed, 1.0);
        distance = distance_after(&start, &motion, is_edges, next, rounding);
        if (distance < least) return part;
        part = next;
        if (part >= 1.0) return 1.0;
    }
    return part;
}

static double lesser(double a, double b) { return a < b ? a : b; }

// The test for one coordinate of the four corners before and after.
static bool spans_meet(const double from[4], const double to[4], bool is_edges, double room) {
    double low[4], high[4];
    for (int i = 0; i < 4; i++) low[i] = lesser(from[i], to[i]), high[i] = greater(from[i], to[i]);
    const int second = is_edges ? 0 : 3; // another corner on the same side as corner 1
    low[second] = lesser(low[second], low[1]), high[second] = greater(high[second], high[1]);
    low[3] = lesser(low[3], low[2]), high[3] = greater(high[3], high[2]);
    return low[0] - room <= high[3] && low[3] <= high[0] + room;
}

bool pl_quad_boxes_meet(const pl_quad* from, const pl_quad* to, bool is_edges, double room) {
    const pl_vec3 *a = from->x, *b = to->x;
    return spans_meet((double[]){a[0].x, a[1].x, a[2].x, a[3].x},
                      (double[]){b[0].x, b[1].x, b[2].x, b[3].x}, is_edges, room) &&
           spans_meet((double[]){a[0].y, a[1].y, a[2].y, a[3].y},
                      (double[]){b[0].y, b[1].y, b[2].y, b[3].y}, is_edges, room) &&
           spans_meet((double[]){a[0].z, a[1].z, a[2].z, a[3].z},
                      (double[]){b[0].z, b[1].z, b[2].z, b[3].z}, is_edges, room);
}
