// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Corotated linear (McAdams 2011): Psi = mu |F - R|^2 + lambda/2 tr(S - I)^2.
// Psi_d = mu (I2 - 2 I1 + 3), Phi = I1 - 3, kappa = lambda.
#ifndef PL_MATERIAL_LAW_COROTATED_H
#define PL_MATERIAL_LAW_COROTATED_H

#include "material/law_arap.h"

enum { PL_COROTATED_USES = PL_USES_ROTATION };

static inline double pl_corotated_distortion(const pl_material* m, const pl_invariants* i,
                                             pl_slopes* f) {
    return pl_arap_distortion(m, i, f);
}
static inline double pl_corotated_volume(const pl_invariants* i, pl_slopes* f) {
    *f = (pl_slopes){.f1 = 1.0};
    return i->I1 - 3.0;
}
static inline double pl_corotated_kappa(const pl_material* m) { return m->lambda; }

PL_WIDE pl_fw pl_corotated_distortion_w(const pl_material_w* m, const pl_invariants_w* i,
                                        pl_slopes_w* f) {
    return pl_arap_distortion_w(m, i, f);
}
PL_WIDE pl_fw pl_corotated_volume_w(const pl_invariants_w* i, pl_slopes_w* f) {
    *f = (pl_slopes_w){.f1 = pl_splat_w(1.0f)};
    return i->I1 - 3.0f;
}
PL_WIDE pl_fw pl_corotated_kappa_w(const pl_material_w* m) { return m->lambda; }

#endif
