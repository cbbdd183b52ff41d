// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "material/principal.h"

// dP for a dF
static pl_mat3 apply(const pl_principal* p, pl_mat3 dF) {
    const pl_mat3 dG = pl_mat3_mul(pl_mat3_tmul(p->U, dF), p->V);
    const double *g = dG.m, *A = p->A, *same = p->same, *cross = p->cross;
    pl_mat3 dQ = {{A[0] * g[0] + A[3] * g[4] + A[4] * g[8], same[2] * g[1] + cross[2] * g[3],
                   same[1] * g[2] + cross[1] * g[6], same[2] * g[3] + cross[2] * g[1],
                   A[3] * g[0] + A[1] * g[4] + A[5] * g[8], same[0] * g[5] + cross[0] * g[7],
                   same[1] * g[6] + cross[1] * g[2], same[0] * g[7] + cross[0] * g[5],
                   A[4] * g[0] + A[5] * g[4] + A[2] * g[8]}};
    return pl_mat3_mult(pl_mat3_mul(p->U, dQ), p->V);
}

void pl_principal_dense(const pl_principal* p, double tangent[81]) {
    for (int j = 0; j < 9; j++) {
        pl_mat3 dF = {{0}};
        dF.m[j] = 1.0;
        pl_mat3 dP = apply(p, dF);
        for (int i = 0; i < 9; i++) tangent[9 * i + j] = dP.m[i];
    }
}

pl_mat3 pl_principal_block(const pl_principal* p, pl_vec3 a, pl_vec3 b) {
    pl_mat3 Vt = pl_mat3_transpose(p->V);
    const double *A = p->A, *same = p->same, *cross = p->cross;
    a = pl_mat3_apply(&Vt, a);
    b = pl_mat3_apply(&Vt, b);
    pl_mat3 K = {{A[0] * a.x * b.x + same[2] * a.y * b.y + same[1] * a.z * b.z,
                  A[3] * a.x * b.y + cross[2] * a.y * b.x, A[4] * a.x * b.z + cross[1] * a.z * b.x,
                  A[3] * a.y * b.x + cross[2] * a.x * b.y,
                  A[1] * a.y * b.y + same[2] * a.x * b.x + same[0] * a.z * b.z,
                  A[5] * a.y * b.z + cross[0] * a.z * b.y, A[4] * a.z * b.x + cross[1] * a.x * b.z,
                  A[5] * a.z * b.y + cross[0] * a.y * b.z,
                  A[2] * a.z * b.z + same[1] * a.x * b.x + same[0] * a.y * b.y}};
    return pl_mat3_mult(pl_mat3_mul(p->U, K), p->U);
}
