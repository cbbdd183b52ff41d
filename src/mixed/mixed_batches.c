// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "mixed/mixed_batches.h"
#include "elements/tet_batch_wide.h"
#include "material/material_wide.h"
#include "math/float8.h"

typedef struct batch_job {
    const pl_tet_batches* set;
    const pl_material_law* law;
    const float* x;
    float projected;
    float* blocks;
} batch_job;

// one 4 x 4 block per lane, row-major
typedef struct block_w {
    pl_float4w rows[4];
} block_w;

// K with g as the last column and h as the last row
PL_WIDE block_w join_w(const pl_mat3w* K, pl_vec3w g, pl_vec3w h) {
    const pl_fw* m = K->m;
    return (block_w){{{m[0], m[1], m[2], g.x},
                      {m[3], m[4], m[5], g.y},
                      {m[6], m[7], m[8], g.z},
                      {h.x, h.y, h.z, (pl_fw){0}}}};
}

// Adds lane i to block index[i]. Not inlined: sixteen copies would not fit the instruction cache.
static __attribute__((noinline)) void add_block_w(float* blocks, const int32_t* index,
                                                  const block_w* block) {
    pl_f4 rows[4][PL_LANES];
    for (int r = 0; r < 4; r++) pl_rows4_w(block->rows[r], rows[r]);
    for (int lane = 0; lane < PL_LANES; lane++) {
        float* to = blocks + 16 * (int64_t)index[lane];
        pl_store8(to, pl_load8(to) + pl_pair4(rows[0][lane], rows[1][lane]));
        pl_store8(to + 8, pl_load8(to + 8) + pl_pair4(rows[2][lane], rows[3][lane]));
    }
}

// Adds blocks (i, j) and (j, i). g: constraint gradients of the corners.
PL_WIDE void add_pair_w(const batch_job* job, const pl_tet_entries* entries, int i, int j,
                        const pl_mat3w* K, const pl_vec3w g[4]) {
    const pl_mat3w transposed = pl_mat3_transpose_w(*K);
    const block_w block = join_w(K, g[i], g[j]), mirror = join_w(&transposed, g[j], g[i]);
    add_block_w(job->blocks, entries->at[4 * i + j], &block);
    add_block_w(job->blocks, entries->at[4 * j + i], &mirror);
}

// Exactly symmetric, because a solver may read only one half of it.
PL_WIDE void add_own_w(const batch_job* job, const pl_tet_entries* entries, int i,
                       const pl_mat3w* K, pl_vec3w g) {
    pl_mat3w even = pl_mat3_add_w(*K, pl_mat3_transpose_w(*K));
    even = pl_mat3_scale_w(pl_splat_w(0.5f), even);
    const block_w block = join_w(&even, g, g);
    add_block_w(job->blocks, entries->at[5 * i], &block);
}

// The blocks of a row sum to zero, so those of corner 0 follow from the others.
PL_WIDE void add_blocks_w(const batch_job* job, const pl_tet_batch* b,
                          const pl_tet_entries* entries, const pl_principal_w* tangent,
                          const pl_vec3w gradients[4]) {
    pl_vec3w g[3];
    pl_mat3w sums[3] = {0}, total = {0};
    for (int i = 0; i < 3; i++) g[i] = pl_principal_turn_w(tangent, pl_tet_batch_shape_w(b, i));
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) {
            pl_mat3w K = pl_principal_frame_block_w(tangent, g[i], g[j]);
            K = pl_principal_unturn_w(tangent, K);
            sums[i] = pl_mat3_add_w(sums[i], K);
            if (i == j) {
                add_own_w(job, entries, i + 1, &K, gradients[i + 1]);
                continue;
            }
            sums[j] = pl_mat3_add_w(sums[j], pl_mat3_transpose_w(K));
            add_pair_w(job, entries, i + 1, j + 1, &K, gradients);
        }
    for (int i = 0; i < 3; i++) {
        total = pl_mat3_add_w(total, sums[i]);
        sums[i] = pl_mat3_scale_w(pl_splat_w(-1.0f), sums[i]);
        add_pair_w(job, entries, i + 1, 0, &sums[i], gradients);
    }
    add_own_w(job, entries, 0, &total, gradients[0]);
}

// V/4 dPhi/dx of each corner. The tangent includes the rotation of F.
PL_WIDE void find_gradients_w(const batch_job* job, const pl_tet_batch* b, const pl_mat3w* F,
                              const pl_principal_w* tangent, pl_fw volume, pl_vec3w gradients[4]) {
    pl_mat3w P;
    pl_fw phi;
    if (job->set->kind == PL_MATERIAL_COROTATED) P = pl_mat3_mult_w(tangent->U, tangent->V);
    else job->law->constraint(F, NULL, &phi, &P);
    P = pl_mat3_mult_w(pl_mat3_scale_w(0.25f * volume, P), b->shape);
    for (int i = 0; i < 3; i++) gradients[i + 1] = pl_mat3_column_w(&P, i);
    const pl_vec3w sum = pl_add_w(gradients[1], pl_add_w(gradients[2], gradients[3]));
    gradients[0] = pl_scale_w(pl_splat_w(-1.0f), sum);
}

// Each block is in a cache line of its own, scattered over the matrix: prefetch them before they
// are computed.
PL_WIDE void prefetch_blocks_w(const float* blocks, const pl_tet_entries* entries) {
    for (int k = 0; k < 16; k++)
        for (int lane = 0; lane < PL_LANES; lane++)
            __builtin_prefetch(blocks + 16 * (int64_t)entries->at[k][lane], 1);
}

// F and the mean pressure of the tets in a batch
PL_WIDE pl_mat3w load_batch_w(const pl_tet_batch* b, const float* x, pl_fw* pressure) {
    pl_vec3w corners[4];
    pl_fw sum = {0};
    for (int i = 0; i < 4; i++) {
        const pl_float4w corner = pl_load4_w(x, b->corners[i]);
        corners[i] = (pl_vec3w){corner.x, corner.y, corner.z};
        sum += corner.w;
    }
    *pressure = 0.25f * sum;
    return pl_tet_batch_deformation_of_w(b, corners);
}

// Rest volumes; zero in padding lanes, which repeat a tet.
PL_WIDE pl_fw volume_w(const pl_tet_batch* b) {
    const pl_fw zero = {0}, volume = (1.0f / 6.0f) / pl_mat3_det_w(b->shape);
    return pl_select_w(b->mu > zero, volume, zero);
}

static void visit_batches(int begin, int end, void* user) {
    const batch_job* job = user;
    for (int k = begin; k < end; k++) {
        const pl_tet_batch* b = &job->set->batches[k];
        const pl_tet_entries* entries = &job->set->entries[k];
        const pl_material_w material = pl_tet_batch_material_w(job->set, k, pl_splat_w(1.0f));
        const pl_fw volume = volume_w(b);
        pl_fw pressure;
        const pl_mat3w F = load_batch_w(b, job->x, &pressure);
        pl_principal_w tangent;
        pl_vec3w gradients[4];
        prefetch_blocks_w(job->blocks, entries);
        job->law->mixed_principal(&material, &F, volume * pressure, job->projected, &tangent, NULL);
        find_gradients_w(job, b, &F, &tangent, volume, gradients);
        add_blocks_w(job, b, entries, &tangent, gradients);
    }
}

void pl_mixed_batches_add(const pl_tet_batches* set, pl_pool* pool, const float* x, float projected,
                          float* blocks) {
    PL_ASSERT(set->entries || set->batch_count == 0);
    batch_job job = {set, pl_material_law_of(set->kind), x, projected, blocks};
    pl_chunks_run(&set->chunks, pool, visit_batches, &job);
}
