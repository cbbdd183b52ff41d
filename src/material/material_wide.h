// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The laws in float for PL_LANES elements at a time, all of one kind with their own parameters.
// They can be called through the table of pl_material_law_of, one call per batch, or as inline
// functions with a constant kind, for kernels that keep everything in registers.
//
// Errors are those of float: about 1e-6 (mu + |lambda|) in stresses at stretches around 1. Line
// searches should use the energy in double.
#ifndef PL_MATERIAL_WIDE_H
#define PL_MATERIAL_WIDE_H

#include "material/laws.h"
#include "math/polar.h"

// Which form of a law to evaluate: Psi_d + kappa/2 Phi^2, or with a pressure Psi_d + p Phi.
typedef struct pl_law_request_w {
    const pl_material_w* material;
    const pl_fw* pressure; // NULL: the whole law
} pl_law_request_w;

// kind is a constant wherever these are inlined, so only one case is compiled.
PL_WIDE int pl_law_uses(pl_material_kind kind) {
    switch (kind) {
#define PL_LAW_CASE(X, KIND, name, help)                                                           \
    case PL_MATERIAL_##KIND: return PL_##KIND##_USES;
        PL_ISOTROPIC_LAW_LIST(PL_LAW_CASE, )
#undef PL_LAW_CASE
    default: return 0;
    }
}
PL_WIDE pl_fw pl_law_distortion_w(pl_material_kind kind, const pl_material_w* m,
                                  const pl_invariants_w* i, pl_slopes_w* f) {
    switch (kind) {
#define PL_LAW_CASE(X, KIND, name, help)                                                           \
    case PL_MATERIAL_##KIND: return pl_##name##_distortion_w(m, i, f);
        PL_ISOTROPIC_LAW_LIST(PL_LAW_CASE, )
#undef PL_LAW_CASE
    default: *f = (pl_slopes_w){0}; return (pl_fw){0};
    }
}
PL_WIDE pl_fw pl_law_volume_w(pl_material_kind kind, const pl_invariants_w* i, pl_slopes_w* f) {
    switch (kind) {
#define PL_LAW_CASE(X, KIND, name, help)                                                           \
    case PL_MATERIAL_##KIND: return pl_##name##_volume_w(i, f);
        PL_ISOTROPIC_LAW_LIST(PL_LAW_CASE, )
#undef PL_LAW_CASE
    default: *f = (pl_slopes_w){0}; return (pl_fw){0};
    }
}
PL_WIDE pl_fw pl_law_kappa_w(pl_material_kind kind, const pl_material_w* m) {
    switch (kind) {
#define PL_LAW_CASE(X, KIND, name, help)                                                           \
    case PL_MATERIAL_##KIND: return pl_##name##_kappa_w(m);
        PL_ISOTROPIC_LAW_LIST(PL_LAW_CASE, )
#undef PL_LAW_CASE
    default: return m->lambda;
    }
}
PL_WIDE bool pl_law_needs_volume(pl_material_kind kind) {
    return pl_law_uses(kind) & PL_NEEDS_VOLUME;
}

// Lanes where a law does not exist get J = NaN, and with it NaN everywhere.
PL_WIDE pl_iw pl_law_exists_w(pl_material_kind kind, pl_invariants_w* i) {
    if (!pl_law_needs_volume(kind)) return pl_splat_iw(-1);
    pl_iw exists = i->J > 0.0f;
    i->J = pl_select_w(exists, i->J, pl_splat_w(NAN));
    return exists;
}

// energy and slopes at the invariants
PL_WIDE pl_fw pl_law_evaluate_w(pl_material_kind kind, pl_law_request_w r, pl_invariants_w i,
                                pl_slopes_w* f) {
    pl_iw exists = pl_law_exists_w(kind, &i);
    pl_slopes_w d, v;
    pl_fw energy = pl_law_distortion_w(kind, r.material, &i, &d);
    pl_fw phi = pl_law_volume_w(kind, &i, &v), half = pl_splat_w(0.5f);
    if (r.pressure) {
        *f = pl_slopes_add_w(d, *r.pressure, (pl_fw){0}, v);
        energy = pl_fma_w(*r.pressure, phi, energy);
    } else {
        pl_fw kappa = pl_law_kappa_w(kind, r.material), p = kappa * phi;
        *f = pl_slopes_add_w(d, p, kappa, v);
        energy = pl_fma_w(half * p, phi, energy);
    }
    return pl_select_w(exists, energy, pl_splat_w(INFINITY));
}

// Not inlined: one copy serves all laws, which saves compile time, and the call costs little
// compared with the work.
static __attribute__((noinline, unused)) void pl_law_polar_w(const pl_mat3w* F, pl_quatw* q,
                                                             pl_mat3w* R) {
    pl_polar_w(F, q, R);
}
static __attribute__((noinline, unused)) void pl_law_svd_w(const pl_mat3w* F, pl_svd3w* d) {
    *d = pl_svd3_w(*F);
}

// The rotation of F, if the law needs it, starting from q, which is updated.
PL_WIDE pl_mat3w pl_law_rotation_w(pl_material_kind kind, const pl_mat3w* F, pl_quatw* q) {
    pl_mat3w R;
    if (pl_law_uses(kind) & PL_USES_ROTATION) pl_law_polar_w(F, q, &R);
    else R = pl_mat3_identity_w();
    return R;
}

PL_WIDE pl_fw pl_law_energy_w(pl_material_kind kind, pl_law_request_w r, const pl_mat3w* F,
                              pl_quatw* q) {
    if (kind == PL_MATERIAL_LINEAR) {
        pl_mat3w P;
        pl_fw phi = pl_linear_volume_w(F), energy = pl_linear_distortion_w(r.material, F, &P);
        pl_fw p = r.pressure ? *r.pressure : 0.5f * r.material->lambda * phi;
        return pl_fma_w(p, phi, energy);
    }
    pl_mat3w R = pl_law_rotation_w(kind, F, q);
    pl_slopes_w f;
    return pl_law_evaluate_w(kind, r, pl_invariants_of_w(pl_law_uses(kind), F, &R), &f);
}

PL_WIDE pl_mat3w pl_law_stress_w(pl_material_kind kind, pl_law_request_w r, const pl_mat3w* F,
                                 pl_quatw* q) {
    if (kind == PL_MATERIAL_LINEAR) {
        pl_mat3w P;
        pl_linear_distortion_w(r.material, F, &P);
        pl_fw p = r.pressure ? *r.pressure : r.material->lambda * pl_linear_volume_w(F);
        P.m[0] += p, P.m[4] += p, P.m[8] += p;
        return P;
    }
    pl_mat3w R = pl_law_rotation_w(kind, F, q);
    pl_slopes_w f;
    pl_law_evaluate_w(kind, r, pl_invariants_of_w(pl_law_uses(kind), F, &R), &f);
    return pl_isotropic_stress_w(pl_law_uses(kind), &f, F, &R);
}

// The tangent in principal form, partly projected (0 to 1), and the stress if wanted.
PL_WIDE void pl_law_principal_w(pl_material_kind kind, pl_law_request_w r, const pl_mat3w* F,
                                float projected, pl_principal_w* out, pl_mat3w* P) {
    if (kind == PL_MATERIAL_LINEAR) {
        pl_fw zero = {0};
        pl_linear_principal_w(r.material->mu, r.pressure ? zero : r.material->lambda, out);
        if (P) *P = pl_law_stress_w(kind, r, F, NULL);
        return;
    }
    pl_svd3w d;
    pl_law_svd_w(F, &d);
    pl_mat3w R = pl_mat3_mult_w(d.U, d.V);
    pl_slopes_w f;
    pl_law_evaluate_w(kind, r, pl_invariants_of_w(pl_law_uses(kind), F, &R), &f);
    pl_isotropic_principal_w(pl_law_uses(kind), &f, &d, projected, out);
    if (P) *P = pl_isotropic_stress_w(pl_law_uses(kind), &f, F, &R);
}

// Phi and its gradient.
PL_WIDE pl_fw pl_law_constraint_w(pl_material_kind kind, const pl_mat3w* F, pl_quatw* q,
                                  pl_mat3w* gradient) {
    if (kind == PL_MATERIAL_LINEAR) {
        *gradient = pl_mat3_identity_w();
        return pl_linear_volume_w(F);
    }
    pl_mat3w R = pl_law_rotation_w(kind, F, q);
    pl_invariants_w i = pl_invariants_of_w(pl_law_uses(kind), F, &R);
    pl_law_exists_w(kind, &i);
    pl_slopes_w v;
    pl_fw phi = pl_law_volume_w(kind, &i, &v);
    *gradient = pl_isotropic_stress_w(pl_law_uses(kind), &v, F, &R);
    return phi;
}

// A law's functions for batches of PL_LANES elements. material: their parameters. q: the rotations
// of the elements, kept from call to call and initially arbitrary; corotated and ARAP read and
// update them, for other laws q may be NULL. projected: 0 for the exact tangent, 1 for a positive
// semi-definite one, or anything in between. P may be NULL.
typedef struct pl_material_law {
    void (*energy)(const pl_material_w* material, const pl_mat3w* F, pl_quatw* q, pl_fw* energy);
    void (*stress)(const pl_material_w* material, const pl_mat3w* F, pl_quatw* q, pl_mat3w* P);
    void (*principal)(const pl_material_w* material, const pl_mat3w* F, float projected,
                      pl_principal_w* tangent, pl_mat3w* P);
    // Psi_d + p Phi, for the mixed method; Phi and its gradient
    void (*mixed_stress)(const pl_material_w* material, const pl_mat3w* F, pl_fw pressure,
                         pl_quatw* q, pl_mat3w* P);
    void (*mixed_principal)(const pl_material_w* material, const pl_mat3w* F, pl_fw pressure,
                            float projected, pl_principal_w* tangent, pl_mat3w* P);
    void (*constraint)(const pl_mat3w* F, pl_quatw* q, pl_fw* phi, pl_mat3w* gradient);
} pl_material_law;

// Never NULL for a kind that exists.
const pl_material_law* pl_material_law_of(pl_material_kind kind);

#endif
