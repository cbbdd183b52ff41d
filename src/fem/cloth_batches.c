// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "fem/cloth_batches.h"
#include "base/fail.h"
#include "base/memory.h"
#include "fem/block_sums.h"
#include "fem/cloth_elements.h"
#include "material/bending.h"
#include "material/spring.h"

#include <math.h>

enum { LEAST_CHUNK = (64 + PL_LANES - 1) / PL_LANES };

static size_t batch_size(pl_cloth_kind kind) {
    return kind == PL_CLOTH_SPRINGS  ? sizeof(pl_spring_batch)
           : kind == PL_CLOTH_HINGES ? sizeof(pl_hinge_batch)
                                     : sizeof(pl_membrane_batch);
}
static int corner_count(pl_cloth_kind kind) {
    return kind == PL_CLOTH_SPRINGS ? 2 : kind == PL_CLOTH_HINGES ? 4 : 3;
}
static int32_t* batch_corners(const pl_cloth_batches* b, int batch) {
    return (int32_t*)((char*)b->batches + (size_t)batch * batch_size(b->kind));
}

void pl_cloth_batches_free(pl_cloth_batches* b) {
    pl_free(b->batches, (size_t)b->batch_count * batch_size(b->kind));
    pl_chunks_free(&b->chunks);
    *b = (pl_cloth_batches){0};
}

// corners and places in the matrix, which lie behind one another in every kind of batch
static void fill_corners(pl_cloth_batches* b, int place, const int* v, const pl_block_matrix* A) {
    int n = corner_count(b->kind), lane = place % PL_LANES;
    int32_t *corners = batch_corners(b, place / PL_LANES), *at = corners + n * PL_LANES;
    for (int i = 0; i < n; i++) {
        corners[i * PL_LANES + lane] = v[i];
        for (int j = 0; j < n; j++) {
            int entry = pl_block_matrix_find(A, v[i], v[j]);
            PL_ASSERT(entry >= 0);
            at[(n * i + j) * PL_LANES + lane] = entry;
        }
    }
}

// present: false for a lane that only repeats an element
static void fill_values(pl_cloth_batches* b, int place, const pl_element_set* set, int e,
                        bool present) {
    int batch = place / PL_LANES, lane = place % PL_LANES;
    if (b->kind == PL_CLOTH_SPRINGS) {
        pl_spring_batch* s = (pl_spring_batch*)b->batches + batch;
        s->rest[lane] = pl_cloth_rest(set, e);
        s->stiffness[lane] = present ? pl_cloth_stiffness(set, e) : 0.0;
    } else if (b->kind == PL_CLOTH_HINGES) {
        pl_hinge_batch* h = (pl_hinge_batch*)b->batches + batch;
        h->rest[lane] = (float)pl_cloth_rest(set, e);
        h->stiffness[lane] = present ? (float)pl_cloth_stiffness(set, e) : 0.0f;
    } else {
        pl_membrane_batch* m = (pl_membrane_batch*)b->batches + batch;
        const double* gradients;
        double area;
        pl_membrane membrane = pl_cloth_membrane(set, e, &gradients, &area);
        if (!present) area = 0.0;
        for (int i = 0; i < 6; i++) m->shape[i][lane] = (float)gradients[i];
        m->material.mu[lane] = (float)(area * membrane.mu);
        m->material.lambda[lane] = (float)(area * membrane.lambda);
    }
}

static bool belongs(const pl_cloth_batches* b, const pl_element_set* set, int e) {
    return b->kind != PL_CLOTH_MEMBRANES || pl_cloth_membrane(set, e, NULL, NULL).kind == b->law;
}

pl_status pl_cloth_batches_setup(pl_cloth_batches* b, const pl_element_set* set,
                                 pl_membrane_kind law, int vertex_count, const pl_block_matrix* A,
                                 pl_error* error) {
    *b = (pl_cloth_batches){.kind = set->kind == &pl_spring_elements  ? PL_CLOTH_SPRINGS
                                    : set->kind == &pl_hinge_elements ? PL_CLOTH_HINGES
                                                                      : PL_CLOTH_MEMBRANES,
                            .law = law};
    int n = corner_count(b->kind), place = 0, last = 0;
    for (int e = 0; e < set->count; e++) b->count += belongs(b, set, e);
    b->batch_count = (b->count + PL_LANES - 1) / PL_LANES;
    if (b->batch_count == 0) return PL_OK;
    b->batches = pl_alloc_items((size_t)b->batch_count, batch_size(b->kind));
    if (!b->batches) {
        pl_cloth_batches_free(b);
        return pl_fail_memory(error, "cloth");
    }
    for (int e = 0; e < set->count; e++) {
        if (!belongs(b, set, e)) continue;
        fill_corners(b, place, set->corners + (size_t)e * (size_t)n, A);
        fill_values(b, place++, set, last = e, true);
    }
    for (; place < b->batch_count * PL_LANES; place++) {
        fill_corners(b, place, set->corners + (size_t)last * (size_t)n, A);
        fill_values(b, place, set, last, false);
    }
    pl_status status = pl_chunks_setup(&b->chunks, batch_corners(b, 0), n * PL_LANES,
                                       batch_size(b->kind) / sizeof(int32_t), b->batch_count,
                                       LEAST_CHUNK, vertex_count, error);
    if (status != PL_OK) pl_cloth_batches_free(b);
    return status;
}

typedef struct sum_job {
    const pl_cloth_batches* set;
    const float* x;
    float* blocks;
    const double* x_double;
    double* gradient;
} sum_job;

PL_WIDE pl_fw to_float_w(const double* values) {
    float narrow[PL_LANES];
    for (int lane = 0; lane < PL_LANES; lane++) narrow[lane] = (float)values[lane];
    return pl_loadu_w(narrow);
}

static void visit_springs(int first, int last, void* user) {
    const sum_job* job = user;
    for (int k = first; k < last; k++) {
        const pl_spring_batch* s = (const pl_spring_batch*)job->set->batches + k;
        pl_prefetch_blocks_w(job->blocks, s->at, 4);
        pl_vec3w d =
            pl_sub_w(pl_load_vec3_w(job->x, s->corners[1]), pl_load_vec3_w(job->x, s->corners[0]));
        pl_mat3w H;
        pl_spring_w(d, to_float_w(s->rest), to_float_w(s->stiffness), true, &H);
        pl_mat3w minus = pl_mat3_scale_w(pl_splat_w(-1.0f), H);
        pl_add_block_w(job->blocks, s->at[0], &H);
        pl_add_block_w(job->blocks, s->at[1], &minus);
        pl_add_block_w(job->blocks, s->at[2], &minus);
        pl_add_block_w(job->blocks, s->at[3], &H);
    }
}

// a b'
PL_WIDE pl_mat3w outer_w(pl_vec3w a, pl_vec3w b) {
    return (pl_mat3w){{a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y, a.y * b.z, a.z * b.x,
                       a.z * b.y, a.z * b.z}};
}

static void visit_hinges(int first, int last, void* user) {
    const sum_job* job = user;
    for (int k = first; k < last; k++) {
        const pl_hinge_batch* h = (const pl_hinge_batch*)job->set->batches + k;
        pl_prefetch_blocks_w(job->blocks, h->at, 16);
        pl_vec3w x[4], g[4];
        for (int i = 0; i < 4; i++) x[i] = pl_load_vec3_w(job->x, h->corners[i]);
        pl_bending_w(x, h->rest, h->stiffness, g);
        for (int i = 0; i < 4; i++) {
            pl_vec3w kg = pl_scale_w(h->stiffness, g[i]);
            for (int j = 0; j < 4; j++) {
                pl_mat3w K = outer_w(kg, g[j]);
                pl_add_block_w(job->blocks, h->at[4 * i + j], &K);
            }
        }
    }
}

static void visit_membranes(int first, int last, void* user) {
    const sum_job* job = user;
    for (int k = first; k < last; k++) {
        const pl_membrane_batch* m = (const pl_membrane_batch*)job->set->batches + k;
        pl_prefetch_blocks_w(job->blocks, m->at, 9);
        pl_mat32w F = {0};
        for (int i = 0; i < 3; i++) {
            pl_vec3w x = pl_load_vec3_w(job->x, m->corners[i]);
            F.x = pl_madd_w(F.x, m->shape[2 * i], x);
            F.y = pl_madd_w(F.y, m->shape[2 * i + 1], x);
        }
        pl_membrane_tangent_w t;
        pl_membrane_stress_w(job->set->law, &m->material, &F, &t);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                pl_mat3w K = pl_membrane_block_w(&t, m->shape[2 * i], m->shape[2 * i + 1],
                                                 m->shape[2 * j], m->shape[2 * j + 1]);
                pl_add_block_w(job->blocks, m->at[3 * i + j], &K);
            }
    }
}

void pl_cloth_batches_hessian(const pl_cloth_batches* set, pl_pool* pool, const float* x,
                              float* blocks) {
    static const pl_chunk_visit visits[] = {visit_springs, visit_hinges, visit_membranes};
    sum_job job = {.set = set, .x = x, .blocks = blocks};
    pl_chunks_run(&set->chunks, pool, visits[set->kind], &job);
}

// Lane by lane in plain loops, which the compiler makes wide: the same operations as
// pl_spring_energy.
static void visit_spring_gradients(int first, int last, void* user) {
    const sum_job* job = user;
    for (int k = first; k < last; k++) {
        const pl_spring_batch* s = (const pl_spring_batch*)job->set->batches + k;
        double d[3][PL_LANES], factor[PL_LANES];
        for (int lane = 0; lane < PL_LANES; lane++) {
            const double* a = job->x_double + 3 * (int64_t)s->corners[0][lane];
            const double* b = job->x_double + 3 * (int64_t)s->corners[1][lane];
            for (int c = 0; c < 3; c++) d[c][lane] = b[c] - a[c];
        }
        for (int lane = 0; lane < PL_LANES; lane++) {
            double length =
                sqrt(d[0][lane] * d[0][lane] + d[1][lane] * d[1][lane] + d[2][lane] * d[2][lane]);
            double force = s->stiffness[lane] * (length - s->rest[lane]);
            factor[lane] = length > PL_SPRING_LEAST * s->rest[lane] ? force / length : 0.0;
        }
        for (int lane = 0; lane < PL_LANES; lane++) {
            double* a = job->gradient + 3 * (int64_t)s->corners[0][lane];
            double* b = job->gradient + 3 * (int64_t)s->corners[1][lane];
            for (int c = 0; c < 3; c++) {
                double f = factor[lane] * d[c][lane];
                a[c] -= f, b[c] += f;
            }
        }
    }
}

void pl_spring_batches_gradient(const pl_cloth_batches* set, pl_pool* pool, const double* x,
                                double* gradient) {
    PL_ASSERT(set->kind == PL_CLOTH_SPRINGS);
    sum_job job = {.set = set, .x_double = x, .gradient = gradient};
    pl_chunks_run(&set->chunks, pool, visit_spring_gradients, &job);
}
