// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Restriction. Each row of the fine level is averaged along x and added to its coarse rows. A task
// fills some planes of the coarse level. Both tasks beside a fine plane compute it, so results do
// not depend on threads.
#include "grid/grid_transfer.h"

#include <string.h>

enum {
    PLANES = 8,        // coarse planes in a block of work
    STRIP_CELLS = 2048 // cells of a plane, so that the planes being read fit in the cache
};

typedef struct restrict_job {
    const pl_grid_restriction* r;
    void (*restrict_row)(const pl_grid_fine_row* row, const void* user);
    const void* user;
    int block_count, threads;
} restrict_job;

// range of the fields that planes occupy
static void plane_range(const pl_grid_level* l, int begin, int end, int* first, int* last) {
    int s = l->row_segments[begin * l->size[1]], e = l->row_segments[end * l->size[1]];
    *first = *last = 0;
    if (s == e) return;
    *first = l->segments[s].begin;
    *last = l->segments[e - 1].begin + l->segments[e - 1].count * PL_GRID_CHUNK;
}

// f and g are zero where there is no equation
static void mask_planes(const pl_grid_restriction* r, int first, int last) {
    for (int i = first; i < last; i += PL_GRID_CHUNK) {
        const pl_grid_masks* m = &r->masks[i / PL_GRID_CHUNK];
        for (int a = 0; a < 4; a++) {
            uint16_t bits = a < 3 ? m->face[a] : m->interior;
            for (int n = 0; bits != 0xffff && n < PL_GRID_CHUNK; n += PL_LANES) {
                float* to = r->to[a] + i + n;
                pl_storeu_w(to, pl_keep_w(bits, n, pl_loadu_w(to)));
            }
        }
    }
}

static void restrict_planes(const restrict_job* job, int begin, int end) {
    const pl_grid_level *fine = job->r->fine, *coarse = job->r->coarse;
    int first, last;
    plane_range(coarse, begin, end, &first, &last);
    for (int a = 0; a < 4; a++)
        memset(job->r->to[a] + first, 0, (size_t)(last - first) * sizeof(float));
    int z_begin = 2 * (coarse->low[2] + begin) - 1, z_end = 2 * (coarse->low[2] + end);
    if (z_begin < fine->low[2]) z_begin = fine->low[2];
    if (z_end > fine->low[2] + fine->size[2]) z_end = fine->low[2] + fine->size[2];
    pl_grid_fine_row row = {.job = job->r, .low = begin, .high = end};
    const int y_end = fine->low[1] + fine->size[1], strip = STRIP_CELLS / (fine->size[0] + 1) + 2;
    for (int y = fine->low[1]; y < y_end; y += strip)
        for (row.z = z_end - 1; row.z >= z_begin; row.z--)
            for (row.y = y; row.y < y + strip && row.y < y_end; row.y++)
                job->restrict_row(&row, job->user);
    mask_planes(job->r, first, last);
}

// The previous sweep went up the planes of a thread and left the upper ones in its cache. So each
// thread goes down: it processes its blocks of pl_parallel_for from last to first.
static int reverse(int block, int count, int threads) {
    int w = 0;
    while ((int)((int64_t)count * (w + 1) / threads) <= block) w++;
    return (int)((int64_t)count * w / threads + (int64_t)count * (w + 1) / threads) - 1 - block;
}

static void restrict_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const restrict_job* job = user;
    const int planes = job->r->coarse->size[2];
    for (int block = begin; block < end; block++) {
        const int at = reverse(block, job->block_count, job->threads) * PLANES;
        restrict_planes(job, at, at + PLANES < planes ? at + PLANES : planes);
    }
}

void pl_grid_restrict_rows(const pl_grid_restriction* r,
                           void (*restrict_row)(const pl_grid_fine_row* row, const void* user),
                           const void* user, pl_pool* pool) {
    const int count = (r->coarse->size[2] + PLANES - 1) / PLANES;
    restrict_job job = {r, restrict_row, user, count, pl_pool_thread_count(pool)};
    pl_parallel_for(pool, restrict_task, count, 1, &job);
}

// ------------------------------------------------------------------ stored values

// The values of even and of odd x of a chunk.
PL_WIDE void load_chunk(const float* from, pl_grid_order order, pl_half out[2]) {
    const pl_half low = pl_load_half(from), high = pl_load_half(from + PL_HALF);
    out[0] = low, out[1] = high;
    if (order == PL_GRID_BY_COLOUR) return;
    out[0] = __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14);
    out[1] = __builtin_shufflevector(low, high, 1, 3, 5, 7, 9, 11, 13, 15);
}

PL_WIDE void restrict_row(const pl_grid_fine_row* row, const float* const* from,
                          pl_grid_order order) {
    const pl_grid_level* l = row->job->fine;
    const int k = (row->z - l->low[2]) * l->size[1] + row->y - l->low[1];
    for (int s = l->row_segments[k]; s < l->row_segments[k + 1]; s++) {
        const int begin = l->segments[s].begin / PL_GRID_CHUNK, end = begin + l->segments[s].count;
        pl_half carry = {0};
#pragma GCC unroll 4
        for (int a = 0; a < 4; a++) {
            const pl_restrict_targets t = pl_restrict_targets_of(row, a);
            for (int n = begin; t.first >= 0 && n < end; n++) {
                pl_half values[2];
                load_chunk(from[a] + n * PL_GRID_CHUNK, order, values);
                pl_restrict_chunk(t, l->parents[n], values, a, &carry, order);
            }
        }
        pl_restrict_last(row, end, carry[PL_HALF - 1], order);
    }
}
static void restrict_by_x(const pl_grid_fine_row* row, const void* from) {
    restrict_row(row, from, PL_GRID_BY_X);
}
static void restrict_by_colour(const pl_grid_fine_row* row, const void* from) {
    restrict_row(row, from, PL_GRID_BY_COLOUR);
}

void pl_grid_restrict_fields(const pl_grid_restriction* job, const float* const from[4],
                             pl_pool* pool) {
    pl_grid_restrict_rows(job, job->order == PL_GRID_BY_X ? restrict_by_x : restrict_by_colour,
                          from, pool);
}
