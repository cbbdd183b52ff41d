// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The elastic laws in double: against finite differences, linear elasticity, and a numeric
// projection.
#include "elements/body_parts.h"
#include "material/material.h"
#include "material_states.h"
#include "test.h"

enum { ROUNDS = 40 };

static bool uses_rotation(pl_material_kind kind) {
    return kind == PL_MATERIAL_ARAP || kind == PL_MATERIAL_COROTATED;
}

// moduli over four orders of magnitude, Poisson's ratios of both signs and near 0.5
static pl_material random_material(pl_random* random, pl_material_kind kind) {
    pl_material m = {0};
    pl_error error = {0};
    double poisson = pl_random_int(random, 4) ? pl_random_uniform(random, -0.4, 0.49) : 0.499;
    CHECK_OK(pl_material_from_young(kind, pow(10.0, pl_random_uniform(random, 2.0, 6.0)), poisson,
                                    &m, &error),
             &error);
    m.rivlin = pl_random_uniform(random, 0.0, 1.0);
    return m;
}

// whether the law is smooth near F, so that finite differences mean something
static bool is_smooth(pl_material_kind kind, pl_mat3 F) {
    if (uses_rotation(kind)) return pl_test_rotation_gap(F) > 0.1;
    return !pl_material_needs_volume(kind) || pl_mat3_det(F) > 0.02;
}

// the size of stresses and tangents there, for tolerances
static double size_of(const pl_material* m, pl_mat3 F) {
    double n = 1.0 + pl_mat3_norm(F), J = pl_material_needs_volume(m->kind) ? pl_mat3_det(F) : 1.0;
    return (m->mu + fabs(m->lambda)) * n * n * n * n / fmin(1.0, J * J);
}

typedef double (*energy_of)(const pl_material* m, pl_mat3 F, double p);
typedef pl_mat3 (*stress_of)(const pl_material* m, pl_mat3 F, double p);

static double whole_energy(const pl_material* m, pl_mat3 F, double p) {
    (void)p;
    return pl_material_energy(m, F);
}
static pl_mat3 whole_stress(const pl_material* m, pl_mat3 F, double p) {
    (void)p;
    return pl_material_stress(m, F);
}
static double constraint(const pl_material* m, pl_mat3 F, double p) {
    (void)p;
    pl_mat3 gradient;
    return pl_material_constraint(m, F, &gradient);
}

// central differences of fourth order: (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12h
static void check_gradient(const pl_material* m, pl_mat3 F, double p, energy_of energy, pl_mat3 P,
                           double size) {
    const double h = 1e-3;
    for (int k = 0; k < 9; k++) {
        double e[5];
        for (int i = -2; i <= 2; i++) {
            pl_mat3 G = F;
            G.m[k] += i * h;
            e[i + 2] = energy(m, G, p);
        }
        double slope = (8.0 * (e[3] - e[1]) - (e[4] - e[0])) / (12.0 * h);
        CHECK_NEAR(P.m[k], slope, 2e-7 * size);
    }
}

static void check_tangent(const pl_material* m, pl_mat3 F, double p, stress_of stress,
                          const pl_principal* tangent, double size) {
    const double h = 1e-3;
    double T[81];
    pl_test_dense_tangent(tangent, T);
    for (int k = 0; k < 9; k++) {
        pl_mat3 e[5];
        for (int i = -2; i <= 2; i++) {
            pl_mat3 G = F;
            G.m[k] += i * h;
            e[i + 2] = stress(m, G, p);
        }
        for (int i = 0; i < 9; i++) {
            double slope = (8.0 * (e[3].m[i] - e[1].m[i]) - (e[4].m[i] - e[0].m[i])) / (12.0 * h);
            CHECK_NEAR(T[9 * i + k], slope, 2e-6 * size);
        }
    }
}

TEST(material_stress_and_tangent_are_derivatives)
{
    pl_random random = {.state = 1};
    int checked = 0;
    for (int kind = 0; kind < PL_MATERIAL_COUNT; kind++)
        for (int i = 0; i < ROUNDS * PL_TEST_STATE_KINDS; i++) {
            pl_material m = random_material(&random, (pl_material_kind)kind);
            pl_mat3 F = pl_test_state(&random, i % PL_TEST_STATE_KINDS);
            if (!is_smooth(m.kind, F)) continue;
            double size = size_of(&m, F);
            check_gradient(&m, F, 0.0, whole_energy, pl_material_stress(&m, F), size);
            pl_principal t = pl_material_principal(&m, F, false);
            check_tangent(&m, F, 0.0, whole_stress, &t, size);
            checked++;
        }
    CHECK(checked > ROUNDS * PL_TEST_STATE_KINDS * PL_MATERIAL_COUNT / 2);
}

TEST(material_split_form)
{
    pl_random random = {.state = 2};
    for (int kind = 0; kind < PL_MATERIAL_COUNT; kind++)
        for (int i = 0; i < ROUNDS * PL_TEST_STATE_KINDS; i++) {
            pl_material m = random_material(&random, (pl_material_kind)kind);
            pl_mat3 F = pl_test_state(&random, i % PL_TEST_STATE_KINDS), gradient;
            if (!pl_material_has_split(m.kind) || !is_smooth(m.kind, F)) continue;
            // at p = kappa Phi the split form is the law
            double kappa = 1.0 / pl_material_compliance(&m), size = size_of(&m, F);
            double phi = pl_material_constraint(&m, F, &gradient), p = kappa * phi;
            CHECK_NEAR(pl_material_mixed_energy(&m, F, p) - 0.5 * p * phi,
                       pl_material_energy(&m, F), 1e-13 * size);
            pl_mat3 P = pl_material_mixed_stress(&m, F, p);
            CHECK(pl_mat3_norm(pl_mat3_sub(P, pl_material_stress(&m, F))) < 1e-13 * size);
            check_gradient(&m, F, 0.0, constraint, gradient, size / m.mu);
            // and with any pressure it is an energy with stress and tangent of its own
            p = m.mu * pl_random_uniform(&random, -3.0, 3.0);
            P = pl_material_mixed_stress(&m, F, p);
            check_gradient(&m, F, p, pl_material_mixed_energy, P, size + fabs(p));
            pl_principal t = pl_material_mixed_principal(&m, F, p, false);
            check_tangent(&m, F, p, pl_material_mixed_stress, &t, size + fabs(p));
        }
}

// K_ik = sum_jl dP_ij/dF_kl a_j b_l, three ways
static void check_block(pl_random* random, const pl_principal* t, const double T[81], double size) {
    double a[3], b[3];
    for (int k = 0; k < 3; k++) a[k] = pl_random_normal(random), b[k] = pl_random_normal(random);
    pl_mat3 K = pl_principal_block(t, pl_vec3_load(a), pl_vec3_load(b));
    for (int i = 0; i < 9; i++) {
        double sum = 0.0;
        for (int j = 0; j < 9; j++)
            sum += T[9 * (3 * (i / 3) + j / 3) + 3 * (i % 3) + j % 3] * a[j / 3] * b[j % 3];
        CHECK_NEAR(K.m[i], sum, 1e-12 * size);
    }
}

// The analytic projection against the eigenvalues of the 9 x 9 matrix.
static void check_projection(pl_random* random, const pl_principal* exact,
                             const pl_principal* projected, double size) {
    double E[81], T[81], values[9];
    bool definite = true;
    pl_test_dense_tangent(exact, E);
    pl_test_dense_tangent(projected, T);
    for (int i = 0; i < 81; i++) CHECK_NEAR(E[i], E[9 * (i % 9) + i / 9], 1e-13 * size);
    check_block(random, projected, T, size);
    CHECK(pl_symmetric_eigen(9, E, values, NULL));
    for (int i = 0; i < 9; i++) definite = definite && values[i] > 0.0;
    for (int i = 0; definite && i < 81; i++) CHECK_NEAR(T[i], E[i], 1e-14 * size);
    CHECK(pl_symmetric_project(9, E));
    for (int i = 0; i < 81; i++) CHECK_NEAR(T[i], E[i], 1e-12 * size);
    CHECK(pl_symmetric_eigen(9, T, values, NULL));
    for (int i = 0; i < 9; i++) CHECK(values[i] >= -1e-14 * size);
}

TEST(material_projection_is_the_nearest_semi_definite)
{
    pl_random random = {.state = 3};
    for (int kind = 0; kind < PL_MATERIAL_COUNT; kind++)
        for (int i = 0; i < ROUNDS * PL_TEST_STATE_KINDS; i++) {
            pl_material m = random_material(&random, (pl_material_kind)kind);
            pl_mat3 F = pl_test_state(&random, i % PL_TEST_STATE_KINDS);
            if (pl_material_needs_volume(m.kind) && !(pl_mat3_det(F) > 1e-3)) continue;
            // the kink of rotations makes twists as large as 1 / PL_MIN_STRETCH_SUM
            double size = size_of(&m, F) * (uses_rotation(m.kind) ? 2e3 : 1.0);
            pl_principal exact = pl_material_principal(&m, F, false);
            pl_principal projected = pl_material_principal(&m, F, true);
            check_projection(&random, &exact, &projected, size);
            double p = m.mu * pl_random_uniform(&random, -3.0, 3.0);
            exact = pl_material_mixed_principal(&m, F, p, false);
            projected = pl_material_mixed_principal(&m, F, p, true);
            check_projection(&random, &exact, &projected, size + fabs(p) * 2e3);
        }
}

TEST(material_rigid_motion_costs_nothing)
{
    pl_random random = {.state = 4};
    for (int kind = 0; kind < PL_MATERIAL_COUNT; kind++)
        for (int i = 0; i < 200; i++) {
            pl_material m = random_material(&random, (pl_material_kind)kind);
            double size = m.mu + fabs(m.lambda);
            bool linear = m.kind == PL_MATERIAL_LINEAR;
            pl_mat3 R = linear ? pl_mat3_identity() : pl_test_rotation(&random);
            CHECK_NEAR(pl_material_energy(&m, R), 0.0, 1e-14 * size);
            CHECK(pl_mat3_norm(pl_material_stress(&m, R)) < 1e-14 * size);
            // and turning a deformed body turns its stress
            pl_mat3 F = pl_test_state(&random, i % PL_TEST_STATE_STRETCHED), G = pl_mat3_mul(R, F);
            pl_mat3 P = pl_mat3_mul(R, pl_material_stress(&m, F));
            size = size_of(&m, F);
            CHECK_NEAR(pl_material_energy(&m, G), pl_material_energy(&m, F), 1e-13 * size);
            CHECK(pl_mat3_norm(pl_mat3_sub(pl_material_stress(&m, G), P)) < 1e-13 * size);
            if (m.lambda >= 0.0) CHECK(pl_material_energy(&m, F) > -1e-14 * size);
        }
}

static void tangent_at_rest(const pl_material* m, bool projected, double T[81]) {
    pl_principal p = pl_material_principal(m, pl_mat3_identity(), projected);
    pl_test_dense_tangent(&p, T);
}

TEST(material_at_rest_is_linear_elasticity)
{
    pl_random random = {.state = 5};
    for (int kind = 0; kind < PL_MATERIAL_COUNT; kind++)
        for (int i = 0; i < 50; i++) {
            pl_material m = random_material(&random, (pl_material_kind)kind), linear = m;
            linear.kind = PL_MATERIAL_LINEAR;
            if (m.kind == PL_MATERIAL_ARAP) linear.lambda = 0.0;
            double T[81], L[81], size = m.mu + fabs(m.lambda);
            tangent_at_rest(&m, false, T);
            tangent_at_rest(&linear, false, L);
            for (int k = 0; k < 81; k++) CHECK_NEAR(T[k], L[k], 1e-14 * size);
            tangent_at_rest(&m, true, T);
            for (int k = 0; k < 81; k++) CHECK_NEAR(T[k], L[k], 1e-13 * size);
        }
}

// d2 Psi / de2 at rest along F = I + e D, by central differences of fourth order
static double curvature(const pl_material* m, pl_mat3 D) {
    const double h = 1e-3, weights[5] = {-1.0, 16.0, -30.0, 16.0, -1.0};
    double sum = 0.0;
    for (int k = 0; k < 5; k++)
        sum += weights[k] * pl_material_energy(m, pl_mat3_madd(pl_mat3_identity(), h * (k - 2), D));
    return sum / (12.0 * h * h);
}

// what a scene gives, through the way into fem: Psi = 9/2 K e^2 along I, mu/2 e^2 along a shear
TEST(material_moduli_at_small_strain_are_those_given)
{
    const double mu = 3e4, bulk = 1e5, parts[] = {0.0, 0.25, 1.0};
    pl_mat3 shear = pl_mat3_scale(0.0, pl_mat3_identity());
    shear.m[1] = 1.0;
    for (int law = PL_LAW_LINEAR; law <= PL_LAW_MOONEY_RIVLIN; law++)
        for (int k = 0; k < 3; k++) {
            pl_element_material given = {.law = (pl_law)law,
                                         .mu = mu,
                                         .lambda = bulk - 2.0 / 3.0 * mu,
                                         .mu2 = parts[k] * mu,
                                         .density = 1000.0};
            pl_material m;
            pl_error error;
            CHECK_OK(pl_law_of_solid(&given, &m, &error), &error);
            double own = law == PL_LAW_ARAP ? 2.0 / 3.0 * mu : bulk;
            CHECK_NEAR(curvature(&m, pl_mat3_identity()) / 9.0, own, 1e-6 * own);
            CHECK_NEAR(curvature(&m, shear), mu, 1e-6 * mu);
        }
}

TEST(material_without_volume_is_refused_by_energy)
{
    static const pl_material_kind kinds[] = {PL_MATERIAL_NEOHOOKEAN, PL_MATERIAL_MOONEY_RIVLIN};
    pl_random random = {.state = 6};
    for (int i = 0; i < 40; i++) {
        pl_material m = random_material(&random, kinds[i % 2]);
        pl_mat3 F =
            pl_test_state(&random, i % 4 < 2 ? PL_TEST_STATE_INVERTED : PL_TEST_STATE_POINT);
        CHECK(pl_material_needs_volume(m.kind));
        CHECK(pl_material_energy(&m, F) == INFINITY);
        CHECK(pl_material_mixed_energy(&m, F, 1.0) == INFINITY);
        CHECK(isnan(pl_material_stress(&m, F).m[0]));
        CHECK(isnan(pl_material_mixed_stress(&m, F, 1.0).m[0]));
        CHECK(isnan(pl_material_principal(&m, F, true).A[0]));
    }
    // the others are finite everywhere, and say NaN to NaN
    for (int kind = 0; kind < PL_MATERIAL_COUNT; kind++) {
        pl_material m = random_material(&random, (pl_material_kind)kind);
        pl_mat3 bad = pl_mat3_identity();
        bad.m[4] = NAN;
        CHECK(!isfinite(pl_material_energy(&m, bad)));
        CHECK(!pl_mat3_is_finite(pl_material_stress(&m, bad)));
        for (int i = PL_TEST_STATE_INVERTED; i < PL_TEST_STATE_KINDS; i++) {
            pl_mat3 F = pl_test_state(&random, i);
            if (pl_material_needs_volume(m.kind)) continue;
            CHECK(isfinite(pl_material_energy(&m, F)));
            CHECK(pl_mat3_is_finite(pl_material_stress(&m, F)));
            CHECK(isfinite(pl_material_principal(&m, F, true).same[0]));
        }
    }
    // no trap at F = 0 for stable Neo-Hookean: a small cube grows
    pl_material stable = random_material(&random, PL_MATERIAL_STABLE_NEOHOOKEAN);
    CHECK(pl_material_stress(&stable, pl_mat3_diagonal(1e-3, 1e-3, 1e-3)).m[0] < 0.0);
}

TEST(material_parameters_are_checked)
{
    pl_material m, n;
    pl_error error = {0};
    CHECK_OK(pl_material_from_young(PL_MATERIAL_STVK, 1e5, 0.3, &m, &error), &error);
    CHECK_NEAR(m.mu, 1e5 / 2.6, 1e-9);
    CHECK_NEAR(m.lambda, 3e4 / (1.3 * 0.4), 1e-9);
    static const double bad_ratio[] = {0.5, 0.6, -1.0, -2.0, NAN, INFINITY};
    for (int i = 0; i < 6; i++) {
        CHECK_INT(pl_material_from_young(PL_MATERIAL_STVK, 1.0, bad_ratio[i], &n, &error),
                  PL_ERROR_ARGUMENT);
        CHECK_TEXT(error.text, "Poisson's ratio");
    }
    static const double bad_modulus[] = {0.0, -1.0, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        double bad = bad_modulus[i];
        CHECK_INT(pl_material_from_young(PL_MATERIAL_ARAP, bad, 0.3, &n, &error),
                  PL_ERROR_ARGUMENT);
        CHECK_TEXT(error.text, "Young's modulus");
    }
    n = (pl_material){.kind = PL_MATERIAL_STABLE_NEOHOOKEAN, .mu = 3.0, .lambda = INFINITY};
    CHECK(pl_material_compliance(&n) == 0.0);
    CHECK(isfinite(pl_material_mixed_energy(&n, pl_mat3_diagonal(1.0, 2.0, 0.5), 1.0)));
    CHECK(!pl_material_name(PL_MATERIAL_COUNT));
}
