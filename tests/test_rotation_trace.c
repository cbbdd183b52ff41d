// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Sums of stretches without a rotation, and the energies that are made of them, against the
// singular values and the laws one by one.
#include "base/memory.h"
#include "base/random.h"
#include "elements/tet_elements.h"
#include "material/rotation_trace.h"
#include "math/polar.h"
#include "math/svd3.h"
#include "test.h"

#include <math.h>

enum { W = PL_TRACE_LANES };

static pl_mat3 random_matrix(pl_random* random) {
    pl_mat3 F;
    for (int k = 0; k < 9; k++) F.m[k] = pl_random_uniform(random, -1.0, 1.0);
    return F;
}

// with the stretches given, in random directions
static pl_mat3 stretched(pl_random* random, double a, double b, double c) {
    pl_mat3 U, V, unused;
    pl_polar(random_matrix(random), &U, &unused);
    pl_polar(random_matrix(random), &V, &unused);
    pl_mat3 D = {{a, 0.0, 0.0, 0.0, b, 0.0, 0.0, 0.0, c}};
    return pl_mat3_mul(U, pl_mat3_mul(D, V));
}

static void check_traces(const pl_mat3 F[W], double tolerance) {
    double lanes[9][W], I1[W], I2[W];
    for (int i = 0; i < W; i++)
        for (int k = 0; k < 9; k++) lanes[k][i] = F[i].m[k];
    pl_rotation_traces(lanes, I2, I1);
    for (int i = 0; i < W; i++) {
        pl_mat3 U, V;
        double s[3];
        pl_svd3(F[i], &U, s, &V); // rotations; s[2] < 0 where F is inverted
        double size = fabs(s[0]);
        CHECK_NEAR(I1[i], s[0] + s[1] + s[2], tolerance * size);
        CHECK_NEAR(I2[i], s[0] * s[0] + s[1] * s[1] + s[2] * s[2], 1e-14 * size * size);
    }
}

TEST(rotation_trace_random)
{
    pl_random random = {11};
    for (int k = 0; k < 500; k++) {
        pl_mat3 F[W];
        for (int i = 0; i < W; i++) F[i] = random_matrix(&random);
        check_traces(F, 1e-12);
    }
}

// what bodies look like: nearly rigid, and far too large or small for that
TEST(rotation_trace_near_rest)
{
    pl_random random = {12};
    for (int k = -9; k <= 9; k++) {
        pl_mat3 F[W];
        double scale = pow(10.0, k);
        for (int i = 0; i < W; i++) {
            double strain = pow(10.0, -1.0 - i);
            F[i] = stretched(&random, scale * (1.0 + strain), scale, scale * (1.0 - 0.5 * strain));
        }
        check_traces(F, 4e-15);
    }
}

// two stretches that vanish, or cancel, make the largest root a double one
TEST(rotation_trace_collapsed)
{
    pl_random random = {13};
    pl_mat3 F[W] = {stretched(&random, 1.0, 1.0, 0.0),   stretched(&random, 1.0, 0.0, 0.0),
                    stretched(&random, 1.0, 1e-9, 1e-9), stretched(&random, 1.0, 0.3, -0.3),
                    stretched(&random, 5.0, 1.0, -0.5),  stretched(&random, 0.0, 0.0, 0.0),
                    stretched(&random, 2.0, 1e-3, 0.0),  stretched(&random, 3.0, 2.0, -1e-6)};
    check_traces(F, 5e-8);
}

// a triple root, and near it
TEST(rotation_trace_reflection)
{
    pl_random random = {15};
    pl_mat3 F[W];
    for (int i = 0; i < W; i++) F[i] = stretched(&random, 1.0 + 1e-3 * i * i, 1.0, -1.0);
    check_traces(F, 1e-5);
}

// tets of several laws, whole windows and what is left of them
TEST(rotation_trace_energies)
{
    enum { TETS = 61, VERTICES = 4 * TETS };
    static const pl_material_kind kinds[3] = {PL_MATERIAL_ARAP, PL_MATERIAL_COROTATED,
                                              PL_MATERIAL_NEOHOOKEAN};
    pl_random random = {14};
    pl_error error;
    for (int laws = 1; laws <= 3; laws++) {
        double rest[3 * VERTICES], x[3 * VERTICES], sum = 0.0;
        int tets[4 * TETS];
        pl_material materials[TETS];
        for (int k = 0; k < VERTICES; k++) {
            tets[k] = k;
            for (int c = 0; c < 3; c++) {
                rest[3 * k + c] = k % 4 == c + 1 ? 1.0 : 0.0;
                x[3 * k + c] = rest[3 * k + c] + pl_random_uniform(&random, -0.2, 0.2);
            }
        }
        for (int e = 0; e < TETS; e++)
            materials[e] =
                (pl_material){.kind = kinds[e % 23 % laws], .mu = 1.0 + e, .lambda = 3.0};
        pl_element_set set;
        CHECK_OK(pl_tet_elements_setup(&set, rest, VERTICES, tets, TETS, materials, &error),
                 &error);
        for (int e = 0; e < TETS; e++)
            sum += pl_tet_elements.energy(set.data, e, x + 12 * (size_t)e);
        CHECK(sum > 0.0);
        CHECK_NEAR(pl_element_set_energy(&set, NULL, x), sum, 1e-13 * sum);
        pl_element_set_free(&set);
    }
}
