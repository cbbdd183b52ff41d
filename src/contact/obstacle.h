// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Solids that bodies collide with: signed distance and outward normal at a point of the obstacle's
// own frame.
#ifndef PL_CONTACT_OBSTACLE_H
#define PL_CONTACT_OBSTACLE_H

#include "geometry/box.h"
#include "geometry/sdf_grid.h"
#include "geometry/solid.h"

typedef struct pl_obstacle pl_obstacle;

// What a kind of solid can tell about itself. Those of colliders stand in src/collider.
typedef struct pl_obstacle_kind {
    double (*distance)(const pl_obstacle* s, pl_vec3 p, pl_vec3* normal);
    // *axis is zero before the call. NULL: the surface is flat, or its curvature is not known.
    double (*radius)(const pl_obstacle* s, pl_vec3 p, pl_vec3 normal, pl_vec3* axis);
    pl_box (*bounds)(const pl_obstacle* s);
    // Called only if s->before is there. NULL: it keeps its shape.
    pl_vec3 (*drift)(const pl_obstacle* s, pl_vec3 p);
    bool is_convex; // or all its pieces are
    // Of a solid in several convex pieces; NULL: it is one piece.
    int (*piece_count)(const pl_obstacle* s);
    double (*piece_distance)(const pl_obstacle* s, int piece, pl_vec3 p, pl_vec3* normal);
} pl_obstacle_kind;

// Numbers that all kinds share; each kind says what they mean to it.
struct pl_obstacle {
    const pl_obstacle_kind* kind;
    pl_vec3 a, b;
    double radius, tube;
    int point_count;         // of a chain
    const double* points;    // 3 per point of a chain or vertex of a surface, borrowed
    const double* before;    // their places at the start of the step; NULL: the same
    const int* triangles;    // of a surface, borrowed
    const pl_solid* solid;   // of a surface, fitted to points, borrowed
    int radius_count;        // one for all, or one per point
    const double* radii;     // borrowed
    const pl_sdf_grid* grid; // of a still surface, borrowed
};

// Triangles of a closed surface that may change its shape.
extern const pl_obstacle_kind pl_obstacle_surface;

// Signed distance, negative inside, and the outward unit normal at the nearest surface point. Exact
// for all kinds but grids, whose error is that of trilinear interpolation. Where several surface
// points are nearest one of them is taken.
double pl_obstacle_distance(const pl_obstacle* obstacle, pl_vec3 p, pl_vec3* normal);

// Radius of curvature of the surface at the place that is nearest to p, whose normal is given, and
// the direction in which it is straight (zero: it is round in both). HUGE_VAL: it is flat, or its
// curvature is not known (grids and surfaces of triangles); 0: an edge or a corner.
double pl_obstacle_radius(const pl_obstacle* obstacle, pl_vec3 p, pl_vec3 normal, pl_vec3* axis);

// How the place of the surface that is nearest to p has moved during the step in the obstacle's own
// frame: zero for all that keep their shape.
pl_vec3 pl_obstacle_drift(const pl_obstacle* obstacle, pl_vec3 p);

// How one of its points has moved during the step.
static inline pl_vec3 pl_obstacle_point_drift(const pl_obstacle* s, int point) {
    return pl_sub(pl_vec3_load(s->points + 3 * (size_t)point),
                  pl_vec3_load(s->before + 3 * (size_t)point));
}

// Box that holds the obstacle; infinite for a plane.
pl_box pl_obstacle_bounds(const pl_obstacle* obstacle);

// Where a point that moves straight from `from` to `to` comes within `distance` of the surface: the
// part of the way in [0, 1] and the normal there, or false. A point that starts nearer is at 0 of
// its way.
bool pl_obstacle_sweep(const pl_obstacle* obstacle, pl_vec3 from, pl_vec3 to, double distance,
                       double* part, pl_vec3* normal);

#endif
