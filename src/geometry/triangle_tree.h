// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Triangles in a bounding volume hierarchy: nearest triangle to a point, first hit of a ray. Holds
// its own copy of the corners, in the order of the tree.
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
// After the triangles that it was built from moved: the same tree with new boxes. Positions must be
// finite. Slower than a new one where they moved far apart, right anywhere.
void pl_triangle_tree_refit(pl_triangle_tree* tree, const double* positions, const int* triangles);

typedef struct pl_nearest {
    int triangle; // -1: none within the limit
    pl_triangle_point at;
} pl_nearest;
// The triangle nearest to p and nearer than limit (INFINITY: any); of equally near ones the lowest
// index.
pl_nearest pl_triangle_tree_nearest(const pl_triangle_tree* tree, pl_vec3 p, double limit);

typedef struct pl_hit {
    int triangle; // -1: none
    double t;     // origin + t direction
    double weights[3];
} pl_hit;
// The first triangle, from either side, that a ray meets within 0 <= t <= length. Triangles without
// area, or seen exactly from the edge, are not hit.
pl_hit pl_triangle_tree_ray(const pl_triangle_tree* tree, pl_vec3 origin, pl_vec3 direction,
                            double length);

#endif
