// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Axis-aligned boxes. An empty box has low above high; it grows by points and boxes.
#ifndef PL_GEOMETRY_BOX_H
#define PL_GEOMETRY_BOX_H

#include "math/vec3.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct pl_box {
    pl_vec3 low, high;
} pl_box;

static inline pl_box pl_box_empty(void) {
    return (pl_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}
static inline pl_box pl_box_add_point(pl_box box, pl_vec3 p) {
    return (pl_box){pl_min3(box.low, p), pl_max3(box.high, p)};
}
// The box of points, 3 numbers each.
static inline pl_box pl_box_of_points(const double* positions, int count) {
    pl_box box = pl_box_empty();
    for (int v = 0; v < count; v++)
        box = pl_box_add_point(box, pl_vec3_load(positions + 3 * (size_t)v));
    return box;
}
static inline pl_box pl_box_add_box(pl_box a, pl_box b) {
    return (pl_box){pl_min3(a.low, b.low), pl_max3(a.high, b.high)};
}
// The box of a triangle; not finite if a corner is not, so that trees leave it out.
static inline pl_box pl_box_of_triangle(pl_vec3 a, pl_vec3 b, pl_vec3 c) {
    pl_box box = {pl_min3(a, pl_min3(b, c)), pl_max3(a, pl_max3(b, c))};
    double sum = a.x + a.y + a.z + b.x + b.y + b.z + c.x + c.y + c.z;
    return isnan(sum) ? (pl_box){{NAN, NAN, NAN}, {NAN, NAN, NAN}} : box;
}
// Boxes that touch overlap.
static inline bool pl_box_overlaps(pl_box a, pl_box b) {
    return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y &&
           b.low.y <= a.high.y && a.low.z <= b.high.z && b.low.z <= a.high.z;
}
static inline bool pl_box_contains(pl_box box, pl_vec3 p) {
    return box.low.x <= p.x && p.x <= box.high.x && box.low.y <= p.y && p.y <= box.high.y &&
           box.low.z <= p.z && p.z <= box.high.z;
}
static inline bool pl_box_is_finite(pl_box box) {
    return isfinite(box.low.x) && isfinite(box.low.y) && isfinite(box.low.z) &&
           isfinite(box.high.x) && isfinite(box.high.y) && isfinite(box.high.z);
}
static inline pl_vec3 pl_box_center(pl_box box) {
    return pl_add(pl_scale(0.5, box.low), pl_scale(0.5, box.high));
}
static inline pl_vec3 pl_box_size(pl_box box) { return pl_sub(box.high, box.low); }
static inline double pl_box_diagonal(pl_box box) { return pl_norm(pl_box_size(box)); }
// Squared distance from a point to the box; 0 inside.
static inline double pl_box_distance2(pl_box box, pl_vec3 p) {
    // not fmax, which would be a function call
    const pl_vec3 zero = {0.0, 0.0, 0.0};
    return pl_norm2(pl_max3(pl_max3(pl_sub(box.low, p), pl_sub(p, box.high)), zero));
}
// Half the surface area, a measure of how likely a query enters the box.
static inline double pl_box_half_area(pl_box box) {
    pl_vec3 s = pl_box_size(box);
    return s.x * s.y + s.y * s.z + s.z * s.x;
}

#endif
