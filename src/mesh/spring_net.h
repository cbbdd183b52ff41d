// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Stiffnesses of springs that together stretch like a sheet. Springs run along the edges of
// triangles and across inner edges, between the two opposite vertices. Every isotropic net of
// springs has Poisson's ratio 1/3 and a shear modulus of 3/8 of its stretch modulus (Cauchy's
// relation).
//
// A uniform strain must leave inner vertices in balance and load the boundary like a sheet, and the
// springs around each vertex must be isotropic. Both conditions are linear in the stiffnesses; the
// net solves them by least squares with stiffnesses >= 0.
//
// Stiffness [N/m] of a spring along edge group g: edges[g] * stretch;
// of a spring across pair p: across[p] * PL_SPRING_NET_SHEAR * shear, where shear = 3/8 stretch
// makes the net alike in all directions.
#ifndef PL_MESH_SPRING_NET_H
#define PL_MESH_SPRING_NET_H

#include "mesh/topology.h"

#define PL_SPRING_NET_SHEAR (8.0 / 3.0)

typedef struct pl_spring_net {
    int edge_count;
    double* edges; // per group of sides, in units of the stretch modulus
    int pair_count;
    double* across; // per pair of sides, in the order of groups and of pl_edge_pairs_next; 0 where
                    // the two vertices are one
} pl_spring_net;

// positions: 3 per vertex, at rest; triangles: 3 per triangle; sides: those of the triangles.
pl_status pl_spring_net_create(const double* positions, int vertex_count, const int* triangles,
                               int triangle_count, const pl_side_groups* sides, pl_spring_net* out,
                               pl_error* error);
void pl_spring_net_free(pl_spring_net* net);

#endif
