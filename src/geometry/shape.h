// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Signed distance to a surface of triangles: distance to the nearest one, negative where the
// winding number says inside. Holes and self-intersections are no obstacle.
#ifndef PL_GEOMETRY_SHAPE_H
#define PL_GEOMETRY_SHAPE_H

#include "geometry/surface_edges.h"
#include "geometry/winding.h"

typedef struct pl_shape {
    pl_triangle_tree tree;
    pl_winding winding;
    pl_surface_edges edges;
    bool closed; // every edge has its partner, so the sign changes only across triangles
    bool turned; // the triangles face inwards, which is taken into account
} pl_shape;

// The arrays are not needed any more afterwards. Not to be moved in memory while it lives.
pl_status pl_shape_build(const double* positions, int vertex_count, const int* triangles,
                         int triangle_count, pl_shape* out, pl_error* error);
void pl_shape_free(pl_shape* shape);

bool pl_shape_inside(const pl_shape* shape, pl_vec3 p);
// Signed distance, cut off at +-band (INFINITY: not cut).
double pl_shape_distance(const pl_shape* shape, pl_vec3 p, double band);
// The same for many points, 3 doubles each; quick where points that follow one another lie close
// together and far from the surface.
void pl_shape_distances(const pl_shape* shape, const double* points, int count, double band,
                        double* values);

#endif
