// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Neo-Hookean (Bonet and Wood 2008): Psi = mu/2 (I2 - 3) - mu log J + lambda/2 (log J)^2.
// Psi_d is the first two terms, Phi = log J, kappa = lambda. Exists for J > 0 only; with
// lambda < 0 (Poisson's ratio below 0) it has no lower bound under extreme compression.
#ifndef PL_MATERIAL_LAW_NEOHOOKEAN_H
#define PL_MATERIAL_LAW_NEOHOOKEAN_H

#include "material/isotropic.h"
#include "material/material_kind.h"

enum { PL_NEOHOOKEAN_USES = PL_USES_VOLUME | PL_NEEDS_VOLUME };

static inline double pl_neohookean_distortion(const pl_material* m, const pl_invariants* i,
                                              pl_slopes* f) {
    *f = (pl_slopes){.f2 = 0.5 * m->mu, .f3 = -m->mu / i->J, .f33 = m->mu / (i->J * i->J)};
    return 0.5 * m->mu * (i->I2 - 3.0) - m->mu * log(i->J);
}
static inline double pl_neohookean_volume(const pl_invariants* i, pl_slopes* f) {
    *f = (pl_slopes){.f3 = 1.0 / i->J, .f33 = -1.0 / (i->J * i->J)};
    return log(i->J);
}
static inline double pl_neohookean_kappa(const pl_material* m) { return m->lambda; }

PL_WIDE pl_fw pl_neohookean_distortion_w(const pl_material_w* m, const pl_invariants_w* i,
                                         pl_slopes_w* f) {
    pl_fw inverse = 1.0f / i->J;
    *f =
        (pl_slopes_w){.f2 = 0.5f * m->mu, .f3 = -m->mu * inverse, .f33 = m->mu * inverse * inverse};
    return m->mu * (0.5f * (i->I2 - 3.0f) - pl_log_w(i->J));
}
PL_WIDE pl_fw pl_neohookean_volume_w(const pl_invariants_w* i, pl_slopes_w* f) {
    pl_fw inverse = 1.0f / i->J;
    *f = (pl_slopes_w){.f3 = inverse, .f33 = -inverse * inverse};
    return pl_log_w(i->J);
}
PL_WIDE pl_fw pl_neohookean_kappa_w(const pl_material_w* m) { return m->lambda; }

#endif
