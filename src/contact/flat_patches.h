// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Patches of a surface that cannot touch themselves because they are nearly as flat and as wide as
// at rest. Contact searches skip them, so cloth that hangs or flies costs little.
#ifndef PL_CONTACT_FLAT_PATCHES_H
#define PL_CONTACT_FLAT_PATCHES_H

#include "base/pool.h"
#include "geometry/bvh.h"

// One patch for each leaf of a tree of triangles: the triangles of the leaf and of all leaves that
// share a vertex with it.
typedef struct pl_flat_patches {
    const pl_bvh* tree; // borrowed
    int count;
    int* leaf_of;                   // per node; -1: not a leaf
    int* node_of;                   // per leaf
    int *near_offsets, *near;       // per leaf: the leaf and those that share a vertex with it,
                                    // sorted
    int *vertex_offsets, *vertices; // per leaf: vertices of these leaves in the system, sorted
    double* flat;    // 2 per entry of `vertices`: its rest position in the plane of the patch [m]
    double* inverse; // 2 per leaf: 1 / sum of the squares of these
    double* gap;     // per leaf: smallest distance in the plane between features without a common
                     // vertex [m]
    double* ratio;   // per leaf: distances at rest are at most this multiple of those in the plane
    double* frame;   // 6 per leaf: two unit vectors, in the current search
    bool* is_flat;   // per leaf: none of its features can come near a feature of its patch
} pl_flat_patches;

typedef struct pl_flat_source {
    const pl_bvh* tree;
    const int* triangles; // vertices in the system of the tree's items
    int triangle_count;
    const unsigned char* features; // per triangle, as in surface_set.h
    const double* rest;            // 3 per vertex of the system
    int vertex_count;              // of the system
} pl_flat_source;

pl_status pl_flat_patches_create(const pl_flat_source* source, pl_pool* pool, pl_flat_patches** out,
                                 pl_error* error);
// Accepts NULL.
void pl_flat_patches_destroy(pl_flat_patches* patches);

// Finds the patches that are flat while the vertices move straight from start to end (3 per vertex;
// NULL: at rest). In a flat patch no two features without a common vertex come nearer than
// `distance`, or than PL_REST_PART of their distance at rest if that is less. margin: additional
// distance, as a fraction of the gap.
void pl_flat_patches_find(pl_flat_patches* patches, pl_pool* pool, const double* start,
                          const double* end, double distance, double margin);
// True if all patches that were found are flat at x too. Then they are flat on the straight path
// between any two such positions.
bool pl_flat_patches_hold(const pl_flat_patches* patches, pl_pool* pool, const double* x,
                          double distance);

// Parts of one surface that are close to each other at rest keep at most this fraction of that
// distance.
#define PL_REST_PART 0.5

// True if, by the last pl_flat_patches_find, no features of two leaves can come near each other.
// Leaves are given as nodes.
bool pl_flat_patches_part(const pl_flat_patches* patches, int node, int other_node);

#endif
