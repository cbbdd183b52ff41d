// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The rotation term of the tangent stiffness. With frozen rotations, rotating a cell costs as much
// as shearing it: A has 2 mu |dF|^2. In the Hessian of the true energy the rotation follows: dR = R
// [w]x, where w minimises mu sum |dF - dR|^2 over the gradients that are not boundary ones:
//   K w = g,  g_k = sum of dF_ab C^k_ab,  K_kl = sum of (known part of ab) C^k_ab C^l_ab,
// where C^k = R [e_k]x. This subtracts 2 mu g' K^-1 g (K = 2 I for cells without boundary
// gradients). With A alone, a slender body needs hundreds of cycles to bend.
//
// Where we differ from the paper: we subtract this term, up to a limit that keeps the matrix
// definite, from the residuals that are restricted and from the coarsest matrix. Sweeps, which
// reduce high frequencies, see it lagged, on their right-hand side.
#include "grid/grid_corot_kernels.h"

#include <string.h>

enum { CHUNKS = 32 };

// C^k: column k + 1 is R's column k + 2, column k + 2 minus R's column k + 1
static inline float turn_entry(const float R[9], int k, int a, int m) {
    const int p = (k + 1) % 3, q = (k + 2) % 3;
    return m == p ? R[3 * a + q] : m == q ? -R[3 * a + p] : 0.0f;
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

void pl_corot_rotation_matrix(const pl_corot_level* l, const int* base, int i, float out[9]) {
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
    // regularise: a limb one cell thick has rotations that nothing resists and no gradient sees
    for (int k = 0; k < 3; k++) K[4 * k] += 0.02f;
    invert(K, out);
    for (int e = 0; e < 9; e++) out[e] *= 2.0f * l->soft[n];
}

static void twist_chunk(pl_corot_level* l, const pl_corot_masks* m, const int* rows, bool core) {
    for (int i = 0; i < PL_GRID_CHUNK; i += PL_LANES) {
        pl_fw R[9], g[3], y[3];
        if (core) pl_corot_twist_w(l, l->u, rows, i, true, R, g, y);
        else pl_corot_twist_w(l, l->u, rows, i, false, R, g, y);
        for (int k = 0; k < 3; k++) y[k] = pl_keep_w(m->core | m->slaved, i, y[k]);
        for (int e = 0; e < 9; e++) {
            // column e is nonzero only in the C^k of the other two axes
            const int a = e / 3, after = (e + 1) % 3, before = (e + 2) % 3;
            pl_storeu_w(l->twist[e] + pl_corot_at(rows, i, 13),
                        pl_fnma_w(y[after], R[3 * a + before], y[before] * R[3 * a + after]));
        }
    }
}

static void twist_task(int begin, int end, int worker, void* user) {
    (void)worker;
    pl_corot_level* l = user;
    for (int c = begin; c < end; c++) {
        const pl_corot_masks* m = &l->masks[l->chunks[c].begin / PL_GRID_CHUNK];
        if (m->core | m->slaved) twist_chunk(l, m, l->chunks[c].rows, !m->slaved);
    }
}

typedef struct soften_job {
    const pl_corot_level* level;
    float* const* to;
} soften_job;

static void soften_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const soften_job* job = user;
    const pl_corot_level* l = job->level;
    for (int k = begin; k < end; k++) {
        const int* rows = l->chunks[k].rows;
        const pl_corot_masks* m = &l->masks[l->chunks[k].begin / PL_GRID_CHUNK];
        const bool inner = !(m->band[0] | m->band[1] | m->band[2]);
        if (!(m->core | m->slaved)) continue;
        for (int i = 0; i < PL_GRID_CHUNK; i += PL_LANES) {
#pragma GCC unroll 9
            for (int a = 0; a < 3; a++) {
                pl_fw sum = inner ? pl_corot_differences_w(l, l->twist, NULL, rows, i, a, true)
                                  : pl_corot_differences_w(l, l->twist, NULL, rows, i, a, false);
                float* to = job->to[a] + pl_corot_at(rows, i, 13);
                pl_storeu_w(to, pl_loadu_w(to) + pl_keep_w(m->inner[a] | m->band[a], i, sum));
            }
        }
    }
}

void pl_corot_soften(pl_corot_level* l, float* const to[3], pl_pool* pool) {
    if (l->shear > 0.0f) return;
    pl_parallel_for(pool, twist_task, l->chunk_count, CHUNKS, l);
    pl_parallel_for(pool, soften_task, l->chunk_count, CHUNKS, &(soften_job){l, to});
}
