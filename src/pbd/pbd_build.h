// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Builds particles and constraints from a body of the scene.
#ifndef PL_PBD_BUILD_H
#define PL_PBD_BUILD_H

#include "mesh/reorder.h"
#include "method/method.h"
#include "pbd/constraint_set.h"
#include "pbd/particle_graph.h"
#include "pbd/sweeper.h"

// All fields but `mass` use the inner numbering.
typedef struct pl_pbd_parts {
    pl_ordering order; // old: the vertex in its mesh
    pl_particle_graph graph;
    int set_count;
    pl_constraint_set sets[PL_MAX_SETS];
    double* mass;    // of each particle [kg]
    double* modulus; // model compliance: of the sheet [N/m] or of the solid [Pa]; else NULL
} pl_pbd_parts;

// Stiffness of each of `sweeps` sweeps that together remove the fraction k of an error.
float pl_stiffness_of_sweep(double k, int sweeps);

// ranks: NULL, or a number per vertex (below rank_count) that orders them; ties by vertex number.
pl_status pl_pbd_parts_create(const pl_method_body* body, const int* ranks, int rank_count,
                              pl_pbd_parts* out, pl_error* error);
void pl_pbd_parts_free(pl_pbd_parts* parts);

#endif
