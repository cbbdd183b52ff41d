// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "contact/obstacle.h"

#include <float.h>
#include <math.h>

// some unit vector across a unit vector
static pl_vec3 any_across(pl_vec3 n) {
    pl_vec3 axis = fabs(n.x) < 0.6 ? (pl_vec3){1, 0, 0} : (pl_vec3){0, 1, 0};
    return pl_normalize(pl_cross(n, axis));
}

// distance to a ball, and the normal; at the centre any direction will do
static double ball_distance(pl_vec3 p, pl_vec3 centre, double radius, pl_vec3* normal) {
    pl_vec3 d = pl_sub(p, centre);
    double length = pl_norm(d);
    *normal = length > 0.0 ? pl_scale(1.0 / length, d) : (pl_vec3){0, 1, 0};
    return length - radius;
}

static double plane_distance(const pl_obstacle* s, pl_vec3 p, pl_vec3* normal) {
    *normal = pl_normalize(s->b);
    return pl_dot(pl_sub(p, s->a), *normal);
}

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

// A cone with round ends: the nearest of all balls along the axis. Along x from a, at y across, the
// best ball is at t = (x + s y / sqrt(1 - s^2)) / l with s = (r_b - r_a) / l.
static double cone_part(pl_vec3 a, double ra, pl_vec3 b, double rb, pl_vec3 p) {
    pl_vec3 axis = pl_sub(b, a);
    double length = pl_norm(axis);
    if (length <= fabs(rb - ra)) return rb > ra ? 1.0 : 0.0; // one ball holds the other
    double x = pl_dot(pl_sub(p, a), axis) / length;
    double across2 = pl_norm2(pl_sub(p, a)) - x * x, s = (rb - ra) / length;
    double y = across2 > 0.0 ? sqrt(across2) : 0.0; // fmax would be a call
    double t = (x + s * y / sqrt(1.0 - s * s)) / length;
    return t > 0.0 ? (t < 1.0 ? t : 1.0) : 0.0;
}

static double cone_distance(pl_vec3 a, double ra, pl_vec3 b, double rb, pl_vec3 p,
                            pl_vec3* normal) {
    pl_vec3 axis = pl_sub(b, a);
    double length = pl_norm(axis), t = cone_part(a, ra, b, rb, p);
    pl_vec3 centre = pl_lerp(a, b, t);
    double distance = ball_distance(p, centre, ra + t * (rb - ra), normal);
    // on the axis itself the way out is across it
    if (pl_distance(p, centre) <= DBL_EPSILON * length && t > 0.0 && t < 1.0)
        *normal = any_across(pl_scale(1.0 / length, axis));
    return distance;
}

static double chain_radius(const pl_obstacle* s, int point) {
    return s->radii[point < s->radius_count ? point : s->radius_count - 1];
}

// True if no ball along a cone's axis is nearer to p than `best`; needs no root.
static bool cone_is_farther(pl_vec3 a, double ra, pl_vec3 b, double rb, pl_vec3 p, double best) {
    pl_vec3 axis = pl_sub(b, a), d = pl_sub(p, a);
    double x = pl_dot(d, axis), length2 = pl_norm2(axis), reach = best + (ra > rb ? ra : rb);
    double t = x <= 0.0 ? 0.0 : x >= length2 ? 1.0 : x / length2;
    return reach < 0.0 || pl_norm2(pl_madd(d, -t, axis)) > 1.000001 * reach * reach;
}

// the nearest of a chain's cones: from which point to which
static double chain_nearest(const pl_obstacle* s, pl_vec3 p, pl_vec3* normal, int ends[2]) {
    double best = HUGE_VAL;
    int last = s->point_count > 1 ? s->point_count - 1 : 1;
    for (int k = 0; k < last; k++) {
        int next = s->point_count > 1 ? k + 1 : k;
        pl_vec3 n, a = pl_vec3_load(s->points + 3 * k), b = pl_vec3_load(s->points + 3 * next);
        double ra = chain_radius(s, k), rb = chain_radius(s, next);
        if (k > 0 && cone_is_farther(a, ra, b, rb, p, best)) continue;
        double d = cone_distance(a, ra, b, rb, p, &n);
        if (d < best) best = d, *normal = n, ends[0] = k, ends[1] = next;
    }
    return best;
}

static double chain_distance(const pl_obstacle* s, pl_vec3 p, pl_vec3* normal) {
    int ends[2];
    return chain_nearest(s, p, normal, ends);
}

static pl_vec3 point_drift(const pl_obstacle* s, int point) {
    return pl_sub(pl_vec3_load(s->points + 3 * (size_t)point),
                  pl_vec3_load(s->before + 3 * (size_t)point));
}

static pl_vec3 chain_drift(const pl_obstacle* s, pl_vec3 p) {
    pl_vec3 normal;
    int k[2] = {0, 0};
    chain_nearest(s, p, &normal, k);
    double t = cone_part(pl_vec3_load(s->points + 3 * k[0]), chain_radius(s, k[0]),
                         pl_vec3_load(s->points + 3 * k[1]), chain_radius(s, k[1]), p);
    return pl_lerp(point_drift(s, k[0]), point_drift(s, k[1]), t);
}

static double surface_distance(const pl_obstacle* s, pl_vec3 p, pl_vec3* normal) {
    pl_nearest nearest = pl_triangle_tree_nearest(&s->solid->tree, p, INFINITY);
    double distance = sqrt(nearest.at.distance2);
    double side = pl_solid_inside(s->solid, p) ? -1.0 : 1.0;
    if (distance > 0.0) {
        *normal = pl_scale(side / distance, pl_sub(p, nearest.at.point));
        return side * distance;
    }
    // on the surface itself
    pl_vec3 c[3] = {{0, 1, 0}, {0, 0, 0}, {0, 0, 0}};
    for (int i = 0; nearest.triangle >= 0 && i < 3; i++)
        c[i] = pl_vec3_load(s->points + 3 * (size_t)s->triangles[3 * nearest.triangle + i]);
    *normal = pl_normalize(pl_cross(pl_sub(c[1], c[0]), pl_sub(c[2], c[0])));
    return 0.0;
}

static pl_vec3 surface_drift(const pl_obstacle* s, pl_vec3 p) {
    pl_nearest nearest = pl_triangle_tree_nearest(&s->solid->tree, p, INFINITY);
    pl_vec3 drift = {0, 0, 0};
    for (int i = 0; nearest.triangle >= 0 && i < 3; i++)
        drift = pl_madd(drift, nearest.at.weights[i],
                        point_drift(s, s->triangles[3 * nearest.triangle + i]));
    return drift;
}

pl_vec3 pl_obstacle_drift(const pl_obstacle* s, pl_vec3 p) {
    if (s->before && s->kind == PL_OBSTACLE_CHAIN) return chain_drift(s, p);
    if (s->before && s->kind == PL_OBSTACLE_SURFACE) return surface_drift(s, p);
    return (pl_vec3){0, 0, 0};
}

static double cylinder_distance(const pl_obstacle* s, pl_vec3 p, pl_vec3* normal) {
    pl_vec3 axis = pl_normalize(pl_sub(s->b, s->a));
    double length = pl_distance(s->a, s->b), x = pl_dot(pl_sub(p, s->a), axis);
    pl_vec3 across = pl_madd(pl_sub(p, s->a), -x, axis);
    double y = pl_norm(across);
    pl_vec3 side = y > 0.0 ? pl_scale(1.0 / y, across) : any_across(axis);
    pl_vec3 end = pl_scale(x > 0.5 * length ? 1.0 : -1.0, axis);
    double beyond_end = fabs(x - 0.5 * length) - 0.5 * length, beyond_side = y - s->radius;
    if (beyond_end > 0.0 && beyond_side > 0.0) { // nearest to the rim
        double distance = hypot(beyond_end, beyond_side);
        *normal =
            pl_add(pl_scale(beyond_end / distance, end), pl_scale(beyond_side / distance, side));
        return distance;
    }
    *normal = beyond_end > beyond_side ? end : side;
    return fmax(beyond_end, beyond_side);
}

static double torus_distance(const pl_obstacle* s, pl_vec3 p, pl_vec3* normal) {
    pl_vec3 axis = pl_normalize(s->b), d = pl_sub(p, s->a);
    double x = pl_dot(d, axis);
    pl_vec3 across = pl_madd(d, -x, axis);
    double y = pl_norm(across);
    pl_vec3 out = y > 0.0 ? pl_scale(1.0 / y, across) : any_across(axis);
    double distance = ball_distance(p, pl_madd(s->a, s->radius, out), s->tube, normal);
    if (distance == -s->tube) *normal = axis; // on the ring itself
    return distance;
}

static double grid_distance(const pl_obstacle* s, pl_vec3 p, pl_vec3* normal) {
    pl_vec3 gradient;
    double distance = pl_sdf_grid_value(s->grid, p, &gradient);
    double length = pl_norm(gradient);
    *normal = length > 0.0 ? pl_scale(1.0 / length, gradient) : (pl_vec3){0, 1, 0};
    return distance;
}

double pl_obstacle_distance(const pl_obstacle* s, pl_vec3 p, pl_vec3* normal) {
    switch (s->kind) {
    case PL_OBSTACLE_PLANE: return plane_distance(s, p, normal);
    case PL_OBSTACLE_SPHERE: return ball_distance(p, s->a, s->radius, normal);
    case PL_OBSTACLE_BOX: return box_distance(s, p, normal);
    case PL_OBSTACLE_CAPSULE: return cone_distance(s->a, s->radius, s->b, s->radius, p, normal);
    case PL_OBSTACLE_CHAIN: return chain_distance(s, p, normal);
    case PL_OBSTACLE_CYLINDER: return cylinder_distance(s, p, normal);
    case PL_OBSTACLE_TORUS: return torus_distance(s, p, normal);
    case PL_OBSTACLE_GRID: return grid_distance(s, p, normal);
    case PL_OBSTACLE_SURFACE: return surface_distance(s, p, normal);
    }
    *normal = (pl_vec3){0, 1, 0};
    return HUGE_VAL;
}

// Along the axis of a cone the surface is straight.
static double cone_radius(pl_vec3 a, double ra, pl_vec3 b, double rb, pl_vec3 p, pl_vec3 normal,
                          pl_vec3* axis) {
    double t = cone_part(a, ra, b, rb, p);
    pl_vec3 along = pl_sub(b, a);
    along = pl_madd(along, -pl_dot(along, normal), normal);
    if (t > 0.0 && t < 1.0 && pl_norm(along) > 0.0) *axis = pl_normalize(along);
    return ra + t * (rb - ra);
}

static double chain_curvature_radius(const pl_obstacle* s, pl_vec3 p, pl_vec3 normal,
                                     pl_vec3* axis) {
    int k[2] = {0, 0};
    pl_vec3 nearest;
    chain_nearest(s, p, &nearest, k);
    return cone_radius(pl_vec3_load(s->points + 3 * (size_t)k[0]), chain_radius(s, k[0]),
                       pl_vec3_load(s->points + 3 * (size_t)k[1]), chain_radius(s, k[1]), p, normal,
                       axis);
}

// Beside an edge the normal has two coordinates, beside a corner three.
static double box_radius(pl_vec3 normal, pl_vec3* axis) {
    int flat = (normal.x == 0.0) + (normal.y == 0.0) + (normal.z == 0.0);
    if (flat == 2) return HUGE_VAL;
    if (flat == 1)
        *axis = (pl_vec3){normal.x == 0.0 ? 1.0 : 0.0, normal.y == 0.0 ? 1.0 : 0.0,
                          normal.z == 0.0 ? 1.0 : 0.0};
    return 0.0;
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

static double torus_radius(const pl_obstacle* s, pl_vec3 p, pl_vec3* axis) {
    pl_vec3 around = pl_cross(pl_normalize(s->b), pl_sub(p, s->a));
    if (!(pl_norm(around) > 0.0)) return HUGE_VAL;
    *axis = pl_normalize(around);
    return s->tube;
}

double pl_obstacle_radius(const pl_obstacle* s, pl_vec3 p, pl_vec3 normal, pl_vec3* axis) {
    *axis = (pl_vec3){0, 0, 0};
    switch (s->kind) {
    case PL_OBSTACLE_SPHERE: return s->radius;
    case PL_OBSTACLE_BOX: return box_radius(normal, axis);
    case PL_OBSTACLE_CAPSULE: return cone_radius(s->a, s->radius, s->b, s->radius, p, normal, axis);
    case PL_OBSTACLE_CHAIN: return chain_curvature_radius(s, p, normal, axis);
    case PL_OBSTACLE_CYLINDER: return cylinder_radius(s, p, normal, axis);
    case PL_OBSTACLE_TORUS: return torus_radius(s, p, axis);
    case PL_OBSTACLE_PLANE:
    case PL_OBSTACLE_GRID:
    case PL_OBSTACLE_SURFACE: break;
    }
    return HUGE_VAL;
}

static pl_box ball_box(pl_vec3 centre, double r) {
    pl_vec3 reach = {r, r, r};
    return (pl_box){pl_sub(centre, reach), pl_add(centre, reach)};
}

pl_box pl_obstacle_bounds(const pl_obstacle* s) {
    pl_box box = pl_box_empty();
    switch (s->kind) {
    case PL_OBSTACLE_PLANE:
        return (pl_box){{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
    case PL_OBSTACLE_SPHERE: return ball_box(s->a, s->radius);
    case PL_OBSTACLE_BOX: return (pl_box){s->a, s->b};
    case PL_OBSTACLE_CHAIN:
        for (int k = 0; k < s->point_count; k++)
            box =
                pl_box_add_box(box, ball_box(pl_vec3_load(s->points + 3 * k), chain_radius(s, k)));
        return box;
    case PL_OBSTACLE_CAPSULE:
    case PL_OBSTACLE_CYLINDER:
        return pl_box_add_box(ball_box(s->a, s->radius), ball_box(s->b, s->radius));
    case PL_OBSTACLE_TORUS: return ball_box(s->a, s->radius + s->tube);
    case PL_OBSTACLE_SURFACE:
        return s->solid->tree.bvh.node_count ? s->solid->tree.bvh.nodes[0].box : box;
    case PL_OBSTACLE_GRID: {
        const pl_sdf_grid* g = s->grid;
        pl_vec3 size = {g->spacing * (g->size[0] - 1), g->spacing * (g->size[1] - 1),
                        g->spacing * (g->size[2] - 1)};
        return (pl_box){g->origin, pl_add(g->origin, size)};
    }
    }
    return box;
}

// Of a convex piece the distance is convex along a line: where its tangent meets the surface is
// never beyond the surface, and once it grows the piece is left behind. So Newton's steps are safe.
typedef struct convex_piece {
    const pl_obstacle* obstacle;
    int cone; // of a chain
} convex_piece;

static double piece_distance(const convex_piece* piece, pl_vec3 p, pl_vec3* normal) {
    const pl_obstacle* s = piece->obstacle;
    if (s->kind != PL_OBSTACLE_CHAIN || s->point_count < 2)
        return pl_obstacle_distance(s, p, normal);
    int k = piece->cone;
    return cone_distance(pl_vec3_load(s->points + 3 * (size_t)k), chain_radius(s, k),
                         pl_vec3_load(s->points + 3 * (size_t)(k + 1)), chain_radius(s, k + 1), p,
                         normal);
}

static bool sweep_piece(const convex_piece* piece, pl_vec3 from, pl_vec3 to, double distance,
                        double* part, pl_vec3* normal) {
    enum { MAX_STEPS = 64 }; // a way that only touches is halved by each
    pl_vec3 way = pl_sub(to, from);
    double length = pl_norm(way), at = 0.0;
    for (int k = 0; k < MAX_STEPS; k++) {
        double gap = piece_distance(piece, pl_madd(from, at, way), normal) - distance;
        if (gap <= 1e-12 * length) break;
        double slope = pl_dot(*normal, way);
        if (!(slope < 0.0) || at - gap / slope > 1.0) return false;
        at -= gap / slope;
    }
    *part = at;
    return true;
}

static bool sweep_convex(const pl_obstacle* s, pl_vec3 from, pl_vec3 to, double distance,
                         double* part, pl_vec3* normal) {
    int pieces = s->kind == PL_OBSTACLE_CHAIN && s->point_count > 2 ? s->point_count - 1 : 1;
    bool found = false;
    for (int k = 0; k < pieces; k++) {
        double at;
        pl_vec3 n;
        if (!sweep_piece(&(convex_piece){s, k}, from, to, distance, &at, &n)) continue;
        if (!found || at < *part) *part = at, *normal = n;
        found = true;
    }
    return found;
}

bool pl_obstacle_sweep(const pl_obstacle* s, pl_vec3 from, pl_vec3 to, double distance,
                       double* part, pl_vec3* normal) {
    if (s->kind != PL_OBSTACLE_TORUS && s->kind != PL_OBSTACLE_GRID &&
        s->kind != PL_OBSTACLE_SURFACE)
        return sweep_convex(s, from, to, distance, part, normal);
    // The distance changes by at most the way gone, so it is safe to advance by what is left of it.
    // A step of at least this part keeps grazing ways from taking for ever; it is far below the
    // thickness that matters.
    enum { MAX_STEPS = 256 };
    double way = pl_distance(from, to), at = 0.0;
    for (int k = 0; k < MAX_STEPS; k++) {
        double gap = pl_obstacle_distance(s, pl_lerp(from, to, at), normal) - distance;
        if (gap <= 1e-12 * way) {
            *part = at;
            return true;
        }
        if (at >= 1.0) return false;
        at = fmin(at + fmax(gap / way, 1.0 / MAX_STEPS / 16.0), 1.0);
    }
    return false;
}
