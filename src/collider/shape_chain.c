// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Round cones from point to point. A chain of two points with equal radii is a capsule.
#include "collider/collider_kind.h"
#include "collider/round_solid.h"
#include "collider/turned_profile.h"
#include "scene/scene_rules.h"

static pl_status check_chain(pl_checker* c, const void* object) {
    const pl_chain_shape* chain = object;
    if (chain->radius_count == 1 || chain->radius_count == chain->point_count) return PL_OK;
    return pl_check_fail(c, "radii",
                         "has %d radii for %d points; give one for each, or one for all",
                         chain->radius_count, chain->point_count);
}

static const pl_field_info chain_rows[] = {
    PL_ROW_ARRAY(pl_chain_shape, "points", points, point_count, PL_FIELD_NUMBERS, PL_REQUIRED, 3,
                 "m", -1e9, 1e9, "points of the chain, [x, y, z] each"),
    PL_ROW_ARRAY(pl_chain_shape, "radii", radii, radius_count, PL_FIELD_NUMBERS, PL_REQUIRED, 1,
                 "m", 1e-9, 1e9, "radius of each point, or one for all"),
    PL_ROW_TEXT(pl_chain_shape, "cache", cache, PL_FIELD_FILE, 0, "PC2 file that moves the points"),
    PL_ROW_NUMBER(pl_chain_shape, "cache_start", cache_start, 0, "s", -1e6, 1e6, 0,
                  "time of its first sample"),
};
const pl_type pl_type_chain = {
    .name = "chain",
    .help = "A chain of capsules, such as an arm.",
    PL_TYPE_TABLE(pl_chain_shape, chain_rows),
    .check = check_chain,
};

static double chain_radius(const pl_obstacle* s, int point) {
    return s->radii[point < s->radius_count ? point : s->radius_count - 1];
}

// True if no ball along a cone's axis is closer to p than `best`; needs no square root.
static bool cone_is_farther(pl_vec3 a, double ra, pl_vec3 b, double rb, pl_vec3 p, double best) {
    pl_vec3 axis = pl_sub(b, a), d = pl_sub(p, a);
    double x = pl_dot(d, axis), length2 = pl_norm2(axis), reach = best + (ra > rb ? ra : rb);
    double t = x <= 0.0 ? 0.0 : x >= length2 ? 1.0 : x / length2;
    return reach < 0.0 || pl_norm2(pl_madd(d, -t, axis)) > 1.000001 * reach * reach;
}

// distance to the nearest cone of a chain; ends: the indices of its two points
static double chain_nearest(const pl_obstacle* s, pl_vec3 p, pl_vec3* normal, int ends[2]) {
    double best = HUGE_VAL;
    int last = s->point_count > 1 ? s->point_count - 1 : 1;
    for (int k = 0; k < last; k++) {
        int next = s->point_count > 1 ? k + 1 : k;
        pl_vec3 n, a = pl_vec3_load(s->points + 3 * k), b = pl_vec3_load(s->points + 3 * next);
        double ra = chain_radius(s, k), rb = chain_radius(s, next);
        if (k > 0 && cone_is_farther(a, ra, b, rb, p, best)) continue;
        double d = pl_cone_distance(a, ra, b, rb, p, &n);
        if (d < best) best = d, *normal = n, ends[0] = k, ends[1] = next;
    }
    return best;
}

static double chain_distance(const pl_obstacle* s, pl_vec3 p, pl_vec3* normal) {
    int ends[2];
    return chain_nearest(s, p, normal, ends);
}

static pl_vec3 chain_drift(const pl_obstacle* s, pl_vec3 p) {
    pl_vec3 normal;
    int k[2] = {0, 0};
    chain_nearest(s, p, &normal, k);
    double t = pl_cone_part(pl_vec3_load(s->points + 3 * k[0]), chain_radius(s, k[0]),
                            pl_vec3_load(s->points + 3 * k[1]), chain_radius(s, k[1]), p);
    return pl_lerp(pl_obstacle_point_drift(s, k[0]), pl_obstacle_point_drift(s, k[1]), t);
}

static double chain_curvature_radius(const pl_obstacle* s, pl_vec3 p, pl_vec3 normal,
                                     pl_vec3* axis) {
    int k[2] = {0, 0};
    pl_vec3 nearest;
    chain_nearest(s, p, &nearest, k);
    return pl_cone_radius(pl_vec3_load(s->points + 3 * (size_t)k[0]), chain_radius(s, k[0]),
                          pl_vec3_load(s->points + 3 * (size_t)k[1]), chain_radius(s, k[1]), p,
                          normal, axis);
}

static pl_box chain_bounds(const pl_obstacle* s) {
    pl_box box = pl_box_empty();
    for (int k = 0; k < s->point_count; k++)
        box = pl_box_add_box(box, pl_ball_box(pl_vec3_load(s->points + 3 * k), chain_radius(s, k)));
    return box;
}

static int cone_count(const pl_obstacle* s) { return s->point_count > 2 ? s->point_count - 1 : 1; }

static double one_cone_distance(const pl_obstacle* s, int k, pl_vec3 p, pl_vec3* normal) {
    if (s->point_count < 2) return chain_distance(s, p, normal);
    return pl_cone_distance(pl_vec3_load(s->points + 3 * (size_t)k), chain_radius(s, k),
                            pl_vec3_load(s->points + 3 * (size_t)(k + 1)), chain_radius(s, k + 1),
                            p, normal);
}

static pl_obstacle chain_obstacle(const pl_collider* c) {
    return (pl_obstacle){.point_count = c->chain.point_count,
                         .points = c->chain.points,
                         .radius_count = c->chain.radius_count,
                         .radii = c->chain.radii};
}

static pl_collider_points chain_points(const pl_collider* c) {
    return (pl_collider_points){.count = c->chain.point_count,
                                .places = c->chain.points,
                                .cache = c->chain.cache,
                                .cache_start = c->chain.cache_start};
}

static pl_collider_picture chain_picture(const pl_collider* c) {
    int count = c->chain.point_count;
    return (pl_collider_picture){.row_count = PL_ROUND_ROWS,
                                 .piece_count = count > 1 ? count - 1 : 1};
}

static void draw_chain(const pl_collider* c, const pl_collider_view* view, double* out) {
    const pl_chain_shape* chain = &c->chain;
    const double* points = view->points ? view->points : chain->points;
    for (int k = 0; k + 1 < chain->point_count || k == 0; k++) {
        int next = k + 1 < chain->point_count ? k + 1 : k, last = chain->radius_count - 1;
        out = pl_turned_cone(out, pl_vec3_load(points + 3 * k), chain->radii[k < last ? k : last],
                             pl_vec3_load(points + 3 * next),
                             chain->radii[next < last ? next : last]);
    }
}

const pl_collider_kind pl_collider_chain = {
    .solid = {.distance = chain_distance,
              .radius = chain_curvature_radius,
              .bounds = chain_bounds,
              .drift = chain_drift,
              .is_convex = true,
              .piece_count = cone_count,
              .piece_distance = one_cone_distance},
    .obstacle = chain_obstacle,
    .points = chain_points,
    .picture = chain_picture,
    .draw = draw_chain,
};
