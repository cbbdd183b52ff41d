// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Each block of vertices writes its neighbour lists into a separate array. The lengths of these
// arrays then give the position of each list.
#include "step/step_pattern.h"
#include "base/array.h"
#include "base/memory.h"

#include <limits.h>
#include <stdatomic.h>
#include <string.h>

enum { VERTEX_BLOCK = 512 };

typedef struct pattern_job {
    const pl_element_set* sets;
    const pl_adjacency* around;
    int set_count, vertex_count;
    pl_array* lists; // of int, one per block
    int* offsets;
    int* items;
    atomic_bool out_of_memory;
} pattern_job;

pl_status pl_step_elements_around(const pl_element_set* set, int vertex_count, pl_pool* pool,
                                  pl_adjacency* out, pl_error* error) {
    return pl_vertex_elements_by(pool, set->corners, set->count, set->kind->corner_count,
                                 vertex_count, out, error);
}

// inserts a number that a sorted list does not have yet; returns the new length
static int insert(int* list, int count, int value) {
    int low = 0, high = count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (list[middle] < value) low = middle + 1;
        else high = middle;
    }
    if (low < count && list[low] == value) return count;
    memmove(list + low + 1, list + low, (size_t)(count - low) * sizeof(int));
    list[low] = value;
    return count + 1;
}

// an upper bound for the number of neighbours of a vertex
static int most_neighbours(const pattern_job* job, int v) {
    int most = 0;
    for (int s = 0; s < job->set_count; s++)
        most += (job->around[s].offsets[v + 1] - job->around[s].offsets[v]) *
                (job->sets[s].kind->corner_count - 1);
    return most;
}

static int list_neighbours(const pattern_job* job, int v, int* list) {
    int count = 0;
    for (int s = 0; s < job->set_count; s++) {
        const pl_adjacency* around = &job->around[s];
        int n = job->sets[s].kind->corner_count;
        for (int k = around->offsets[v]; k < around->offsets[v + 1]; k++) {
            const int* corners = job->sets[s].corners + (size_t)around->items[k] * (size_t)n;
            for (int i = 0; i < n; i++)
                if (corners[i] != v) count = insert(list, count, corners[i]);
        }
    }
    return count;
}

static void list_task(int begin, int end, int worker, void* user) {
    (void)worker;
    pattern_job* job = user;
    pl_array* lists = &job->lists[begin / VERTEX_BLOCK];
    for (int v = begin; v < end; v++) {
        int most = most_neighbours(job, v);
        int* list = most ? pl_array_add(lists, (size_t)most) : NULL;
        if (most && !list) {
            atomic_store(&job->out_of_memory, true);
            return;
        }
        int count = most ? list_neighbours(job, v, list) : 0;
        lists->count -= (size_t)(most - count);
        job->offsets[v + 1] = count;
    }
}

static void copy_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const pattern_job* job = user;
    const pl_array* lists = &job->lists[begin / VERTEX_BLOCK];
    int first = job->offsets[begin], last = job->offsets[end];
    if (last > first) memcpy(job->items + first, lists->data, (size_t)(last - first) * sizeof(int));
}

static pl_status fill(pattern_job* job, pl_pool* pool, pl_adjacency* out, pl_error* error) {
    pl_parallel_for(pool, list_task, job->vertex_count, VERTEX_BLOCK, job);
    if (atomic_load(&job->out_of_memory)) return pl_fail_memory(error, "the pattern of a system");
    int64_t total = 0;
    for (int v = 0; v < job->vertex_count; v++) {
        total += job->offsets[v + 1];
        if (total > INT_MAX)
            return pl_fail(error, PL_ERROR_LIMIT,
                           "the matrix of the system has more than %d blocks", INT_MAX);
        job->offsets[v + 1] = (int)total;
    }
    if (!pl_adjacency_alloc(out, job->vertex_count, (int)total))
        return pl_fail_memory(error, "the pattern of a system");
    memcpy(out->offsets, job->offsets, ((size_t)job->vertex_count + 1) * sizeof(int));
    job->items = out->items;
    pl_parallel_for(pool, copy_task, job->vertex_count, VERTEX_BLOCK, job);
    return PL_OK;
}

pl_status pl_step_neighbours(const pl_element_set* sets, const pl_adjacency* around, int set_count,
                             int vertex_count, pl_pool* pool, pl_adjacency* out, pl_error* error) {
    *out = (pl_adjacency){0};
    int block_count = (vertex_count + VERTEX_BLOCK - 1) / VERTEX_BLOCK;
    pattern_job job = {
        .sets = sets, .around = around, .set_count = set_count, .vertex_count = vertex_count};
    job.offsets = PL_ALLOC(int, (size_t)vertex_count + 1);
    job.lists = PL_ALLOC(pl_array, block_count);
    for (int b = 0; job.lists && b < block_count; b++) job.lists[b] = pl_array_of(sizeof(int));
    pl_status status = job.offsets && (job.lists || !block_count)
                           ? fill(&job, pool, out, error)
                           : pl_fail_memory(error, "the pattern of a system");
    for (int b = 0; job.lists && b < block_count; b++) pl_array_free(&job.lists[b]);
    PL_FREE(job.lists, pl_array, block_count);
    PL_FREE(job.offsets, int, (size_t)vertex_count + 1);
    return status;
}
