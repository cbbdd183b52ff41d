// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Solids that bodies collide with: signed distance and outward normal at a point, in the frame of
// the obstacle.
#ifndef PL_CONTACT_OBSTACLE_H
#define PL_CONTACT_OBSTACLE_H

#include "geometry/box.h"
#include "geometry/sdf_grid.h"
#include "geometry/solid.h"

typedef struct pl_obstacle pl_obstacle;

// Functions of a kind of solid. The kinds of colliders are in src/collider.
typedef struct pl_obstacle_kind {
    double (*distance)(const pl_obstacle* s, pl_vec3 p, pl_vec3* normal);
    // *axis is zero before the call. NULL: the surface is flat, or its curvature is unknown.
    double (*radius)(const pl_obstacle* s, pl_vec3 p, pl_vec3 normal, pl_vec3* axis);
    pl_box (*bounds)(const pl_obstacle* s);
    // Called only if s->before is set. NULL: the shape does not change.
    pl_vec3 (*drift)(const pl_obstacle* s, pl_vec3 p);
    bool is_convex; // the solid is convex, or all its pieces are
    // For a solid made of several convex pieces; NULL: it is one piece.
    int (*piece_count)(const pl_obstacle* s);
    double (*piece_distance)(const pl_obstacle* s, int piece, pl_vec3 p, pl_vec3* normal);
} pl_obstacle_kind;

// Data that all kinds share; each kind defines what its numbers mean.
struct pl_obstacle {
    const pl_obstacle_kind* kind;
    pl_vec3 a, b;
    double radius, tube;
    int point_count;         // of a chain
    const double* points;    // 3 per point of a chain or vertex of a surface, borrowed
    const double* before;    // positions at the start of the step; NULL: unchanged
    const int* triangles;    // of a surface, borrowed
    const pl_solid* solid;   // of a surface, built from `points`, borrowed
    int radius_count;        // one radius for all points, or one per point
    const double* radii;     // borrowed
    const pl_sdf_grid* grid; // of a static surface, borrowed
};

// A closed triangle surface that may change its shape.
extern const pl_obstacle_kind pl_obstacle_surface;

// Signed distance, negative inside, and outward unit normal at the nearest surface point. Exact for
// all kinds but grids, which have the error of trilinear interpolation. If several surface points
// are nearest, one of them is used.
double pl_obstacle_distance(const pl_obstacle* obstacle, pl_vec3 p, pl_vec3* normal);

// Radius of curvature at the surface place nearest to p, whose normal is given, and the direction
// in which the surface is straight (zero: curved in both directions). HUGE_VAL: flat, or unknown
// (grids and triangle surfaces); 0: an edge or a corner.
double pl_obstacle_radius(const pl_obstacle* obstacle, pl_vec3 p, pl_vec3 normal, pl_vec3* axis);

// Motion of the surface place nearest to p during the step, in the obstacle's frame; zero if the
// shape does not change.
pl_vec3 pl_obstacle_drift(const pl_obstacle* obstacle, pl_vec3 p);

// Motion of one of its points during the step.
static inline pl_vec3 pl_obstacle_point_drift(const pl_obstacle* s, int point) {
    return pl_sub(pl_vec3_load(s->points + 3 * (size_t)point),
                  pl_vec3_load(s->before + 3 * (size_t)point));
}

// Bounding box of the obstacle; infinite for a plane.
pl_box pl_obstacle_bounds(const pl_obstacle* obstacle);

// The place where a point that moves straight from `from` to `to` comes within `distance` of the
// surface: the fraction of the path in [0, 1] and the normal there. A point that starts nearer has
// fraction 0. False if there is no such place.
bool pl_obstacle_sweep(const pl_obstacle* obstacle, pl_vec3 from, pl_vec3 to, double distance,
                       double* part, pl_vec3* normal);

#endif
