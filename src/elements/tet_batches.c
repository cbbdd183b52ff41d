// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "elements/tet_batches.h"
#include "base/memory.h"

#include <float.h>
#include <string.h>

enum { LEAST_CHUNK = (64 + PL_LANES - 1) / PL_LANES };

void pl_tet_batches_free(pl_tet_batches* set) {
    PL_FREE(set->batches, pl_tet_batch, set->batch_count);
    PL_FREE(set->entries, pl_tet_entries, set->batch_count);
    PL_FREE(set->rivlin, pl_fw, set->batch_count);
    pl_chunks_free(&set->chunks);
    *set = (pl_tet_batches){0};
}

// Dm^-1 and the volume of a tet; false if the volume is zero
static bool rest_shape(const double* rest, const int* v, pl_mat3* shape, double* volume) {
    pl_vec3 a = pl_vec3_load(rest + 3 * (size_t)v[0]);
    pl_vec3 edges[3];
    for (int i = 0; i < 3; i++) edges[i] = pl_sub(pl_vec3_load(rest + 3 * (size_t)v[i + 1]), a);
    pl_mat3 Dm = pl_mat3_from_columns(edges[0], edges[1], edges[2]);
    double det = pl_mat3_det(Dm);
    double size = pl_norm(edges[0]) * pl_norm(edges[1]) * pl_norm(edges[2]);
    *volume = det / 6.0;
    return det > DBL_EPSILON * size && pl_mat3_inverse(Dm, shape);
}

static bool fill_lane(pl_tet_batch* batch, int lane, const double* rest, const int* v,
                      const pl_material* material) {
    pl_mat3 shape;
    double volume;
    if (!rest_shape(rest, v, &shape, &volume)) return false;
    for (int i = 0; i < 4; i++) batch->corners[i][lane] = v[i];
    for (int k = 0; k < 9; k++) batch->shape.m[k][lane] = (float)shape.m[k];
    batch->mu[lane] = (float)(volume * material->mu);
    batch->lambda[lane] = (float)(volume * material->lambda);
    batch->rotation.w[lane] = 1.0f;
    return true;
}

static void repeat_lane(pl_tet_batch* batch, int lane, int from) {
    for (int i = 0; i < 4; i++) batch->corners[i][lane] = batch->corners[i][from];
    for (int k = 0; k < 9; k++) batch->shape.m[k][lane] = batch->shape.m[k][from];
    batch->rotation.w[lane] = 1.0f;
}

enum { BATCH_BLOCK = 256 };

typedef struct fill_job {
    pl_tet_batches* set;
    const double* rest;
    const int* tets;
    const pl_material* materials;
    const int* chosen; // the tets of this law; NULL: all
} fill_job;

// number of tets with zero volume in some batches
static double fill_part(int begin, int end, void* user) {
    const fill_job* job = user;
    pl_tet_batches* set = job->set;
    int bad = 0;
    for (int k = begin * PL_LANES; k < end * PL_LANES && k < set->tet_count; k++) {
        int e = job->chosen ? job->chosen[k] : k, batch = k / PL_LANES, lane = k % PL_LANES;
        bad += !fill_lane(&set->batches[batch], lane, job->rest, job->tets + 4 * (size_t)e,
                          &job->materials[e]);
        if (set->rivlin) set->rivlin[batch][lane] = (float)job->materials[e].rivlin;
    }
    return bad;
}

static pl_status fill_batches(const fill_job* job, pl_pool* pool, pl_error* error) {
    fill_job parts = *job;
    pl_tet_batches* set = job->set;
    int filled = set->tet_count;
    if (pl_parallel_sum(pool, fill_part, set->batch_count, BATCH_BLOCK, &parts) > 0.0) {
        int k = 0;
        pl_mat3 shape;
        double volume;
        while (rest_shape(job->rest, job->tets + 4 * (size_t)(job->chosen ? job->chosen[k] : k),
                          &shape, &volume))
            k++;
        return pl_fail(
            error, PL_ERROR_MESH,
            "tet %d is inverted or flat; `pliant mesh IN -o OUT --repair` turns inverted ones",
            job->chosen ? job->chosen[k] : k);
    }
    for (int k = filled; k < set->batch_count * PL_LANES; k++)
        repeat_lane(&set->batches[k / PL_LANES], k % PL_LANES, (filled - 1) % PL_LANES);
    return PL_OK;
}

// the tets of a law; NULL if memory runs out
static int* choose_tets(const pl_tet_batches* set, const pl_material* materials, int tet_count) {
    int* chosen = PL_ALLOC(int, set->tet_count);
    for (int e = 0, count = 0; chosen && e < tet_count; e++)
        if (materials[e].kind == set->kind) chosen[count++] = e;
    return chosen;
}

pl_status pl_tet_batches_setup(pl_tet_batches* set, pl_material_kind kind, const double* rest,
                               int vertex_count, const int* tets, int tet_count,
                               const pl_material* materials, pl_pool* pool, pl_error* error) {
    *set = (pl_tet_batches){.kind = kind};
    for (int e = 0; e < tet_count; e++) set->tet_count += materials[e].kind == kind;
    if (set->tet_count > INT32_MAX / 16)
        return pl_fail(error, PL_ERROR_LIMIT, "%d tets of one material law are too many",
                       set->tet_count);
    set->batch_count = (set->tet_count + PL_LANES - 1) / PL_LANES;
    if (set->batch_count == 0) return PL_OK;
    set->batches = PL_ALLOC(pl_tet_batch, set->batch_count);
    bool ok = set->batches != NULL, all = set->tet_count == tet_count;
    if (kind == PL_MATERIAL_MOONEY_RIVLIN) {
        set->rivlin = PL_ALLOC(pl_fw, set->batch_count);
        ok = ok && set->rivlin;
    }
    int* chosen = all ? NULL : choose_tets(set, materials, tet_count);
    pl_status status = ok && (all || chosen) ? PL_OK : pl_fail_memory(error, "tets");
    if (status == PL_OK)
        status = fill_batches(&(fill_job){set, rest, tets, materials, chosen}, pool, error);
    PL_FREE(chosen, int, set->tet_count);
    if (status == PL_OK)
        status = pl_chunks_setup(&set->chunks, set->batches[0].corners[0], 4 * PL_LANES,
                                 sizeof(pl_tet_batch) / sizeof(int32_t), set->batch_count,
                                 LEAST_CHUNK, vertex_count, error);
    if (status != PL_OK) pl_tet_batches_free(set);
    return status;
}

typedef struct locate_job {
    pl_tet_batches* set;
    const pl_block_matrix* A;
} locate_job;

static void locate_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const locate_job* job = user;
    for (int b = begin; b < end; b++) {
        const pl_tet_batch* batch = &job->set->batches[b];
        for (int k = 0; k < 16; k++)
            for (int lane = 0; lane < PL_LANES; lane++) {
                int row = batch->corners[k / 4][lane], column = batch->corners[k % 4][lane];
                int entry = row == column ? job->A->diagonal[row]
                                          : pl_block_matrix_find(job->A, row, column);
                PL_ASSERT(entry >= 0);
                job->set->entries[b].at[k][lane] = entry;
            }
    }
}

pl_status pl_tet_batches_locate(pl_tet_batches* set, pl_pool* pool, const pl_block_matrix* A,
                                pl_error* error) {
    if (!set->entries) set->entries = PL_ALLOC(pl_tet_entries, set->batch_count);
    if (!set->entries && set->batch_count)
        return pl_fail_memory(error, "the places of tets in a matrix");
    locate_job job = {set, A};
    pl_parallel_for(pool, locate_task, set->batch_count, 256, &job);
    return PL_OK;
}

void pl_tet_batches_place(pl_tet_batches* set, const int* places) {
    for (int b = 0; b < set->batch_count; b++)
        for (int k = 0; k < 16; k++)
            for (int lane = 0; lane < PL_LANES; lane++)
                set->entries[b].at[k][lane] = places[set->entries[b].at[k][lane]];
}

void pl_tet_batches_set(pl_tet_batches* set, int tet, const pl_material* material, double volume) {
    int batch = tet / PL_LANES, lane = tet % PL_LANES;
    set->batches[batch].mu[lane] = (float)(volume * material->mu);
    set->batches[batch].lambda[lane] = (float)(volume * material->lambda);
    if (set->rivlin) set->rivlin[batch][lane] = (float)material->rivlin;
}

// sums of coordinates, one for each block of points
typedef struct mean_job {
    const double* points;
    int block;
    double sums[PL_REDUCE_BLOCKS][3];
} mean_job;

static void mean_task(int begin, int end, int worker, void* user) {
    mean_job* job = user;
    double sum[3] = {0.0, 0.0, 0.0};
    (void)worker;
    for (int i = begin; i < end; i++)
        for (int c = 0; c < 3; c++) sum[c] += job->points[3 * (size_t)i + (size_t)c];
    memcpy(job->sums[begin / job->block], sum, sizeof sum);
}

void pl_points_mean(pl_pool* pool, const double* points, int count, double mean[3]) {
    enum { POINTS_PER_TASK = 2048 };
    const int smallest = (count + PL_REDUCE_BLOCKS - 1) / PL_REDUCE_BLOCKS;
    mean_job job = {.points = points,
                    .block = smallest > POINTS_PER_TASK ? smallest : POINTS_PER_TASK};
    pl_parallel_for(pool, mean_task, count, job.block, &job);
    for (int c = 0; c < 3; c++) mean[c] = 0.0;
    for (int k = 0; k * job.block < count; k++)
        for (int c = 0; c < 3; c++) mean[c] += job.sums[k][c];
    for (int c = 0; c < 3; c++) mean[c] /= count;
}

typedef struct points_job {
    const double* points;
    const double* origin;
    float* out;
} points_job;

static void points_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const points_job* job = user;
    for (int i = begin; i < end; i++) {
        const double* p = job->points + 3 * (size_t)i;
        float* out = job->out + 4 * (size_t)i;
        for (int c = 0; c < 3; c++) out[c] = (float)(p[c] - job->origin[c]);
        out[3] = 0.0f;
    }
}

void pl_float4_from_points(pl_pool* pool, const double* points, int count, const double origin[3],
                           float* out) {
    points_job job = {points, origin, out};
    pl_parallel_for(pool, points_task, count, 4096, &job);
}
