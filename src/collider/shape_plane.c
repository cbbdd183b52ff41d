// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A half space: `a` is a point on its boundary, `b` the normal, which points out of the solid.
#include "collider/collider_kind.h"
#include "collider/turned_profile.h"
#include "scene/scene_rules.h"

#include <math.h>

static pl_status check_plane(pl_checker* c, const void* object) {
    const pl_plane_shape* plane = object;
    return pl_check_direction(c, "normal", plane->normal);
}

static const pl_field_info plane_rows[] = {
    PL_ROW_VECTOR(pl_plane_shape, "point", point, 0, "m", -1e9, 1e9, 0, 0, 0,
                  "a point on the plane"),
    PL_ROW_VECTOR_AUTO(pl_plane_shape, "normal", normal, 0, "", -1e9, 1e9, "up",
                       "points away from the solid side; any length"),
};
const pl_type pl_type_plane = {
    .name = "plane",
    .help = "A plane and the half space behind it.",
    PL_TYPE_TABLE(pl_plane_shape, plane_rows),
    .check = check_plane,
};

static double plane_distance(const pl_obstacle* s, pl_vec3 p, pl_vec3* normal) {
    *normal = pl_normalize(s->b);
    return pl_dot(pl_sub(p, s->a), *normal);
}

static pl_box plane_bounds(const pl_obstacle* s) {
    (void)s;
    return (pl_box){{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
}

static pl_obstacle plane_obstacle(const pl_collider* c) {
    return (pl_obstacle){.a = pl_vec3_load(c->plane.point), .b = pl_vec3_load(c->plane.normal)};
}

static pl_collider_picture plane_picture(const pl_collider* c) {
    static const int square[6] = {0, 1, 3, 0, 3, 2};
    (void)c;
    return (pl_collider_picture){.vertex_count = 4, .triangle_count = 2, .triangles = square};
}

static void draw_plane(const pl_collider* c, const pl_collider_view* view, double* out) {
    const pl_plane_shape* plane = &c->plane;
    pl_vec3 normal = pl_normalize(pl_vec3_load(plane->normal)), u, v;
    double height = pl_dot(pl_sub(view->around, pl_vec3_load(plane->point)), normal);
    pl_vec3 middle = pl_madd(view->around, -height, normal);
    pl_turned_axes(normal, &u, &v);
    for (int k = 0; k < 4; k++)
        pl_vec3_store(out + 3 * k, pl_madd(pl_madd(middle, k & 1 ? view->reach : -view->reach, u),
                                           k & 2 ? view->reach : -view->reach, v));
}

const pl_collider_kind pl_collider_plane = {
    .solid = {.distance = plane_distance, .bounds = plane_bounds, .is_convex = true},
    .obstacle = plane_obstacle,
    .picture = plane_picture,
    .draw = draw_plane,
};
