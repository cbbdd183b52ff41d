// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Stable Neo-Hookean (Smith, de Goes and Kim 2018, Eq. 14 with the moduli of section 3.4): finite
// for every F, and F = 0 is not a minimum. With m = 4/3 mu and k = lambda + 5/6 mu, which give mu
// and lambda at rest,
//     Psi = m/2 (I2 - 3) - m/2 log((I2 + 1) / 4) + k/2 (J - 1)^2 - 3/4 m (J - 1),
// their k/2 (J - alpha)^2 multiplied out. Phi = J - 1, kappa = k.
//
// The mixed method's paper leaves the logarithm out (Smith 2018 Eq. 9; Ruan 2024 section 6), which
// is cheaper, but makes F = 0 a minimum.
#ifndef PL_MATERIAL_LAW_STABLE_NEOHOOKEAN_H
#define PL_MATERIAL_LAW_STABLE_NEOHOOKEAN_H

#include "material/isotropic.h"
#include "material/material_kind.h"

enum { PL_STABLE_NEOHOOKEAN_USES = PL_USES_VOLUME };

// The parts of the law that depend on I2 alone, for the modulus m: its energy, and its slopes with
// that of J.
static inline double pl_stable_neohookean_stretch(double m, double I2) {
    return 0.5 * m * (I2 - 3.0 - log(0.25 * (I2 + 1.0)));
}
static inline pl_slopes pl_stable_neohookean_slopes(double m, double I2) {
    double inverse = 1.0 / (I2 + 1.0);
    return (pl_slopes){
        .f2 = 0.5 * m * (1.0 - inverse), .f3 = -0.75 * m, .f22 = 0.5 * m * inverse * inverse};
}

static inline double pl_stable_neohookean_distortion(const pl_material* m, const pl_invariants* i,
                                                     pl_slopes* f) {
    double modulus = 4.0 / 3.0 * m->mu;
    *f = pl_stable_neohookean_slopes(modulus, i->I2);
    return pl_stable_neohookean_stretch(modulus, i->I2) - 0.75 * modulus * (i->J - 1.0);
}
static inline double pl_stable_neohookean_volume(const pl_invariants* i, pl_slopes* f) {
    *f = (pl_slopes){.f3 = 1.0};
    return i->J - 1.0;
}
static inline double pl_stable_neohookean_kappa(const pl_material* m) {
    return m->lambda + 5.0 / 6.0 * m->mu;
}

PL_WIDE pl_fw pl_stable_neohookean_distortion_w(const pl_material_w* m, const pl_invariants_w* i,
                                                pl_slopes_w* f) {
    pl_fw modulus = (float)(4.0 / 3.0) * m->mu, inverse = 1.0f / (i->I2 + 1.0f);
    *f = (pl_slopes_w){.f2 = 0.5f * modulus * (i->I2 * inverse),
                       .f3 = -0.75f * modulus,
                       .f22 = 0.5f * modulus * inverse * inverse};
    return modulus *
           (0.5f * (i->I2 - 3.0f - pl_log_w(0.25f * (i->I2 + 1.0f))) - 0.75f * (i->J - 1.0f));
}
PL_WIDE pl_fw pl_stable_neohookean_volume_w(const pl_invariants_w* i, pl_slopes_w* f) {
    *f = (pl_slopes_w){.f3 = pl_splat_w(1.0f)};
    return i->J - 1.0f;
}
PL_WIDE pl_fw pl_stable_neohookean_kappa_w(const pl_material_w* m) {
    return m->lambda + (float)(5.0 / 6.0) * m->mu;
}

#endif
