// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Signed distance to a surface of triangles: distance to the nearest one, negative where the
// winding number says inside. Holes and self-intersections are no obstacle.
#ifndef PL_GEOMETRY_SOLID_H
#define PL_GEOMETRY_SOLID_H

#include "geometry/winding_number.h"

typedef struct pl_solid {
    pl_triangle_tree tree;
    pl_winding winding;
    bool closed;
} pl_solid;

// closed: the caller knows that every edge has its partner, so that sides change only across
// triangles; false is always right, only slower. The arrays are not needed any more afterwards. Not
// to be moved in memory while it lives.
pl_status pl_solid_build(const double* positions, const int* triangles, int triangle_count,
                         bool closed, pl_solid* out, pl_error* error);
void pl_solid_free(pl_solid* solid);
// After the triangles that it was built from moved, to finite positions.
void pl_solid_refit(pl_solid* solid, const double* positions, const int* triangles);

bool pl_solid_inside(const pl_solid* solid, pl_vec3 p);
// Signed distance, cut off at +-band (INFINITY: not cut).
double pl_solid_distance(const pl_solid* solid, pl_vec3 p, double band);
// The same for many points, 3 doubles each; quick where points that follow one another lie close
// together and far from the surface.
void pl_solid_distances(const pl_solid* solid, const double* points, int count, double band,
                        double* values);

#endif
