// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Gradient and matrix of batches of tets. Corners are loaded by 128-bit loads and register
// transposes; results are stored lane after lane, so that tets of a batch may share vertices.
//
// F = Ds Dm^-1, the gradient at corner i is P g_i, and the block (i, j) is dP/dF contracted with
// g_i and g_j, computed in the frame of the principal stretches (principal.h); the blocks of corner
// 0 follow from a sum of zero, so only six of sixteen blocks are computed.
#include "elements/block_sums.h"
#include "elements/tet_batch_wide.h"
#include "material/material_wide.h"

typedef struct sum_job sum_job;

struct sum_job {
    const pl_tet_batches* set;
    pl_tet_batch* batches;
    const pl_material_law* law;
    const float *x, *low; // low: added to x; or NULL
    float* gradient;
    float* blocks;
    float scale, projected;
    void (*visit)(const sum_job* job, int begin, int end);
};

static void visit_chunk(int first, int last, void* user) {
    const sum_job* job = user;
    job->visit(job, first, last);
}

static void visit_chunks(sum_job* job, pl_pool* pool) {
    pl_chunks_run(&job->set->chunks, pool, visit_chunk, job);
}

PL_WIDE void add_corner_w(float* gradient, const int32_t* corners, pl_vec3w f) {
    pl_add4_w(gradient, corners, (pl_float4w){f.x, f.y, f.z, (pl_fw){0}});
}

// gradient += P g_i at the corners
PL_WIDE void add_stress_w(const pl_tet_batch* b, pl_mat3w P, float* gradient) {
    pl_mat3w f = pl_mat3_mult_w(P, b->shape);
    pl_vec3w f1 = pl_mat3_column_w(&f, 0), f2 = pl_mat3_column_w(&f, 1);
    pl_vec3w f3 = pl_mat3_column_w(&f, 2), sum = pl_add_w(f1, pl_add_w(f2, f3));
    add_corner_w(gradient, b->corners[0], pl_scale_w(pl_splat_w(-1.0f), sum));
    add_corner_w(gradient, b->corners[1], f1);
    add_corner_w(gradient, b->corners[2], f2);
    add_corner_w(gradient, b->corners[3], f3);
}

// F of x + low. Differences of the floats of x are exact, or nearly, so that F is rounded to its
// own precision and not to that of positions.
PL_WIDE pl_mat3w deformation_split_w(const pl_tet_batch* b, const float* x, const float* low) {
    if (!low) return pl_tet_batch_deformation_w(b, x);
    pl_vec3w a = pl_load_vec3_w(x, b->corners[0]), c = pl_load_vec3_w(low, b->corners[0]), e[3];
    for (int i = 0; i < 3; i++) {
        pl_vec3w high = pl_sub_w(pl_load_vec3_w(x, b->corners[i + 1]), a);
        e[i] = pl_add_w(high, pl_sub_w(pl_load_vec3_w(low, b->corners[i + 1]), c));
    }
    return pl_mat3_mul_w(pl_mat3_from_columns_w(e[0], e[1], e[2]), b->shape);
}

static void visit_gradient(const sum_job* job, int begin, int end) {
    for (int k = begin; k < end; k++) {
        pl_tet_batch* b = &job->batches[k];
        pl_material_w material = pl_tet_batch_material_w(job->set, k, pl_splat_w(1.0f));
        pl_mat3w P, F = deformation_split_w(b, job->x, job->low);
        job->law->stress(&material, &F, &b->rotation, &P);
        add_stress_w(b, P, job->gradient);
    }
}

// A start with NaN would never recover: keeps the last good rotation.
PL_WIDE pl_quatw keep_finite_w(pl_quatw q, pl_quatw last) {
    pl_iw finite = pl_is_finite_w(q.x + q.y + q.z + q.w);
    return (pl_quatw){pl_select_w(finite, q.x, last.x), pl_select_w(finite, q.y, last.y),
                      pl_select_w(finite, q.z, last.z), pl_select_w(finite, q.w, last.w)};
}

// ARAP is corotated with lambda = 0
PL_WIDE void visit_warm_w(const sum_job* job, int begin, int end, pl_material_kind kind) {
    for (int k = begin; k < end; k++) {
        pl_tet_batch* b = &job->batches[k];
        pl_material_w material = {b->mu, b->lambda, (pl_fw){0}};
        pl_mat3w F = deformation_split_w(b, job->x, job->low);
        pl_quatw q = b->rotation;
        pl_mat3w R = pl_polar_newton_w(&F, &q, 1);
        b->rotation = keep_finite_w(q, b->rotation);
        pl_slopes_w f;
        pl_invariants_w i = pl_invariants_of_w(pl_law_uses(kind), &F, &R);
        pl_law_evaluate_w(kind, (pl_law_request_w){&material, NULL}, i, &f);
        add_stress_w(b, pl_isotropic_stress_w(pl_law_uses(kind), &f, &F, &R), job->gradient);
    }
}
static void visit_warm_arap(const sum_job* job, int begin, int end) {
    visit_warm_w(job, begin, end, PL_MATERIAL_ARAP);
}
static void visit_warm_corotated(const sum_job* job, int begin, int end) {
    visit_warm_w(job, begin, end, PL_MATERIAL_COROTATED);
}

static void sum_gradient(pl_tet_batches* set, pl_pool* pool, const float* x, const float* low,
                         float* gradient) {
    sum_job job = {.set = set,
                   .batches = set->batches,
                   .law = pl_material_law_of(set->kind),
                   .x = x,
                   .low = low,
                   .gradient = gradient,
                   .visit = visit_gradient};
    visit_chunks(&job, pool);
}

static void sum_gradient_warm(pl_tet_batches* set, pl_pool* pool, const float* x, const float* low,
                              float* gradient) {
    PL_ASSERT(set->kind == PL_MATERIAL_ARAP || set->kind == PL_MATERIAL_COROTATED);
    sum_job job = {.set = set, .batches = set->batches, .x = x, .low = low, .gradient = gradient};
    job.visit = set->kind == PL_MATERIAL_ARAP ? visit_warm_arap : visit_warm_corotated;
    visit_chunks(&job, pool);
}

void pl_tet_batches_gradient(pl_tet_batches* set, pl_pool* pool, const float* x, float* gradient) {
    sum_gradient(set, pool, x, NULL, gradient);
}

void pl_tet_batches_gradient_warm(pl_tet_batches* set, pl_pool* pool, const float* x,
                                  float* gradient) {
    sum_gradient_warm(set, pool, x, NULL, gradient);
}

void pl_tet_batches_gradient_split(pl_tet_batches* set, pl_pool* pool, const float* x,
                                   const float* low, bool warm, float* gradient) {
    if (warm) sum_gradient_warm(set, pool, x, low, gradient);
    else sum_gradient(set, pool, x, low, gradient);
}

static void add_pair(float* blocks, const pl_tet_entries* entries, int i, int j,
                     const pl_mat3w* K) {
    pl_add_block_w(blocks, entries->at[4 * i + j], K);
    pl_mat3w transposed = pl_mat3_transpose_w(*K);
    pl_add_block_w(blocks, entries->at[4 * j + i], &transposed);
}

static void visit_hessian(const sum_job* job, int begin, int end) {
    for (int k = begin; k < end; k++) {
        const pl_tet_batch* b = &job->set->batches[k];
        const pl_tet_entries* entries = &job->set->entries[k];
        pl_material_w material = pl_tet_batch_material_w(job->set, k, pl_splat_w(job->scale));
        pl_mat3w F = pl_tet_batch_deformation_w(b, job->x);
        pl_principal_w tangent;
        pl_prefetch_blocks_w(job->blocks, entries->at, 16);
        job->law->principal(&material, &F, job->projected, &tangent, NULL);
        pl_vec3w g[3];
        for (int i = 0; i < 3; i++)
            g[i] = pl_principal_turn_w(&tangent, pl_tet_batch_shape_w(b, i));
        // row sums of the blocks, from which those of corner 0 follow
        pl_mat3w sums[3] = {0}, total = {0};
        bool diagonal = !job->set->without_diagonal;
        for (int i = 0; i < 3; i++)
            for (int j = i; j < 3; j++) {
                pl_mat3w K = pl_principal_frame_block_w(&tangent, g[i], g[j]);
                K = pl_principal_unturn_w(&tangent, K);
                sums[i] = pl_mat3_add_w(sums[i], K);
                if (i == j && diagonal) pl_add_block_w(job->blocks, entries->at[5 * (i + 1)], &K);
                if (i == j) continue;
                sums[j] = pl_mat3_add_w(sums[j], pl_mat3_transpose_w(K));
                add_pair(job->blocks, entries, i + 1, j + 1, &K);
            }
        for (int i = 0; i < 3; i++) {
            total = pl_mat3_add_w(total, sums[i]);
            sums[i] = pl_mat3_scale_w(pl_splat_w(-1.0f), sums[i]);
            add_pair(job->blocks, entries, i + 1, 0, &sums[i]);
        }
        if (diagonal) pl_add_block_w(job->blocks, entries->at[0], &total);
    }
}

void pl_tet_batches_hessian(const pl_tet_batches* set, pl_pool* pool, const float* x, float scale,
                            float projected, float* blocks) {
    PL_ASSERT(set->entries || set->batch_count == 0);
    sum_job job = {.set = set,
                   .law = pl_material_law_of(set->kind),
                   .x = x,
                   .blocks = blocks,
                   .scale = scale,
                   .projected = projected,
                   .visit = visit_hessian};
    visit_chunks(&job, pool);
}
