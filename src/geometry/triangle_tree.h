// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Triangles in a bounding volume hierarchy: finds the triangle nearest to a point, and the first
// hit of a ray. Stores a copy of the corners, in the order of the tree.
#ifndef PL_GEOMETRY_TRIANGLE_TREE_H
#define PL_GEOMETRY_TRIANGLE_TREE_H

#include "geometry/bvh.h"
#include "geometry/distance.h"

typedef struct pl_triangle_tree {
    pl_bvh bvh;
    pl_vec3* corners; // 3 per slot of the bvh
} pl_triangle_tree;

// Triangles with a corner that is not finite are left out.
pl_status pl_triangle_tree_build(const double* positions, const int* triangles, int triangle_count,
                                 pl_triangle_tree* out, pl_error* error);
void pl_triangle_tree_free(pl_triangle_tree* tree);
// Call after the triangles moved. Positions must be finite. Only the boxes change: the tree is
// always correct, but slower than a new one if neighbours moved far apart.
void pl_triangle_tree_refit(pl_triangle_tree* tree, const double* positions, const int* triangles);

typedef struct pl_nearest {
    int triangle; // -1: none within the limit
    pl_triangle_point at;
} pl_nearest;
// The triangle nearest to p if it is closer than limit (INFINITY: any). If several are equally
// near, the one with the lowest index.
pl_nearest pl_triangle_tree_nearest(const pl_triangle_tree* tree, pl_vec3 p, double limit);

typedef struct pl_hit {
    int triangle; // -1: none
    double t;     // origin + t direction
    double weights[3];
} pl_hit;
// The first triangle that a ray hits from either side, within 0 <= t <= length. Triangles of zero
// area, or seen exactly edge-on, are not hit.
pl_hit pl_triangle_tree_ray(const pl_triangle_tree* tree, pl_vec3 origin, pl_vec3 direction,
                            double length);

#endif
