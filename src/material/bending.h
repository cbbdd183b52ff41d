// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bending of two triangles about their common edge (Grinspun 2003; gradient of the angle as in
// Bridson 2003): Psi = k/2 (theta - rest)^2, theta the angle between the normals, 0 when flat,
// positive where the triangles fold towards their normals. Vertices: x[0] x[1] the edge, x[2]
// completes the triangle x0 x1 x2, x[3] the triangle x1 x0 x3. k [J] carries the geometry
// (pl_bending_hinge). Sheets bend by patches of three hinges (bend_patch.h); a single hinge is used
// where there is no patch.
#ifndef PL_MATERIAL_BENDING_H
#define PL_MATERIAL_BENDING_H

#include "math/mat3.h"
#include "math/vec3w.h"

// The angle in (-pi, pi] and its gradient by the four vertices (NULL if not wanted). False, angle
// 0 and no gradient where an area or the edge vanishes.
bool pl_bending_angle(const pl_vec3 x[4], double* angle, pl_vec3 gradient[4]);

// Energy; gradient (12 numbers) and Hessian (12 x 12, row-major), NULL if not wanted. The angle is
// taken the short way round to the rest angle. projected: k g g' (Gauss-Newton) without the part
// k (theta - rest) d2theta/dx2, which has eigenvalues of both signs wherever it is not zero; so it
// is exact at the rest angle, the only place where the Hessian is semi-definite. The nearest
// semi-definite matrix would take the eigenvectors of a 12 x 12 matrix for each hinge. Zero where
// the angle does not exist.
double pl_bending_energy(const pl_vec3 x[4], double rest, double stiffness, bool projected,
                         double* gradient, double* hessian);

// The lengths c of the angle's gradients where the hinge is laid flat; all are along the normal
// there. The stiffness of Projective Dynamics is the 4 x 4 matrix Q = k c c', one number per pair
// of vertices. Q (x) I is k g g' of the flat hinge, in all directions instead of the normal alone;
// it is the matrix of quadratic bending (Bergou 2006). Returns false and c = 0 where the angle does
// not exist.
bool pl_bending_flat_slopes(const pl_vec3 x[4], double c[4]);

// moment d2 theta / dx2, 12 x 12; zero where the angle does not exist.
void pl_bending_curving(const pl_vec3 x[4], double moment, double out[144]);

// k of a hinge at rest in a strip of bending stiffness 1 that is bent across the edge: |edge|^2 /
// (sum of the two areas).
double pl_bending_hinge(const pl_vec3 x[4]);

// The same in float for PL_LANES hinges: k (theta - rest), and the gradient of theta; their product
// is the gradient of the energy, and k g g' a Hessian that is always semi-definite and exact at
// rest.
PL_WIDE pl_fw pl_bending_w(const pl_vec3w x[4], pl_fw rest, pl_fw stiffness, pl_vec3w gradient[4]) {
    pl_vec3w e = pl_sub_w(x[1], x[0]);
    pl_vec3w a0 = pl_sub_w(x[2], x[0]), b0 = pl_sub_w(x[3], x[0]);
    pl_vec3w n1 = pl_cross_w(e, a0), n2 = pl_cross_w(b0, e);
    pl_fw e2 = pl_dot_w(e, e), m1 = pl_dot_w(n1, n1), m2 = pl_dot_w(n2, n2);
    pl_fw zero = {0}, one = zero + 1.0f, least = 1e-10f * e2 * e2;
    pl_iw usable = (m1 > least) & (m2 > least);
    pl_fw length = pl_sqrt_w(e2), inverse = 1.0f / pl_select_w(usable, length, one);
    pl_fw sine = pl_dot_w(pl_cross_w(n2, n1), e) * inverse, cosine = pl_dot_w(n1, n2);
    pl_fw angle = pl_select_w(usable, pl_atan2_w(sine, cosine), rest);
    pl_vec3w g1 = pl_scale_w(pl_select_w(usable, 1.0f / m1, zero), n1);
    pl_vec3w g2 = pl_scale_w(pl_select_w(usable, 1.0f / m2, zero), n2);
    // how far along the edge the feet of the two heights lie
    pl_fw t1 = pl_dot_w(a0, e) * inverse, t2 = pl_dot_w(b0, e) * inverse;
    gradient[0] = pl_madd_w(pl_scale_w(t1 - length, g1), t2 - length, g2);
    gradient[1] = pl_madd_w(pl_scale_w(-t1, g1), -t2, g2);
    gradient[2] = pl_scale_w(length, g1);
    gradient[3] = pl_scale_w(length, g2);
    pl_fw delta = angle - rest, pi = 3.14159265f * one, turn = 6.28318531f * one;
    delta = pl_select_w(delta > pi, delta - turn, delta);
    delta = pl_select_w(delta < -pi, delta + turn, delta);
    return stiffness * delta;
}

#endif
