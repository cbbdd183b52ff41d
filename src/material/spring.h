// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A spring between two points: Psi = k/2 (|d| - rest)^2, d = x1 - x0. Cloth has three kinds, which
// differ only in what they join: edges (stretch), diagonals of quads (shear), and the two vertices
// opposite an edge (bend).
#ifndef PL_MATERIAL_SPRING_H
#define PL_MATERIAL_SPRING_H

#include "math/double4.h"
#include "math/mat3.h"
#include "math/symmetric.h"
#include "math/vec3w.h"

#include <math.h>

// A spring shorter than this fraction of its rest length has no direction: it exerts no force and
// its Hessian is k I.
#define PL_SPRING_MIN_LENGTH 1e-6

// The law of all springs, for any type of number: the force over the length, k (|d| - rest) / |d|,
// from |d|^2; and the strain |d| - rest. `masked` keeps a value where a condition holds, else 0.
#define PL_SPRING_LAW(name, number, root, least, masked)                                           \
    PL_WIDE number name(number square, number rest, number stiffness, number* strain) {            \
        number length = root(square);                                                              \
        *strain = length - rest;                                                                   \
        number pull = stiffness * *strain / length;                                                \
        return masked(length > least * rest, pull);                                                \
    }
#define PL_SPRING_MASKED(mask, value) ((mask) ? (value) : 0.0)
#define PL_SPRING_MASKED_W(mask, value) pl_select_w(mask, value, (pl_fw){0})
PL_SPRING_LAW(pl_spring_pull, double, sqrt, PL_SPRING_MIN_LENGTH, PL_SPRING_MASKED)
PL_SPRING_LAW(pl_spring_pull_d4, pl_d4, pl_sqrt_d4, PL_SPRING_MIN_LENGTH, pl_where_d4)
PL_SPRING_LAW(pl_spring_pull_w, pl_fw, pl_sqrt_w, (float)PL_SPRING_MIN_LENGTH, PL_SPRING_MASKED_W)
#undef PL_SPRING_MASKED
#undef PL_SPRING_MASKED_W
#undef PL_SPRING_LAW

// Energy. gradient: by x1; that by x0 is its negative. hessian: by x1 and x1; the other blocks are
// plus or minus this one. NULL if not wanted. projected: positive semi-definite.
double pl_spring_energy(pl_vec3 d, double rest, double stiffness, bool projected, pl_vec3* gradient,
                        pl_mat3* hessian);

// The Hessian in float, of PL_LANES springs; partly projected (0 to 1).
PL_WIDE pl_mat3w pl_spring_hessian_w(pl_vec3w d, pl_fw rest, pl_fw stiffness, float projected) {
    pl_fw length = pl_sqrt_w(pl_dot_w(d, d)), zero = {0}, one = zero + 1.0f;
    pl_iw usable = length > (float)PL_SPRING_MIN_LENGTH * rest;
    pl_fw inverse = 1.0f / pl_select_w(usable, length, one);
    pl_vec3w n = pl_scale_w(pl_select_w(usable, inverse, zero), d);
    // across: the stiffness across the spring; 1 - rest / length is negative under compression
    pl_fw across = pl_select_w(usable, stiffness * ((length - rest) * inverse), stiffness);
    pl_fw side = pl_project_w(across, projected), along = stiffness - side;
    pl_vec3w m = pl_scale_w(along, n);
    return (pl_mat3w){{pl_fma_w(m.x, n.x, side), m.x * n.y, m.x * n.z, m.x * n.y,
                       pl_fma_w(m.y, n.y, side), m.y * n.z, m.x * n.z, m.y * n.z,
                       pl_fma_w(m.z, n.z, side)}};
}

#endif
