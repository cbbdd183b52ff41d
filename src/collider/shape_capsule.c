// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A rod from `a` to `b` with round ends.
#include "collider/collider_kind.h"
#include "collider/round_solid.h"
#include "collider/turned_profile.h"
#include "scene/scene_type.h"

static const pl_field_info capsule_rows[] = {
    PL_ROW_VECTOR(pl_capsule_shape, "from", from, 0, "m", -1e9, 1e9, NAN, NAN, NAN,
                  "one end of its axis"),
    PL_ROW_VECTOR(pl_capsule_shape, "to", to, 0, "m", -1e9, 1e9, NAN, NAN, NAN, "the other end"),
    PL_ROW_NUMBER(pl_capsule_shape, "radius", radius, PL_ANIMATED, "m", 1e-9, 1e9, NAN,
                  "radius around the axis"),
};
const pl_type pl_type_capsule = {.name = "capsule",
                                 .help = "All points closer to an axis than the radius. A capsule "
                                         "has round ends, a cylinder flat ones.",
                                 PL_TYPE_TABLE(pl_capsule_shape, capsule_rows)};

static double capsule_distance(const pl_obstacle* s, pl_vec3 p, pl_vec3* normal) {
    return pl_cone_distance(s->a, s->radius, s->b, s->radius, p, normal);
}

static double capsule_radius(const pl_obstacle* s, pl_vec3 p, pl_vec3 normal, pl_vec3* axis) {
    return pl_cone_radius(s->a, s->radius, s->b, s->radius, p, normal, axis);
}

static pl_box capsule_bounds(const pl_obstacle* s) { return pl_rod_box(s->a, s->b, s->radius); }

static pl_obstacle capsule_obstacle(const pl_collider* c) {
    return (pl_obstacle){.a = pl_vec3_load(c->capsule.from),
                         .b = pl_vec3_load(c->capsule.to),
                         .radius = c->capsule.radius};
}

static pl_collider_picture capsule_picture(const pl_collider* c) {
    (void)c;
    return (pl_collider_picture){.row_count = PL_ROUND_ROWS, .piece_count = 1};
}

static void draw_capsule(const pl_collider* c, const pl_collider_view* view, double* out) {
    (void)view;
    pl_turned_cone(out, pl_vec3_load(c->capsule.from), c->capsule.radius,
                   pl_vec3_load(c->capsule.to), c->capsule.radius);
}

const pl_collider_kind pl_collider_capsule = {
    .solid = {.distance = capsule_distance,
              .radius = capsule_radius,
              .bounds = capsule_bounds,
              .is_convex = true},
    .obstacle = capsule_obstacle,
    .picture = capsule_picture,
    .draw = draw_capsule,
};
