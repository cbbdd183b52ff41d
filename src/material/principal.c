// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "material/principal.h"

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
