// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "fem/spring_batches.h"
#include "base/memory.h"
#include "material/spring.h"
#include "mesh/colouring.h"

enum { BLOCK = 64 }; // batches per task

void pl_spring_batches_free(pl_spring_batches* set) {
    PL_FREE(set->slots, int, set->spring_count);
    PL_FREE(set->batches, pl_coloured_springs, set->batch_count);
    PL_FREE(set->colour_offsets, int, set->colour_count + 1);
    *set = (pl_spring_batches){0};
}

static int batches_of(int count) { return (count + PL_LANES - 1) / PL_LANES; }

static void fill_colour(pl_spring_batches* set, const int* ends, const int* springs, int count,
                        int first_batch) {
    for (int k = 0; k < PL_LANES * batches_of(count); k++) {
        pl_coloured_springs* batch = &set->batches[first_batch + k / PL_LANES];
        int spring = springs[k < count ? k : count - 1], lane = k % PL_LANES;
        for (int i = 0; i < 2; i++) batch->ends[i][lane] = ends[2 * (size_t)spring + (size_t)i];
        batch->rest[lane] = 1.0f;
        if (k < count) set->slots[spring] = PL_LANES * first_batch + k;
    }
}

pl_status pl_spring_batches_setup(pl_spring_batches* set, const int* ends, int spring_count,
                                  int vertex_count, pl_error* error) {
    *set = (pl_spring_batches){.spring_count = spring_count};
    pl_colouring colours;
    pl_status status = pl_colour_elements(ends, spring_count, 2, vertex_count, &colours, error);
    if (status != PL_OK) return status;
    const pl_adjacency* groups = &colours.groups;
    set->colour_count = groups->count;
    set->colour_offsets = PL_ALLOC(int, groups->count + 1);
    set->slots = PL_ALLOC(int, spring_count);
    if (set->colour_offsets)
        for (int c = 0; c < groups->count; c++)
            set->colour_offsets[c + 1] =
                set->colour_offsets[c] + batches_of(groups->offsets[c + 1] - groups->offsets[c]);
    if (set->colour_offsets) {
        set->batch_count = set->colour_offsets[groups->count];
        set->batches = PL_ALLOC(pl_coloured_springs, set->batch_count);
    }
    if (!set->colour_offsets || (spring_count && (!set->slots || !set->batches)))
        status = pl_fail_memory(error, "springs");
    for (int c = 0; status == PL_OK && c < groups->count; c++)
        fill_colour(set, ends, groups->items + groups->offsets[c],
                    groups->offsets[c + 1] - groups->offsets[c], set->colour_offsets[c]);
    pl_colouring_free(&colours);
    if (status != PL_OK) pl_spring_batches_free(set);
    return status;
}

void pl_spring_batches_set(pl_spring_batches* set, int spring, double rest, double stiffness) {
    pl_coloured_springs* batch = &set->batches[set->slots[spring] / PL_LANES];
    int lane = set->slots[spring] % PL_LANES;
    batch->rest[lane] = (float)rest;
    batch->stiffness[lane] = (float)stiffness;
}

typedef struct spring_work {
    const pl_coloured_springs* batches;
    const float *x, *low;
    float* gradient;
} spring_work;

static void gradient_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const spring_work* w = user;
    for (int k = begin; k < end; k++) {
        const pl_coloured_springs* b = &w->batches[k];
        pl_vec3w d = pl_sub_w(pl_load_vec3_w(w->x, b->ends[1]), pl_load_vec3_w(w->x, b->ends[0]));
        if (w->low)
            d = pl_add_w(d, pl_sub_w(pl_load_vec3_w(w->low, b->ends[1]),
                                     pl_load_vec3_w(w->low, b->ends[0])));
        pl_fw strain, s = pl_spring_pull_w(pl_dot_w(d, d), b->rest, b->stiffness, &strain);
        pl_add4_w(w->gradient, b->ends[1], (pl_float4w){s * d.x, s * d.y, s * d.z, (pl_fw){0}});
        pl_add4_w(w->gradient, b->ends[0], (pl_float4w){-s * d.x, -s * d.y, -s * d.z, (pl_fw){0}});
    }
}

void pl_spring_batches_gradient(const pl_spring_batches* set, pl_pool* pool, const float* x,
                                const float* low, float* gradient) {
    for (int c = 0; c < set->colour_count; c++) {
        int first = set->colour_offsets[c];
        spring_work w = {set->batches + first, x, low, gradient};
        pl_parallel_for(pool, gradient_task, set->colour_offsets[c + 1] - first, BLOCK, &w);
    }
}
