// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Surfaces that collide with one another and with themselves. Finds all pairs of a vertex and a
// triangle, or of two edges, that come near during a motion, and all places where surfaces cross.
#ifndef PL_CONTACT_SURFACE_SET_H
#define PL_CONTACT_SURFACE_SET_H

#include "base/array.h"
#include "base/pool.h"
#include "contact/flat_patches.h"
#include "geometry/bvh.h"
#include "geometry/ccd.h"

// Input for a surface: triangles index into `vertices`; `first` is added to its entries to get
// vertices of the system. All arrays are borrowed until the set has been created.
typedef struct pl_surface_source {
    const double* positions; // at rest, 3 per entry of vertices
    const int* vertices;
    int first;
    int vertex_count;
    const int* triangles;
    int triangle_count;
    bool meets_others, meets_itself;
} pl_surface_source;

// Surfaces closer than their thickness separate at most by the whole thickness in this time [s].
#define PL_PARTING_TIME 0.5

// Boxes of a tree (wide_box.h), relative to the origin of the search.
typedef struct pl_tree_boxes {
    void *nodes, *slots; // of pl_wide_box
} pl_tree_boxes;

typedef struct pl_contact_surface {
    int first_triangle, triangle_count;
    int first_vertex, end_vertex; // range in the system; vertices in between can belong to others
    bool meets_others, meets_itself;
    // Set by a caller for whom the vertices of this surface are always at the same fraction of
    // their paths. Then pairs of the surface with itself are found by their relative motion. There
    // are far fewer of them if the surface moves as a whole.
    bool moves_as_one;
    double way_part;  // current fraction of the paths, used by the caller
    double edge;      // mean length at rest [m]
    double thickness; // distance kept free around it; set by the caller [m]
    double self_less; // how much less than `thickness` its parts keep from each other; set by the
                      // caller [m]
    double friction;  // set by the caller
    double stiffness; // of a vertex against a collider; set by the caller [N/m]
    double reach;     // in the current search
    pl_box box;       // around the surface, in the current search
    bool is_near;     // to another surface or, if it can meet itself, to itself
    bool is_lone;     // not near to another surface
    pl_vec3 common;   // motion subtracted from its boxes: the mean motion of a lone surface that
                      // moves as one
    pl_bvh tree;      // its boxes are at rest
    pl_tree_boxes boxes;      // in the current search
    pl_flat_patches* patches; // NULL: no part is skipped
} pl_contact_surface;

// Distance that two surfaces, or two parts of one, keep from each other.
static inline double pl_surfaces_distance(const pl_contact_surface* a,
                                          const pl_contact_surface* b) {
    return a == b ? 2.0 * (a->thickness - a->self_less) : a->thickness + b->thickness;
}

// A vertex and a triangle, or two edges, that are near each other and have no common vertex.
typedef struct pl_contact_pair {
    int v[4];        // vertices of the system: one and three, or two and two
    int surfaces[2]; // of the first feature and of the second
    bool is_edges;
} pl_contact_pair;

// An edge that passes through a triangle.
typedef struct pl_crossing {
    int edge[2], triangle[3]; // vertices of the system
    int surfaces[2];          // the smaller number first
} pl_crossing;

typedef struct pl_surface_set {
    int surface_count;
    pl_contact_surface* surfaces;
    bool* parted;     // per pair a <= b, at a * surface_count + b: has no contacts for now; used by
                      // the caller
    double* nearest;  // per pair, like `parted`: distance at rest if less than their thickness
                      // requires, else infinite [m]
    int vertex_count; // of the system
    double* rest;     // rest positions, 3 per vertex; zero for vertices on no surface
    int* surface_of_vertex;     // -1: on none
    struct pl_vertex_way* ways; // per vertex, in the current search
    int triangle_count;
    int* triangles;          // vertices of the system
    int* surface_of;         // per triangle
    unsigned char* features; // per triangle: bits of the vertices (0 to 2) and edges (3 to 5) that
                             // belong to it, so that each is found once
    pl_vec3 origin;          // of the current search
    int* near_offsets;       // per surface, into `near`
    pl_array near;           // of int: surfaces whose boxes overlap in the current search
    double seconds;          // total time of searches for pairs; the caller may reset it
    int leaf_count;
    struct pl_surface_leaf* leaves; // of all trees
    int block_count;
    pl_array* pairs;     // of pl_contact_pair, per block of leaves
    pl_array* crossings; // of pl_crossing, per block
    double* crossed_at;  // positions for which `crossings` are valid: 3 per vertex
    bool has_crossed;    // `crossings` are valid
} pl_surface_set;

static inline bool pl_surfaces_are_parted(const pl_surface_set* set, int a, int b) {
    return set->parted[a < b ? a * set->surface_count + b : b * set->surface_count + a];
}

pl_status pl_surface_set_create(const pl_surface_source* sources, int count, int vertex_count,
                                pl_surface_set** out, pl_error* error);
// Accepts NULL.
void pl_surface_set_destroy(pl_surface_set* set);

// Computes `nearest` from the thickness and the rest positions of the surfaces.
pl_status pl_surface_set_measure(pl_surface_set* set, pl_pool* pool, pl_error* error);

// From now on searches skip two kinds of pairs of one surface: those within flat parts
// (flat_patches.h), and those that keep PL_REST_PART of their distance at rest.
pl_status pl_surface_set_find_patches(pl_surface_set* set, pl_pool* pool, pl_error* error);
// True if the parts that the last search skipped as flat are flat at x too.
bool pl_surface_set_stays_flat(const pl_surface_set* set, pl_pool* pool, const double* x);

// True if no two surfaces, and no surface that can meet itself, can come within reach on straight
// paths, by the boxes around the paths (`box` of each surface). False means undecided, also if
// allocation fails.
bool pl_surface_set_is_apart(pl_surface_set* set, pl_pool* pool, const double* start,
                             const double* end);

// Finds all pairs that come within the reach of both surfaces while the vertices move straight from
// start to end (3 doubles each; end NULL: at rest), in a fixed order. For moving vertices the list
// is conservative: some pairs only might come near. out: of pl_contact_pair; cleared first.
pl_status pl_surface_set_find(pl_surface_set* set, pl_pool* pool, const double* start,
                              const double* end, pl_array* out, pl_error* error);

// Finds all places where surfaces cross, exactly (touching counts). out: of pl_crossing; cleared
// first. Triangles without area are skipped.
pl_status pl_surface_set_cross(pl_surface_set* set, pl_pool* pool, const double* positions,
                               pl_array* out, pl_error* error);

// Positions of the four vertices of a pair.
static inline pl_quad pl_pair_places(const pl_contact_pair* pair, const double* x) {
    pl_quad quad;
    for (int i = 0; i < 4; i++) quad.x[i] = pl_vec3_load(x + 3 * (size_t)pair->v[i]);
    return quad;
}

#endif
