// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Signed distance to a surface of triangles: the distance to the nearest one, negative where the
// winding number says inside. The surface may have holes and self-intersections.
#ifndef PL_GEOMETRY_SOLID_H
#define PL_GEOMETRY_SOLID_H

#include "geometry/winding_number.h"

typedef struct pl_solid {
    pl_triangle_tree tree;
    pl_winding winding;
    bool closed;
} pl_solid;

// closed: every edge is known to have a partner, so the side can only change at a triangle. false
// is always correct, but slower. The arrays are not needed afterwards. Do not move the struct in
// memory.
pl_status pl_solid_build(const double* positions, const int* triangles, int triangle_count,
                         bool closed, pl_solid* out, pl_error* error);
void pl_solid_free(pl_solid* solid);
// Call after the triangles moved. Positions must be finite.
void pl_solid_refit(pl_solid* solid, const double* positions, const int* triangles);

bool pl_solid_inside(const pl_solid* solid, pl_vec3 p);
// Signed distance, clamped to +-band (INFINITY: not clamped).
double pl_solid_distance(const pl_solid* solid, pl_vec3 p, double band);
// The same for many points, 3 doubles each. Fast if consecutive points are close together and far
// from the surface.
void pl_solid_distances(const pl_solid* solid, const double* points, int count, double band,
                        double* values);

#endif
