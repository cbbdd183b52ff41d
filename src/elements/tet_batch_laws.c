// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "elements/tet_batch_laws.h"
#include "base/memory.h"

#include <string.h>

bool pl_element_order(const pl_element_set* set, const int* ranks, int vertex_count, int* order) {
    int n = set->kind->corner_count, *offsets = PL_ALLOC(int, vertex_count + 1);
    int* firsts = PL_ALLOC(int, set->count);
    bool ok = offsets && (firsts || set->count == 0);
    for (int e = 0; ok && e < set->count; e++) {
        const int* v = set->corners + (size_t)e * (size_t)n;
        firsts[e] = ranks ? ranks[v[0]] : 0;
        for (int k = 1; ranks && k < n; k++)
            if (ranks[v[k]] < firsts[e]) firsts[e] = ranks[v[k]];
        offsets[firsts[e] + 1]++;
    }
    for (int i = 0; ok && i < vertex_count; i++) offsets[i + 1] += offsets[i];
    for (int e = 0; ok && e < set->count; e++) order[offsets[firsts[e]]++] = e;
    PL_FREE(offsets, int, vertex_count + 1);
    PL_FREE(firsts, int, set->count);
    return ok;
}

// corners and materials in the order of the batches
typedef struct sorted_tets {
    int count;
    int* corners;
    pl_material* materials;
} sorted_tets;

typedef struct sort_job {
    const sorted_tets* to;
    const pl_tet_batch_source* from;
} sort_job;

static void sort_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const sort_job* job = user;
    const pl_tet_batch_source* from = job->from;
    for (int k = begin; k < end; k++) {
        memcpy(job->to->corners + 4 * (size_t)k, from->set->corners + 4 * (size_t)from->order[k],
               4 * sizeof(int));
        job->to->materials[k] = from->tets->materials[from->order[k]];
    }
}

static bool sort_tets(sorted_tets* t, const pl_tet_batch_source* source, pl_pool* pool) {
    enum { TET_BLOCK = 4096 };
    const int count = source->set->count;
    *t = (sorted_tets){count, PL_ALLOC(int, 4 * (size_t)count), PL_ALLOC(pl_material, count)};
    if (!t->corners || !t->materials) return false;
    sort_job job = {t, source};
    pl_parallel_for(pool, sort_task, count, TET_BLOCK, &job);
    return true;
}

static bool has_law(const sorted_tets* t, pl_material_kind kind) {
    for (int e = 0; e < t->count; e++)
        if (t->materials[e].kind == kind) return true;
    return false;
}

pl_status pl_tet_batches_of_laws(const pl_tet_batch_source* source, pl_pool* pool,
                                 pl_tet_batches* out, int* count, pl_error* error) {
    sorted_tets sorted;
    pl_status status = sort_tets(&sorted, source, pool) ? PL_OK : pl_fail_memory(error, "tets");
    for (int kind = 0; status == PL_OK && kind < PL_MATERIAL_COUNT; kind++) {
        if (!has_law(&sorted, (pl_material_kind)kind)) continue;
        status =
            pl_tet_batches_setup(out, (pl_material_kind)kind, source->rest, source->A->row_count,
                                 sorted.corners, sorted.count, sorted.materials, pool, error);
        if (status != PL_OK) break;
        ++*count;
        status = pl_tet_batches_locate(out++, pool, source->A, error);
    }
    PL_FREE(sorted.corners, int, 4 * (size_t)source->set->count);
    PL_FREE(sorted.materials, pl_material, source->set->count);
    return status;
}

void pl_tet_batches_refresh(pl_tet_batches* batches, const pl_tet_data* tets, const int* order) {
    int filled = 0;
    for (int k = 0; k < tets->count; k++) {
        const int e = order[k];
        if (tets->materials[e].kind == batches->kind)
            pl_tet_batches_set(batches, filled++, &tets->materials[e], tets->volumes[e]);
    }
}
