// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The kinds of elastic laws, and the parameters of one. A law of solids is one file, law_NAME.h,
// that the build finds by its name, and one line in PL_ISOTROPIC_LAW_LIST of pliant/scene_names.h.
// The file defines PL_NAME_USES (isotropic.h) and, in double and wide, the three functions of the
// split
//
//     Psi = Psi_d + kappa/2 Phi^2:   pl_NAME_distortion  Psi_d and its slopes
//                                    pl_NAME_volume      Phi and its slopes
//                                    pl_NAME_kappa       kappa
#ifndef PL_MATERIAL_KIND_H
#define PL_MATERIAL_KIND_H

#include "math/simd.h"

#include <pliant/scene_names.h>

#define PL_MATERIAL_VALUE(X, CODE, name, help) PL_MATERIAL_##CODE,
typedef enum pl_material_kind {
    PL_SOLID_LAW_LIST(PL_MATERIAL_VALUE, ) PL_MATERIAL_COUNT
} pl_material_kind;
#undef PL_MATERIAL_VALUE

// Parameters of a law, per element. mu and lambda are the Lamé parameters of the linear elasticity
// to which the law reduces near the rest state (for ARAP lambda counts as 0).
typedef struct pl_material {
    pl_material_kind kind;
    double mu;     // [Pa]
    double lambda; // [Pa]; INFINITY: incompressible, for the split form only
    double rivlin; // Mooney-Rivlin only: mu01 / (mu01 + mu10), 0 to 1
} pl_material;

// The same for PL_LANES elements, all of one kind.
typedef struct pl_material_w {
    pl_fw mu, lambda, rivlin;
} pl_material_w;

#endif
