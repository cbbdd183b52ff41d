// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// How far a triangle soup is from a closed surface: edges without a partner, the holes that they
// go around, edges whose sides disagree, connected parts.
#ifndef PL_MESH_SURFACE_EDGES_H
#define PL_MESH_SURFACE_EDGES_H

#include "base/fail.h"

#include <stdbool.h>

// Winding numbers bridge holes, but a surface that is mostly open has no inside. The holes of scans
// add up to a few hundredths of their area (the raw Stanford bunny: 0.037), the openings of
// garments to at least three twentieths.
#define PL_MAX_HOLE_SHARE 0.08

typedef struct pl_surface_edges {
    int edge_count;
    int boundary_count;   // edges of one triangle
    int manifold_count;   // edges of two triangles that run through it in opposite directions
    int turned_count;     // edges of two triangles that run through it in the same direction
    int crowded_count;    // edges of more than two triangles
    int hole_count;       // connected sets of boundary edges
    int part_count;       // sets of triangles connected through vertices
    double area;          // [m^2]
    double hole_area;     // of circles as long as the holes' boundaries [m^2]
    double signed_volume; // enclosed, negative if the triangles face inwards [m^3]
} pl_surface_edges;

// Vertices with equal coordinates count as one; triangles that use a vertex twice are passed over.
pl_status pl_surface_edges_count(const double* positions, int vertex_count, const int* triangles,
                                 int triangle_count, pl_surface_edges* out, pl_error* error);

// True if the holes exceed PL_MAX_HOLE_SHARE of the area.
bool pl_surface_is_open(const pl_surface_edges* edges);

#endif
