// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Generalised winding number of a triangle soup: 1 inside a closed surface that faces outwards, 0
// outside, and in between near holes. Where surfaces overlap, their numbers add up.
#ifndef PL_GEOMETRY_WINDING_NUMBER_H
#define PL_GEOMETRY_WINDING_NUMBER_H

#include "geometry/triangle_tree.h"

typedef struct pl_winding_node {
    pl_vec3 center;   // centre of area
    double radius;    // of a ball around `center` that contains the triangles
    pl_vec3 dipole;   // sum of area vectors
    double moment[9]; // sum of (centre of triangle - center) (area vector)', row-major
    double area;      // of the triangles
    pl_vec3 sum;      // of area * centre
} pl_winding_node;

typedef struct pl_winding {
    const pl_triangle_tree* tree; // borrowed
    pl_winding_node* nodes;       // one per node of the tree
} pl_winding;

pl_status pl_winding_build(const pl_triangle_tree* tree, pl_winding* out, pl_error* error);
void pl_winding_free(pl_winding* winding);
// Call after the corners of the tree moved.
void pl_winding_refit(pl_winding* winding);

// Triangles whose ball is farther away than `accuracy` times its radius are treated as one. The
// error is a few hundredths at 2, below one hundredth at 4 and below one thousandth at 8. INFINITY
// evaluates every triangle separately, which is exact.
double pl_winding_number(const pl_winding* winding, pl_vec3 p, double accuracy);

// True where the absolute winding number is above one half, so surfaces that face inwards have an
// inside too. Computes a rough number first and refines it if it is near one half.
bool pl_winding_inside(const pl_winding* winding, pl_vec3 p);

#endif
