// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Surfaces that collide with one another and with themselves: all pairs of a vertex and a triangle,
// and of two edges, that come near during a motion, and all places where surfaces cross.
#ifndef PL_CONTACT_SURFACE_SET_H
#define PL_CONTACT_SURFACE_SET_H

#include "base/array.h"
#include "base/pool.h"
#include "contact/flat_patches.h"
#include "geometry/bvh.h"
#include "geometry/ccd.h"

// A surface to be added: triangles index into `vertices`, which with `first` added are vertices of
// the system. All is borrowed until the set is made.
typedef struct pl_surface_source {
    const double* positions; // at rest, 3 per entry of vertices
    const int* vertices;
    int first;
    int vertex_count;
    const int* triangles;
    int triangle_count;
    bool meets_others, meets_itself;
} pl_surface_source;

// Surfaces that are nearer than their thickness part no faster than all of it in this time [s].
#define PL_PARTING_TIME 0.5

// Boxes of a tree as in wide_box.h, relative to the origin of the search.
typedef struct pl_tree_boxes {
    void *nodes, *slots; // of pl_wide_box
} pl_tree_boxes;

typedef struct pl_contact_surface {
    int first_triangle, triangle_count;
    int first_vertex, end_vertex; // of the system; others may lie between
    bool meets_others, meets_itself;
    // Set by a caller whose vertices of this surface are at the same part of their ways at any
    // time. Pairs of the surface with itself are then found by how they move against each other, of
    // which there are far fewer where it moves as a whole.
    bool moves_as_one;
    double way_part;  // how far they are on their ways; the caller's
    double edge;      // mean length at rest [m]
    double thickness; // kept free around it; the caller sets it [m]
    double self_less; // of `thickness`, what parts of it need not keep from each other; the caller
                      // sets it [m]
    double friction;  // the caller sets it
    double stiffness; // of a vertex against a collider; the caller sets it [N/m]
    double reach;     // of the present search
    pl_box box;       // around it in the present search
    bool is_near;     // to another surface or, where it may meet itself, to itself
    bool is_lone;     // not near to another surface
    pl_vec3 common;   // what its boxes are moved by: of a lone one that moves as one, its mean way
    pl_bvh tree;      // its boxes are those at rest
    pl_tree_boxes boxes;      // those of the present search
    pl_flat_patches* patches; // NULL: all of it is searched
} pl_contact_surface;

// What two surfaces, or two parts of one, keep from each other.
static inline double pl_surfaces_distance(const pl_contact_surface* a,
                                          const pl_contact_surface* b) {
    return a == b ? 2.0 * (a->thickness - a->self_less) : a->thickness + b->thickness;
}

// A vertex and a triangle, or two edges, that are near. They have no vertex in common.
typedef struct pl_contact_pair {
    int v[4];        // vertices of the system: one and three, or two and two
    int surfaces[2]; // of the first and of the second
    bool is_edges;
} pl_contact_pair;

// An edge that goes through a triangle.
typedef struct pl_crossing {
    int edge[2], triangle[3]; // vertices of the system
    int surfaces[2];          // the smaller number first
} pl_crossing;

typedef struct pl_surface_set {
    int surface_count;
    pl_contact_surface* surfaces;
    bool* parted;     // per pair a <= b, at a * surface_count + b: no contact for now; the caller's
    double* nearest;  // per pair, as `parted`: how near they are at rest, if that is below what
                      // their thickness asks for; else infinite [m]
    int vertex_count; // of the system
    double* rest;     // its places at rest, 3 each; zero off the surfaces
    int* surface_of_vertex;     // -1: on none
    struct pl_vertex_way* ways; // per vertex, of the present search
    int triangle_count;
    int* triangles;          // vertices of the system
    int* surface_of;         // per triangle
    unsigned char* features; // per triangle: bits of the vertices (0 to 2) and edges (3 to 5) that
                             // count as this triangle's, so that each is met once
    pl_vec3 origin;          // of the present search
    int* near_offsets;       // per surface, into near
    pl_array near;           // of int: surfaces whose boxes meet in the present search
    double seconds;          // that finding pairs has taken; the caller may set it back
    int leaf_count;
    struct pl_surface_leaf* leaves; // of all trees
    int block_count;
    pl_array* pairs;     // of pl_contact_pair, per block of leaves
    pl_array* crossings; // of pl_crossing, per block
    double* crossed_at;  // where `crossings` are: 3 per vertex
    bool has_crossed;    // they are known
} pl_surface_set;

static inline bool pl_surfaces_are_parted(const pl_surface_set* set, int a, int b) {
    return set->parted[a < b ? a * set->surface_count + b : b * set->surface_count + a];
}

pl_status pl_surface_set_create(const pl_surface_source* sources, int count, int vertex_count,
                                pl_surface_set** out, pl_error* error);
// Accepts NULL.
void pl_surface_set_destroy(pl_surface_set* set);

// Finds `nearest`, by the thickness of the surfaces. Surfaces are at rest as they start.
pl_status pl_surface_set_measure(pl_surface_set* set, pl_pool* pool, pl_error* error);

// From now on searches leave out what flat parts of surfaces that meet themselves make of pairs
// (flat_patches.h), and pairs of one surface that keep PL_REST_PART of their distance at rest.
pl_status pl_surface_set_find_patches(pl_surface_set* set, pl_pool* pool, pl_error* error);
// True if what the last search left out as flat is so at x.
bool pl_surface_set_stays_flat(const pl_surface_set* set, pl_pool* pool, const double* x);

// True if no two surfaces, and no surface that may meet itself, can come within their reaches on
// straight ways as below, by the boxes around the ways; `box` of each surface is that box. False
// says nothing, and so does it if memory is out.
bool pl_surface_set_is_apart(pl_surface_set* set, pl_pool* pool, const double* start,
                             const double* end);

// All pairs that come within the reaches of their two surfaces while the vertices move straight
// from start to end (3 doubles each; end NULL: they rest), in a fixed order. For vertices that move
// some pairs are listed that only might have. out: of pl_contact_pair, emptied first.
pl_status pl_surface_set_find(pl_surface_set* set, pl_pool* pool, const double* start,
                              const double* end, pl_array* out, pl_error* error);

// All places where surfaces cross, exactly (touching counts). out: of pl_crossing, emptied first.
// Triangles without area are passed over.
pl_status pl_surface_set_cross(pl_surface_set* set, pl_pool* pool, const double* positions,
                               pl_array* out, pl_error* error);

// The places of a pair's four vertices.
static inline pl_quad pl_pair_places(const pl_contact_pair* pair, const double* x) {
    pl_quad quad;
    for (int i = 0; i < 4; i++) quad.x[i] = pl_vec3_load(x + 3 * (size_t)pair->v[i]);
    return quad;
}

#endif
