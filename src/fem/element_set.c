// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "fem/element_set.h"
#include "base/memory.h"

#include <math.h>

enum { CHUNK = 128, MAX_DOFS = 3 * PL_MAX_CORNERS };

void pl_element_set_free(pl_element_set* set) {
    if (!set->kind) return;
    int corners = set->kind->corner_count;
    if (set->kind->destroy && set->data) set->kind->destroy(set->data);
    PL_FREE(set->corners, int, (size_t)set->count*(size_t)corners);
    PL_FREE(set->entries, int, (size_t)set->count*(size_t)(corners * corners));
    PL_FREE(set->chunks, int, set->chunk_count);
    PL_FREE(set->colour_offsets, int, set->colour_count + 1);
    *set = (pl_element_set){0};
}

// For each chunk the colours that may not be used: vertex v remembers the chunks' colours in a bit
// set, so that at most 64 colours are found; what remains gets a colour of its own each (never seen
// on meshes in a sensible order).
static int colour_chunks(const pl_element_set* set, uint64_t* vertex_colours, int* chunk_colour) {
    int corners = set->kind->corner_count, colour_count = 0;
    for (int k = 0; k < set->chunk_count; k++) {
        int begin = k * CHUNK * corners;
        int end = k + 1 < set->chunk_count ? begin + CHUNK * corners : set->count * corners;
        uint64_t used = 0;
        for (int i = begin; i < end; i++) used |= vertex_colours[set->corners[i]];
        int colour =
            used == UINT64_MAX ? (colour_count < 64 ? 64 : colour_count) : __builtin_ctzll(~used);
        if (colour < 64)
            for (int i = begin; i < end; i++)
                vertex_colours[set->corners[i]] |= UINT64_C(1) << colour;
        chunk_colour[k] = colour;
        if (colour >= colour_count) colour_count = colour + 1;
    }
    return colour_count;
}

static bool sort_chunks(pl_element_set* set, const int* chunk_colour) {
    set->colour_offsets = PL_ALLOC(int, set->colour_count + 1);
    set->chunks = PL_ALLOC(int, set->chunk_count);
    if (!set->colour_offsets || !set->chunks) return false;
    for (int k = 0; k < set->chunk_count; k++) set->colour_offsets[chunk_colour[k] + 1]++;
    for (int c = 0; c < set->colour_count; c++)
        set->colour_offsets[c + 1] += set->colour_offsets[c];
    for (int k = 0; k < set->chunk_count; k++)
        set->chunks[set->colour_offsets[chunk_colour[k]]++] = k;
    for (int c = set->colour_count; c > 0; c--) set->colour_offsets[c] = set->colour_offsets[c - 1];
    set->colour_offsets[0] = 0;
    return true;
}

pl_status pl_element_set_setup(pl_element_set* set, const pl_element_functions* kind, void* data,
                               int* corners, int count, int vertex_count, pl_error* error) {
    *set = (pl_element_set){.kind = kind, .data = data, .count = count, .corners = corners};
    set->chunk_count = (count + CHUNK - 1) / CHUNK;
    uint64_t* vertex_colours = PL_ALLOC(uint64_t, vertex_count);
    int* chunk_colour = PL_ALLOC(int, set->chunk_count);
    bool ok = (vertex_colours || vertex_count == 0) && (chunk_colour || set->chunk_count == 0);
    if (ok) {
        set->colour_count = colour_chunks(set, vertex_colours, chunk_colour);
        ok = set->chunk_count == 0 || sort_chunks(set, chunk_colour);
    }
    PL_FREE(vertex_colours, uint64_t, vertex_count);
    PL_FREE(chunk_colour, int, set->chunk_count);
    if (ok) return PL_OK;
    pl_element_set_free(set);
    return pl_fail_memory(error, "elements");
}

pl_status pl_element_set_locate(pl_element_set* set, const pl_block_matrix* A, pl_error* error) {
    int n = set->kind->corner_count;
    set->entries = PL_ALLOC(int, (size_t)set->count*(size_t)(n * n));
    if (!set->entries && set->count)
        return pl_fail_memory(error, "the places of elements in a matrix");
    for (int e = 0; e < set->count; e++) {
        const int* v = set->corners + (size_t)e * (size_t)n;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                int entry = pl_block_matrix_find(A, v[i], v[j]);
                PL_ASSERT(entry >= 0);
                set->entries[(size_t)e * (size_t)(n * n) + (size_t)(i * n + j)] = entry;
            }
    }
    return PL_OK;
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

int pl_element_set_collapsed(const pl_element_set* set, const double* x, double limit) {
    int count = 0, n = set->kind->corner_count;
    double local[MAX_DOFS] = {0.0};
    for (int e = 0; e < set->count; e++) {
        gather_corners(set, e, x, local);
        double reach = 0.0;
        for (int i = 3; i < 3 * n; i++) reach = fmax(reach, fabs(local[i] - local[i % 3]));
        if (reach <= limit) count++;
    }
    return count;
}

static double energy_part(int begin, int end, void* user) {
    const sum_job* job = user;
    double sum = 0.0, local[MAX_DOFS] = {0.0};
    for (int e = begin; e < end; e++) {
        gather_corners(job->set, e, job->x, local);
        sum += job->set->kind->energy(job->set->data, e, local);
    }
    return sum;
}

double pl_element_set_energy(const pl_element_set* set, pl_pool* pool, const double* x) {
    sum_job job = {.set = set, .x = x};
    return pl_parallel_sum(pool, energy_part, set->count, CHUNK, &job);
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

typedef struct chunk_job {
    sum_job sum;
    element_function visit;
    const int* chunks;
} chunk_job;

static void chunk_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const chunk_job* job = user;
    for (int k = begin; k < end; k++) {
        int first = job->chunks[k] * CHUNK, last = first + CHUNK;
        if (last > job->sum.set->count) last = job->sum.set->count;
        for (int e = first; e < last; e++) job->visit(&job->sum, e);
    }
}

static void visit_elements(const pl_element_set* set, pl_pool* pool, element_function visit,
                           sum_job sum) {
    for (int c = 0; c < set->colour_count; c++) {
        chunk_job job = {sum, visit, set->chunks + set->colour_offsets[c]};
        pl_parallel_for(pool, chunk_task, set->colour_offsets[c + 1] - set->colour_offsets[c], 1,
                        &job);
    }
}

void pl_element_set_gradient(const pl_element_set* set, pl_pool* pool, const double* x,
                             double* gradient) {
    visit_elements(set, pool, gradient_of_element,
                   (sum_job){.set = set, .x = x, .gradient = gradient});
}

void pl_element_set_hessian(const pl_element_set* set, pl_pool* pool, const double* x,
                            bool projected, double scale, pl_block_matrix* A) {
    PL_ASSERT(A->block == 3);
    visit_elements(set, pool, hessian_of_element,
                   (sum_job){.set = set, .x = x, .A = A, .projected = projected, .scale = scale});
}

void pl_element_set_projective(const pl_element_set* set, pl_pool* pool, pl_block_matrix* A) {
    PL_ASSERT(A->block == 1);
    visit_elements(set, pool, projective_of_element, (sum_job){.set = set, .A = A});
}
