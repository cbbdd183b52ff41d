// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Mooney-Rivlin in invariants that do not depend on the volume (Ruan 2024 section 6), with a =
// J^(-2/3):
//     Psi_d = mu10 (a I2 - 3) + mu01/2 (a^2 (I2^2 - I4) - 6),  mu10 + mu01 = mu/2,
//     Phi = J - 1,  kappa = lambda + 2/3 mu, the bulk modulus.
// Exists for J > 0 only.
#ifndef PL_MATERIAL_LAW_MOONEY_RIVLIN_H
#define PL_MATERIAL_LAW_MOONEY_RIVLIN_H

#include "material/isotropic.h"
#include "material/material_kind.h"

enum { PL_MOONEY_RIVLIN_USES = PL_USES_VOLUME | PL_USES_FOURTH | PL_NEEDS_VOLUME };

static inline double pl_mooney_rivlin_distortion(const pl_material* m, const pl_invariants* i,
                                                 pl_slopes* f) {
    double mu01 = 0.5 * m->rivlin * m->mu, mu10 = 0.5 * m->mu - mu01, J = i->J;
    double a = 1.0 / pow(cbrt(J), 2.0), a2 = a * a, II = i->I2 * i->I2 - i->I4;
    // derivatives of a and a^2 by J
    double da = -2.0 / 3.0 * a / J, dda = 10.0 / 9.0 * a / (J * J);
    double da2 = -4.0 / 3.0 * a2 / J, dda2 = 28.0 / 9.0 * a2 / (J * J);
    *f = (pl_slopes){.f2 = mu10 * a + mu01 * a2 * i->I2,
                     .f3 = mu10 * da * i->I2 + 0.5 * mu01 * da2 * II,
                     .f4 = -0.5 * mu01 * a2,
                     .f22 = mu01 * a2,
                     .f33 = mu10 * dda * i->I2 + 0.5 * mu01 * dda2 * II,
                     .f23 = mu10 * da + mu01 * da2 * i->I2,
                     .f34 = -0.5 * mu01 * da2};
    return mu10 * (a * i->I2 - 3.0) + 0.5 * mu01 * (a2 * II - 6.0);
}
static inline double pl_mooney_rivlin_volume(const pl_invariants* i, pl_slopes* f) {
    *f = (pl_slopes){.f3 = 1.0};
    return i->J - 1.0;
}
static inline double pl_mooney_rivlin_kappa(const pl_material* m) {
    return m->lambda + 2.0 / 3.0 * m->mu;
}

PL_WIDE pl_fw pl_mooney_rivlin_distortion_w(const pl_material_w* m, const pl_invariants_w* i,
                                            pl_slopes_w* f) {
    pl_fw mu01 = 0.5f * m->rivlin * m->mu, mu10 = 0.5f * m->mu - mu01;
    pl_fw root = pl_rcbrt_w(i->J), a = root * root, a2 = a * a, over = 1.0f / i->J;
    pl_fw II = pl_fma_w(i->I2, i->I2, -i->I4);
    pl_fw p = mu10 * a, q = mu01 * a2, pi = p * i->I2, qi = 0.5f * q * II;
    *f = (pl_slopes_w){.f2 = pl_fma_w(q, i->I2, p),
                       .f3 = over * ((float)(-2.0 / 3.0) * pi + (float)(-4.0 / 3.0) * qi),
                       .f4 = -0.5f * q,
                       .f22 = q,
                       .f33 = over * over * ((float)(10.0 / 9.0) * pi + (float)(28.0 / 9.0) * qi),
                       .f23 = over * ((float)(-2.0 / 3.0) * p + (float)(-4.0 / 3.0) * q * i->I2),
                       .f34 = over * (float)(2.0 / 3.0) * q};
    return (pi - 3.0f * mu10) + (qi - 3.0f * mu01);
}
PL_WIDE pl_fw pl_mooney_rivlin_volume_w(const pl_invariants_w* i, pl_slopes_w* f) {
    *f = (pl_slopes_w){.f3 = pl_splat_w(1.0f)};
    return i->J - 1.0f;
}
PL_WIDE pl_fw pl_mooney_rivlin_kappa_w(const pl_material_w* m) {
    return m->lambda + (float)(2.0 / 3.0) * m->mu;
}

#endif
