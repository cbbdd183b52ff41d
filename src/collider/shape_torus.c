// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A ring: centre `a`, axis `b`, ring radius `radius`, tube radius `tube`.
#include "collider/collider_kind.h"
#include "collider/round_solid.h"
#include "collider/turned_profile.h"
#include "scene/scene_rules.h"

enum { TUBE_ROWS = 32 }; // of its picture

static pl_status check_torus(pl_checker* c, const void* object) {
    const pl_torus_shape* torus = object;
    return pl_check_direction(c, "axis", torus->axis);
}

static const pl_field_info torus_rows[] = {
    PL_ROW_VECTOR(pl_torus_shape, "center", center, 0, "m", -1e9, 1e9, 0, 0, 0, "centre"),
    PL_ROW_VECTOR(pl_torus_shape, "axis", axis, 0, "", -1e9, 1e9, 0, 1, 0,
                  "axis of symmetry; any length"),
    PL_ROW_NUMBER(pl_torus_shape, "radius", radius, PL_ANIMATED, "m", 1e-9, 1e9, NAN,
                  "distance from the centre to the centre of the tube"),
    PL_ROW_NUMBER(pl_torus_shape, "tube", tube, PL_ANIMATED, "m", 1e-9, 1e9, NAN,
                  "radius of the tube"),
};
const pl_type pl_type_torus = {
    .name = "torus",
    .help = "A ring.",
    PL_TYPE_TABLE(pl_torus_shape, torus_rows),
    .check = check_torus,
};

static double torus_distance(const pl_obstacle* s, pl_vec3 p, pl_vec3* normal) {
    pl_vec3 axis = pl_normalize(s->b), d = pl_sub(p, s->a);
    double x = pl_dot(d, axis);
    pl_vec3 across = pl_madd(d, -x, axis);
    double y = pl_norm(across);
    pl_vec3 out = y > 0.0 ? pl_scale(1.0 / y, across) : pl_any_across(axis);
    double distance = pl_ball_distance(p, pl_madd(s->a, s->radius, out), s->tube, normal);
    if (distance == -s->tube) *normal = axis; // on the ring itself
    return distance;
}

static double torus_radius(const pl_obstacle* s, pl_vec3 p, pl_vec3 normal, pl_vec3* axis) {
    (void)normal;
    pl_vec3 around = pl_cross(pl_normalize(s->b), pl_sub(p, s->a));
    if (!(pl_norm(around) > 0.0)) return HUGE_VAL;
    *axis = pl_normalize(around);
    return s->tube;
}

static pl_box torus_bounds(const pl_obstacle* s) { return pl_ball_box(s->a, s->radius + s->tube); }

static pl_obstacle torus_obstacle(const pl_collider* c) {
    return (pl_obstacle){.a = pl_vec3_load(c->torus.center),
                         .b = pl_vec3_load(c->torus.axis),
                         .radius = c->torus.radius,
                         .tube = c->torus.tube};
}

static pl_collider_picture torus_picture(const pl_collider* c) {
    (void)c;
    return (pl_collider_picture){.row_count = TUBE_ROWS, .piece_count = 1, .is_closed = true};
}

static void draw_torus(const pl_collider* c, const pl_collider_view* view, double* out) {
    (void)view;
    const pl_torus_shape* t = &c->torus;
    pl_vec3 axis = pl_normalize(pl_vec3_load(t->axis)), u, v;
    pl_turned_axes(axis, &u, &v);
    for (int k = 0; k < TUBE_ROWS; k++) {
        double angle = 2.0 * PL_PI * k / TUBE_ROWS;
        out = pl_turned_ring(out, pl_madd(pl_vec3_load(t->center), t->tube * sin(angle), axis), u,
                             v, t->radius + t->tube * cos(angle));
    }
}

const pl_collider_kind pl_collider_torus = {
    .solid = {.distance = torus_distance, .radius = torus_radius, .bounds = torus_bounds},
    .obstacle = torus_obstacle,
    .picture = torus_picture,
    .draw = draw_torus,
};
