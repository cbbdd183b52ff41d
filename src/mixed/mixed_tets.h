// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Linear tets with a pressure at each vertex (Ruan 2024, sections 3 and 4, Table 1). The law of a
// tet is split as Psi_d + p Phi - p^2 / (2 kappa), see material.h. The distortion Psi_d is a sum
// over elements like any other; its set is pl_mixed_elements. The pressures also need:
//
//   paper  here
//   phi    constraint: phi_i = 1/4 sum_e V_e Phi(F_e)
//   G      gradient of phi; its blocks are in the matrix of 4 unknowns per vertex
//   C      compliance: C_i = 1/4 sum_e V_e / kappa_e, diagonal
//   S      stabilisation (Eq. 11), the pattern of the mesh
#ifndef PL_MIXED_TETS_H
#define PL_MIXED_TETS_H

#include "elements/tet_elements.h"
#include "elements/tet_lanes.h"
#include "step/step_pieces.h"

extern const pl_element_functions pl_mixed_elements;

// Turns a set of tets into a set of mixed tets. pressure: per vertex, borrowed; gives the geometric
// stiffness p d2Phi of the Hessian. On failure the set is unchanged.
pl_status pl_mixed_tets_take(pl_element_set* set, int vertex_count, const double* pressure,
                             pl_error* error);

// The materials, to be changed before any other call.
pl_material* pl_mixed_materials(const pl_element_set* set);
const pl_tet_data* pl_mixed_tet_data(const pl_element_set* set);

// phi: the constraint of each vertex [m^3]; not finite where a law is undefined
void pl_mixed_constraint(const pl_element_set* set, pl_pool* pool, const double* x, double* phi);
// gradient += G' p
void pl_mixed_add_pressure(const pl_element_set* set, pl_pool* pool, const double* x,
                           const double* p, double* gradient);
// Adds G and G' to the blocks of a matrix with 4 unknowns per vertex (x, p). It must have the
// pattern in which the set was located.
void pl_mixed_add_couplings(const pl_element_set* set, pl_pool* pool, const double* x,
                            pl_block_matrix* A);
// B = C + S (block size 1), with strength alpha of the stabilisation. Vertices without tets get 1.
void pl_mixed_flexibility(const pl_element_set* set, double alpha, pl_block_matrix* B);
// Bounds of the eigenvalues of C + S + D over their diagonal, with D of this slack.
void pl_mixed_flexibility_bounds(const pl_element_set* set, double alpha, double slack,
                                 double* least, double* most);
// Compliance that the vertices lack: D_i = 1/4 sum_e V_e (slack / mu_e - 1 / kappa_e) over the tets
// where it is positive. Returns false if there are none.
bool pl_mixed_slack(const pl_element_set* set, double slack, int vertex_count, double* D);
// W_i = 1/4 sum_e V_e / mu_e, and volumes_i = 1/4 sum_e V_e
void pl_mixed_softness(const pl_element_set* set, int vertex_count, double* W, double* volumes);
// L += the Laplacian of linear functions on the tets at rest, each tet times the mean of `factors`
// at its corners.
void pl_mixed_add_laplacian(const pl_element_set* set, const double* factors, pl_block_matrix* L);
// For each piece: its rest volume [m^3], and whether all of its tets are nearly incompressible.
void pl_mixed_piece_volumes(const pl_element_set* set, const pl_step_pieces* pieces,
                            double* volumes, bool* is_incompressible);
// out = S p, with only the stabilisation part of B
void pl_mixed_stabilise(const pl_element_set* set, pl_pool* pool, double alpha, int vertex_count,
                        const double* p, double* out);

#endif
