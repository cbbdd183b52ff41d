// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "pbd/sweeper.h"
#include "base/memory.h"
#include "math/simd.h"

#include <string.h>

// A slab is at least as long as the longest reach of a constraint. Beyond that it is large enough
// to fill blocks, and small enough for the fast cache and for sixteen slabs of each parity.
enum { SMALLEST_SLAB = 256, LARGEST_SLAB = 2048, SLABS = 32 };
enum { MASK_COLOURS = 64 };
// Below this many constraints, waking threads takes longer than the work. A tet counts as several.
enum { SMALLEST_SHARED = 65536, TET_COST = 10 };

static void list_free(pl_block_list* list, int slab_count) {
    const pl_constraint_traits* t = &pl_constraint_traits_of[list->kind];
    size_t lanes = (size_t)list->block_count * PL_LANES;
    PL_FREE(list->slab_offsets, int, slab_count + 1);
    PL_FREE(list->vertices, int32_t, lanes * (size_t)t->corners);
    PL_FREE(list->values, float, lanes*(size_t)t->values);
    PL_FREE(list->shares, float, lanes*(size_t)t->corners);
    PL_FREE(list->compliance, float, lanes*(size_t)t->multipliers);
    PL_FREE(list->multipliers, float, lanes*(size_t)t->multipliers);
    PL_FREE(list->source, int, lanes);
}

void pl_sweeper_free(pl_sweeper* s) {
    for (int k = 0; k < s->list_count; k++) list_free(&s->lists[k], s->slab_count);
    *s = (pl_sweeper){0};
}

static void range_of(const int* v, int corners, int* low, int* high) {
    *low = *high = v[0];
    for (int i = 1; i < corners; i++) {
        if (v[i] < *low) *low = v[i];
        if (v[i] > *high) *high = v[i];
    }
}

// largest difference between particle numbers of a constraint
static int longest_reach(const pl_constraint_set* sets, int set_count) {
    int reach = 0;
    for (int s = 0; s < set_count; s++) {
        int corners = pl_constraint_traits_of[sets[s].kind].corners, low, high;
        for (int c = 0; c < sets[s].count; c++) {
            range_of(sets[s].vertices + (size_t)c * (size_t)corners, corners, &low, &high);
            if (high - low > reach) reach = high - low;
        }
    }
    return reach;
}

static void choose_slabs(pl_sweeper* s, int reach) {
    int size = s->particle_count / SLABS + 1;
    if (size < SMALLEST_SLAB) size = SMALLEST_SLAB;
    if (size > LARGEST_SLAB) size = LARGEST_SLAB;
    s->slab_size = size > reach ? size : reach;
    s->slab_count = s->particle_count ? (s->particle_count - 1) / s->slab_size + 1 : 0;
}

// scratch for sorting the constraints of a set
typedef struct colouring_work {
    int* first;         // first constraint of each slab, in `order`
    int* order;         // constraints by slab, then by colour
    int* colours;       // of each constraint
    int* starts;        // first constraint of each colour, while a slab is sorted
    uint64_t* used;     // bits of the colours in use, per particle
    int* next;          // per particle: next free colour beyond the mask
    int* sorted;        // of one slab
    int* colour_counts; // number of constraints of each colour of a slab
    int count, slab_count, particle_count;
} colouring_work;

static void work_free(colouring_work* w) {
    PL_FREE(w->first, int, w->slab_count + 1);
    PL_FREE(w->order, int, w->count);
    PL_FREE(w->colours, int, w->count);
    PL_FREE(w->starts, int, w->count + 1);
    PL_FREE(w->used, uint64_t, w->particle_count);
    PL_FREE(w->next, int, w->particle_count);
    PL_FREE(w->sorted, int, w->count);
    PL_FREE(w->colour_counts, int, w->count + 1);
}

static bool work_create(const pl_sweeper* s, int count, colouring_work* w) {
    *w = (colouring_work){
        .count = count, .slab_count = s->slab_count, .particle_count = s->particle_count};
    return (w->first = PL_ALLOC(int, s->slab_count + 1)) && (w->order = PL_ALLOC(int, count)) &&
           (w->colours = PL_ALLOC(int, count)) && (w->starts = PL_ALLOC(int, count + 1)) &&
           (w->used = PL_ALLOC(uint64_t, s->particle_count)) &&
           (w->next = PL_ALLOC(int, s->particle_count)) && (w->sorted = PL_ALLOC(int, count)) &&
           (w->colour_counts = PL_ALLOC(int, count + 1));
}

static int slab_of(const pl_sweeper* s, const int* v, int corners) {
    int low, high;
    range_of(v, corners, &low, &high);
    return low / s->slab_size;
}

static void sort_by_slab(const pl_sweeper* s, const pl_constraint_set* set, colouring_work* w) {
    int corners = pl_constraint_traits_of[set->kind].corners;
    for (int c = 0; c < set->count; c++)
        w->first[slab_of(s, set->vertices + (size_t)c * (size_t)corners, corners) + 1]++;
    for (int k = 0; k < s->slab_count; k++) w->first[k + 1] += w->first[k];
    for (int c = 0; c < set->count; c++)
        w->order[w->first[slab_of(s, set->vertices + (size_t)c * (size_t)corners, corners)]++] = c;
    for (int k = s->slab_count; k > 0; k--) w->first[k] = w->first[k - 1];
    w->first[0] = 0;
}

// The lowest colour that none of the particles uses. Colours beyond the mask are given out in
// ascending order.
static int free_colour(colouring_work* w, const int* v, int corners) {
    uint64_t used = 0;
    for (int i = 0; i < corners; i++) used |= w->used[v[i]];
    int colour = MASK_COLOURS;
    if (~used) {
        colour = __builtin_ctzll(~used);
        for (int i = 0; i < corners; i++) w->used[v[i]] |= (uint64_t)1 << colour;
        return colour;
    }
    for (int i = 0; i < corners; i++)
        if (w->next[v[i]] > colour) colour = w->next[v[i]];
    for (int i = 0; i < corners; i++) w->next[v[i]] = colour + 1;
    return colour;
}

static bool is_stiff_distance(const pl_constraint_set* set) {
    return pl_constraint_traits_of[set->kind].corners == 2 && !set->compliance;
}

// colours the constraints of a slab and sorts them by colour; returns the number of blocks
static int colour_slab(const pl_constraint_set* set, int slab, colouring_work* w) {
    int corners = pl_constraint_traits_of[set->kind].corners, colour_count = 0, blocks = 0;
    int begin = w->first[slab], end = w->first[slab + 1];
    for (int k = begin; k < end; k++) {
        const int* v = set->vertices + (size_t)w->order[k] * (size_t)corners;
        for (int i = 0; i < corners; i++) w->used[v[i]] = 0, w->next[v[i]] = 0;
    }
    for (int k = begin; k < end; k++) {
        const int* v = set->vertices + (size_t)w->order[k] * (size_t)corners;
        int colour = w->colours[w->order[k]] = free_colour(w, v, corners);
        // all colours up to the highest are in use, so there are at most as many as constraints
        // plus bits of the mask
        for (; colour_count <= colour; colour_count++) w->colour_counts[colour_count] = 0;
        w->colour_counts[colour]++;
    }
    w->starts[0] = begin;
    for (int c = 0; c < colour_count; c++) {
        blocks += (w->colour_counts[c] + PL_LANES - 1) / PL_LANES;
        w->starts[c + 1] = w->starts[c] + w->colour_counts[c];
    }
    for (int k = begin; k < end; k++) w->sorted[w->starts[w->colours[w->order[k]]]++] = w->order[k];
    memcpy(w->order + begin, w->sorted + begin, (size_t)(end - begin) * sizeof(int));
    return blocks;
}

static bool list_allocate(const pl_constraint_set* set, int block_count, pl_block_list* list) {
    const pl_constraint_traits* t = &pl_constraint_traits_of[set->kind];
    size_t lanes = (size_t)block_count * PL_LANES;
    list->block_count = block_count;
    list->vertices = PL_ALLOC(int32_t, lanes * (size_t)t->corners);
    list->values = PL_ALLOC(float, lanes*(size_t)t->values);
    list->source = PL_ALLOC(int, lanes);
    bool ok = list->vertices && list->values && list->source;
    if (ok && is_stiff_distance(set)) {
        list->shares = PL_ALLOC(float, lanes*(size_t)t->corners);
        ok = list->shares;
    }
    bool compliant = set->compliance;
    if (!ok || !(compliant || set->kind == PL_CONSTRAINT_TET)) return ok;
    if (compliant) list->compliance = PL_ALLOC(float, lanes*(size_t)t->multipliers);
    list->multipliers = PL_ALLOC(float, lanes*(size_t)t->multipliers);
    return (list->compliance || !compliant) && list->multipliers;
}

// writes constraint c to a lane of a block; c < 0: leaves the lane unused
static void fill_lane(const pl_sweeper* s, const pl_constraint_set* set, int c, int slab, int block,
                      int lane, pl_block_list* list) {
    const pl_constraint_traits* t = &pl_constraint_traits_of[set->kind];
    size_t at = (size_t)block * PL_LANES, n = (size_t)(c < 0 ? 0 : c);
    for (int i = 0; i < t->corners; i++)
        list->vertices[at * (size_t)t->corners + (size_t)(i * PL_LANES + lane)] =
            4 * (c < 0 ? s->particle_count + PL_MAX_CORNERS * slab + i
                       : set->vertices[n * (size_t)t->corners + (size_t)i]);
    for (int i = 0; i < t->values; i++)
        list->values[at * (size_t)t->values + (size_t)(i * PL_LANES + lane)] =
            set->values[n * (size_t)t->values + (size_t)i];
    for (int i = 0; set->compliance && i < t->multipliers; i++)
        list->compliance[at * (size_t)t->multipliers + (size_t)(i * PL_LANES + lane)] =
            set->compliance[n * (size_t)t->multipliers + (size_t)i];
    list->source[at + (size_t)lane] = c;
}

static void fill_slab(const pl_sweeper* s, const pl_constraint_set* set, const colouring_work* w,
                      int slab, pl_block_list* list) {
    int block = list->slab_offsets[slab] - 1, lane = PL_LANES, colour = -1;
    for (int k = w->first[slab]; k < w->first[slab + 1]; k++) {
        int c = w->order[k];
        if (lane == PL_LANES || w->colours[c] != colour) {
            for (; lane < PL_LANES; lane++) fill_lane(s, set, -1, slab, block, lane, list);
            block++, lane = 0, colour = w->colours[c];
        }
        fill_lane(s, set, c, slab, block, lane++, list);
    }
    for (; lane < PL_LANES; lane++) fill_lane(s, set, -1, slab, block, lane, list);
}

static bool build_list(const pl_sweeper* s, const pl_constraint_set* set, colouring_work* w,
                       pl_block_list* list) {
    sort_by_slab(s, set, w);
    int blocks = 0;
    for (int slab = 0; slab < s->slab_count; slab++) {
        list->slab_offsets[slab] = blocks;
        blocks += colour_slab(set, slab, w);
    }
    list->slab_offsets[s->slab_count] = blocks;
    if (!list_allocate(set, blocks, list)) return false;
    for (int slab = 0; slab < s->slab_count; slab++) fill_slab(s, set, w, slab, list);
    return true;
}

pl_status pl_sweeper_setup(const pl_constraint_set* sets, int set_count, int particle_count,
                           pl_sweeper* out, pl_error* error) {
    *out = (pl_sweeper){.particle_count = particle_count, .softness = 1.0};
    choose_slabs(out, longest_reach(sets, set_count));
    bool ok = true;
    for (int k = 0; ok && k < set_count; k++) {
        if (sets[k].count == 0) continue;
        pl_block_list* list = &out->lists[out->list_count++];
        *list = (pl_block_list){
            .kind = sets[k].kind, .law = sets[k].law, .stiffness = sets[k].stiffness};
        list->slab_offsets = PL_ALLOC(int, out->slab_count + 1);
        colouring_work work;
        ok = work_create(out, sets[k].count + MASK_COLOURS, &work) && list->slab_offsets &&
             build_list(out, &sets[k], &work, list);
        work_free(&work);
    }
    if (ok) return PL_OK;
    pl_sweeper_free(out);
    return pl_fail_memory(error, "the constraints of a sweep");
}

int pl_sweeper_room(const pl_sweeper* s) {
    return s->particle_count + PL_MAX_CORNERS * s->slab_count;
}

// the particles of unused lanes: unit tets that cannot move
void pl_sweeper_fill_room(const pl_sweeper* s, float* particles) {
    for (int k = s->particle_count; k < pl_sweeper_room(s); k++) {
        int corner = (k - s->particle_count) % PL_MAX_CORNERS;
        for (int i = 0; i < 4; i++)
            particles[4 * (size_t)k + (size_t)i] = i + 1 == corner ? 1.0f : 0.0f;
    }
}

void pl_sweeper_weigh(pl_sweeper* s, const float* particles) {
    for (int k = 0; k < s->list_count; k++) {
        pl_block_list* list = &s->lists[k];
        if (!list->shares) continue;
        for (int i = 0; i < list->block_count * PL_LANES; i++) {
            size_t a = 2 * (size_t)(i - i % PL_LANES) + (size_t)(i % PL_LANES), c = a + PL_LANES;
            double wa = (double)particles[list->vertices[a] + 3];
            double wc = (double)particles[list->vertices[c] + 3], sum = wa + wc;
            double scale = sum > 0.0 ? (double)list->stiffness / sum : 0.0;
            list->shares[a] = (float)(-scale * wa);
            list->shares[c] = (float)(scale * wc);
        }
    }
}

void pl_sweeper_start(pl_sweeper* s) {
    for (int k = 0; k < s->list_count; k++) {
        pl_block_list* list = &s->lists[k];
        if (!list->multipliers) continue;
        size_t count = (size_t)list->block_count * PL_LANES *
                       (size_t)pl_constraint_traits_of[list->kind].multipliers;
        memset(list->multipliers, 0, count * sizeof(float));
    }
}

typedef struct sweep_job {
    const pl_sweeper* sweeper;
    float* particles;
    pl_sweep_numbers numbers;
    int parity;
    bool backward;
} sweep_job;

// slabs 2 k + parity
static void sweep_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const sweep_job* job = user;
    const pl_sweeper* s = job->sweeper;
    for (int k = begin; k < end; k++) {
        int slab = 2 * k + job->parity;
        for (int i = 0; i < s->list_count; i++) {
            const pl_block_list* list = &s->lists[job->backward ? s->list_count - 1 - i : i];
            pl_project_blocks(list, list->slab_offsets[slab], list->slab_offsets[slab + 1],
                              job->backward, &job->numbers, job->particles);
        }
    }
}

void pl_sweep(pl_sweeper* s, pl_pool* pool, double time_step, bool backward, float* particles) {
    sweep_job job = {.sweeper = s,
                     .particles = particles,
                     .numbers = {(float)(s->softness / (time_step * time_step)),
                                 (float)(s->damping / time_step), s->start},
                     .backward = backward};
    int blocks = 0;
    for (int k = 0; k < s->list_count; k++)
        blocks += s->lists[k].block_count * (s->lists[k].kind == PL_CONSTRAINT_TET ? TET_COST : 1);
    bool shared = blocks >= SMALLEST_SHARED / PL_LANES;
    for (int phase = 0; phase < 2; phase++) {
        job.parity = backward ? 1 - phase : phase;
        pl_parallel_for(pool, sweep_task, (s->slab_count + 1 - job.parity) / 2,
                        shared ? 1 : s->slab_count, &job);
    }
}
