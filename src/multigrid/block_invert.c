// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Inverses of diagonal blocks. Those of nodes by Cholesky, many nodes at a time, one in each lane.
// Where a node's affine maps move nothing (S0 section 4.4), the block has a null space that is
// known exactly: the mean of its diagonal is put there, which changes nothing else.
#include "multigrid/block_galerkin.h"

#include <math.h>
#include <string.h>

enum { ROWS_PER_TASK = 2048, NODES_PER_TASK = 64 };
// a pivot that elimination made smaller than this part of what it was counts as none
static const float TINY_PIVOT = 1e-6f;

void pl_block_fill_unseen(const float* D, const float* unseen, float* out) {
    memcpy(out, D, PL_BLOCK12 * sizeof(float));
    float rank = unseen[0] + unseen[5] + unseen[10] + unseen[15], trace = 0.0f;
    if (!(rank > 0.5f)) return;
    for (int k = 0; k < 12; k++) trace += D[13 * k];
    float seen = 12.0f - 3.0f * rank;
    // a node that nothing belongs to: anything will do
    float mean = seen > 0.5f && trace > 0.0f ? trace / seen : 1.0f;
    for (int b = 0; b < 4; b++)
        for (int a = 0; a < 4; a++)
            for (int c = 0; c < 3; c++)
                out[12 * (3 * b + c) + 3 * a + c] += mean * unseen[4 * a + b];
}

// The inverse of a symmetric 3 x 3 block; zero if it has none.
static void invert3(const float* A, float* out) {
    double a = (double)A[0], b = (double)A[1], c = (double)A[2];
    double d = (double)A[4], e = (double)A[5], f = (double)A[8];
    double c0 = d * f - e * e, c1 = c * e - b * f, c2 = b * e - c * d;
    double determinant = a * c0 + b * c1 + c * c2;
    double bound = 1e-12 * fabs(a) * fabs(d) * fabs(f);
    double s = determinant > bound ? 1.0 / determinant : 0.0;
    float inverse[9] = {(float)(c0 * s),
                        (float)(c1 * s),
                        (float)(c2 * s),
                        (float)(c1 * s),
                        (float)((a * f - c * c) * s),
                        (float)((b * c - a * e) * s),
                        (float)(c2 * s),
                        (float)((b * c - a * e) * s),
                        (float)((a * d - b * b) * s)};
    memcpy(out, inverse, sizeof inverse);
}

// L of A = L L' in each lane, with 1 / L_jj on the diagonal; 0 there for a pivot that vanished
PL_WIDE void factor_lanes(pl_fw a[12][12]) {
    for (int j = 0; j < 12; j++) {
        pl_fw pivot = a[j][j];
        for (int k = 0; k < j; k++) pivot = pl_fnma_w(a[j][k], a[j][k], pivot);
        pl_iw good = pivot > TINY_PIVOT * a[j][j];
        pl_fw root = 1.0f / pl_sqrt_w(pl_select_w(good, pivot, pl_splat_w(1.0f)));
        a[j][j] = pl_select_w(good, root, (pl_fw){0});
        for (int i = j + 1; i < 12; i++) {
            pl_fw sum = a[i][j];
            for (int k = 0; k < j; k++) sum = pl_fnma_w(a[i][k], a[j][k], sum);
            a[i][j] = sum * a[j][j];
        }
    }
}

// L^-1 in place of L
PL_WIDE void invert_factor_lanes(pl_fw a[12][12]) {
    for (int j = 0; j < 12; j++)
        for (int i = j + 1; i < 12; i++) {
            pl_fw sum = a[i][j] * a[j][j];
            for (int k = j + 1; k < i; k++) sum = pl_fma_w(a[i][k], a[k][j], sum);
            a[i][j] = -sum * a[i][i];
        }
}

typedef struct invert_job {
    pl_block_level* level;
    const float* unseen;
    const int* nodes;
} invert_job;

static int node_at(const invert_job* job, int k) { return job->nodes ? job->nodes[k] : k; }

static void load_lanes(const invert_job* job, int first, int count, pl_fw a[12][12]) {
    float block[PL_BLOCK12];
    for (int lane = 0; lane < PL_LANES; lane++) {
        size_t node = (size_t)node_at(job, first + (lane < count ? lane : 0));
        pl_block_fill_unseen(job->level->diagonal + PL_BLOCK12 * node, job->unseen + 16 * node,
                             block);
        for (int i = 0; i < 12; i++)
            for (int j = 0; j <= i; j++) a[i][j][lane] = block[12 * j + i];
    }
}

static void store_lanes(const invert_job* job, int first, int count, pl_fw a[12][12]) {
    for (int i = 0; i < 12; i++)
        for (int j = 0; j <= i; j++) {
            pl_fw sum = {0}; // column i of L^-1 times column j
            for (int k = i; k < 12; k++) sum = pl_fma_w(a[k][i], a[k][j], sum);
            for (int lane = 0; lane < count; lane++) {
                float* out = job->level->inverse + PL_BLOCK12 * (size_t)node_at(job, first + lane);
                out[12 * j + i] = out[12 * i + j] = sum[lane];
            }
        }
}

static void invert12_task(int begin, int end, int worker, void* user) {
    const invert_job* job = user;
    pl_fw a[12][12];
    (void)worker;
    for (int first = begin; first < end; first += PL_LANES) {
        int count = end - first < PL_LANES ? end - first : PL_LANES;
        load_lanes(job, first, count, a);
        factor_lanes(a);
        invert_factor_lanes(a);
        store_lanes(job, first, count, a);
    }
}

static void invert3_task(int begin, int end, int worker, void* user) {
    const invert_job* job = user;
    (void)worker;
    for (int k = begin; k < end; k++) {
        size_t i = (size_t)node_at(job, k);
        invert3(job->level->diagonal + 9 * i, job->level->inverse + 9 * i);
    }
}

void pl_block_level_invert(pl_block_level* level, const float* unseen, const int* nodes, int count,
                           pl_pool* pool) {
    invert_job job = {level, unseen, nodes};
    bool coarse = level->block == PL_BLOCK12;
    pl_parallel_for(pool, coarse ? invert12_task : invert3_task, count,
                    coarse ? NODES_PER_TASK : ROWS_PER_TASK, &job);
}
