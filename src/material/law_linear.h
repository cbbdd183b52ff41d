// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Linear elasticity: with e = sym(F) - I, Psi = mu e:e + lambda/2 tr(e)^2. Only for small
// displacements, since a rotated body has energy. Psi_d = mu e:e, Phi = tr e, kappa = lambda. Its
// tangent is constant and has the principal form with U = V = I.
#ifndef PL_MATERIAL_LAW_LINEAR_H
#define PL_MATERIAL_LAW_LINEAR_H

#include "material/material_kind.h"

static inline pl_mat3 pl_linear_strain(pl_mat3 F) {
    pl_mat3 e = pl_mat3_scale(0.5, pl_mat3_add(F, pl_mat3_transpose(F)));
    return pl_mat3_sub(e, pl_mat3_identity());
}
// mu e:e and its stress
static inline double pl_linear_distortion(const pl_material* m, pl_mat3 F, pl_mat3* P) {
    pl_mat3 e = pl_linear_strain(F);
    *P = pl_mat3_scale(2.0 * m->mu, e);
    return m->mu * pl_mat3_dot(e, e);
}
static inline double pl_linear_volume(pl_mat3 F) { return pl_mat3_trace(pl_linear_strain(F)); }
// lambda 0 gives the tangent of the distortion alone
static inline pl_principal pl_linear_principal(double mu, double lambda) {
    double along = 2.0 * mu + lambda;
    return (pl_principal){.U = pl_mat3_identity(),
                          .V = pl_mat3_identity(),
                          .A = {along, along, along, lambda, lambda, lambda},
                          .same = {mu, mu, mu},
                          .cross = {mu, mu, mu}};
}

PL_WIDE pl_fw pl_linear_distortion_w(const pl_material_w* m, const pl_mat3w* F, pl_mat3w* P) {
    pl_mat3w G = pl_mat3_sub_w(*F, pl_mat3_identity_w());
    pl_mat3w e = pl_mat3_scale_w(pl_splat_w(0.5f), pl_mat3_add_w(G, pl_mat3_transpose_w(G)));
    *P = pl_mat3_scale_w(2.0f * m->mu, e);
    return m->mu * pl_mat3_dot_w(e, e);
}
PL_WIDE pl_fw pl_linear_volume_w(const pl_mat3w* F) {
    return (F->m[0] - 1.0f) + (F->m[4] - 1.0f) + (F->m[8] - 1.0f);
}
PL_WIDE void pl_linear_principal_w(pl_fw mu, pl_fw lambda, pl_principal_w* out) {
    pl_fw along = 2.0f * mu + lambda;
    out->U = out->V = pl_mat3_identity_w();
    out->A = (pl_sym3w){{along, along, along, lambda, lambda, lambda}};
    for (int k = 0; k < 3; k++) out->same[k] = out->cross[k] = mu;
}

#endif
