// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Mass, centre and inertia of a body, from its tets or from what its closed surface encloses.
#ifndef PL_RIGID_MASS_H
#define PL_RIGID_MASS_H

#include "math/mat3.h"
#include "method/method.h"

typedef struct pl_rigid_mass {
    double mass;     // [kg]
    pl_vec3 centre;  // of mass [m]
    pl_mat3 inertia; // about the centre [kg m^2]
} pl_rigid_mass;

// Exact for a polyhedron whose density is constant in each tet, or in all of a surface.
// vertex_masses: a share for each vertex. They add up to the mass. Their centre is that of the
// body, except that it is only near it for surfaces far from round.
pl_status pl_rigid_mass_find(const pl_method_body* body, pl_rigid_mass* out, double* vertex_masses,
                             pl_error* error);

#endif
