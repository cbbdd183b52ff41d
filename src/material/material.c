// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "material/material.h"
#include "material/laws.h"
#include "math/polar.h"

typedef struct law {
    double (*distortion)(const pl_material* m, const pl_invariants* i, pl_slopes* f);
    double (*volume)(const pl_invariants* i, pl_slopes* f);
    double (*kappa)(const pl_material* m);
    int uses;
} law;

static const law laws[PL_MATERIAL_COUNT] = {
// linear is not a function of invariants: it has its own branches below
#define LAW_ROW(X, KIND, name, help)                                                               \
    [PL_MATERIAL_##                                                                                \
        KIND] = {pl_##name##_distortion, pl_##name##_volume, pl_##name##_kappa, PL_##KIND##_USES},
    PL_ISOTROPIC_LAW_LIST(LAW_ROW, )
#undef LAW_ROW
};

static const char* const names[PL_MATERIAL_COUNT] = {
#define NAME_ROW(X, KIND, name, help) [PL_MATERIAL_##KIND] = #name,
    PL_SOLID_LAW_LIST(NAME_ROW, )
#undef NAME_ROW
};

const char* pl_material_name(pl_material_kind kind) {
    return kind >= 0 && kind < PL_MATERIAL_COUNT ? names[kind] : NULL;
}

bool pl_material_of_law(pl_law of, pl_material_kind* kind) {
    switch (of) {
#define KIND_CASE(X, KIND, name, help)                                                             \
    case PL_LAW_##KIND: *kind = PL_MATERIAL_##KIND; return true;
        PL_SOLID_LAW_LIST(KIND_CASE, )
#undef KIND_CASE
    default: return false;
    }
}

// default split between Mooney-Rivlin's two moduli: typical rubber
static const double default_rivlin = 0.2;

static pl_status make(pl_material_kind kind, double mu, double lambda, pl_material* out,
                      pl_error* error) {
    if (!pl_material_name(kind))
        return pl_fail(error, PL_ERROR_ARGUMENT, "there is no material with number %d", (int)kind);
    *out = (pl_material){kind, mu, lambda, default_rivlin};
    return PL_OK;
}

pl_status pl_material_from_young(pl_material_kind kind, double young, double poisson,
                                 pl_material* out, pl_error* error) {
    if (!(young > 0.0) || !isfinite(young))
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "Young's modulus is %g Pa; it must be positive and finite", young);
    if (!(poisson > -1.0 && poisson < 0.5))
        return pl_fail(
            error, PL_ERROR_ARGUMENT,
            "Poisson's ratio is %g; it must lie between -1 and 0.5, both excluded%s", poisson,
            poisson == 0.5 ? " (0.5 is incompressible: only method \"mixed\" has it)" : "");
    double mu = young / (2.0 * (1.0 + poisson));
    double lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
    if (!isfinite(mu) || !isfinite(lambda))
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "Young's modulus %g Pa with Poisson's ratio %.17g overflows", young,
                       poisson);
    return make(kind, mu, lambda, out, error);
}

double pl_material_rivlin(double mu, double mu2) { return mu > 0.0 ? fmin(mu2 / mu, 1.0) : 0.0; }

bool pl_material_needs_volume(pl_material_kind kind) { return laws[kind].uses & PL_NEEDS_VOLUME; }

bool pl_material_has_split(pl_material_kind kind) { return !(laws[kind].uses & PL_HAS_NO_SPLIT); }

static double kappa_of(const pl_material* m) {
    return m->kind == PL_MATERIAL_LINEAR ? m->lambda : laws[m->kind].kappa(m);
}

double pl_material_compliance(const pl_material* material) { return 1.0 / kappa_of(material); }

// Which form of a law to evaluate: Psi_d + kappa/2 Phi^2, or Psi_d + p Phi.
typedef struct request {
    const pl_material* material;
    bool mixed;
    double pressure;
} request;

// energy and slopes at the invariants
static double evaluate(const request* r, pl_invariants i, pl_slopes* f) {
    const law* l = &laws[r->material->kind];
    bool exists = !pl_material_needs_volume(r->material->kind) || i.J > 0.0;
    if (!exists) i.J = NAN;
    pl_slopes d, v;
    double energy = l->distortion(r->material, &i, &d), phi = l->volume(&i, &v);
    if (r->mixed) {
        *f = pl_slopes_add(d, r->pressure, 0.0, v);
        energy += r->pressure * phi;
    } else {
        double kappa = l->kappa(r->material);
        *f = pl_slopes_add(d, kappa * phi, kappa, v);
        energy += 0.5 * kappa * phi * phi;
    }
    return exists ? energy : INFINITY;
}

static int uses_of(const request* r) { return laws[r->material->kind].uses; }

// The rotation of F, if the law needs it.
static pl_mat3 rotation_of(const request* r, pl_mat3 F) {
    pl_mat3 R = pl_mat3_identity();
    if (uses_of(r) & PL_USES_ROTATION) pl_polar(F, &R, NULL);
    return R;
}

static double energy_of(const request* r, pl_mat3 F) {
    if (r->material->kind == PL_MATERIAL_LINEAR) {
        pl_mat3 P;
        double phi = pl_linear_volume(F), energy = pl_linear_distortion(r->material, F, &P);
        return energy + (r->mixed ? r->pressure * phi : 0.5 * r->material->lambda * phi * phi);
    }
    pl_slopes f;
    return evaluate(r, pl_invariants_of(uses_of(r), F, rotation_of(r, F)), &f);
}

static pl_mat3 stress_of(const request* r, pl_mat3 F) {
    if (r->material->kind == PL_MATERIAL_LINEAR) {
        pl_mat3 P;
        pl_linear_distortion(r->material, F, &P);
        double p = r->mixed ? r->pressure : r->material->lambda * pl_linear_volume(F);
        return pl_mat3_madd(P, p, pl_mat3_identity());
    }
    pl_mat3 R = rotation_of(r, F);
    pl_slopes f;
    evaluate(r, pl_invariants_of(uses_of(r), F, R), &f);
    return pl_isotropic_stress(uses_of(r), &f, F, R);
}

static pl_principal principal_of(const request* r, pl_mat3 F, bool projected) {
    if (r->material->kind == PL_MATERIAL_LINEAR)
        return pl_linear_principal(r->material->mu, r->mixed ? 0.0 : r->material->lambda);
    pl_mat3 U, V;
    double s[3];
    pl_svd3(F, &U, s, &V);
    pl_slopes f;
    evaluate(r, pl_invariants_of(uses_of(r), F, pl_mat3_mult(U, V)), &f);
    return pl_isotropic_principal(&f, U, s, V, projected);
}

double pl_material_energy(const pl_material* material, pl_mat3 F) {
    return energy_of(&(request){.material = material}, F);
}

pl_mat3 pl_material_stress(const pl_material* material, pl_mat3 F) {
    return stress_of(&(request){.material = material}, F);
}

pl_principal pl_material_principal(const pl_material* material, pl_mat3 F, bool projected) {
    return principal_of(&(request){.material = material}, F, projected);
}

double pl_material_constraint(const pl_material* material, pl_mat3 F, pl_mat3* gradient) {
    if (material->kind == PL_MATERIAL_LINEAR) {
        *gradient = pl_mat3_identity();
        return pl_linear_volume(F);
    }
    request r = {.material = material};
    pl_mat3 R = rotation_of(&r, F);
    pl_invariants i = pl_invariants_of(uses_of(&r), F, R);
    if (pl_material_needs_volume(material->kind) && !(i.J > 0.0)) i.J = NAN;
    pl_slopes v;
    double phi = laws[material->kind].volume(&i, &v);
    *gradient = pl_isotropic_stress(uses_of(&r), &v, F, R);
    return phi;
}

double pl_material_mixed_energy(const pl_material* material, pl_mat3 F, double pressure) {
    return energy_of(&(request){material, true, pressure}, F);
}

pl_mat3 pl_material_mixed_stress(const pl_material* material, pl_mat3 F, double pressure) {
    return stress_of(&(request){material, true, pressure}, F);
}

pl_principal pl_material_mixed_principal(const pl_material* material, pl_mat3 F, double pressure,
                                         bool projected) {
    return principal_of(&(request){material, true, pressure}, F, projected);
}
