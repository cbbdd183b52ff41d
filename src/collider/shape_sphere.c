// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A ball: centre `a`, radius.
#include "collider/collider_kind.h"
#include "collider/round_solid.h"
#include "collider/turned_profile.h"
#include "scene/scene_type.h"

static const pl_field_info sphere_rows[] = {
    PL_ROW_VECTOR(pl_sphere_shape, "center", center, 0, "m", -1e9, 1e9, 0, 0, 0, "centre"),
    PL_ROW_NUMBER(pl_sphere_shape, "radius", radius, PL_ANIMATED, "m", 1e-9, 1e9, NAN, "radius"),
};
const pl_type pl_type_sphere = {
    .name = "sphere", .help = "A ball.", PL_TYPE_TABLE(pl_sphere_shape, sphere_rows)};

static double sphere_distance(const pl_obstacle* s, pl_vec3 p, pl_vec3* normal) {
    return pl_ball_distance(p, s->a, s->radius, normal);
}

static double sphere_radius(const pl_obstacle* s, pl_vec3 p, pl_vec3 normal, pl_vec3* axis) {
    (void)p, (void)normal, (void)axis;
    return s->radius;
}

static pl_box sphere_bounds(const pl_obstacle* s) { return pl_ball_box(s->a, s->radius); }

static pl_obstacle sphere_obstacle(const pl_collider* c) {
    return (pl_obstacle){.a = pl_vec3_load(c->sphere.center), .radius = c->sphere.radius};
}

static pl_collider_picture sphere_picture(const pl_collider* c) {
    (void)c;
    return (pl_collider_picture){.row_count = PL_ROUND_ROWS, .piece_count = 1};
}

static void draw_sphere(const pl_collider* c, const pl_collider_view* view, double* out) {
    (void)view;
    pl_vec3 center = pl_vec3_load(c->sphere.center);
    pl_turned_cone(out, center, c->sphere.radius, center, c->sphere.radius);
}

const pl_collider_kind pl_collider_sphere = {
    .solid = {.distance = sphere_distance,
              .radius = sphere_radius,
              .bounds = sphere_bounds,
              .is_convex = true},
    .obstacle = sphere_obstacle,
    .picture = sphere_picture,
    .draw = draw_sphere,
};
