// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Residual and restriction R (Zhu 2010, section 6) at one go: along its own axis a component is
// averaged 1/4 1/2 1/4, across it 1/2 1/2, pressures are averaged. Fields are in units of the
// level's own cell: from cell to cell twice as large, a residual of positions counts four times,
// one of pressures twice.
//
// Rows of the fine level are taken one after the other, averaged along x and added to the coarse
// rows they belong to: residuals are never stored. A task fills some planes of the coarse level;
// the fine plane between two tasks is computed by both, so that results do not depend on threads.
#include "grid/grid_rows.h"
#include "grid/grid_smooth.h"
#include "grid/grid_transfer.h"

#include <string.h>

enum { PLANES = 4, ROWS = 8 };

static int halve(int i) { return i >= 0 ? i / 2 : -((1 - i) / 2); }

typedef struct restrict_job {
    const pl_grid_transfer* transfer;
    pl_grid_level* fine;
    pl_grid_level* coarse;
    bool stored; // the residual is given in r and q
} restrict_job;

// The rows of the coarse level that a row of faces across an axis (or of cells: 3) is added to,
// with weights along y and z; NULL where there is none.
typedef struct targets {
    float* row[2];
    float weight;
} targets;

// A row of a fine level and what it is added to. Rows of even y or z lie on a coarse face, those
// between two of them go to both.
typedef struct row_job {
    const restrict_job* job;
    int y, z;      // of the fine level
    int low, high; // planes of the coarse level that this task fills
} row_job;

static float* coarse_row(const row_job* r, int a, int at, int plane) {
    if (at == PL_GRID_NO_PARENT || plane < r->low || plane >= r->high) return NULL;
    const pl_grid_level* l = r->job->coarse;
    return (a < 3 ? l->f[a] : l->g) + at;
}

// residuals of positions count four times on the coarse level, those of pressures twice
static targets targets_of(const row_job* r, int a, const int* parents) {
    int plane = halve(r->z) - r->job->coarse->low[2];
    bool two = (a == 1 && r->y & 1) || (a == 2 && r->z & 1);
    float along = a == 0 || a == 3 ? 0.25f : two ? 0.125f : 0.25f;
    targets t = {{coarse_row(r, a, parents[4], plane), NULL}, along * (a < 3 ? 4.0f : 2.0f)};
    if (two) t.row[1] = coarse_row(r, a, parents[a == 1 ? 5 : 7], plane + (a == 2));
    return t;
}

// averages sixteen fine values along x and adds them to eight coarse ones; carry is the last value
// of the chunk before, and then of this one
PL_WIDE void add_chunk(const targets* t, const float* r, int a, float* carry) {
    pl_half even, odd, sum;
    pl_split_half(r, &even, &odd);
    if (a == 0) {
        pl_half before = pl_shift_half(*carry, odd);
        *carry = odd[PL_HALF - 1];
        sum = 0.25f * (before + odd) + 0.5f * even;
    } else sum = 0.5f * (even + odd);
    sum *= t->weight;
    for (int n = 0; n < 2; n++)
        if (t->row[n]) pl_store_half(t->row[n], pl_load_half(t->row[n]) + sum);
}

// What the last value of a run brings to the coarse face after it.
static void flush(const row_job* r, int chunk, float carry) {
    const int* parents = r->job->transfer->parents[chunk];
    targets t = targets_of(r, 0, parents);
    if (carry != 0.0f && t.row[0]) t.row[0][0] += 0.25f * t.weight * carry;
}

// the residual of faces of the band, kept by the last of their sweeps
static void add_band(const pl_grid_level* l, int chunk, float values[4][PL_GRID_CHUNK]) {
    int k = l->band_index[chunk];
    for (int n = 0; k >= 0 && n < 3 * PL_GRID_CHUNK; n += PL_LANES) {
        float* to = values[0] + n;
        pl_storeu_w(to, pl_loadu_w(to) + pl_loadu_w(l->band_residual[k][0] + n));
    }
}

PL_WIDE void restrict_run(const row_job* r, const pl_grid_run* g, bool dense, float* carry) {
    const restrict_job* job = r->job;
    for (int n = 0; n < g->count * PL_GRID_CHUNK; n += PL_GRID_CHUNK) {
        int chunk = (g->begin + n) / PL_GRID_CHUNK;
        float values[4][PL_GRID_CHUNK];
        if (job->stored)
            for (int a = 0; a < 4; a++)
                memcpy(values[a], (a < 3 ? job->fine->r[a] : job->fine->q) + g->begin + n,
                       sizeof values[a]);
        else residual_chunk(job->fine, g, n, dense, values);
        if (!job->stored && !dense) add_band(job->fine, chunk, values);
        const int* parents = job->transfer->parents[chunk];
        for (int a = 0; a < 4; a++) {
            targets t = targets_of(r, a, parents);
            add_chunk(&t, values[a], a, carry);
        }
    }
}

static void restrict_row(const row_job* r) {
    const pl_grid_level* l = r->job->fine;
    int row = (r->z - l->low[2]) * l->size[1] + r->y - l->low[1], end = -1;
    float carry = 0.0f;
    for (int k = l->row_runs[row]; k < l->row_runs[row + 1]; k++) {
        const pl_grid_run* g = &l->runs[k];
        if (g->begin != end) {
            if (end >= 0) flush(r, end / PL_GRID_CHUNK, carry);
            carry = 0.0f;
        }
        if (g->dense) restrict_run(r, g, true, &carry);
        else restrict_run(r, g, false, &carry);
        end = g->begin + g->count * PL_GRID_CHUNK;
    }
    if (end >= 0) flush(r, end / PL_GRID_CHUNK, carry);
}

// the part of the fields that planes take up
static void plane_range(const pl_grid_level* l, int begin, int end, int* first, int* last) {
    int s = l->row_segments[begin * l->size[1]], e = l->row_segments[end * l->size[1]];
    *first = *last = 0;
    if (s == e) return;
    *first = l->segments[s].begin;
    *last = l->segments[e - 1].begin + l->segments[e - 1].count * PL_GRID_CHUNK;
}

// f and g are zero where there is no equation
static void mask_planes(const pl_grid_level* l, int first, int last) {
    for (int i = first; i < last; i += PL_GRID_CHUNK) {
        const pl_grid_masks* m = &l->masks[i / PL_GRID_CHUNK];
        for (int a = 0; a < 4; a++) {
            float* to = (a < 3 ? l->f[a] : l->g) + i;
            uint16_t bits = a < 3 ? m->face[a] : m->interior;
            for (int n = 0; bits != 0xffff && n < PL_GRID_CHUNK; n += PL_LANES)
                pl_storeu_w(to + n, pl_keep_w(bits, n, pl_loadu_w(to + n)));
        }
    }
}

static void restrict_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const restrict_job* job = user;
    const pl_grid_level *fine = job->fine, *coarse = job->coarse;
    int first, last;
    plane_range(coarse, begin, end, &first, &last);
    for (int a = 0; a < 4; a++)
        memset((a < 3 ? coarse->f[a] : coarse->g) + first, 0,
               (size_t)(last - first) * sizeof(float));
    row_job r = {.job = job, .low = begin, .high = end};
    int z_end = 2 * (coarse->low[2] + end), fine_end = fine->low[2] + fine->size[2];
    r.z = 2 * (coarse->low[2] + begin) - 1;
    if (r.z < fine->low[2]) r.z = fine->low[2];
    for (; r.z < (z_end < fine_end ? z_end : fine_end); r.z++)
        for (r.y = fine->low[1]; r.y < fine->low[1] + fine->size[1]; r.y++) restrict_row(&r);
    mask_planes(coarse, first, last);
}

void pl_grid_restrict(const pl_grid_transfer* transfer, const pl_grid_level* fine,
                      pl_grid_level* coarse, pl_pool* pool) {
    restrict_job job = {transfer, (pl_grid_level*)fine, coarse, true};
    pl_parallel_for(pool, restrict_task, coarse->size[2], PLANES, &job);
}
void pl_grid_restrict_residual(const pl_grid_transfer* transfer, const pl_grid_level* fine,
                               pl_grid_level* coarse, pl_pool* pool) {
    restrict_job job = {transfer, (pl_grid_level*)fine, coarse, false};
    pl_parallel_for(pool, restrict_task, coarse->size[2], PLANES, &job);
}

static void residual_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const pl_grid_level* l = user;
    for (int k = l->row_runs[begin]; k < l->row_runs[end]; k++)
        for (int n = 0; n < l->runs[k].count * PL_GRID_CHUNK; n += PL_GRID_CHUNK) {
            float values[4][PL_GRID_CHUNK];
            int at = l->runs[k].begin + n;
            residual_chunk(l, &l->runs[k], n, false, values);
            for (int a = 0; a < 3; a++)
                for (int i = 0; i < PL_GRID_CHUNK; i++)
                    if (pl_grid_bit(l->masks[at / PL_GRID_CHUNK].inner[a], i))
                        l->r[a][at + i] = values[a][i];
            memcpy(l->q + at, values[3], sizeof values[3]);
        }
}
void pl_grid_interior_residual(pl_grid_level* level, pl_pool* pool) {
    pl_parallel_for(pool, residual_task, level->size[1] * level->size[2], ROWS, level);
}
