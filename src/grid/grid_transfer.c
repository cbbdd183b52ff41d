// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Prolongation P of the paper's section 6: linear along the axis of a component and 3/4 1/4 across
// it; pressures are handed down as they are. Fields are in units of the level's own cell: from cell
// to cell half as large, c counts half.
//
// Where we differ: c = div(phi) - p is handed down in place of p.
#include "grid/grid_transfer.h"
#include "base/memory.h"
#include "grid/grid_rows.h"

enum { ROWS = 16 };

static int halve(int i) { return i >= 0 ? i / 2 : -((1 - i) / 2); }

static int find(const pl_grid_level* level, int i, int j, int k) {
    int index = pl_grid_index(level, i, j, k);
    return index >= 0 ? index : PL_GRID_NO_PARENT;
}

typedef struct transfer_job {
    const pl_grid_transfer* transfer;
    pl_grid_level* fine;
    pl_grid_level* coarse;
    int wanted; // AROUND, DEEP
} transfer_job;

static void parents_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const transfer_job* job = user;
    const pl_grid_level* fine = job->fine;
    for (int s = fine->row_segments[begin]; s < fine->row_segments[end]; s++) {
        const pl_grid_segment* g = &fine->segments[s];
        for (int c = 0; c < g->count; c++)
            for (int n = 0; n < 9; n++)
                job->transfer->parents[g->begin / PL_GRID_CHUNK + c][n] =
                    find(job->coarse, halve(g->x + c * PL_GRID_CHUNK), halve(g->y) + n % 3 - 1,
                         halve(g->z) + n / 3 - 1);
    }
}

pl_status pl_grid_transfer_create(const pl_grid_level* fine, const pl_grid_level* coarse,
                                  pl_pool* pool, pl_grid_transfer* out, pl_error* error) {
    *out = (pl_grid_transfer){.parent_count = fine->field_size / PL_GRID_CHUNK};
    out->parents = pl_alloc_items((size_t)out->parent_count, sizeof *out->parents);
    if (!out->parents) return pl_fail_memory(error, "the levels of a lattice");
    transfer_job job = {out, (pl_grid_level*)fine, (pl_grid_level*)coarse, 0};
    pl_parallel_for(pool, parents_task, fine->size[1] * fine->size[2], ROWS, &job);
    return PL_OK;
}

void pl_grid_transfer_free(pl_grid_transfer* t) {
    pl_free(t->parents, (size_t)t->parent_count * sizeof *t->parents);
    *t = (pl_grid_transfer){0};
}

// p becomes c in slaved cells
static void convert_slaved(pl_grid_level* l) {
    for (int k = 0; k < l->band_count; k++) {
        const pl_grid_band_chunk* b = &l->band[k];
        const int high[3] = {b->begin + 1, b->rows[PL_ROW_Y_HIGH], b->rows[PL_ROW_Z_HIGH]};
        for (int n = 0; b->slaved && n < PL_GRID_CHUNK; n += PL_LANES) {
            pl_fw sum = pl_splat_w(0.0f), p = pl_loadu_w(l->c + b->begin + n);
            for (int a = 0; a < 3; a++)
                sum += pl_loadu_w(l->u[a] + high[a] + n) - pl_loadu_w(l->u[a] + b->begin + n);
            pl_storeu_w(l->c + b->begin + n, pl_select_w(pl_lanes_w(b->slaved, n), sum - p, p));
        }
    }
}

void pl_grid_fill_ghosts(pl_grid_level* l) {
    float* fields[4] = {l->u[0], l->u[1], l->u[2], l->c};
    for (int k = 0; k < l->ghost_count; k++) {
        const pl_grid_ghost* ghost = &l->ghosts[k];
        float sum = 0.0f;
        for (int s = 0; s < ghost->source_count; s++)
            sum += ghost->weight[s] * fields[ghost->source_field[s]][ghost->source[s]];
        fields[ghost->field][ghost->index] = sum;
    }
    convert_slaved(l);
}

// ------------------------------------------------------------------ prolongation

// weights of the coarse rows below, at and above a row, along one axis: of faces across that axis,
// which lie on a coarse face or half way to the next, or of others
static void weights_of(bool across, bool odd, float out[3]) {
    out[0] = across || odd ? 0.0f : 0.25f;
    out[1] = across ? (odd ? 0.5f : 1.0f) : 0.75f;
    out[2] = odd ? (across ? 0.5f : 0.25f) : 0.0f;
}

// The two to four coarse rows that a row of faces across an axis is made of.
typedef struct sources {
    int count;
    int parent[4];
    float weight[4];
} sources;

static sources sources_of(int a, const pl_grid_run* g) {
    sources s = {0};
    float y[3], z[3];
    weights_of(a == 1, g->odd_y, y), weights_of(a == 2, g->odd_z, z);
    for (int n = 0; n < 9; n++) {
        float w = y[n % 3] * z[n / 3];
        if (w > 0.0f) s.parent[s.count] = n, s.weight[s.count++] = w;
    }
    return s;
}

// half a chunk of coarse values with those before and after, summed over rows
typedef struct coarse_sum {
    pl_half low, own, high;
} coarse_sum;
PL_WIDE coarse_sum sum_rows(const float* u, const int* parents, const sources* s, bool linear) {
    coarse_sum t = {0};
    for (int k = 0; k < s->count; k++) {
        const float* from = u + parents[s->parent[k]];
        t.own += s->weight[k] * pl_load_half(from);
        t.high += s->weight[k] * pl_load_half(from + 1);
        if (!linear) t.low += s->weight[k] * pl_load_half(from - 1);
    }
    return t;
}

PL_WIDE void add_half(float* to, pl_half value, unsigned bits) {
    pl_store_half(to, pl_load_half(to) + (bits == 0xff ? value : pl_keep_half(bits, value)));
}

PL_WIDE void add_merged(float* to, pl_half even, pl_half odd, uint16_t bits) {
    pl_half out[2];
    pl_merge_half(even, odd, out);
    add_half(to, out[0], bits & 0xff);
    add_half(to + PL_HALF, out[1], bits >> PL_HALF);
}

// Adds to the chunks whose PL_GRID_DEEP is among the wanted ones: those without it, with it, or
// all.
enum { AROUND = 1, DEEP = 2 };

PL_WIDE void prolong_run(const transfer_job* job, const pl_grid_run* g) {
    const sources from[3] = {sources_of(0, g), sources_of(1, g), sources_of(2, g)};
    pl_grid_level* fine = job->fine;
    const int ahead = rows_ahead(g);
    for (int n = 0; n < g->count; n++) {
        int at = g->begin + n * PL_GRID_CHUNK;
        const bool deep = fine->full[at / PL_GRID_CHUNK] & PL_GRID_DEEP;
        if (!(job->wanted & (deep ? DEEP : AROUND))) continue;
        for (int a = 0; a < 3; a++) fetch(fine->u[a] + at, ahead);
        fetch(fine->c + at, ahead);
        const int* parents = job->transfer->parents[at / PL_GRID_CHUNK];
        const pl_grid_masks* m = &fine->masks[at / PL_GRID_CHUNK];
        coarse_sum t = sum_rows(job->coarse->u[0], parents, &from[0], true);
        add_merged(fine->u[0] + at, t.own, 0.5f * (t.own + t.high), m->face[0]);
        for (int a = 1; a < 3; a++) {
            t = sum_rows(job->coarse->u[a], parents, &from[a], false);
            pl_half most = 0.75f * t.own;
            add_merged(fine->u[a] + at, most + 0.25f * t.low, most + 0.25f * t.high, m->face[a]);
        }
        pl_half c = 0.5f * pl_load_half(job->coarse->c + parents[4]);
        add_merged(fine->c + at, c, c, m->core);
    }
}

static void prolong_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const transfer_job* job = user;
    for (int k = job->fine->row_runs[begin]; k < job->fine->row_runs[end]; k++)
        prolong_run(job, &job->fine->runs[k]);
}

void pl_grid_prolong(const pl_grid_transfer* transfer, pl_grid_level* fine,
                     const pl_grid_level* coarse, pl_pool* pool) {
    transfer_job job = {transfer, fine, (pl_grid_level*)coarse, AROUND | DEEP};
    pl_parallel_for(pool, prolong_task, fine->size[1] * fine->size[2], ROWS, &job);
}
void pl_grid_prolong_around(const pl_grid_transfer* transfer, pl_grid_level* fine,
                            const pl_grid_level* coarse, pl_pool* pool) {
    transfer_job job = {transfer, fine, (pl_grid_level*)coarse, AROUND};
    pl_parallel_for(pool, prolong_task, fine->size[1] * fine->size[2], ROWS, &job);
}
void pl_grid_prolong_deep(const pl_grid_transfer* transfer, pl_grid_level* fine,
                          const pl_grid_level* coarse, int row_begin, int row_end) {
    transfer_job job = {transfer, fine, (pl_grid_level*)coarse, DEEP};
    prolong_task(row_begin, row_end, 0, &job);
}
