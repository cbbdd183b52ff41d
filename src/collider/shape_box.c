// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A box from corner `a` to corner `b`, along the axes of its frame.
#include "collider/collider_kind.h"
#include "scene/scene_rules.h"

#include <math.h>

static pl_status check_box(pl_checker* c, const void* object) {
    const pl_box_shape* box = object;
    for (int k = 0; k < 3; k++)
        if (box->min[k] > box->max[k])
            return pl_check_fail(c, "max", "is below min along %s (%g < %g); swap them",
                                 pl_axis_name(k), box->max[k], box->min[k]);
    return PL_OK;
}

static const pl_field_info box_rows[] = {
    PL_ROW_VECTOR(pl_box_shape, "min", min, 0, "m", -1e9, 1e9, NAN, NAN, NAN,
                  "smallest coordinates"),
    PL_ROW_VECTOR(pl_box_shape, "max", max, 0, "m", -1e9, 1e9, NAN, NAN, NAN,
                  "largest coordinates"),
};
const pl_type pl_type_box = {
    .name = "box",
    .help = "An axis-aligned box.",
    PL_TYPE_TABLE(pl_box_shape, box_rows),
    .check = check_box,
};

static double box_distance(const pl_obstacle* s, pl_vec3 p, pl_vec3* normal) {
    const double low[3] = {s->a.x, s->a.y, s->a.z}, high[3] = {s->b.x, s->b.y, s->b.z};
    const double at[3] = {p.x, p.y, p.z};
    double outside[3], nearest = -HUGE_VAL, n[3] = {0.0, 0.0, 0.0};
    int face = 0;
    for (int c = 0; c < 3; c++) {
        double below = low[c] - at[c], above = at[c] - high[c];
        outside[c] = above > 0.0 ? above : below > 0.0 ? -below : 0.0;
        if (fmax(below, above) > nearest) nearest = fmax(below, above), face = c;
    }
    pl_vec3 d = {outside[0], outside[1], outside[2]};
    double length = pl_norm(d);
    if (length > 0.0) {
        *normal = pl_scale(1.0 / length, d);
        return length;
    }
    n[face] = at[face] - low[face] < high[face] - at[face] ? -1.0 : 1.0;
    *normal = (pl_vec3){n[0], n[1], n[2]};
    return nearest;
}

// Near an edge the normal has two nonzero coordinates, near a corner three.
static double box_radius(const pl_obstacle* s, pl_vec3 p, pl_vec3 normal, pl_vec3* axis) {
    (void)s, (void)p;
    int flat = (normal.x == 0.0) + (normal.y == 0.0) + (normal.z == 0.0);
    if (flat == 2) return HUGE_VAL;
    if (flat == 1)
        *axis = (pl_vec3){normal.x == 0.0 ? 1.0 : 0.0, normal.y == 0.0 ? 1.0 : 0.0,
                          normal.z == 0.0 ? 1.0 : 0.0};
    return 0.0;
}

static pl_box box_bounds(const pl_obstacle* s) { return (pl_box){s->a, s->b}; }

static pl_obstacle box_obstacle(const pl_collider* c) {
    return (pl_obstacle){.a = pl_vec3_load(c->box.min), .b = pl_vec3_load(c->box.max)};
}

static pl_collider_picture box_picture(const pl_collider* c) {
    // two triangles of each side
    static const int triangles[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                      2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
    (void)c;
    return (pl_collider_picture){.vertex_count = 8, .triangle_count = 12, .triangles = triangles};
}

static void draw_box(const pl_collider* c, const pl_collider_view* view, double* out) {
    (void)view;
    for (int k = 0; k < 8; k++)
        for (int i = 0; i < 3; i++) *out++ = k >> i & 1 ? c->box.max[i] : c->box.min[i];
}

const pl_collider_kind pl_collider_box = {
    .solid = {.distance = box_distance,
              .radius = box_radius,
              .bounds = box_bounds,
              .is_convex = true},
    .obstacle = box_obstacle,
    .picture = box_picture,
    .draw = draw_box,
};
