// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A bounding volume hierarchy over boxes. The same boxes always give the same tree. Queries only
// read, so they may run on many threads.
#ifndef PL_GEOMETRY_BVH_H
#define PL_GEOMETRY_BVH_H

#include "base/fail.h"
#include "geometry/box.h"

// Nodes are in depth-first order: the left child follows its parent.
typedef struct pl_bvh_node {
    pl_box box;
    int right; // the right child, or the first slot of a leaf
    int count; // slots of a leaf; 0 for an inner node
} pl_bvh_node;

typedef struct pl_bvh {
    pl_bvh_node* nodes;
    int node_count;
    int node_capacity;
    pl_box* boxes; // one per slot; slots are the contents of leaves, sorted so that those of a node
                   // are contiguous
    int* items;    // slot -> index of the input box
    int slot_count;
    int slot_capacity;
} pl_bvh;

// No tree is deeper than this, so a stack of this many nodes is enough for every traversal.
enum { PL_BVH_STACK = 128 };

// Boxes that are not finite (of a triangle with a NaN corner, for example) are left out. A tree
// without boxes is valid and finds nothing.
pl_status pl_bvh_build(const pl_box* boxes, int count, pl_bvh* out, pl_error* error);
// Builds the tree over the boxes of triangles (3 indices each into positions).
pl_status pl_bvh_build_triangles(const double* positions, const int* triangles, int triangle_count,
                                 pl_bvh* out, pl_error* error);
// Accepts a zeroed tree.
void pl_bvh_free(pl_bvh* tree);
// Recomputes the boxes of nodes after those of slots have changed; the structure of the tree stays
// the same.
void pl_bvh_refit(pl_bvh* tree);

// Called with the index of an item; returning false ends the query.
typedef bool (*pl_bvh_visit)(int item, void* user);
// Visits all items whose boxes overlap or touch the given one. Returns false if the visitor ended
// the query.
bool pl_bvh_overlap(const pl_bvh* tree, pl_box box, pl_bvh_visit visit, void* user);

// Called with two items, a < b.
typedef bool (*pl_bvh_visit_pair)(int a, int b, void* user);
// Visits all pairs of items whose boxes overlap or touch, each once, in a fixed order.
bool pl_bvh_self_overlap(const pl_bvh* tree, pl_bvh_visit_pair visit, void* user);

// Visits all items whose boxes are hit by the ray origin + t direction, 0 <= t <= length.
bool pl_bvh_ray(const pl_bvh* tree, pl_vec3 origin, pl_vec3 direction, double length,
                pl_bvh_visit visit, void* user);

// 1 / direction per component, with a large number in place of infinity, so that a ray in the plane
// of a box's face gives no NaN.
static inline pl_vec3 pl_ray_inverse(pl_vec3 direction) {
    return (pl_vec3){direction.x != 0.0 ? 1.0 / direction.x : 1e300,
                     direction.y != 0.0 ? 1.0 / direction.y : 1e300,
                     direction.z != 0.0 ? 1.0 / direction.z : 1e300};
}

// Where a ray enters a box, or INFINITY if it misses it within [0, length].
static inline double pl_box_ray(pl_box box, pl_vec3 origin, pl_vec3 inverse, double length) {
    double x0 = (box.low.x - origin.x) * inverse.x, x1 = (box.high.x - origin.x) * inverse.x;
    double y0 = (box.low.y - origin.y) * inverse.y, y1 = (box.high.y - origin.y) * inverse.y;
    double z0 = (box.low.z - origin.z) * inverse.z, z1 = (box.high.z - origin.z) * inverse.z;
    double enter = fmax(fmax(fmin(x0, x1), fmin(y0, y1)), fmax(fmin(z0, z1), 0.0));
    double leave = fmin(fmin(fmax(x0, x1), fmax(y0, y1)), fmin(fmax(z0, z1), length));
    return enter <= leave ? enter : INFINITY;
}

#endif
