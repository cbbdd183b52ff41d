// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "fem/cloth_batches.h"
#include "base/fail.h"
#include "base/memory.h"
#include "elements/block_sums.h"
#include "fem/cloth_elements.h"
#include "fem/patch_elements.h"
#include "material/bend_patch.h"
#include "material/spring.h"

#include <stdlib.h>

enum { LEAST_CHUNK = (64 + PL_LANES - 1) / PL_LANES };

static size_t batch_size(pl_cloth_kind kind) {
    static const size_t sizes[] = {sizeof(pl_spring_batch), sizeof(pl_hinge_batch),
                                   sizeof(pl_patch_batch), sizeof(pl_membrane_batch)};
    return sizes[kind];
}
static int corner_count(pl_cloth_kind kind) {
    static const int counts[] = {2, 4, PL_PATCH_CORNERS, 3};
    return counts[kind];
}
static int32_t* batch_corners(const pl_cloth_batches* b, int batch) {
    return (int32_t*)((char*)b->batches + (size_t)batch * batch_size(b->kind));
}

void pl_cloth_batches_free(pl_cloth_batches* b) {
    pl_free(b->batches, (size_t)b->batch_count * batch_size(b->kind));
    pl_chunks_free(&b->chunks);
    *b = (pl_cloth_batches){0};
}

// corners and matrix positions, which have the same layout in every kind of batch
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
        s->rest[lane] = (float)pl_cloth_rest(set, e);
        s->stiffness[lane] = present ? (float)pl_cloth_stiffness(set, e) : 0.0f;
    } else if (b->kind == PL_CLOTH_HINGES) {
        pl_hinge_batch* h = (pl_hinge_batch*)b->batches + batch;
        h->rest[lane] = (float)pl_cloth_rest(set, e);
        h->stiffness[lane] = present ? (float)pl_cloth_stiffness(set, e) : 0.0f;
    } else if (b->kind == PL_CLOTH_PATCHES) {
        pl_patch_batch* p = (pl_patch_batch*)b->batches + batch;
        const double *rest, *form;
        pl_patch_element(set, e, &rest, &form);
        for (int i = 0; i < 6; i++) p->form[i][lane] = present ? (float)form[i] : 0.0f;
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

pl_status pl_cloth_batches_setup(pl_cloth_batches* b, const pl_element_set* set, const int* order,
                                 pl_membrane_kind law, int vertex_count, const pl_block_matrix* A,
                                 pl_error* error) {
    *b = (pl_cloth_batches){.kind = set->kind == &pl_spring_elements  ? PL_CLOTH_SPRINGS
                                    : set->kind == &pl_hinge_elements ? PL_CLOTH_HINGES
                                    : set->kind == &pl_patch_elements ? PL_CLOTH_PATCHES
                                                                      : PL_CLOTH_MEMBRANES,
                            .law = law,
                            .order = order};
    int n = corner_count(b->kind), place = 0, last = 0;
    for (int e = 0; e < set->count; e++) b->count += belongs(b, set, e);
    b->batch_count = (b->count + PL_LANES - 1) / PL_LANES;
    if (b->batch_count == 0) return PL_OK;
    b->batches = pl_alloc_items((size_t)b->batch_count, batch_size(b->kind));
    if (!b->batches) {
        pl_cloth_batches_free(b);
        return pl_fail_memory(error, "cloth");
    }
    for (int k = 0; k < set->count; k++) {
        int e = order ? order[k] : k;
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

void pl_cloth_batches_place(pl_cloth_batches* b, const int* places) {
    int n = corner_count(b->kind);
    for (int k = 0; k < b->batch_count; k++) {
        int32_t* at = batch_corners(b, k) + n * PL_LANES;
        for (int i = 0; i < n * n * PL_LANES; i++) at[i] = places[at[i]];
    }
}

void pl_cloth_batches_refresh(pl_cloth_batches* b, const pl_element_set* set) {
    int place = 0, last = 0;
    for (int k = 0; k < set->count; k++) {
        int e = b->order ? b->order[k] : k;
        if (belongs(b, set, e)) fill_values(b, place++, set, last = e, true);
    }
    for (; b->writes && place < b->batch_count * PL_LANES; place++)
        fill_values(b, place, set, last, true);
}

static int compare_places(const void* a, const void* b) {
    int32_t p = *(const int32_t*)a, q = *(const int32_t*)b;
    return (p > q) - (p < q);
}

// whether all positions of block (0, 1) differ; lanes past the last spring are ignored
static bool are_different(const pl_cloth_batches* b, int32_t* places) {
    const pl_spring_batch* springs = b->batches;
    for (int k = 0; k < b->count; k++) places[k] = springs[k / PL_LANES].at[1][k % PL_LANES];
    qsort(places, (size_t)b->count, sizeof(int32_t), compare_places);
    for (int k = 1; k < b->count; k++)
        if (places[k] == places[k - 1]) return false;
    return true;
}

bool pl_cloth_batches_write(pl_cloth_batches* b) {
    int32_t* places = b->kind == PL_CLOTH_SPRINGS ? PL_ALLOC(int32_t, b->count) : NULL;
    b->writes = places && are_different(b, places);
    PL_FREE(places, int32_t, b->count);
    if (!b->writes) return false;
    // blocks are overwritten, so the lanes that repeat the last spring must write the same values
    pl_spring_batch* springs = b->batches;
    for (int k = b->count; k < b->batch_count * PL_LANES; k++)
        springs[k / PL_LANES].stiffness[k % PL_LANES] =
            springs[k / PL_LANES].stiffness[(b->count - 1) % PL_LANES];
    return true;
}

typedef struct sum_job {
    const pl_cloth_batches* set;
    const float* x;
    float projected;
    float* blocks;
} sum_job;

static void visit_springs(int first, int last, void* user) {
    const sum_job* job = user;
    for (int k = first; k < last; k++) {
        const pl_spring_batch* s = (const pl_spring_batch*)job->set->batches + k;
        if (!job->set->writes) pl_prefetch_blocks_w(job->blocks, &s->at[1], 2);
        pl_vec3w d =
            pl_sub_w(pl_load_vec3_w(job->x, s->corners[1]), pl_load_vec3_w(job->x, s->corners[0]));
        pl_mat3w H = pl_spring_hessian_w(d, s->rest, s->stiffness, job->projected);
        pl_mat3w minus = pl_mat3_scale_w(pl_splat_w(-1.0f), H);
        if (job->set->writes) {
            pl_write_block_w(job->blocks, s->at[1], s->at[2], &minus);
        } else {
            pl_add_block_w(job->blocks, s->at[1], &minus);
            pl_add_block_w(job->blocks, s->at[2], &minus);
        }
    }
}

// a b'
PL_WIDE pl_mat3w outer_w(pl_vec3w a, pl_vec3w b) {
    return (pl_mat3w){{a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y, a.y * b.z, a.z * b.x,
                       a.z * b.y, a.z * b.z}};
}

// A hinge that is only partly projected, one at a time and in double: its Hessian is not an outer
// product.
static void add_mixed_hinge(const sum_job* job, const pl_hinge_batch* h, int lane) {
    double exact[144], projected[144] = {0.0}, part = (double)job->projected;
    double rest = (double)h->rest[lane], stiffness = (double)h->stiffness[lane];
    pl_vec3 x[4];
    for (int i = 0; i < 4; i++) {
        const float* p = job->x + 4 * (size_t)h->corners[i][lane];
        x[i] = (pl_vec3){(double)p[0], (double)p[1], (double)p[2]};
    }
    pl_bending_energy(x, rest, stiffness, false, NULL, exact);
    if (part > 0.0) pl_bending_energy(x, rest, stiffness, true, NULL, projected);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            float* block = job->blocks + 9 * (size_t)h->at[4 * i + j][lane];
            for (int k = 0; j != i && k < 9; k++) {
                int at = 12 * (3 * i + k / 3) + 3 * j + k % 3;
                block[k] += (float)((1.0 - part) * exact[at] + part * projected[at]);
            }
        }
}

static void visit_hinges(int first, int last, void* user) {
    const sum_job* job = user;
    for (int k = first; job->projected < 1.0f && k < last; k++)
        for (int lane = 0; lane < PL_LANES; lane++)
            add_mixed_hinge(job, (const pl_hinge_batch*)job->set->batches + k, lane);
    for (int k = job->projected < 1.0f ? last : first; k < last; k++) {
        const pl_hinge_batch* h = (const pl_hinge_batch*)job->set->batches + k;
        pl_prefetch_blocks_w(job->blocks, h->at, 16);
        pl_vec3w x[4], g[4];
        for (int i = 0; i < 4; i++) x[i] = pl_load_vec3_w(job->x, h->corners[i]);
        pl_bending_w(x, h->rest, h->stiffness, g);
        for (int i = 0; i < 4; i++) {
            pl_vec3w kg = pl_scale_w(h->stiffness, g[i]);
            for (int j = 0; j < 4; j++) {
                if (j == i) continue;
                pl_mat3w K = outer_w(kg, g[j]);
                pl_add_block_w(job->blocks, h->at[4 * i + j], &K);
            }
        }
    }
}

PL_WIDE void add_patch_blocks(const sum_job* job, const pl_patch_batch* p, int i, int j,
                              const pl_mat3w* K) {
    pl_mat3w Kt = pl_mat3_transpose_w(*K);
    pl_add_block_w(job->blocks, p->at[PL_PATCH_CORNERS * i + j], K);
    pl_add_block_w(job->blocks, p->at[PL_PATCH_CORNERS * j + i], &Kt);
}

// K_ab = sum_ij M_ij g_i(a) g_j(b)'. Each outer corner belongs to one hinge only.
static void add_patches(const sum_job* job, const pl_patch_batch* p) {
    pl_vec3w x[PL_PATCH_CORNERS], g[3][4], own[3][3], moment[3][3];
    for (int i = 0; i < PL_PATCH_CORNERS; i++) x[i] = pl_load_vec3_w(job->x, p->corners[i]);
    pl_patch_gradients_w(x, g);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) own[i][pl_patch_hinge[i][k]] = g[i][k];
    for (int i = 0; i < 3; i++)
        for (int a = 0; a < 3; a++) {
            moment[i][a] = pl_scale_w(p->form[pl_patch_entry[i][0]], own[0][a]);
            for (int j = 1; j < 3; j++)
                moment[i][a] = pl_madd_w(moment[i][a], p->form[pl_patch_entry[i][j]], own[j][a]);
        }
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3;
        pl_mat3w K = outer_w(own[0][a], moment[0][b]);
        for (int i = 1; i < 3; i++) K = pl_mat3_add_w(K, outer_w(own[i][a], moment[i][b]));
        add_patch_blocks(job, p, a, b, &K);
        for (int i = 0; i < 3; i++) {
            K = outer_w(moment[i][a], g[i][3]);
            add_patch_blocks(job, p, a, 3 + i, &K);
        }
        K = outer_w(pl_scale_w(p->form[pl_patch_entry[a][b]], g[a][3]), g[b][3]);
        add_patch_blocks(job, p, 3 + a, 3 + b, &K);
    }
}

// Always projected: the second derivatives of the angles would take a dozen times as long, and
// steps of cloth would be no better.
static void visit_patches(int first, int last, void* user) {
    const sum_job* job = user;
    for (int k = first; k < last; k++) {
        const pl_patch_batch* p = (const pl_patch_batch*)job->set->batches + k;
        pl_prefetch_blocks_w(job->blocks, p->at, 36);
        add_patches(job, p);
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
        pl_membrane_stress_w(job->set->law, &m->material, &F, job->projected, &t);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                if (j == i) continue;
                pl_mat3w K = pl_membrane_block_w(&t, m->shape[2 * i], m->shape[2 * i + 1],
                                                 m->shape[2 * j], m->shape[2 * j + 1]);
                pl_add_block_w(job->blocks, m->at[3 * i + j], &K);
            }
    }
}

void pl_cloth_batches_hessian(const pl_cloth_batches* set, pl_pool* pool, const float* x,
                              float projected, float* blocks) {
    static const pl_chunk_visit visits[] = {visit_springs, visit_hinges, visit_patches,
                                            visit_membranes};
    sum_job job = {.set = set, .x = x, .projected = projected, .blocks = blocks};
    pl_chunks_run(&set->chunks, pool, visits[set->kind], &job);
}
