// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "contact/obstacle.h"

#include <math.h>

double pl_obstacle_distance(const pl_obstacle* s, pl_vec3 p, pl_vec3* normal) {
    return s->kind->distance(s, p, normal);
}

double pl_obstacle_radius(const pl_obstacle* s, pl_vec3 p, pl_vec3 normal, pl_vec3* axis) {
    *axis = (pl_vec3){0, 0, 0};
    return s->kind->radius ? s->kind->radius(s, p, normal, axis) : HUGE_VAL;
}

pl_vec3 pl_obstacle_drift(const pl_obstacle* s, pl_vec3 p) {
    return s->before && s->kind->drift ? s->kind->drift(s, p) : (pl_vec3){0, 0, 0};
}

pl_box pl_obstacle_bounds(const pl_obstacle* s) { return s->kind->bounds(s); }

// ---------------------------------------------------------------- surfaces

static double surface_distance(const pl_obstacle* s, pl_vec3 p, pl_vec3* normal) {
    pl_nearest nearest = pl_triangle_tree_nearest(&s->solid->tree, p, INFINITY);
    double distance = sqrt(nearest.at.distance2);
    double side = pl_solid_inside(s->solid, p) ? -1.0 : 1.0;
    if (distance > 0.0) {
        *normal = pl_scale(side / distance, pl_sub(p, nearest.at.point));
        return side * distance;
    }
    // the point is on the surface: use the normal of the triangle
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
                        pl_obstacle_point_drift(s, s->triangles[3 * nearest.triangle + i]));
    return drift;
}

static pl_box surface_bounds(const pl_obstacle* s) {
    return s->solid->tree.bvh.node_count ? s->solid->tree.bvh.nodes[0].box : pl_box_empty();
}

const pl_obstacle_kind pl_obstacle_surface = {
    .distance = surface_distance, .bounds = surface_bounds, .drift = surface_drift};

// ---------------------------------------------------------------- points that move

// The distance to a convex piece is convex along a line: Newton's method never steps past the
// surface, and once the distance grows the piece cannot be hit any more.
typedef struct convex_piece {
    const pl_obstacle* obstacle;
    int index;
} convex_piece;

static double piece_distance(const convex_piece* piece, pl_vec3 p, pl_vec3* normal) {
    const pl_obstacle* s = piece->obstacle;
    return s->kind->piece_distance ? s->kind->piece_distance(s, piece->index, p, normal)
                                   : s->kind->distance(s, p, normal);
}

static bool sweep_piece(const convex_piece* piece, pl_vec3 from, pl_vec3 to, double distance,
                        double* part, pl_vec3* normal) {
    enum { MAX_STEPS = 64 }; // each step halves the rest of a path that only touches
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
    int pieces = s->kind->piece_count ? s->kind->piece_count(s) : 1;
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
    if (s->kind->is_convex) return sweep_convex(s, from, to, distance, part, normal);
    // The distance changes by at most the path length, so it is safe to advance by the remaining
    // distance. Steps have a minimum length, far below relevant thicknesses, so that grazing paths
    // do not take forever.
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
