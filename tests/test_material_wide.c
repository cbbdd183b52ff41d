// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Wide laws, springs, membranes and bending against the double ones, at the width that the build
// has (the scalar preset: 1). What depends on the width is in simd.h and tested there at all
// widths.
#include "material/bending.h"
#include "material/material.h"
#include "material/material_wide.h"
#include "material/membrane.h"
#include "material/spring.h"
#include "material_states.h"
#include "test.h"

static pl_material fill_material(pl_random* random, pl_material_kind kind, pl_material_w* wide,
                                 int lane) {
    pl_material m = {0};
    pl_error error = {0};
    double young = pow(10.0, pl_random_uniform(random, 3.0, 7.0));
    CHECK_OK(pl_material_from_young(kind, young, pl_random_uniform(random, -0.3, 0.48), &m, &error),
             &error);
    m.rivlin = pl_random_uniform(random, 0.0, 1.0);
    wide->mu[lane] = (float)m.mu, m.mu = wide->mu[lane];
    wide->lambda[lane] = (float)m.lambda, m.lambda = wide->lambda[lane];
    wide->rivlin[lane] = (float)m.rivlin, m.rivlin = wide->rivlin[lane];
    return m;
}

static pl_mat3 fill_matrix(pl_mat3 F, pl_mat3w* wide, int lane) {
    for (int i = 0; i < 9; i++) {
        wide->m[i][lane] = (float)F.m[i];
        F.m[i] = wide->m[i][lane];
    }
    return F;
}

static double difference(const pl_mat3w* wide, int lane, pl_mat3 exact) {
    double worst = 0.0;
    for (int i = 0; i < 9; i++) {
        double error = fabs(wide->m[i][lane] - exact.m[i]);
        worst = error <= worst ? worst : error;
    }
    return worst;
}

// One batch: elements of one kind, each with its own parameters, state and pressure.
typedef struct batch {
    pl_material_kind kind;
    pl_material m[PL_LANES];
    pl_mat3 F[PL_LANES];
    double p[PL_LANES], size[PL_LANES]; // size: what errors are relative to
    pl_material_w m_w;
    pl_mat3w F_w;
    pl_fw p_w;
    pl_quatw q_w;
} batch;

static void fill_batch(pl_random* random, pl_material_kind kind, int round, batch* b) {
    bool rotation = kind == PL_MATERIAL_ARAP || kind == PL_MATERIAL_COROTATED;
    b->kind = kind;
    for (int k = 0; k < PL_LANES; k++) {
        pl_material m = b->m[k] = fill_material(random, kind, &b->m_w, k);
        // inverted instead of states where the law is not smooth; laws that need volume are NaN
        // there
        int state = (round + k) % PL_TEST_STATE_KINDS;
        double gap, J;
        do {
            b->F[k] = fill_matrix(pl_test_state(random, state), &b->F_w, k);
            gap = rotation ? pl_test_rotation_gap(b->F[k]) : 1.0;
            J = pl_material_needs_volume(kind) ? pl_mat3_det(b->F[k]) : 1.0;
            if (gap < 0.05 || fabs(J) < 0.02) state = PL_TEST_STATE_INVERTED;
        } while (gap < 0.05 || fabs(J) < 0.02);
        b->p_w[k] = (float)(m.mu * pl_random_uniform(random, -2.0, 2.0));
        b->p[k] = b->p_w[k];
        double n = 1.0 + pl_mat3_norm(b->F[k]);
        b->size[k] =
            (m.mu + fabs(m.lambda) + fabs(b->p[k])) * n * n * n * n / fmin(1.0, J * J) / gap;
        b->q_w.x[k] = b->q_w.y[k] = b->q_w.z[k] = 0.0f;
        b->q_w.w[k] = 1.0f;
    }
}

static bool exists(const batch* b, int k) {
    return !pl_material_needs_volume(b->kind) || pl_mat3_det(b->F[k]) > 0.0;
}

static void check_energy_and_stress(batch* b) {
    const pl_material_law* law = pl_material_law_of(b->kind);
    pl_fw energy, phi;
    pl_mat3w P, mixed, gradient;
    law->energy(&b->m_w, &b->F_w, &b->q_w, &energy);
    law->stress(&b->m_w, &b->F_w, &b->q_w, &P);
    law->mixed_stress(&b->m_w, &b->F_w, b->p_w, &b->q_w, &mixed);
    law->constraint(&b->F_w, &b->q_w, &phi, &gradient);
    for (int k = 0; k < PL_LANES; k++) {
        const pl_material* m = &b->m[k];
        if (!exists(b, k)) {
            CHECK(energy[k] == INFINITY && isnan(P.m[0][k]) && isnan(mixed.m[4][k]));
            CHECK(isnan(phi[k]));
            continue;
        }
        double size = b->size[k];
        CHECK_NEAR(energy[k], pl_material_energy(m, b->F[k]), 4e-7 * size);
        CHECK_NEAR(difference(&P, k, pl_material_stress(m, b->F[k])), 0.0, 4e-7 * size);
        pl_mat3 exact = pl_material_mixed_stress(m, b->F[k], b->p[k]);
        CHECK_NEAR(difference(&mixed, k, exact), 0.0, 4e-7 * size);
        CHECK_NEAR(phi[k], pl_material_constraint(m, b->F[k], &exact), 4e-7 * size / m->mu);
        CHECK_NEAR(difference(&gradient, k, exact), 0.0, 4e-7 * size / m->mu);
    }
}

// dP for a dF
static pl_mat3w stress_change_w(const pl_principal_w* p, pl_mat3w dF) {
    pl_mat3w dG = pl_mat3_mul_w(pl_mat3_tmul_w(p->U, dF), p->V);
    const pl_fw *g = dG.m, *A = p->A.m, *same = p->same, *cross = p->cross;
    pl_mat3w dQ = {{
        pl_fma_w(A[0], g[0], pl_fma_w(A[3], g[4], A[4] * g[8])),
        pl_fma_w(same[2], g[1], cross[2] * g[3]),
        pl_fma_w(same[1], g[2], cross[1] * g[6]),
        pl_fma_w(same[2], g[3], cross[2] * g[1]),
        pl_fma_w(A[3], g[0], pl_fma_w(A[1], g[4], A[5] * g[8])),
        pl_fma_w(same[0], g[5], cross[0] * g[7]),
        pl_fma_w(same[1], g[6], cross[1] * g[2]),
        pl_fma_w(same[0], g[7], cross[0] * g[5]),
        pl_fma_w(A[4], g[0], pl_fma_w(A[5], g[4], A[2] * g[8])),
    }};
    return pl_mat3_mult_w(pl_mat3_mul_w(p->U, dQ), p->V);
}
// tangent[9 * i + j] = dP_i/dF_j
static void dense_tangent_w(const pl_principal_w* p, pl_fw tangent[81]) {
    for (int j = 0; j < 9; j++) {
        pl_mat3w dF = {{{0}}};
        dF.m[j] = pl_splat_w(1.0f);
        pl_mat3w dP = stress_change_w(p, dF);
        for (int i = 0; i < 9; i++) tangent[9 * i + j] = dP.m[i];
    }
}

static void check_dense(const batch* b, const pl_principal_w* wide, const pl_mat3w* P, bool mixed,
                        bool projected) {
    pl_fw T[81];
    dense_tangent_w(wide, T);
    for (int k = 0; k < PL_LANES; k++) {
        const pl_material* m = &b->m[k];
        pl_principal exact = mixed ? pl_material_mixed_principal(m, b->F[k], b->p[k], projected)
                                   : pl_material_principal(m, b->F[k], projected);
        pl_mat3 stress =
            mixed ? pl_material_mixed_stress(m, b->F[k], b->p[k]) : pl_material_stress(m, b->F[k]);
        if (!exists(b, k)) {
            CHECK(isnan(T[0][k]) && isnan(P->m[0][k]));
            continue;
        }
        double E[81];
        pl_test_dense_tangent(&exact, E);
        CHECK_NEAR(difference(P, k, stress), 0.0, 4e-7 * b->size[k]);
        for (int i = 0; i < 81; i++) CHECK_NEAR(T[i][k], E[i], 4e-6 * b->size[k]);
    }
}

// the block from the frame against the one in double
static void check_wide_block(const batch* b, const pl_principal_w* wide, pl_random* random) {
    pl_vec3w a_w, c_w;
    pl_vec3 a = {pl_random_normal(random), pl_random_normal(random), pl_random_normal(random)};
    pl_vec3 c = {pl_random_normal(random), pl_random_normal(random), pl_random_normal(random)};
    a_w = pl_splat_vec3_w((float)a.x, (float)a.y, (float)a.z);
    c_w = pl_splat_vec3_w((float)c.x, (float)c.y, (float)c.z);
    pl_mat3w K = pl_principal_frame_block_w(wide, pl_principal_turn_w(wide, a_w),
                                            pl_principal_turn_w(wide, c_w));
    K = pl_principal_unturn_w(wide, K);
    for (int k = 0; k < PL_LANES; k++) {
        pl_principal exact = pl_material_principal(&b->m[k], b->F[k], true);
        double size = b->size[k] * (1.0 + pl_norm(a) * pl_norm(c));
        if (exists(b, k))
            CHECK_NEAR(difference(&K, k, pl_principal_block(&exact, a, c)), 0.0, 4e-6 * size);
    }
}

TEST(material_wide_laws)
{
    pl_random random = {.state = 60 + PL_LANES};
    for (int kind = 0; kind < PL_MATERIAL_COUNT; kind++)
        for (int round = 0; round < 1600 / PL_LANES; round++) {
            batch b;
            fill_batch(&random, (pl_material_kind)kind, round * PL_LANES, &b);
            check_energy_and_stress(&b);
            const pl_material_law* law = pl_material_law_of(b.kind);
            pl_principal_w tangent;
            pl_mat3w P;
            law->principal(&b.m_w, &b.F_w, 1.0f, &tangent, &P);
            check_dense(&b, &tangent, &P, false, true);
            check_wide_block(&b, &tangent, &random);
            for (int projected = 0; projected < 2; projected++) {
                law->mixed_principal(&b.m_w, &b.F_w, b.p_w, (float)projected, &tangent, &P);
                check_dense(&b, &tangent, &P, true, projected);
            }
        }
}

static pl_vec3 fill_vector(pl_random* random, pl_vec3w* wide, int lane) {
    wide->x[lane] = (float)pl_random_normal(random);
    wide->y[lane] = (float)pl_random_normal(random);
    wide->z[lane] = (float)pl_random_normal(random);
    return (pl_vec3){wide->x[lane], wide->y[lane], wide->z[lane]};
}

static double vector_difference(const pl_vec3w* wide, int lane, pl_vec3 exact) {
    return pl_distance((pl_vec3){wide->x[lane], wide->y[lane], wide->z[lane]}, exact);
}

static void check_wide_springs(pl_random* random) {
    pl_vec3w d_w;
    pl_vec3 d[PL_LANES];
    pl_fw rest = {0};
    for (int k = 0; k < PL_LANES; k++) {
        d[k] = fill_vector(random, &d_w, k);
        rest[k] = (float)pl_random_uniform(random, 0.3, 2.0);
    }
    d_w.x[0] = d_w.y[0] = d_w.z[0] = 0.0f;
    d[0] = (pl_vec3){0};
    pl_mat3w H = pl_spring_hessian_w(d_w, rest, pl_splat_w(50.0f), 1.0f);
    pl_fw strain, pull = pl_spring_pull_w(pl_dot_w(d_w, d_w), rest, pl_splat_w(50.0f), &strain);
    pl_vec3w g = pl_scale_w(pull, d_w);
    for (int k = 0; k < PL_LANES; k++) {
        pl_vec3 exact;
        pl_mat3 hessian;
        pl_spring_energy(d[k], rest[k], 50.0, true, &exact, &hessian);
        CHECK_NEAR(vector_difference(&g, k, exact), 0.0, 1e-4);
        CHECK_NEAR(difference(&H, k, hessian), 0.0, 1e-4);
        // four in double have the bits of one
        double one, square = pl_norm2(d[k]), own = pl_spring_pull(square, rest[k], 50.0, &one);
        pl_d4 four, pulls = pl_spring_pull_d4(pl_splat_d4(square), pl_splat_d4((double)rest[k]),
                                              pl_splat_d4(50.0), &four);
        CHECK(pulls[1] == own && four[1] == one);
        CHECK_NEAR((double)strain[k], one, 1e-6);
    }
}

static void check_wide_membranes(pl_random* random, pl_membrane_kind kind) {
    pl_membrane_w m_w;
    pl_mat32w F_w;
    pl_mat32 F[PL_LANES];
    pl_membrane m[PL_LANES];
    for (int k = 0; k < PL_LANES; k++) {
        m_w.mu[k] = (float)pl_random_uniform(random, 1.0, 100.0);
        m_w.lambda[k] = (float)pl_random_uniform(random, -0.5, 2.0) * m_w.mu[k];
        m[k] = (pl_membrane){kind, m_w.mu[k], m_w.lambda[k]};
        F[k].x = fill_vector(random, &F_w.x, k);
        F[k].y = fill_vector(random, &F_w.y, k);
    }
    pl_membrane_tangent_w t_w;
    pl_mat32w P = pl_membrane_stress_w(kind, &m_w, &F_w, 1.0f, &t_w);
    pl_fw one = pl_splat_w(1.0f), two = pl_splat_w(-2.0f), half = pl_splat_w(0.5f);
    pl_mat3w K = pl_membrane_block_w(&t_w, one, two, half, one);
    for (int k = 0; k < PL_LANES; k++) {
        pl_mat32 exact = pl_membrane_stress(&m[k], F[k]);
        pl_membrane_tangent t = pl_membrane_principal(&m[k], F[k], true);
        double n = 1.0 + pl_norm(F[k].x) + pl_norm(F[k].y);
        double area = pl_norm(pl_cross(F[k].x, F[k].y));
        if (kind != PL_MEMBRANE_STVK && area < 0.05) continue;
        double size = (m[k].mu + fabs(m[k].lambda)) * n * n * n / fmin(1.0, area * area);
        CHECK_NEAR(vector_difference(&P.x, k, exact.x), 0.0, 1e-6 * size);
        CHECK_NEAR(vector_difference(&P.y, k, exact.y), 0.0, 1e-6 * size);
        pl_mat3 block = pl_membrane_block(&t, 1.0, -2.0, 0.5, 1.0);
        CHECK_NEAR(difference(&K, k, block), 0.0, 1e-5 * size);
    }
}

static void check_wide_bending(pl_random* random) {
    pl_vec3w x_w[4], g_w[4];
    pl_vec3 x[PL_LANES][4];
    pl_fw rest = {0};
    for (int k = 0; k < PL_LANES; k++) {
        for (int v = 0; v < 4; v++) x[k][v] = fill_vector(random, &x_w[v], k);
        rest[k] = (float)pl_random_uniform(random, -1.0, 1.0);
    }
    pl_fw moment = pl_bending_w(x_w, rest, pl_splat_w(3.0f), g_w);
    for (int k = 0; k < PL_LANES; k++) {
        double angle;
        pl_vec3 g[4];
        CHECK(pl_bending_angle(x[k], &angle, g));
        // how thin the triangles are decides what float can say
        pl_vec3 e = pl_sub(x[k][1], x[k][0]);
        double height1 = pl_norm(pl_cross(e, pl_sub(x[k][2], x[k][0]))) / pl_norm(e);
        double height2 = pl_norm(pl_cross(e, pl_sub(x[k][3], x[k][0]))) / pl_norm(e);
        double thin = fmin(fmin(height1, height2), pl_norm(e));
        double delta = remainder(angle - rest[k], 2.0 * 3.14159265358979);
        if (thin < 0.1 || fabs(delta) > 3.1) continue;
        CHECK_NEAR(moment[k], 3.0 * delta, 1e-5 * (1.0 + 1.0 / (thin * thin)));
        for (int v = 0; v < 4; v++)
            CHECK_NEAR(vector_difference(&g_w[v], k, g[v]), 0.0,
                       2e-5 * (1.0 + 1.0 / (thin * thin * thin)));
    }
}

TEST(material_wide_cloth)
{
    pl_random random = {.state = 70 + PL_LANES};
    for (int round = 0; round < 400; round++) {
        check_wide_springs(&random);
        check_wide_membranes(&random, (pl_membrane_kind)(round % PL_MEMBRANE_COUNT));
        check_wide_bending(&random);
    }
}
