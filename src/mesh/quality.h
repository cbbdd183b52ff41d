// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Shapes of tets and triangles.
#ifndef PL_MESH_QUALITY_H
#define PL_MESH_QUALITY_H

#include "math/vec3.h"
#include "mesh/topology.h"

#include <pliant/mesh_check.h>

// 3 inradius / circumradius of a tet: 1 if regular, 0 if flat, for either orientation.
double pl_tet_radius_ratio(const pl_vec3 p[4]);
// 2 inradius / circumradius of a triangle.
double pl_triangle_radius_ratio(const pl_vec3 p[3]);

// The corners of an element.
static inline void pl_load_corners(const double* positions, const int* element, int corners,
                                   pl_vec3* p) {
    for (int k = 0; k < corners; k++) p[k] = pl_vec3_load(positions + 3 * (size_t)element[k]);
}

// The value below which a fraction of the values lies: between two neighbours of the sorted order
// it is interpolated, as numpy's percentile is. Reorders the values. NAN if there are none.
double pl_quantile(double* values, int count, double fraction);

// Fills volume or area, radius ratios, angles and edge lengths of all elements; elements with a
// corner that is not finite are left out. Volumes and areas are taken without their sign.
pl_status pl_measure_elements(const double* positions, const int* elements, int element_count,
                              int corners, const pl_edges* edges, pl_pool* pool,
                              pl_mesh_quality* out, pl_error* error);

#endif
