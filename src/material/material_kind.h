// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The kinds of elastic laws, and the parameters of one.
#ifndef PL_MATERIAL_KIND_H
#define PL_MATERIAL_KIND_H

#include "math/simd.h"

// enum value, name in a scene
#define PL_MATERIAL_LIST(X)                                                                        \
    X(PL_MATERIAL_LINEAR, "linear")                                                                \
    X(PL_MATERIAL_COROTATED, "corotated")                                                          \
    X(PL_MATERIAL_ARAP, "arap")                                                                    \
    X(PL_MATERIAL_STVK, "stvk")                                                                    \
    X(PL_MATERIAL_NEOHOOKEAN, "neohookean")                                                        \
    X(PL_MATERIAL_STABLE_NEOHOOKEAN, "stable_neohookean")                                          \
    X(PL_MATERIAL_MOONEY_RIVLIN, "mooney_rivlin")                                                  \
    X(PL_MATERIAL_BARE_NEOHOOKEAN, "bare_neohookean")

#define PL_MATERIAL_ENUM(code, name) code,
typedef enum pl_material_kind {
    PL_MATERIAL_LIST(PL_MATERIAL_ENUM) PL_MATERIAL_COUNT
} pl_material_kind;
#undef PL_MATERIAL_ENUM

// Parameters of a law, per element. mu and lambda are the Lamé parameters of linear elasticity that
// the law has near the rest state, whatever its own form is (ARAP has no lambda of its own: there
// it counts as 0).
typedef struct pl_material {
    pl_material_kind kind;
    double mu;     // [Pa]
    double lambda; // [Pa]; INFINITY: incompressible, for the split form only
    double rivlin; // Mooney-Rivlin only: mu01 / (mu01 + mu10), 0 to 1
} pl_material;

// The same of PL_LANES elements, all of one kind.
typedef struct pl_material_w {
    pl_fw mu, lambda, rivlin;
} pl_material_w;

#endif
