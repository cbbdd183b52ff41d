// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "mesh/region_runs.h"
#include "base/memory.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

// if almost every element has a different number, these are not meant as regions
enum { MAX_REGIONS = 4096, MAX_SHARE = 64 };

pl_region_runs pl_region_runs_begin(void) {
    return (pl_region_runs){.runs = pl_array_of(sizeof(pl_region_run))};
}

void pl_region_runs_free(pl_region_runs* runs) { pl_array_free(&runs->runs); }

void pl_region_runs_add(pl_region_runs* runs, int tag, int first, int count) {
    if (count == 0) return;
    if (runs->runs.count > 0) {
        pl_region_run* last = (pl_region_run*)runs->runs.data + runs->runs.count - 1;
        if (last->tag == tag && last->first + last->count == first) {
            last->count += count;
            return;
        }
    }
    if (!pl_array_push(&runs->runs, &(pl_region_run){tag, first, count})) runs->lost = true;
}

static int compare_runs(const void* a, const void* b) {
    const pl_region_run *x = a, *y = b;
    if (x->tag != y->tag) return x->tag < y->tag ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

int pl_region_runs_tag_count(pl_region_runs* runs) {
    pl_region_run* run = runs->runs.data;
    size_t count = runs->runs.count;
    if (count == 0) return 0;
    qsort(run, count, sizeof *run, compare_runs);
    int tags = 1;
    for (size_t i = 1; i < count; i++) tags += run[i].tag != run[i - 1].tag;
    return tags;
}

// the region of the runs [run, end), which share a tag; items has room for them
static pl_status make_region(const pl_region_run* run, const pl_region_run* end,
                             const pl_region_making* making, int* items, pl_mesh* mesh,
                             pl_error* error) {
    int tag = run->tag, count = 0;
    for (; run < end; run++)
        for (int i = run->first; i < run->first + run->count; i++) {
            if (!making->corners) items[count++] = i;
            for (int k = 0; k < making->corner_count; k++)
                items[count++] =
                    making->corners[(size_t)i * (size_t)making->corner_count + (size_t)k];
        }
    char numbered[64];
    const char* name = making->name_of ? making->name_of(tag, making->user) : NULL;
    if (!name) {
        snprintf(numbered, sizeof numbered, "%s_%d", making->prefix, tag);
        name = numbered;
    }
    return pl_mesh_add_region(mesh, making->kind, name, tag, items, count, error);
}

static size_t largest_group(const pl_region_run* run, size_t count, size_t* total) {
    size_t largest = 0, size = 0;
    *total = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && run[i].tag != run[i - 1].tag) size = 0;
        size += (size_t)run[i].count;
        *total += (size_t)run[i].count;
        if (size > largest) largest = size;
    }
    return largest;
}

pl_status pl_region_runs_make(pl_region_runs* runs, const pl_region_making* making, pl_mesh* mesh,
                              pl_notes* notes, pl_error* error) {
    if (runs->lost) return pl_fail_memory(error, making->path);
    int tags = pl_region_runs_tag_count(runs);
    if (tags == 0) return PL_OK;
    if (tags > MAX_REGIONS) {
        pl_note(notes, PL_NOTE_MENDED,
                "%s: %d groups named %s_N are too many for regions; they are dropped", making->path,
                tags, making->prefix);
        return PL_OK;
    }
    size_t corners = making->corners ? (size_t)making->corner_count : 1, total;
    size_t largest = corners * largest_group(runs->runs.data, runs->runs.count, &total);
    // an element may be in many groups, but a small file must not fill the memory
    size_t elements = (size_t)pl_mesh_element_count(mesh, making->kind);
    if (largest > INT_MAX || total > MAX_SHARE * (elements + 1024))
        return pl_fail(error, PL_ERROR_LIMIT,
                       "%s: the groups named %s_N hold %zu elements in all, of %zu", making->path,
                       making->prefix, total, elements);
    int* items = PL_ALLOC(int, largest);
    if (!items) return pl_fail_memory(error, making->path);
    pl_status status = PL_OK;
    const pl_region_run *run = runs->runs.data, *end = run + runs->runs.count;
    while (status == PL_OK && run < end) {
        const pl_region_run* next = run;
        while (next < end && next->tag == run->tag) next++;
        status = make_region(run, next, making, items, mesh, error);
        run = next;
    }
    PL_FREE(items, int, largest);
    return status;
}
