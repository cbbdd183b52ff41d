// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The table of wide laws: each function of material_wide.h compiled once for each kind.
#include "material/material_wide.h"

// Whether there is a pressure is tested at run time, which halves the code at no cost.
#define LAW_FUNCTIONS(X, KIND, name, help)                                                         \
    static void name##_energy(const pl_material_w* m, const pl_mat3w* F, pl_quatw* q,              \
                              pl_fw* energy) {                                                     \
        *energy = pl_law_energy_w(PL_MATERIAL_##KIND, (pl_law_request_w){m, NULL}, F, q);          \
    }                                                                                              \
    static __attribute__((noinline)) void name##_any_stress(pl_law_request_w r, const pl_mat3w* F, \
                                                            pl_quatw* q, pl_mat3w* P) {            \
        *P = pl_law_stress_w(PL_MATERIAL_##KIND, r, F, q);                                         \
    }                                                                                              \
    static void name##_stress(const pl_material_w* m, const pl_mat3w* F, pl_quatw* q,              \
                              pl_mat3w* P) {                                                       \
        name##_any_stress((pl_law_request_w){m, NULL}, F, q, P);                                   \
    }                                                                                              \
    static void name##_mixed_stress(const pl_material_w* m, const pl_mat3w* F, pl_fw pressure,     \
                                    pl_quatw* q, pl_mat3w* P) {                                    \
        name##_any_stress((pl_law_request_w){m, &pressure}, F, q, P);                              \
    }                                                                                              \
    static __attribute__((noinline)) void name##_any_principal(                                    \
        pl_law_request_w r, const pl_mat3w* F, float projected, pl_principal_w* tangent,           \
        pl_mat3w* P) {                                                                             \
        pl_law_principal_w(PL_MATERIAL_##KIND, r, F, projected, tangent, P);                       \
    }                                                                                              \
    static void name##_principal(const pl_material_w* m, const pl_mat3w* F, float projected,       \
                                 pl_principal_w* tangent, pl_mat3w* P) {                           \
        name##_any_principal((pl_law_request_w){m, NULL}, F, projected, tangent, P);               \
    }                                                                                              \
    static void name##_mixed_principal(const pl_material_w* m, const pl_mat3w* F, pl_fw pressure,  \
                                       float projected, pl_principal_w* tangent, pl_mat3w* P) {    \
        name##_any_principal((pl_law_request_w){m, &pressure}, F, projected, tangent, P);          \
    }                                                                                              \
    static void name##_constraint(const pl_mat3w* F, pl_quatw* q, pl_fw* phi,                      \
                                  pl_mat3w* gradient) {                                            \
        *phi = pl_law_constraint_w(PL_MATERIAL_##KIND, F, q, gradient);                            \
    }
PL_SOLID_LAW_LIST(LAW_FUNCTIONS, )
#undef LAW_FUNCTIONS

#define LAW_ROW(X, KIND, name, help)                                                               \
    [PL_MATERIAL_##KIND] = {name##_energy,       name##_stress,          name##_principal,         \
                            name##_mixed_stress, name##_mixed_principal, name##_constraint},
static const pl_material_law laws[PL_MATERIAL_COUNT] = {PL_SOLID_LAW_LIST(LAW_ROW, )};
#undef LAW_ROW

const pl_material_law* pl_material_law_of(pl_material_kind kind) { return &laws[kind]; }
