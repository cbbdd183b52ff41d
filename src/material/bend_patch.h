// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bending of a triangle among its three neighbours. The six vertices determine a quadratic surface
// over the triangle's plane, and with it the curvature K, a symmetric 2 x 2 matrix: the angles of
// the three hinges are linear in K (a rotation-free plate, as of Onate and Zarate 2000). So
//     Psi = D/2 area |K - K rest|^2 = 1/2 (theta - rest)' M (theta - rest)
// is that of a plate of stiffness D with Poisson's ratio 0, in every direction and for every shape
// of the triangles. Hinges on their own cannot have that: their angles depend on the shape of the
// triangles beside them.
//
// Vertices: x[0] x[1] x[2] the triangle, x[3 + i] completes the neighbour opposite x[i]. Angles are
// those of bending.h. M: 00 11 22 01 02 12.
#ifndef PL_MATERIAL_BEND_PATCH_H
#define PL_MATERIAL_BEND_PATCH_H

#include "material/bending.h"

enum { PL_PATCH_CORNERS = 6, PL_PATCH_DOFS = 3 * PL_PATCH_CORNERS };

// The corners of hinge i: its edge, the triangle's own vertex, the neighbour's.
static const int pl_patch_hinge[3][4] = {{1, 2, 0, 3}, {2, 0, 1, 4}, {0, 1, 2, 5}};
// Where the entry (i, j) of M stands.
static const int pl_patch_entry[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};

// M of a patch at rest, for D = 1; the neighbours are taken as if laid flat. False if the six
// vertices do not determine a curvature, or not well.
bool pl_patch_form(const pl_vec3 x[6], double form[6]);
// The angles of the three hinges.
void pl_patch_angles(const pl_vec3 x[6], double angles[3]);

// Energy; gradient (18 numbers) and Hessian (18 x 18, row-major), NULL if not wanted. projected:
// without the second derivatives of the angles, as in bending.h.
double pl_patch_energy(const pl_vec3 x[6], const double rest[3], const double form[6],
                       bool projected, double* gradient, double* hessian);

// The stiffness of Projective Dynamics, 6 x 6, as pl_bending_flat has it for hinges. slopes: of
// each angle by its four corners where the hinge is laid flat.
void pl_patch_slopes(const pl_vec3 x[6], double slopes[3][4]);
void pl_patch_flat(double slopes[3][4], const double form[6], double Q[36]);

// The gradients of the three angles by their corners, in float for PL_LANES patches.
PL_WIDE void pl_patch_gradients_w(const pl_vec3w x[6], pl_vec3w gradients[3][4]) {
    pl_fw zero = {0};
    for (int i = 0; i < 3; i++) {
        const int* c = pl_patch_hinge[i];
        const pl_vec3w hinge[4] = {x[c[0]], x[c[1]], x[c[2]], x[c[3]]};
        pl_bending_w(hinge, zero, zero, gradients[i]);
    }
}

#endif
