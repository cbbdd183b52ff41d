// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bending of a triangle among its three neighbours, by the angles theta of its three hinges:
//     Psi = 1/2 (theta - rest)' M (theta - rest)
// The forms M of a sheet are chosen together (bend_fit.h) so that it bends like a plate.
// Independent hinges cannot do that: their angles depend on the shapes of adjacent triangles, so
// they are stiffer in some directions than in others.
//
// Vertices: x[0] x[1] x[2] the triangle, x[3 + i] completes the neighbour opposite x[i]. Angles are
// those of bending.h. M: 00 11 22 01 02 12.
#ifndef PL_MATERIAL_BEND_PATCH_H
#define PL_MATERIAL_BEND_PATCH_H

#include "material/bending.h"

enum { PL_PATCH_CORNERS = 6, PL_PATCH_DOFS = 3 * PL_PATCH_CORNERS };

// The corners of hinge i: its edge, the triangle's own vertex, the neighbour's.
static const int pl_patch_hinge[3][4] = {{1, 2, 0, 3}, {2, 0, 1, 4}, {0, 1, 2, 5}};
// The index of entry (i, j) of M.
static const int pl_patch_entry[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};

// The angle of a hinge laid flat is nn K_nn + tn K_tn + tt K_tt when its vertices lie on a surface
// of curvature K, t along the edge and n across it, towards the first triangle: with h the heights
// of the triangles over the edge of length L and s their feet along it, nn = (h1 + h2)/2, tn = s1 -
// s2, tt = -(s1 (L - s1)/h1 + s2 (L - s2)/h2)/2. False if a height vanishes.
bool pl_patch_hinge_angles(const pl_vec3 x[4], double* nn, double* tn, double* tt);

// Side i of a patch has no hinge where x[3 + i] is x[i]; M has zeros there.
static inline bool pl_patch_has_hinge(const int corners[6], int i) {
    return corners[3 + i] != corners[i];
}

// An initial form for D = 1, that of mid-edge normals (Grinspun 2006): with L the lengths of edges
// and c the cosine between them, M_ij = L_i L_j c^2 / (4 area). False if there is no hinge that can
// be measured.
bool pl_patch_guess(const pl_vec3 x[6], const int corners[6], double form[6]);
// The angles of the three hinges.
void pl_patch_angles(const pl_vec3 x[6], double angles[3]);

// Energy; gradient (18 numbers) and Hessian (18 x 18, row-major), NULL if not wanted. projected:
// without the second derivatives of the angles, as in bending.h.
double pl_patch_energy(const pl_vec3 x[6], const double rest[3], const double form[6],
                       bool projected, double* gradient, double* hessian);

// The stiffness of Projective Dynamics, 6 x 6, like that of pl_bending_flat_slopes for hinges.
// slopes: of each angle by its four corners where the hinge is laid flat.
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
