// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// With the rotations frozen, turning a cell costs as much as shearing it: A has 2 mu |dF|^2. In the
// second derivative of the true energy the rotation follows: dR = R [w]x with the w that makes
// mu sum |dF - dR|^2 smallest, over the gradients that are no boundary ones. That is
//   K w = g,  g_k = sum of dF_ab C^k_ab,  K_kl = sum of (known part of ab) C^k_ab C^l_ab,
// where C^k = R [e_k]x, and it takes 2 mu g' K^-1 g away (K = 2 I where nothing is missing).
// Iterations on A alone bend a slender body in hundreds of cycles.
//
// Where we differ from the paper: this part is taken away, up to a limit that leaves the matrix
// definite, in the residuals that go to coarser levels and in the coarsest matrix; sweeps, which
// are about short waves, see it lagged, on their right side.
#include "grid/grid_corot_stencil.h"

#include <string.h>

enum { CHUNKS = 32 };

// the nine averaged gradients of a cell
static void gradient(const pl_corot_level* l, float* const u[3], const int* base, int i,
                     float F[9]) {
    const int *S = pl_corot_stride, n = base[13] + i;
    for (int a = 0; a < 3; a++) {
        const float* v = u[a];
        const int next = base[13 + S[a]] + i;
        F[4 * a] = l->cell_weight[a][n] > 0.0f ? v[next] - v[n] : 0.0f;
        for (int e = 0; e < 2; e++) {
            const int b = e == 0 ? (a == 0) : (a == 2 ? 1 : 2), c = 3 - a - b;
            const int up = base[13 + S[b]] + i, far = base[13 + S[a] + S[b]] + i;
            float part = 0.0f;
            if (l->edge_weight[c][n] > 0.0f) part += v[n] - v[base[13 - S[b]] + i];
            if (l->edge_weight[c][up] > 0.0f) part += v[up] - v[n];
            if (l->edge_weight[c][next] > 0.0f) part += v[next] - v[base[13 + S[a] - S[b]] + i];
            if (l->edge_weight[c][far] > 0.0f) part += v[far] - v[next];
            F[3 * a + b] = 0.25f * part;
        }
    }
}

// C^k: column k + 1 is R's column k + 2, column k + 2 minus R's column k + 1
static inline float turn_entry(const float R[9], int k, int a, int m) {
    const int p = (k + 1) % 3, q = (k + 2) % 3;
    return m == p ? R[3 * a + q] : m == q ? -R[3 * a + p] : 0.0f;
}

static void twist_of(const float R[9], const float F[9], float g[3]) {
    for (int k = 0; k < 3; k++) {
        const int p = (k + 1) % 3, q = (k + 2) % 3;
        g[k] = 0.0f;
        for (int a = 0; a < 3; a++)
            g[k] += R[3 * a + q] * F[3 * a + p] - R[3 * a + p] * F[3 * a + q];
    }
}

// the inverse of a symmetric positive definite matrix
static void invert(const float K[9], float out[9]) {
    float c00 = K[4] * K[8] - K[5] * K[5], c01 = K[2] * K[5] - K[1] * K[8];
    float c02 = K[1] * K[5] - K[2] * K[4];
    float scale = 1.0f / (K[0] * c00 + K[1] * c01 + K[2] * c02);
    out[0] = scale * c00, out[1] = out[3] = scale * c01, out[2] = out[6] = scale * c02;
    out[4] = scale * (K[0] * K[8] - K[2] * K[2]);
    out[5] = out[7] = scale * (K[1] * K[2] - K[0] * K[5]);
    out[8] = scale * (K[0] * K[4] - K[1] * K[1]);
}

void pl_corot_twist_matrix(const pl_corot_level* l, const int* base, int i, float out[9]) {
    const int n = base[13] + i;
    memset(out, 0, 9 * sizeof(float));
    if (l->flags[n] & PL_COROT_CORE) {
        for (int k = 0; k < 3; k++) out[4 * k] = l->soft[n];
        return;
    }
    float missing[9], R[9], K[9] = {0};
    pl_corot_rotation(l, n, R);
    pl_corot_missing(l, base, i, missing);
    for (int k = 0; k < 3; k++)
        for (int j = k; j < 3; j++) {
            for (int e = 0; e < 9; e++)
                K[3 * k + j] += (1.0f - missing[e]) * turn_entry(R, k, e / 3, e % 3) *
                                turn_entry(R, j, e / 3, e % 3);
            K[3 * j + k] = K[3 * k + j];
        }
    // a limb one cell thin has turns that nothing resists, and that no gradient sees
    for (int k = 0; k < 3; k++) K[4 * k] += 0.02f;
    invert(K, out);
    for (int e = 0; e < 9; e++) out[e] *= 2.0f * l->soft[n];
}

// 2 mu K^-1 g
static void respond(const pl_corot_level* l, const int* base, int i, const float g[3], float y[3]) {
    if (l->flags[base[13] + i] & PL_COROT_CORE) {
        for (int k = 0; k < 3; k++) y[k] = l->soft[base[13] + i] * g[k];
        return;
    }
    float W[9];
    pl_corot_twist_matrix(l, base, i, W);
    for (int k = 0; k < 3; k++) y[k] = W[3 * k] * g[0] + W[3 * k + 1] * g[1] + W[3 * k + 2] * g[2];
}

static void twist_task(int begin, int end, int worker, void* user) {
    (void)worker;
    pl_corot_level* l = user;
    int base[27];
    for (int c = begin; c < end; c++) {
        pl_corot_reach(&l->chunks[c], base);
        for (int i = 0; i < PL_GRID_CHUNK; i++) {
            const int n = base[13] + i;
            if (!(l->flags[n] & PL_COROT_INTERIOR)) continue;
            float R[9], F[9], g[3], y[3];
            pl_corot_rotation(l, n, R);
            gradient(l, l->u, base, i, F);
            twist_of(R, F, g);
            respond(l, base, i, g, y);
            for (int a = 0; a < 3; a++)
                for (int m = 0; m < 3; m++) {
                    // of the three C^k only those of the axes after m and before it have column m
                    const int after = (m + 1) % 3, before = (m + 2) % 3;
                    l->twist[3 * a + m][n] =
                        y[before] * R[3 * a + after] - y[after] * R[3 * a + before];
                }
        }
    }
}

typedef struct soften_job {
    const pl_corot_level* level;
    float* const* to;
} soften_job;

static float face_sum(const pl_corot_level* l, const int* base, int i, int a) {
    const int *S = pl_corot_stride, n = base[13] + i, m = base[13 - S[a]] + i;
    float sum = 0.0f;
    if (l->cell_weight[a][m] > 0.0f) sum += l->twist[4 * a][m];
    if (l->cell_weight[a][n] > 0.0f) sum -= l->twist[4 * a][n];
    for (int e = 0; e < 2; e++) {
        const int b = e == 0 ? (a == 0) : (a == 2 ? 1 : 2), c = 3 - a - b, ab = 3 * a + b;
        const int up = base[13 + S[b]] + i, low = base[13 - S[b]] + i;
        const int up_m = base[13 + S[b] - S[a]] + i, low_m = base[13 - S[b] - S[a]] + i;
        float own = l->twist[ab][n] + l->twist[ab][m];
        if (l->edge_weight[c][n] > 0.0f)
            sum += 0.25f * (own + l->twist[ab][low] + l->twist[ab][low_m]);
        if (l->edge_weight[c][up] > 0.0f)
            sum -= 0.25f * (own + l->twist[ab][up] + l->twist[ab][up_m]);
    }
    return sum;
}

static void soften_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const soften_job* job = user;
    const pl_corot_level* l = job->level;
    int base[27];
    for (int k = begin; k < end; k++) {
        pl_corot_reach(&l->chunks[k], base);
        for (int i = 0; i < PL_GRID_CHUNK; i++)
            for (int a = 0; a < 3; a++)
                if (l->flags[base[13] + i] & (PL_COROT_FACE << a))
                    job->to[a][base[13] + i] += face_sum(l, base, i, a);
    }
}

void pl_corot_soften(pl_corot_level* l, float* const to[3], pl_pool* pool) {
    if (l->shear > 0.0f) return;
    pl_parallel_for(pool, twist_task, l->chunk_count, CHUNKS, l);
    pl_parallel_for(pool, soften_task, l->chunk_count, CHUNKS, &(soften_job){l, to});
}

double pl_corot_twist_square(const pl_corot_level* l, float* const u[3], const int* base, int i) {
    const int n = base[13] + i;
    if (l->soft[n] == 0.0f) return 0.0;
    float R[9], F[9], g[3];
    pl_corot_rotation(l, n, R);
    gradient(l, u, base, i, F);
    twist_of(R, F, g);
    float y[3];
    respond(l, base, i, g, y);
    double sum = 0.0;
    for (int k = 0; k < 3; k++) sum += (double)g[k] * (double)y[k];
    return sum;
}
