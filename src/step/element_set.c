// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "step/element_set.h"
#include "base/memory.h"

#include <math.h>

enum {
    ENERGY_BLOCK = 128,
    COLLAPSE_BLOCK = 4096,
    LEAST_CHUNK = 64,
    LOCATE_BLOCK = 2048,
    GATHER_BLOCK = 512,
    MAX_DOFS = 3 * PL_MAX_CORNERS
};

void pl_element_set_free(pl_element_set* set) {
    if (!set->kind) return;
    int corners = set->kind->corner_count;
    if (set->kind->destroy && set->data) set->kind->destroy(set->data);
    PL_FREE(set->corners, int, (size_t)set->count*(size_t)corners);
    PL_FREE(set->entries, int, (size_t)set->count*(size_t)(corners * corners));
    pl_chunks_free(&set->chunks);
    if (set->gather) set->kind->gather_destroy(set->gather);
    *set = (pl_element_set){0};
}

pl_status pl_element_set_setup(pl_element_set* set, const pl_element_functions* kind, void* data,
                               int* corners, int count, int vertex_count, pl_error* error) {
    *set = (pl_element_set){.kind = kind, .data = data, .count = count, .corners = corners};
    pl_status status =
        pl_chunks_setup(&set->chunks, corners, kind->corner_count, (size_t)kind->corner_count,
                        count, LEAST_CHUNK, vertex_count, error);
    if (status != PL_OK) pl_element_set_free(set);
    return status;
}

pl_status pl_element_set_gather(pl_element_set* set, int vertex_count, pl_error* error) {
    if (!set->kind->gather || set->gather) return PL_OK;
    set->gather_vertex_count = vertex_count;
    return set->kind->gather(set, vertex_count, error);
}

typedef struct locate_job {
    pl_element_set* set;
    const pl_block_matrix* A;
} locate_job;

static void locate_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const locate_job* job = user;
    int n = job->set->kind->corner_count;
    for (int e = begin; e < end; e++) {
        const int* v = job->set->corners + (size_t)e * (size_t)n;
        int* entries = job->set->entries + (size_t)e * (size_t)(n * n);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                entries[i * n + j] = pl_block_matrix_find(job->A, v[i], v[j]);
                PL_ASSERT(entries[i * n + j] >= 0);
            }
    }
}

pl_status pl_element_set_locate_by(pl_pool* pool, pl_element_set* set, const pl_block_matrix* A,
                                   pl_error* error) {
    int n = set->kind->corner_count;
    set->entries = PL_ALLOC(int, (size_t)set->count*(size_t)(n * n));
    if (!set->entries && set->count)
        return pl_fail_memory(error, "the places of elements in a matrix");
    locate_job job = {set, A};
    pl_parallel_for(pool, locate_task, set->count, LOCATE_BLOCK, &job);
    return PL_OK;
}

pl_status pl_element_set_locate(pl_element_set* set, const pl_block_matrix* A, pl_error* error) {
    return pl_element_set_locate_by(NULL, set, A, error);
}

typedef struct sum_job {
    const pl_element_set* set;
    const double* x;
    double* gradient;
    pl_block_matrix* A;
    bool projected;
    double scale;
} sum_job;

static void gather_corners(const pl_element_set* set, int e, const double* x, double* local) {
    int n = set->kind->corner_count;
    const int* v = set->corners + (size_t)e * (size_t)n;
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++) local[3 * i + c] = x[3 * (size_t)v[i] + (size_t)c];
}

typedef struct collapse_job {
    const pl_element_set* set;
    const double* x;
    double limit;
} collapse_job;

static double collapsed_part(int begin, int end, void* user) {
    const collapse_job* job = user;
    int n = job->set->kind->corner_count, count = 0;
    for (int e = begin; e < end; e++) {
        const int* v = job->set->corners + (size_t)e * (size_t)n;
        const double* first = job->x + 3 * (size_t)v[0];
        bool near = true;
        for (int i = 1; near && i < n; i++)
            for (int c = 0; c < 3; c++)
                if (!(fabs(job->x[3 * (size_t)v[i] + (size_t)c] - first[c]) <= job->limit))
                    near = false;
        count += near;
    }
    return count;
}

int pl_element_set_collapsed(const pl_element_set* set, pl_pool* pool, const double* x,
                             double limit) {
    collapse_job job = {set, x, limit};
    return (int)pl_parallel_sum(pool, collapsed_part, set->count, COLLAPSE_BLOCK, &job);
}

static double energy_part(int begin, int end, void* user) {
    const sum_job* job = user;
    double sum = 0.0, local[MAX_DOFS] = {0.0};
    if (job->set->kind->energies) return job->set->kind->energies(job->set, begin, end, job->x);
    for (int e = begin; e < end; e++) {
        gather_corners(job->set, e, job->x, local);
        sum += job->set->kind->energy(job->set->data, e, local);
    }
    return sum;
}

double pl_element_set_energy_of(const pl_element_set* set, int first, int last, const double* x) {
    sum_job job = {.set = set, .x = x};
    return energy_part(first, last, &job);
}

double pl_element_set_energy(const pl_element_set* set, pl_pool* pool, const double* x) {
    sum_job job = {.set = set, .x = x};
    if (set->kind->all_energies) return set->kind->all_energies(set, pool, x);
    return pl_parallel_sum(pool, energy_part, set->count, ENERGY_BLOCK, &job);
}

static void gradient_of_element(const sum_job* job, int e) {
    const pl_element_set* set = job->set;
    int n = set->kind->corner_count;
    double local[MAX_DOFS] = {0.0}, gradient[MAX_DOFS];
    gather_corners(set, e, job->x, local);
    set->kind->gradient(set->data, e, local, gradient);
    const int* v = set->corners + (size_t)e * (size_t)n;
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++)
            job->gradient[3 * (size_t)v[i] + (size_t)c] += gradient[3 * i + c];
}

static void hessian_of_element(const sum_job* job, int e) {
    const pl_element_set* set = job->set;
    int n = set->kind->corner_count, dofs = 3 * n;
    double local[MAX_DOFS] = {0.0}, hessian[MAX_DOFS * MAX_DOFS];
    gather_corners(set, e, job->x, local);
    set->kind->hessian(set->data, e, local, job->projected, hessian);
    const int* entries = set->entries + (size_t)e * (size_t)(n * n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double* block = job->A->values + 9 * (size_t)entries[i * n + j];
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++)
                    block[3 * r + c] += job->scale * hessian[(3 * i + r) * dofs + 3 * j + c];
        }
}

static void projective_of_element(const sum_job* job, int e) {
    const pl_element_set* set = job->set;
    int n = set->kind->corner_count;
    double matrix[PL_MAX_CORNERS * PL_MAX_CORNERS];
    set->kind->projective(set->data, e, matrix);
    const int* entries = set->entries + (size_t)e * (size_t)(n * n);
    for (int k = 0; k < n * n; k++) job->A->values[entries[k]] += matrix[k];
}

typedef void (*element_function)(const sum_job* job, int element);

typedef struct visit_job {
    sum_job sum;
    element_function visit;
} visit_job;

static void gradient_chunk(int first, int last, void* user) {
    const sum_job* job = user;
    if (job->set->kind->gradients)
        job->set->kind->gradients(job->set, first, last, job->x, job->gradient);
    else
        for (int e = first; e < last; e++) gradient_of_element(job, e);
}

static void visit_chunk(int first, int last, void* user) {
    const visit_job* job = user;
    for (int e = first; e < last; e++) job->visit(&job->sum, e);
}

static void visit_elements(const pl_element_set* set, pl_pool* pool, element_function visit,
                           sum_job sum) {
    visit_job job = {sum, visit};
    pl_chunks_run(&set->chunks, pool, visit_chunk, &job);
}

static void gather_task(int begin, int end, int worker, void* user) {
    const sum_job* job = user;
    (void)worker;
    job->set->kind->gather_add(job->set->gather, begin, end, job->x, job->gradient);
}

void pl_element_set_gradient(const pl_element_set* set, pl_pool* pool, const double* x,
                             double* gradient) {
    sum_job job = {.set = set, .x = x, .gradient = gradient};
    if (set->kind->all_gradients) set->kind->all_gradients(set, pool, x, gradient);
    else if (set->gather)
        pl_parallel_for(pool, gather_task, set->gather_vertex_count, GATHER_BLOCK, &job);
    else pl_chunks_run(&set->chunks, pool, gradient_chunk, &job);
}

bool pl_element_set_has_both(const pl_element_set* set) {
    return set->gather || set->kind->energies_and_gradients;
}

typedef struct both_job {
    const pl_element_set* set;
    const double* x;
    double* gradient;
    double energies[PL_MAX_CHUNKS]; // of each chunk
} both_job;

static void both_chunk(int first, int last, void* user) {
    both_job* job = user;
    job->energies[first / job->set->chunks.size] =
        job->set->kind->energies_and_gradients(job->set, first, last, job->x, job->gradient);
}

double pl_element_set_energy_and_gradient(const pl_element_set* set, pl_pool* pool, const double* x,
                                          double* gradient) {
    both_job job = {.set = set, .x = x, .gradient = gradient};
    double sum = 0.0;
    PL_ASSERT(!set->gather);
    if (!set->kind->energies_and_gradients) {
        pl_element_set_gradient(set, pool, x, gradient);
        return pl_element_set_energy(set, pool, x);
    }
    pl_chunks_run(&set->chunks, pool, both_chunk, &job);
    for (int k = 0; k < PL_MAX_CHUNKS; k++) sum += job.energies[k];
    return sum;
}

static void hessian_chunk(int first, int last, void* user) {
    const sum_job* job = user;
    const pl_element_functions* kind = job->set->kind;
    for (int e = first; e < last;) {
        int done = kind->hessians ? kind->hessians(job->set, e, last, job->x, job->projected,
                                                   job->scale, job->A)
                                  : 0;
        if (done == 0) hessian_of_element(job, e);
        e += done > 0 ? done : 1;
    }
}

void pl_element_set_hessian(const pl_element_set* set, pl_pool* pool, const double* x,
                            bool projected, double scale, pl_block_matrix* A) {
    PL_ASSERT(A->block == 3);
    sum_job job = {.set = set, .x = x, .A = A, .projected = projected, .scale = scale};
    pl_chunks_run(&set->chunks, pool, hessian_chunk, &job);
}

void pl_element_set_projective(const pl_element_set* set, pl_pool* pool, pl_block_matrix* A) {
    PL_ASSERT(A->block == 1);
    visit_elements(set, pool, projective_of_element, (sum_job){.set = set, .A = A});
}
