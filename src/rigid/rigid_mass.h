// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Mass, centre and inertia of a body, from its tets or from the volume inside its closed surface.
#ifndef PL_RIGID_MASS_H
#define PL_RIGID_MASS_H

#include "math/mat3.h"
#include "method/method.h"

typedef struct pl_rigid_mass {
    double mass;     // [kg]
    pl_vec3 centre;  // of mass [m]
    pl_mat3 inertia; // about the centre [kg m^2]
} pl_rigid_mass;

// Exact if the density is constant in each tet, or inside the surface. vertex_masses: the share of
// each vertex. The shares add up to the mass. Their centre is the body's; for surfaces far from
// round it is only near it.
pl_status pl_rigid_mass_find(const pl_method_body* body, pl_rigid_mass* out, double* vertex_masses,
                             pl_error* error);

#endif
