// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Projection of elastic tets: a Newton step for one tet after the other, on the energy of its law
// plus the inertia of its four corners. Compliance does the same for a constraint whose energy is
// the square of a number; here the energy is any function of the deformation gradient F.
//
// A tet of volume V stores the impulse L (3 x 3) that it has exerted in this step: corner k, with
// shape function gradient b_k, has moved by w_k L b_k. At the end of a step,
//     L + h^2 V (P(F) + g dP/dF : (F - F_start)) = 0,       g = damping time / h.
// A further impulse dL changes F by dL G, G = sum of w_k b_k b_k'. So the Newton step is
//     dL + h^2 V (1 + g) dP/dF : (dL G) = -(left-hand side above).
// It is solved in the frame of the principal stretches, where dP/dF is sparse and G is nearly
// diagonal; its off-diagonal entries are dropped. Both momenta are conserved, because P F' is
// symmetric.
#include "material/material_wide.h"
#include "pbd/sweeper.h"

PL_WIDE pl_vec3w xyz(pl_float4w a) { return (pl_vec3w){a.x, a.y, a.z}; }

// the columns of F: sum over corners of x_k b_k'
PL_WIDE pl_mat3w gradient_of(const pl_vec3w x[4], const pl_vec3w b[4]) {
    pl_vec3w columns[3] = {{{0}, {0}, {0}}, {{0}, {0}, {0}}, {{0}, {0}, {0}}};
    for (int k = 1; k < 4; k++) {
        pl_vec3w e = pl_sub_w(x[k], x[0]);
        columns[0] = pl_madd_w(columns[0], b[k].x, e);
        columns[1] = pl_madd_w(columns[1], b[k].y, e);
        columns[2] = pl_madd_w(columns[2], b[k].z, e);
    }
    return pl_mat3_from_columns_w(columns[0], columns[1], columns[2]);
}

// dP for a change of F, in the principal frame
PL_WIDE pl_mat3w stress_in_frame(const pl_principal_w* t, const pl_mat3w* dG) {
    const pl_fw* A = t->A.m;
    pl_mat3w Q;
    Q.m[0] = A[0] * dG->m[0] + A[3] * dG->m[4] + A[4] * dG->m[8];
    Q.m[4] = A[3] * dG->m[0] + A[1] * dG->m[4] + A[5] * dG->m[8];
    Q.m[8] = A[4] * dG->m[0] + A[5] * dG->m[4] + A[2] * dG->m[8];
    static const int pairs[3][2] = {{5, 7}, {2, 6}, {1, 3}};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 2; i++)
            Q.m[pairs[k][i]] =
                t->same[k] * dG->m[pairs[k][i]] + t->cross[k] * dG->m[pairs[k][1 - i]];
    return Q;
}

// the diagonal of dL: (I + s A diag(g)) d = r
PL_WIDE void solve_stretches(const pl_principal_w* t, pl_fw s, const pl_fw g[3], const pl_mat3w* R,
                             pl_mat3w* out) {
    const pl_fw* A = t->A.m;
    pl_fw g0 = s * g[0], g1 = s * g[1], g2 = s * g[2];
    pl_mat3w M = {{1.0f + A[0] * g0, A[3] * g1, A[4] * g2, A[3] * g0, 1.0f + A[1] * g1, A[5] * g2,
                   A[4] * g0, A[5] * g1, 1.0f + A[2] * g2}};
    // the inverse is the transposed cofactor matrix over the determinant
    pl_mat3w C = pl_mat3_cofactor_w(M);
    pl_fw det = M.m[0] * C.m[0] + M.m[1] * C.m[1] + M.m[2] * C.m[2];
    pl_fw inverse = -1.0f / det;
    pl_vec3w r = {R->m[0], R->m[4], R->m[8]};
    out->m[0] = inverse * (C.m[0] * r.x + C.m[3] * r.y + C.m[6] * r.z);
    out->m[4] = inverse * (C.m[1] * r.x + C.m[4] * r.y + C.m[7] * r.z);
    out->m[8] = inverse * (C.m[2] * r.x + C.m[5] * r.y + C.m[8] * r.z);
}

// each off-diagonal pair of dL
PL_WIDE void solve_shears(const pl_principal_w* t, pl_fw s, const pl_fw g[3], const pl_mat3w* R,
                          pl_mat3w* out) {
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3, ij = 3 * i + j, ji = 3 * j + i;
        pl_fw same = s * t->same[k], cross = s * t->cross[k];
        pl_fw a = 1.0f + same * g[j], b = cross * g[i], c = cross * g[j], d = 1.0f + same * g[i];
        pl_fw inverse = -1.0f / (a * d - b * c);
        out->m[ij] = inverse * (d * R->m[ij] - b * R->m[ji]);
        out->m[ji] = inverse * (a * R->m[ji] - c * R->m[ij]);
    }
}

typedef struct tet_block {
    const int32_t* vertices;
    const float* values;
    float* impulse;
} tet_block;

// inputs of both solvers
typedef struct tet_state {
    pl_float4w x[4];
    pl_vec3w b[4];
    pl_mat3w F, change; // change: F - F_start, with damping only
    pl_fw s;            // h^2 V
    pl_material_w material;
    pl_mat3w L;
} tet_state;

PL_WIDE void load_tet(const tet_block* block, const pl_sweep_numbers* n, const float* p,
                      tet_state* t) {
    const float* v = block->values;
    pl_vec3w at[4];
    for (int k = 0; k < 4; k++) {
        t->x[k] = pl_load4_at_w(p, block->vertices + k * PL_LANES);
        at[k] = xyz(t->x[k]);
    }
    for (int k = 1; k < 4; k++)
        t->b[k] =
            (pl_vec3w){pl_load_w(v + (3 * k - 3) * PL_LANES), pl_load_w(v + (3 * k - 2) * PL_LANES),
                       pl_load_w(v + (3 * k - 1) * PL_LANES)};
    t->b[0] = pl_scale_w(pl_splat_w(-1.0f), pl_add_w(t->b[1], pl_add_w(t->b[2], t->b[3])));
    t->F = gradient_of(at, t->b);
    if (n->damping > 0.0f) {
        for (int k = 0; k < 4; k++)
            at[k] = pl_sub_w(at[k], xyz(pl_load4_at_w(n->start, block->vertices + k * PL_LANES)));
        t->change = gradient_of(at, t->b);
    }
    t->s = pl_load_w(v + 9 * PL_LANES) / n->inverse_h2;
    t->material =
        (pl_material_w){.mu = pl_load_w(v + 10 * PL_LANES), .lambda = pl_load_w(v + 11 * PL_LANES)};
    for (int i = 0; i < 9; i++) t->L.m[i] = pl_load_w(block->impulse + i * PL_LANES);
}

PL_WIDE void store_tet(const tet_block* block, tet_state* t, const pl_mat3w* dL, float* p) {
    for (int i = 0; i < 9; i++) pl_store_w(block->impulse + i * PL_LANES, t->L.m[i] + dL->m[i]);
    for (int k = 0; k < 4; k++) {
        pl_vec3w step = pl_scale_w(t->x[k].w, pl_mat3_apply_w(dL, t->b[k]));
        t->x[k].x += step.x, t->x[k].y += step.y, t->x[k].z += step.z;
        pl_store4_at_w(p, block->vertices + k * PL_LANES, t->x[k]);
    }
}

// any law, in the frame of the principal stretches
PL_WIDE void project_any(const pl_material_law* law, const tet_block* block,
                         const pl_sweep_numbers* n, float* p) {
    tet_state t;
    load_tet(block, n, p, &t);
    pl_mat3w P;
    pl_principal_w tangent;
    law->principal(&t.material, &t.F, 1.0f, &tangent, &P);
    pl_mat3w R = pl_mat3_mul_w(pl_mat3_tmul_w(tangent.U, pl_mat3_madd_w(t.L, t.s, P)), tangent.V);
    if (n->damping > 0.0f) {
        pl_mat3w change = pl_mat3_mul_w(pl_mat3_tmul_w(tangent.U, t.change), tangent.V);
        R = pl_mat3_madd_w(R, n->damping * t.s, stress_in_frame(&tangent, &change));
        t.s = (1.0f + n->damping) * t.s;
    }
    pl_fw g[3] = {{0}, {0}, {0}};
    for (int k = 0; k < 4; k++) {
        pl_vec3w turned = pl_principal_turn_w(&tangent, t.b[k]);
        g[0] += t.x[k].w * turned.x * turned.x;
        g[1] += t.x[k].w * turned.y * turned.y;
        g[2] += t.x[k].w * turned.z * turned.z;
    }
    pl_mat3w dL;
    solve_stretches(&tangent, t.s, g, &R, &dL);
    solve_shears(&tangent, t.s, g, &R, &dL);
    dL = pl_mat3_mult_w(pl_mat3_mul_w(tangent.U, dL), tangent.V);
    store_tet(block, &t, &dL, p);
}

// Stable Neo-Hookean without principal stretches. With m and k of the law, c = 1 - 1/(I2 + 1) and
// q = k (J - 1) - 3/4 m:  P = m c F + q cof F,  and the matrix of the Newton step is
//     dP = (m c + |q|) dF + k cof F (cof F : dF),
// which is exact for shears at rest and an upper bound elsewhere. All of G can then be used, with
// a 3 x 3 inverse and a rank-one update (Sherman-Morrison).
PL_WIDE pl_mat3w cofactor_change(const pl_mat3w* F, const pl_mat3w* D) {
    pl_vec3w c[3];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        c[i] = pl_add_w(pl_cross_w(pl_mat3_column_w(D, j), pl_mat3_column_w(F, k)),
                        pl_cross_w(pl_mat3_column_w(F, j), pl_mat3_column_w(D, k)));
    }
    return pl_mat3_from_columns_w(c[0], c[1], c[2]);
}

PL_WIDE pl_mat3w metric_of(const tet_state* t) {
    pl_mat3w G = {{{0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}}};
    for (int k = 0; k < 4; k++) {
        pl_vec3w a = pl_scale_w(t->x[k].w, t->b[k]), b = t->b[k];
        G.m[0] = pl_fma_w(a.x, b.x, G.m[0]), G.m[4] = pl_fma_w(a.y, b.y, G.m[4]);
        G.m[8] = pl_fma_w(a.z, b.z, G.m[8]), G.m[1] = pl_fma_w(a.x, b.y, G.m[1]);
        G.m[2] = pl_fma_w(a.x, b.z, G.m[2]), G.m[5] = pl_fma_w(a.y, b.z, G.m[5]);
    }
    G.m[3] = G.m[1], G.m[6] = G.m[2], G.m[7] = G.m[5];
    return G;
}

PL_WIDE void project_neohookean(const tet_block* block, const pl_sweep_numbers* n, float* p) {
    tet_state t;
    load_tet(block, n, p, &t);
    pl_fw one = pl_splat_w(1.0f), m = (4.0f / 3.0f) * t.material.mu;
    pl_fw k = pl_fma_w(pl_splat_w(5.0f / 6.0f), t.material.mu, t.material.lambda);
    pl_fw I2 = pl_mat3_dot_w(t.F, t.F), inverse = 1.0f / (I2 + one), mc = m * (one - inverse);
    pl_mat3w C = pl_mat3_cofactor_w(t.F);
    pl_fw J = t.F.m[0] * C.m[0] + t.F.m[1] * C.m[1] + t.F.m[2] * C.m[2];
    pl_fw q = pl_fma_w(k, J - one, -0.75f * m);
    pl_mat3w P = pl_mat3_madd_w(pl_mat3_scale_w(mc, t.F), q, C);
    if (n->damping > 0.0f) {
        // a semidefinite tangent: the pressure term is limited to what the shear terms balance
        const pl_mat3w* D = &t.change;
        pl_fw most = 0.75f * m, low = pl_min_w(one, 1.73205081f * pl_rsqrt_w(I2));
        pl_fw held = low * pl_max_w(pl_min_w(q, most), -most);
        pl_mat3w dP = pl_mat3_madd_w(pl_mat3_scale_w(mc, *D), held, cofactor_change(&t.F, D));
        dP = pl_mat3_madd_w(dP, k * pl_mat3_dot_w(C, *D), C);
        dP = pl_mat3_madd_w(dP, 2.0f * m * inverse * inverse * pl_mat3_dot_w(t.F, *D), t.F);
        P = pl_mat3_madd_w(P, pl_splat_w(n->damping), dP);
    }
    pl_mat3w R = pl_mat3_madd_w(t.L, t.s, P), G = metric_of(&t);
    pl_fw s = (1.0f + n->damping) * t.s;
    // H = (I + s (m c + |q|) G)^-1
    pl_mat3w M = pl_mat3_madd_w(pl_mat3_identity_w(), s * (mc + pl_abs_w(q)), G);
    pl_mat3w H = pl_mat3_cofactor_w(M);
    pl_fw det = M.m[0] * H.m[0] + M.m[1] * H.m[1] + M.m[2] * H.m[2];
    H = pl_mat3_scale_w(1.0f / det, H);
    pl_mat3w Y = pl_mat3_mul_w(R, H), Z = pl_mat3_mul_w(C, H), CG = pl_mat3_mul_w(C, G);
    pl_fw sk = s * k, part = sk * pl_mat3_dot_w(CG, Y) / pl_fma_w(sk, pl_mat3_dot_w(CG, Z), one);
    pl_mat3w dL = pl_mat3_sub_w(pl_mat3_scale_w(part, Z), Y);
    store_tet(block, &t, &dL, p);
}

void pl_project_tets(const pl_block_list* list, int begin, int end, bool backward,
                     const pl_sweep_numbers* numbers, float* p) {
    const pl_material_law* law = pl_material_law_of(list->law);
    const pl_constraint_traits* t = &pl_constraint_traits_of[PL_CONSTRAINT_TET];
    for (int k = 0; k < end - begin; k++) {
        size_t at = (size_t)(backward ? end - 1 - k : begin + k) * PL_LANES;
        tet_block block = {list->vertices + at * (size_t)t->corners,
                           list->values + at * (size_t)t->values,
                           list->multipliers + at * (size_t)t->multipliers};
        if (list->law == PL_MATERIAL_STABLE_NEOHOOKEAN) project_neohookean(&block, numbers, p);
        else project_any(law, &block, numbers, p);
    }
}
