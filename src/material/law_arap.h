// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// As rigid as possible: Psi = mu |F - R|^2 = mu (I2 - 2 I1 + 3). No volume term, so no split form:
// Phi = 0.
#ifndef PL_MATERIAL_LAW_ARAP_H
#define PL_MATERIAL_LAW_ARAP_H

#include "material/isotropic.h"
#include "material/material_kind.h"

enum { PL_ARAP_USES = PL_USES_ROTATION | PL_HAS_NO_SPLIT };

static inline double pl_arap_distortion(const pl_material* m, const pl_invariants* i,
                                        pl_slopes* f) {
    *f = (pl_slopes){.f1 = -2.0 * m->mu, .f2 = m->mu};
    return m->mu * (i->I2 - 2.0 * i->I1 + 3.0);
}
static inline double pl_arap_volume(const pl_invariants* i, pl_slopes* f) {
    (void)i;
    *f = (pl_slopes){0};
    return 0.0;
}
static inline double pl_arap_kappa(const pl_material* m) {
    (void)m;
    return 0.0;
}

PL_WIDE pl_fw pl_arap_distortion_w(const pl_material_w* m, const pl_invariants_w* i,
                                   pl_slopes_w* f) {
    *f = (pl_slopes_w){.f1 = -2.0f * m->mu, .f2 = m->mu};
    return m->mu * (i->I2 - 2.0f * i->I1 + 3.0f);
}
PL_WIDE pl_fw pl_arap_volume_w(const pl_invariants_w* i, pl_slopes_w* f) {
    (void)i;
    *f = (pl_slopes_w){0};
    return (pl_fw){0};
}
PL_WIDE pl_fw pl_arap_kappa_w(const pl_material_w* m) { return 0.0f * m->mu; }

#endif
