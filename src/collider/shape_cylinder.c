// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A rod with flat ends at `a` and `b`.
#include "collider/collider_kind.h"
#include "collider/round_solid.h"
#include "collider/turned_profile.h"
#include "scene/scene_rules.h"

#include <string.h>

static pl_status check_cylinder(pl_checker* c, const void* object) {
    const pl_capsule_shape* rod = object;
    if (memcmp(rod->from, rod->to, sizeof rod->to) != 0) return PL_OK;
    return pl_check_fail(c, NULL, "has no length: from and to are the same point");
}

static const pl_field_info cylinder_rows[] = {
    PL_ROW_VECTOR(pl_capsule_shape, "from", from, 0, "m", -1e9, 1e9, NAN, NAN, NAN,
                  "one end of its axis"),
    PL_ROW_VECTOR(pl_capsule_shape, "to", to, 0, "m", -1e9, 1e9, NAN, NAN, NAN, "the other end"),
    PL_ROW_NUMBER(pl_capsule_shape, "radius", radius, PL_ANIMATED, "m", 1e-9, 1e9, NAN,
                  "radius around the axis"),
};
const pl_type pl_type_cylinder = {
    .name = "cylinder",
    .help = "A rod with flat ends.",
    PL_TYPE_TABLE(pl_capsule_shape, cylinder_rows),
    .check = check_cylinder,
};

static double cylinder_distance(const pl_obstacle* s, pl_vec3 p, pl_vec3* normal) {
    pl_vec3 axis = pl_normalize(pl_sub(s->b, s->a));
    double length = pl_distance(s->a, s->b), x = pl_dot(pl_sub(p, s->a), axis);
    pl_vec3 across = pl_madd(pl_sub(p, s->a), -x, axis);
    double y = pl_norm(across);
    pl_vec3 side = y > 0.0 ? pl_scale(1.0 / y, across) : pl_any_across(axis);
    pl_vec3 end = pl_scale(x > 0.5 * length ? 1.0 : -1.0, axis);
    double beyond_end = fabs(x - 0.5 * length) - 0.5 * length, beyond_side = y - s->radius;
    if (beyond_end > 0.0 && beyond_side > 0.0) { // the nearest point is on the rim
        double distance = hypot(beyond_end, beyond_side);
        *normal =
            pl_add(pl_scale(beyond_end / distance, end), pl_scale(beyond_side / distance, side));
        return distance;
    }
    *normal = beyond_end > beyond_side ? end : side;
    return fmax(beyond_end, beyond_side);
}

// The rim is an edge.
static double cylinder_radius(const pl_obstacle* s, pl_vec3 p, pl_vec3 normal, pl_vec3* axis) {
    pl_vec3 along = pl_normalize(pl_sub(s->b, s->a));
    double x = pl_dot(pl_sub(p, s->a), along), length = pl_distance(s->a, s->b);
    pl_vec3 across = pl_madd(pl_sub(p, s->a), -x, along);
    double y = pl_norm(across);
    bool beyond_end = x < 0.0 || x > length, beyond_side = y > s->radius;
    if (beyond_end && beyond_side) {
        *axis = pl_cross(along, pl_scale(1.0 / y, across));
        return 0.0;
    }
    if (fabs(pl_dot(normal, along)) > 0.5) return HUGE_VAL; // an end
    *axis = along;
    return s->radius;
}

static pl_box cylinder_bounds(const pl_obstacle* s) { return pl_rod_box(s->a, s->b, s->radius); }

static pl_obstacle cylinder_obstacle(const pl_collider* c) {
    return (pl_obstacle){.a = pl_vec3_load(c->cylinder.from),
                         .b = pl_vec3_load(c->cylinder.to),
                         .radius = c->cylinder.radius};
}

static pl_collider_picture cylinder_picture(const pl_collider* c) {
    (void)c;
    return (pl_collider_picture){.row_count = 4, .piece_count = 1};
}

static void draw_cylinder(const pl_collider* c, const pl_collider_view* view, double* out) {
    (void)view;
    pl_vec3 from = pl_vec3_load(c->cylinder.from), to = pl_vec3_load(c->cylinder.to), u, v;
    pl_turned_axes(pl_normalize(pl_sub(to, from)), &u, &v);
    out = pl_turned_ring(out, from, u, v, 0.0);
    out = pl_turned_ring(out, from, u, v, c->cylinder.radius);
    out = pl_turned_ring(out, to, u, v, c->cylinder.radius);
    pl_turned_ring(out, to, u, v, 0.0);
}

const pl_collider_kind pl_collider_cylinder = {
    .solid = {.distance = cylinder_distance,
              .radius = cylinder_radius,
              .bounds = cylinder_bounds,
              .is_convex = true},
    .obstacle = cylinder_obstacle,
    .picture = cylinder_picture,
    .draw = draw_cylinder,
};
