// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// St. Venant-Kirchhoff with the Green strain E = (F'F - I) / 2: Psi = mu E:E + lambda/2 tr(E)^2.
// Psi_d = mu/4 (I4 - 2 I2 + 3), Phi = (I2 - 3) / 2, kappa = lambda. It does not resist being
// pressed flat.
#ifndef PL_MATERIAL_LAW_STVK_H
#define PL_MATERIAL_LAW_STVK_H

#include "material/isotropic.h"
#include "material/material_kind.h"

enum { PL_STVK_USES = PL_USES_FOURTH };

static inline double pl_stvk_distortion(const pl_material* m, const pl_invariants* i,
                                        pl_slopes* f) {
    *f = (pl_slopes){.f2 = -0.5 * m->mu, .f4 = 0.25 * m->mu};
    return 0.25 * m->mu * (i->I4 - 2.0 * i->I2 + 3.0);
}
static inline double pl_stvk_volume(const pl_invariants* i, pl_slopes* f) {
    *f = (pl_slopes){.f2 = 0.5};
    return 0.5 * (i->I2 - 3.0);
}
static inline double pl_stvk_kappa(const pl_material* m) { return m->lambda; }

PL_WIDE pl_fw pl_stvk_distortion_w(const pl_material_w* m, const pl_invariants_w* i,
                                   pl_slopes_w* f) {
    *f = (pl_slopes_w){.f2 = -0.5f * m->mu, .f4 = 0.25f * m->mu};
    return 0.25f * m->mu * (i->I4 - 2.0f * i->I2 + 3.0f);
}
PL_WIDE pl_fw pl_stvk_volume_w(const pl_invariants_w* i, pl_slopes_w* f) {
    *f = (pl_slopes_w){.f2 = pl_splat_w(0.5f)};
    return 0.5f * (i->I2 - 3.0f);
}
PL_WIDE pl_fw pl_stvk_kappa_w(const pl_material_w* m) { return m->lambda; }

#endif
