// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Springs, membranes and bending in double, against finite differences and numeric projections.
#include "material/bending.h"
#include "material/membrane.h"
#include "material/spring.h"
#include "math/symmetric.h"
#include "math_reference.h"
#include "test.h"

static pl_vec3 random_vector(pl_random* random) {
    return (pl_vec3){pl_random_normal(random), pl_random_normal(random), pl_random_normal(random)};
}

// the nearest semi-definite matrix, by numbers
static void check_nearest(int n, const double* exact, const double* projected, double size) {
    double copy[144], values[12];
    memcpy(copy, exact, (size_t)(n * n) * sizeof *copy);
    CHECK(pl_symmetric_project(n, copy));
    for (int i = 0; i < n * n; i++) CHECK_NEAR(projected[i], copy[i], 1e-12 * size);
    CHECK(pl_symmetric_eigen(n, projected, values, NULL));
    for (int i = 0; i < n; i++) CHECK(values[i] >= -1e-13 * size);
}

TEST(cloth_spring)
{
    pl_random random = {.state = 1};
    for (int round = 0; round < 500; round++) {
        pl_vec3 d = random_vector(&random), g, plus, minus;
        double rest = pl_random_uniform(&random, 0.2, 3.0), k = 100.0, h = 1e-6;
        double length = pl_norm(d), size = k * (1.0 + rest / length);
        pl_mat3 H, projected;
        double energy = pl_spring_energy(d, rest, k, false, &g, &H);
        CHECK_NEAR(energy, 0.5 * k * (length - rest) * (length - rest), 1e-12 * size);
        for (int i = 0; i < 3; i++) {
            pl_vec3 step = {h * (i == 0), h * (i == 1), h * (i == 2)};
            double high = pl_spring_energy(pl_add(d, step), rest, k, false, &plus, NULL);
            double low = pl_spring_energy(pl_sub(d, step), rest, k, false, &minus, NULL);
            double gradient[3], change[3];
            pl_vec3_store(gradient, g);
            pl_vec3_store(change, pl_scale(0.5 / h, pl_sub(plus, minus)));
            CHECK_NEAR(gradient[i], (high - low) / (2.0 * h), 1e-6 * size);
            for (int j = 0; j < 3; j++)
                CHECK_NEAR(H.m[3 * j + i], change[j], 1e-6 * size / (length * length));
        }
        pl_spring_energy(d, rest, k, true, NULL, &projected);
        check_nearest(3, H.m, projected.m, size);
    }
    // no length, no direction: no force, but stiffness
    pl_vec3 g;
    pl_mat3 H;
    CHECK(pl_spring_energy((pl_vec3){0}, 1.0, 2.0, true, &g, &H) == 1.0);
    CHECK(pl_norm(g) == 0.0 && H.m[0] == 2.0 && H.m[1] == 0.0);
}

static double entry(const pl_mat32* F, int k) {
    double m[6];
    pl_vec3_store(m, F->x);
    pl_vec3_store(m + 3, F->y);
    return m[k];
}
// adds to entry k, columns one after the other
static pl_mat32 moved(pl_mat32 F, int k, double h) {
    double m[6];
    pl_vec3_store(m, F.x);
    pl_vec3_store(m + 3, F.y);
    m[k] += h;
    return (pl_mat32){pl_vec3_load(m), pl_vec3_load(m + 3)};
}

// dP for a change of F
static pl_mat32 stress_change(const pl_membrane_tangent* t, pl_mat32 dF) {
    pl_mat3 Ut = pl_mat3_transpose(t->U);
    // the columns of U' dF V
    pl_vec3 x = pl_mat3_apply(&Ut, dF.x), y = pl_mat3_apply(&Ut, dF.y);
    pl_vec3 g0 = pl_madd(pl_scale(t->c, x), t->s, y), g1 = pl_madd(pl_scale(t->c, y), -t->s, x);
    pl_vec3 q0 = {t->A[0] * g0.x + t->A[2] * g1.y, t->same * g0.y + t->cross * g1.x,
                  t->out[0] * g0.z};
    pl_vec3 q1 = {t->same * g1.x + t->cross * g0.y, t->A[2] * g0.x + t->A[1] * g1.y,
                  t->out[1] * g1.z};
    q0 = pl_mat3_apply(&t->U, q0), q1 = pl_mat3_apply(&t->U, q1);
    return (pl_mat32){pl_madd(pl_scale(t->c, q0), -t->s, q1),
                      pl_madd(pl_scale(t->s, q0), t->c, q1)};
}

static void dense_tangent(const pl_membrane_tangent* t, double T[36]) {
    for (int k = 0; k < 6; k++) {
        pl_mat32 dP = stress_change(t, moved((pl_mat32){0}, k, 1.0));
        for (int i = 0; i < 6; i++) T[6 * i + k] = entry(&dP, i);
    }
}

// a 3 x 2 gradient with given stretches
static pl_mat32 sheet(pl_random* random, double a, double b) {
    pl_mat3 U = pl_test_rotation(random);
    double angle = pl_random_uniform(random, -3.0, 3.0), c = cos(angle), s = sin(angle);
    pl_vec3 u = pl_scale(a, pl_mat3_column(&U, 0)), v = pl_scale(b, pl_mat3_column(&U, 1));
    return (pl_mat32){pl_madd(pl_scale(c, u), -s, v), pl_madd(pl_scale(s, u), c, v)};
}

static void check_membrane_differences(const pl_membrane* m, pl_mat32 F) {
    const double h = 1e-5, size = m->mu + fabs(m->lambda);
    pl_mat32 P = pl_membrane_stress(m, F);
    pl_membrane_tangent t = pl_membrane_principal(m, F, false);
    double T[36];
    dense_tangent(&t, T);
    for (int k = 0; k < 6; k++) {
        pl_mat32 more = moved(F, k, h), less = moved(F, k, -h);
        double slope = (pl_membrane_energy(m, more) - pl_membrane_energy(m, less)) / (2.0 * h);
        CHECK_NEAR(entry(&P, k), slope, 1e-7 * size);
        pl_mat32 high = pl_membrane_stress(m, more), low = pl_membrane_stress(m, less);
        for (int i = 0; i < 6; i++)
            CHECK_NEAR(T[6 * i + k], (entry(&high, i) - entry(&low, i)) / (2.0 * h), 1e-6 * size);
    }
}

TEST(cloth_membrane)
{
    pl_random random = {.state = 2};
    for (int round = 0; round < 900; round++) {
        double poisson = pl_random_uniform(&random, -0.3, 0.5);
        pl_membrane m = {.kind = (pl_membrane_kind)(round % 3),
                         .mu = 1e3 / (2.0 * (1.0 + poisson)),
                         .lambda = 1e3 * poisson / (1.0 - poisson * poisson)};
        double size = m.mu + fabs(m.lambda);
        // turned but not deformed: nothing
        pl_mat32 rigid = sheet(&random, 1.0, 1.0), P = pl_membrane_stress(&m, rigid);
        CHECK_NEAR(pl_membrane_energy(&m, rigid), 0.0, 1e-14 * size);
        CHECK(pl_norm(P.x) + pl_norm(P.y) < 1e-13 * size);
        double low = round % 2 ? 0.3 : 0.9;
        pl_mat32 F = sheet(&random, pl_random_uniform(&random, low, 1.8),
                           pl_random_uniform(&random, low, 1.8));
        check_membrane_differences(&m, F);
        // also pressed to a line or a point, where only the projection must hold
        if (round % 5 == 0) F = sheet(&random, 1.2, 0.0);
        if (round % 5 == 1) F = (pl_mat32){0};
        double E[36], T[36], a[4];
        pl_membrane_tangent exact = pl_membrane_principal(&m, F, false);
        pl_membrane_tangent projected = pl_membrane_principal(&m, F, true);
        dense_tangent(&exact, E);
        dense_tangent(&projected, T);
        check_nearest(6, E, T, size * 4e3);
        for (int i = 0; i < 4; i++) a[i] = pl_random_normal(&random);
        pl_mat3 K = pl_membrane_block(&projected, a[0], a[1], a[2], a[3]);
        for (int i = 0; i < 9; i++) {
            double sum = 0.0;
            for (int j = 0; j < 4; j++)
                sum += T[6 * (i / 3 + 3 * (j / 2)) + i % 3 + 3 * (j % 2)] * a[j / 2] * a[2 + j % 2];
            CHECK_NEAR(K.m[i], sum, 1e-11 * size * 4e3);
        }
    }
}

static void random_hinge(pl_random* random, pl_vec3 x[4]) {
    x[0] = random_vector(random);
    x[1] = pl_add(x[0], (pl_vec3){1.0, pl_random_uniform(random, -0.2, 0.2), 0.0});
    x[2] = pl_add(x[0], (pl_vec3){pl_random_uniform(random, 0.0, 1.0), 0.8, 0.0});
    double fold = pl_random_uniform(random, -2.8, 2.8);
    x[3] = pl_add(x[0], (pl_vec3){pl_random_uniform(random, 0.0, 1.0), -cos(fold), sin(fold)});
}

TEST(cloth_bending)
{
    pl_random random = {.state = 3};
    for (int round = 0; round < 300; round++) {
        pl_vec3 x[4];
        random_hinge(&random, x);
        double rest = pl_random_uniform(&random, -1.0, 1.0), k = 2.0, h = 1e-5, angle;
        double g[12], H[144], T[144], plus[12], minus[12];
        CHECK(pl_bending_angle(x, &angle, NULL));
        if (fabs(fabs(angle - rest) - 3.14159265) < 0.1) continue;
        pl_bending_energy(x, rest, k, false, g, H);
        for (int j = 0; j < 12; j++) {
            pl_vec3 y[4], z[4], d = {h * (j % 3 == 0), h * (j % 3 == 1), h * (j % 3 == 2)};
            memcpy(y, x, sizeof y);
            memcpy(z, x, sizeof z);
            y[j / 3] = pl_add(y[j / 3], d);
            z[j / 3] = pl_sub(z[j / 3], d);
            double high = pl_bending_energy(y, rest, k, false, plus, NULL);
            double low = pl_bending_energy(z, rest, k, false, minus, NULL);
            CHECK_NEAR(g[j], (high - low) / (2.0 * h), 1e-6);
            for (int i = 0; i < 12; i++)
                CHECK_NEAR(H[12 * i + j], (plus[i] - minus[i]) / (2.0 * h), 2e-6);
        }
        // Gauss-Newton: k g g', exact at the rest angle; anywhere else the Hessian is indefinite
        double slope = k * remainder(angle - rest, 6.283185307179586), Q[144];
        pl_bending_energy(x, rest, k, true, NULL, T);
        for (int i = 0; i < 144; i++)
            CHECK_NEAR(T[i] * slope * slope, k * g[i / 12] * g[i % 12], 1e-9 * slope * slope);
        memcpy(Q, H, sizeof Q);
        CHECK(pl_symmetric_project(12, Q));
        double change = 0.0;
        for (int i = 0; i < 144; i++) change = fmax(change, fabs(Q[i] - H[i]));
        CHECK(change > 0.05 * fabs(slope));
        pl_bending_energy(x, angle, k, false, NULL, H);
        pl_bending_energy(x, angle, k, true, NULL, T);
        for (int i = 0; i < 144; i++) CHECK_NEAR(H[i], T[i], 1e-10);
        // the rest angle costs nothing, and neither does moving it rigidly
        CHECK_NEAR(pl_bending_energy(x, angle, k, false, g, NULL), 0.0, 1e-25);
        pl_mat3 R = pl_test_rotation(&random);
        for (int i = 0; i < 4; i++) x[i] = pl_mat3_apply(&R, x[i]);
        CHECK_NEAR(pl_bending_energy(x, angle, k, false, g, NULL), 0.0, 1e-25);
    }
}

// the scalar matrix of a hinge is k g g' where it is flat, whatever the fold it is made from
TEST(cloth_bending_laid_flat)
{
    pl_random random = {.state = 5};
    for (int round = 0; round < 50; round++) {
        pl_vec3 x[4];
        random_hinge(&random, x);
        double c[4], flat[144], angle, foot = pl_random_uniform(&random, 0.0, 1.0);
        x[3] = pl_add(x[0], (pl_vec3){foot, -1.0, 0.0});
        pl_bending_energy(x, 0.0, 2.0, true, NULL, flat);
        // folded about the edge by any angle
        pl_vec3 axis = pl_normalize(pl_sub(x[1], x[0])), arm = pl_sub(x[3], x[0]);
        double fold = pl_random_uniform(&random, -2.5, 2.5), along = pl_dot(arm, axis);
        pl_vec3 across = pl_madd(arm, -along, axis);
        x[3] = pl_madd(pl_madd(pl_madd(x[0], along, axis), cos(fold), across), sin(fold),
                       pl_cross(axis, across));
        CHECK(pl_bending_angle(x, &angle, NULL) && fabs(fabs(angle) - fabs(fold)) < 1e-12);
        CHECK(pl_bending_flat_slopes(x, c));
        for (int i = 0; i < 16; i++) // the hinge lay in the plane z = const
            CHECK_NEAR(2.0 * c[i / 4] * c[i % 4], flat[12 * (3 * (i / 4) + 2) + 3 * (i % 4) + 2],
                       1e-10);
    }
}

TEST(cloth_bending_sign_and_degenerate)
{
    pl_vec3 x[4] = {{0, 0, 0}, {1, 0, 0}, {0.5, 1, 0}, {0.5, -1, 0}};
    double angle, g[12], H[144];
    CHECK(pl_bending_angle(x, &angle, NULL) && angle == 0.0);
    x[3] = (pl_vec3){0.5, -1.0, 0.1}; // towards the normals, which are +z
    CHECK(pl_bending_angle(x, &angle, NULL) && angle > 0.09 && angle < 0.11);
    x[3] = (pl_vec3){0.7, 0.0, 0.0};
    CHECK(!pl_bending_angle(x, &angle, NULL) && angle == 0.0);
    CHECK(pl_bending_energy(x, 1.0, 1.0, true, g, H) == 0.0 && g[0] == 0.0 && H[0] == 0.0);
}
