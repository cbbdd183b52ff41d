// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Solids that bodies collide with: signed distance and outward normal at a point of the solid's own
// frame.
#ifndef PL_CONTACT_SOLID_H
#define PL_CONTACT_SOLID_H

#include "geometry/box.h"
#include "geometry/sdf_grid.h"

typedef enum pl_solid_kind {
    PL_SOLID_PLANE,    // everything behind `a` against the direction `b`
    PL_SOLID_SPHERE,   // centre a, radius
    PL_SOLID_BOX,      // from corner a to corner b
    PL_SOLID_CHAIN,    // round cones from point to point; one of two points and equal radii is a
                       // capsule
    PL_SOLID_CYLINDER, // flat ends at a and b, radius
    PL_SOLID_TORUS,    // centre a, axis b, ring radius `radius`, tube radius `tube`
    PL_SOLID_GRID,     // signed distance grid of a closed surface
} pl_solid_kind;

typedef struct pl_solid {
    pl_solid_kind kind;
    pl_vec3 a, b;
    double radius, tube;
    int point_count;         // of a chain
    const double* points;    // 3 per point, borrowed
    const double* radii;     // 1 per point, borrowed
    const pl_sdf_grid* grid; // borrowed
} pl_solid;

// Signed distance, negative inside, and the outward unit normal at the nearest surface point. Exact
// for all kinds but grids, whose error is that of trilinear interpolation. Where several surface
// points are nearest one of them is taken.
double pl_solid_distance(const pl_solid* solid, pl_vec3 p, pl_vec3* normal);

// Box that holds the solid; infinite for a plane.
pl_box pl_solid_bounds(const pl_solid* solid);

// Where a point that moves straight from `from` to `to` comes within `distance` of the surface: the
// part of the way in [0, 1] and the normal there, or false. A point that starts nearer is at 0 of
// its way.
bool pl_solid_sweep(const pl_solid* solid, pl_vec3 from, pl_vec3 to, double distance, double* part,
                    pl_vec3* normal);

#endif
