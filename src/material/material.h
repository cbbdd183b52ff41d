// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Elastic laws of solids, as functions of the deformation gradient F (row-major 3x3): energy per rest volume Psi,
// first Piola stress P = dPsi/dF, tangent dP/dF. The double versions here are the reference; the wide float
// versions are in material_wide.h. Each law is one file, listed once in PL_MATERIAL_LIST.
#ifndef PL_MATERIAL_H
#define PL_MATERIAL_H

#include "base/status.h"
#include "math/mat3.h"

#include <stdbool.h>

// enum value, name in a scene
#define PL_MATERIAL_LIST(X)                          \
    X(PL_MATERIAL_LINEAR, "linear")                  \
    X(PL_MATERIAL_COROTATED, "corotated")            \
    X(PL_MATERIAL_ARAP, "arap")                      \
    X(PL_MATERIAL_STVK, "stvk")                      \
    X(PL_MATERIAL_NEOHOOKEAN, "neohookean")          \
    X(PL_MATERIAL_STABLE_NEOHOOKEAN, "stable_neohookean") \
    X(PL_MATERIAL_MOONEY_RIVLIN, "mooney_rivlin")

#define PL_MATERIAL_ENUM(code, name) code,
typedef enum pl_material_kind { PL_MATERIAL_LIST(PL_MATERIAL_ENUM) PL_MATERIAL_COUNT } pl_material_kind;
#undef PL_MATERIAL_ENUM

// Parameters of a law, per element. mu and lambda are the Lamé parameters of linear elasticity that the law has near
// the rest state, whatever its own form is.
typedef struct pl_material {
    pl_material_kind kind;
    double mu;     // [Pa]
    double lambda; // [Pa]
} pl_material;

// E [Pa] > 0 and -1 < nu < 0.5 to Lamé; an error says which is out of range.
pl_status pl_material_from_young(pl_material_kind kind, double young, double poisson, pl_material* out,
                                 pl_error* error);

double pl_material_energy(const pl_material* material, pl_mat3 F);
pl_mat3 pl_material_stress(const pl_material* material, pl_mat3 F);
// tangent[9 * i + j] = dP_i/dF_j, both flattened row-major; projected: the nearest positive semi-definite one.
void pl_material_tangent(const pl_material* material, pl_mat3 F, bool projected, double tangent[81]);

#endif
