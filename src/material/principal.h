// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The tangent of a law in the frame of principal stretches. With F = U diag(s) V' and a change dF
// seen from that frame, dG = U' dF V, an isotropic law changes its stress by
//     dP = U dQ V',  dQ_ii = sum_j A_ij dG_jj,  dQ_ij = same_k dG_ij + cross_k dG_ji,
// where k is the index that is neither i nor j. So twelve numbers replace nine by nine, and the
// eigenvalues are those of A (stretching), same + cross (shearing) and same - cross (twisting). A
// tet's stiffness follows from it without the 9 x 9 matrix: pl_principal_block.
#ifndef PL_MATERIAL_PRINCIPAL_H
#define PL_MATERIAL_PRINCIPAL_H

#include "math/mat3.h"
#include "math/symmetric.h"

typedef struct pl_principal {
    pl_mat3 U, V;
    double A[6]; // 00 11 22 01 02 12
    double same[3], cross[3];
} pl_principal;

typedef struct pl_principal_w {
    pl_mat3w U, V;
    pl_sym3w A;
    pl_fw same[3], cross[3];
} pl_principal_w;

// The 3 x 3 matrix K with K_ik = sum_jl dP_ij/dF_kl a_j b_l: the stiffness between two vertices
// whose shape functions have the rest gradients a and b, per rest volume.
pl_mat3 pl_principal_block(const pl_principal* p, pl_vec3 a, pl_vec3 b);

// The same block in the frame: a and b rotated by V', the result not yet rotated by U.
PL_WIDE pl_mat3w pl_principal_frame_block_w(const pl_principal_w* p, pl_vec3w a, pl_vec3w b) {
    const pl_fw *A = p->A.m, *same = p->same, *cross = p->cross;
    pl_fw xx = a.x * b.x, yy = a.y * b.y, zz = a.z * b.z;
    return (pl_mat3w){{
        pl_fma_w(A[0], xx, pl_fma_w(same[2], yy, same[1] * zz)),
        pl_fma_w(A[3], a.x * b.y, cross[2] * (a.y * b.x)),
        pl_fma_w(A[4], a.x * b.z, cross[1] * (a.z * b.x)),
        pl_fma_w(A[3], a.y * b.x, cross[2] * (a.x * b.y)),
        pl_fma_w(A[1], yy, pl_fma_w(same[2], xx, same[0] * zz)),
        pl_fma_w(A[5], a.y * b.z, cross[0] * (a.z * b.y)),
        pl_fma_w(A[4], a.z * b.x, cross[1] * (a.x * b.z)),
        pl_fma_w(A[5], a.z * b.y, cross[0] * (a.y * b.z)),
        pl_fma_w(A[2], zz, pl_fma_w(same[1], xx, same[0] * yy)),
    }};
}
// V' a
PL_WIDE pl_vec3w pl_principal_turn_w(const pl_principal_w* p, pl_vec3w a) {
    pl_mat3w Vt = pl_mat3_transpose_w(p->V);
    return pl_mat3_apply_w(&Vt, a);
}
// U K U'
PL_WIDE pl_mat3w pl_principal_unturn_w(const pl_principal_w* p, pl_mat3w K) {
    return pl_mat3_mult_w(pl_mat3_mul_w(p->U, K), p->U);
}

#endif
