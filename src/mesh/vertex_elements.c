// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The elements around vertices, by several threads. Consecutive elements form shares. Each share
// counts how often it uses each vertex. Then every share knows where its elements go in the lists,
// which become ascending for any number of threads.
#include "base/memory.h"
#include "mesh/topology.h"

#include <limits.h>

// A share costs a number per vertex.
enum { MAX_SHARES = 8, MIN_ELEMENTS = 16384, VERTEX_BLOCK = 4096 };

typedef struct lists_job {
    const int* elements;
    int element_count, corners, vertex_count, share_count;
    int* counts; // of each vertex in share 0, in share 1...; later the position of the next element
    pl_adjacency* out;
} lists_job;

// True if corner i names a vertex that an earlier corner of the element named.
static bool is_repeated(const int* element, int i) {
    for (int j = 0; j < i; j++)
        if (element[j] == element[i]) return true;
    return false;
}

static int share_begin(const lists_job* job, int share) {
    return (int)((int64_t)job->element_count * share / job->share_count);
}

// counts; fills the lists once they are allocated
static void share_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const lists_job* job = user;
    int* items = job->out->items;
    for (int share = begin; share < end; share++) {
        int* counts = job->counts + (size_t)share * (size_t)job->vertex_count;
        for (int e = share_begin(job, share); e < share_begin(job, share + 1); e++) {
            const int* element = job->elements + (size_t)e * (size_t)job->corners;
            for (int k = 0; k < job->corners; k++) {
                if (is_repeated(element, k)) continue;
                if (items) items[counts[element[k]]] = e;
                counts[element[k]]++;
            }
        }
    }
}

// turns counts into positions, once the lists are allocated
static void places_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const lists_job* job = user;
    for (int v = begin; v < end; v++) {
        int at = job->out->offsets[v];
        for (int share = 0; share < job->share_count; share++) {
            int* place = &job->counts[(size_t)share * (size_t)job->vertex_count + (size_t)v];
            int count = *place;
            *place = at;
            at += count;
        }
    }
}

static bool fill_lists(lists_job* job, pl_pool* pool, int* totals) {
    pl_parallel_for(pool, share_task, job->share_count, 1, job);
    int total = 0;
    for (int v = 0; v < job->vertex_count; v++) {
        totals[v] = total;
        for (int share = 0; share < job->share_count; share++)
            total += job->counts[(size_t)share * (size_t)job->vertex_count + (size_t)v];
    }
    if (!pl_adjacency_alloc(job->out, job->vertex_count, total)) return false;
    for (int v = 0; v < job->vertex_count; v++) job->out->offsets[v] = totals[v];
    job->out->offsets[job->vertex_count] = total;
    pl_parallel_for(pool, places_task, job->vertex_count, VERTEX_BLOCK, job);
    if (total) pl_parallel_for(pool, share_task, job->share_count, 1, job);
    return true;
}

pl_status pl_vertex_elements_by(pl_pool* pool, const int* elements, int element_count, int corners,
                                int vertex_count, pl_adjacency* out, pl_error* error) {
    *out = (pl_adjacency){0};
    if (element_count > INT_MAX / corners)
        return pl_fail(error, PL_ERROR_LIMIT, "%d elements are more than can be listed",
                       element_count);
    int shares = pl_pool_thread_count(pool) == 1 ? 1 : element_count / MIN_ELEMENTS;
    lists_job job = {.elements = elements,
                     .element_count = element_count,
                     .corners = corners,
                     .vertex_count = vertex_count,
                     .share_count = shares < 1            ? 1
                                    : shares > MAX_SHARES ? MAX_SHARES
                                                          : shares,
                     .out = out};
    size_t count_size = (size_t)job.share_count * ((size_t)vertex_count + 1);
    job.counts = PL_ALLOC(int, count_size);
    int* totals = PL_ALLOC(int, (size_t)vertex_count + 1);
    bool ok = job.counts && totals && fill_lists(&job, pool, totals);
    PL_FREE(job.counts, int, count_size);
    PL_FREE(totals, int, (size_t)vertex_count + 1);
    return ok ? PL_OK : pl_fail_memory(error, "the topology of a mesh");
}

pl_status pl_vertex_elements(const int* elements, int element_count, int corners, int vertex_count,
                             pl_adjacency* out, pl_error* error) {
    return pl_vertex_elements_by(NULL, elements, element_count, corners, vertex_count, out, error);
}
