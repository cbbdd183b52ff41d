// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Elastic laws of solids, as functions of the deformation gradient F (row-major 3x3): energy per
// rest volume Psi, first Piola stress P = dPsi/dF, tangent dP/dF. The double versions here are the
// reference; the wide float versions are in material_wide.h. Each law is one file, law_NAME.h,
// listed once in PL_ISOTROPIC_LAW_LIST of
// pliant/scene_names.h. How energy, stress and tangent come from a law: isotropic.h.
//
// Every law but ARAP has the split form Psi = Psi_d + kappa/2 Phi^2 of distortion and volume
// constraint (Ruan 2024, section 6), which the mixed method uses with a pressure p as
// Psi_d + p Phi - p^2 / (2 kappa).
#ifndef PL_MATERIAL_H
#define PL_MATERIAL_H

#include "base/fail.h"
#include "material/material_kind.h"
#include "material/principal.h"

#include <stdbool.h>

// The name of a law in a scene; NULL for a kind that does not exist.
const char* pl_material_name(pl_material_kind kind);
// The kind of a scene's law; false for laws that are not of solids.
bool pl_material_of_law(pl_law law, pl_material_kind* kind);

// E [Pa] > 0 and -1 < nu < 0.5 to Lamé; an error says which is out of range.
pl_status pl_material_from_young(pl_material_kind kind, double young, double poisson,
                                 pl_material* out, pl_error* error);
// The fraction of the shear modulus mu that belongs to the second invariant, from mu2 [Pa]; 1 if
// mu2 is above mu.
double pl_material_rivlin(double mu, double mu2);

// True for laws that exist only for det F > 0 (Neo-Hookean, Mooney-Rivlin). For other F their
// energy is INFINITY, which a line search refuses, and stress and tangent are NaN.
bool pl_material_needs_volume(pl_material_kind kind);

double pl_material_energy(const pl_material* material, pl_mat3 F);
pl_mat3 pl_material_stress(const pl_material* material, pl_mat3 F);
// The tangent in the form that is cheapest to assemble (principal.h). projected: the nearest
// positive semi-definite one, by the analytic eigensystem.
pl_principal pl_material_principal(const pl_material* material, pl_mat3 F, bool projected);

// The split form. Psi_d + p Phi as an energy of its own, with its stress and tangent; Phi and
// dPhi/dF; and 1/kappa [1/Pa], which is 0 for incompressible material. lambda is read for 1/kappa
// only. At p = kappa Phi stress and energy + kappa/2 Phi^2 - p Phi are those of the whole law.
bool pl_material_has_split(pl_material_kind kind);
double pl_material_compliance(const pl_material* material);
double pl_material_constraint(const pl_material* material, pl_mat3 F, pl_mat3* gradient);
double pl_material_mixed_energy(const pl_material* material, pl_mat3 F, double pressure);
pl_mat3 pl_material_mixed_stress(const pl_material* material, pl_mat3 F, double pressure);
pl_principal pl_material_mixed_principal(const pl_material* material, pl_mat3 F, double pressure,
                                         bool projected);

#endif
