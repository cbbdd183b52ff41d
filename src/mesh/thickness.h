// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Wall thickness of a solid, measured from its surface.
#ifndef PL_MESH_THICKNESS_H
#define PL_MESH_THICKNESS_H

#include "base/pool.h"
#include "geometry/solid.h"

#include <pliant/mesh.h>

typedef struct pl_thickness {
    double thin;   // a twentieth of the surface is thinner than this [m]; NAN if nothing was found
    double median; // [m]
} pl_thickness;

// Casts rays inwards from points spread evenly over the surface and takes the distance to the
// opposite wall. A ray that leaves at more than 60 degrees to the wall's normal measures a corner,
// not a thickness, and does not count. The same result at any thread count.
pl_status pl_surface_thickness(const pl_mesh* surface, const pl_solid* solid, pl_pool* pool,
                               pl_thickness* out, pl_error* error);

#endif
