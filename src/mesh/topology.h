// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Adjacency of a mesh. Elements are arrays of `corners` vertex indices each (3: triangles, 4:
// tets), all in range. Side k of an element lies opposite its corner k. Everything is built in
// near-linear time by bucketing on the smallest vertex, and its order depends on the mesh alone. An
// element that names a vertex twice has no sides.
#ifndef PL_MESH_TOPOLOGY_H
#define PL_MESH_TOPOLOGY_H

#include "base/fail.h"
#include "base/pool.h"

#include <stdbool.h>

// `count` lists, one after the other: list i is items[offsets[i]] to items[offsets[i + 1] - 1].
typedef struct pl_adjacency {
    int count;
    int* offsets; // count + 1
    int* items;   // ascending within a list
} pl_adjacency;

// Allocates with zero offsets. Returns false if allocation fails.
bool pl_adjacency_alloc(pl_adjacency* adjacency, int count, int item_count);
void pl_adjacency_free(pl_adjacency* adjacency);

// The elements around each vertex; an element that names a vertex twice is listed once.
pl_status pl_vertex_elements(const int* elements, int element_count, int corners, int vertex_count,
                             pl_adjacency* out, pl_error* error);

// The same by many threads.
pl_status pl_vertex_elements_by(pl_pool* pool, const int* elements, int element_count, int corners,
                                int vertex_count, pl_adjacency* out, pl_error* error);

// The unique edges of a mesh, each from its smaller to its larger vertex, in ascending order.
typedef struct pl_edges {
    int count;
    int* ends; // 2 per edge
    int element_edge_count;
    int* element_edges; // per element the edges of its corners 01 02 12 (triangles), 01 02 03 12 13
                        // 23 (tets); -1 for an edge from a vertex to itself
} pl_edges;

pl_status pl_edges_create(const int* elements, int element_count, int corners, int vertex_count,
                          pl_edges* out, pl_error* error);
void pl_edges_free(pl_edges* edges);

// The vertices joined to each vertex by an edge; the vertex itself is not among them.
pl_status pl_vertex_neighbours(const pl_edges* edges, int vertex_count, pl_adjacency* out,
                               pl_error* error);

// Sides of elements that coincide: edges of triangles, faces of tets. Group g holds the sides
// (corners * element + side) that have the same vertices; groups are in ascending order of their
// sorted vertices. One side: boundary; two: regular; more: not a manifold.
typedef struct pl_side_groups {
    pl_adjacency groups;
    int side_count;
    int* group_of_side; // corners per element; -1 for elements that name a vertex twice
} pl_side_groups;

pl_status pl_side_groups_create(const int* elements, int element_count, int corners,
                                int vertex_count, pl_side_groups* out, pl_error* error);
void pl_side_groups_free(pl_side_groups* sides);

// The sides of tets that no other tet has: lone, 4 per tet, gets 1 for them and 0 for others. No
// tet names a vertex twice.
pl_status pl_lone_sides(pl_pool* pool, const int* tets, int tet_count, int vertex_count,
                        unsigned char* lone, pl_error* error);

// The pairs of triangles that meet at an edge. Of n triangles at one edge, each bends against every
// other. If each is attached to the edge by half a hinge and the edge rotates freely, then every
// pair is a hinge with 2 / n of the stiffness of a hinge between two triangles.
typedef struct pl_edge_pairs {
    const int* sides; // of the group
    int count;
    int first, second;
} pl_edge_pairs;

static inline pl_edge_pairs pl_edge_pairs_of(const pl_side_groups* sides, int group) {
    int begin = sides->groups.offsets[group], end = sides->groups.offsets[group + 1];
    return (pl_edge_pairs){sides->groups.items + begin, end - begin, 0, 0};
}
// The next pair of sides; false after the last one.
static inline bool pl_edge_pairs_next(pl_edge_pairs* pairs, int out[2]) {
    if (++pairs->second >= pairs->count) pairs->second = ++pairs->first + 1;
    if (pairs->second >= pairs->count) return false;
    out[0] = pairs->sides[pairs->first], out[1] = pairs->sides[pairs->second];
    return true;
}
static inline double pl_edge_pairs_weight(const pl_edge_pairs* pairs) { return 2.0 / pairs->count; }
// Pairs at all edges.
int pl_edge_pair_count(const pl_side_groups* sides);

// The neighbour across a side: corners * element + side, or one of these.
enum { PL_SIDE_BOUNDARY = -1, PL_SIDE_NON_MANIFOLD = -2, PL_SIDE_NONE = -3 };
// neighbours: corners per element.
void pl_side_neighbours(const pl_side_groups* sides, int* neighbours);

// Whole elements with the same vertices in any order: first[e] is the lowest element that has the
// vertices of e (e itself if it is the first, or names a vertex twice).
pl_status pl_first_of_equal_elements(const int* elements, int element_count, int corners,
                                     int vertex_count, int* first, pl_error* error);

// True if an element names a vertex twice.
static inline bool pl_names_twice(const int* element, int corners) {
    for (int i = 1; i < corners; i++)
        for (int j = 0; j < i; j++)
            if (element[i] == element[j]) return true;
    return false;
}

// The vertices of side k, in the order that looks outward from a tet of positive volume, or along
// the rim of a counter-clockwise triangle (from corner k + 1 to k + 2).
static inline void pl_tet_face(const int* tet, int k, int face[3]) {
    static const int corner[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    for (int i = 0; i < 3; i++) face[i] = tet[corner[k][i]];
}
static inline void pl_triangle_edge(const int* triangle, int k, int edge[2]) {
    edge[0] = triangle[(k + 1) % 3];
    edge[1] = triangle[(k + 2) % 3];
}

#endif
