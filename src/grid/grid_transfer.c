// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Restriction R and prolongation P of the paper's section 6: along its own axis a component is
// averaged 1/4 1/2 1/4, across it 1/2 1/2; prolongation is linear along the axis and 3/4 1/4
// across; pressures are averaged and handed down as they are. Fields are in units of the level's
// own cell: from cell to cell twice as large, a residual of positions counts four times, one of
// pressures twice, and c half.
//
// Where we differ: c = div(phi) - p is handed down in place of p.
#include "grid/grid_transfer.h"
#include "base/memory.h"
#include "grid/grid_wide.h"

#include <string.h>

enum { ROWS = 4, MISSING = 2 * PL_GRID_CHUNK };

static int halve(int i) { return i >= 0 ? i / 2 : -((1 - i) / 2); }

static int find(const pl_grid_level* level, int i, int j, int k) {
    int index = pl_grid_index(level, i, j, k);
    return index >= 0 ? index : MISSING;
}

pl_status pl_grid_transfer_create(const pl_grid_level* fine, const pl_grid_level* coarse,
                                  pl_grid_transfer* out, pl_error* error) {
    *out = (pl_grid_transfer){.parent_count = fine->field_size / PL_GRID_CHUNK,
                              .child_count = coarse->field_size / PL_GRID_CHUNK};
    out->parents = pl_alloc_items((size_t)out->parent_count, sizeof *out->parents);
    out->children = pl_alloc_items((size_t)out->child_count, sizeof *out->children);
    if (!out->parents || !out->children) return pl_fail_memory(error, "the levels of a lattice");
    for (int s = 0; s < fine->segment_count; s++) {
        const pl_grid_segment* g = &fine->segments[s];
        for (int c = 0; c < g->count; c++)
            for (int n = 0; n < 9; n++)
                out->parents[g->begin / PL_GRID_CHUNK + c][n] =
                    find(coarse, halve(g->x + c * PL_GRID_CHUNK), halve(g->y) + n % 3 - 1,
                         halve(g->z) + n / 3 - 1);
    }
    for (int s = 0; s < coarse->segment_count; s++) {
        const pl_grid_segment* g = &coarse->segments[s];
        for (int c = 0; c < g->count; c++)
            for (int n = 0; n < 18; n++)
                out->children[g->begin / PL_GRID_CHUNK + c][n / 2][n % 2] =
                    find(fine, 2 * (g->x + c * PL_GRID_CHUNK) + n % 2 * PL_GRID_CHUNK,
                         2 * g->y + n / 2 % 3 - 1, 2 * g->z + n / 6 - 1);
    }
    return PL_OK;
}

void pl_grid_transfer_free(pl_grid_transfer* t) {
    pl_free(t->parents, (size_t)t->parent_count * sizeof *t->parents);
    pl_free(t->children, (size_t)t->child_count * sizeof *t->children);
    *t = (pl_grid_transfer){0};
}

typedef struct transfer_job {
    const pl_grid_transfer* transfer;
    pl_grid_level* fine;
    pl_grid_level* coarse;
} transfer_job;

// to[0..33] += weight * the fine cells -1 to 32 of a row
static void add_row(float* restrict to, const float* from, const int at[2], float weight) {
    for (int i = 0; i < PL_GRID_CHUNK + 1; i++) to[i] += weight * from[at[0] - 1 + i];
    for (int i = 0; i < PL_GRID_CHUNK + 1; i++)
        to[PL_GRID_CHUNK + 1 + i] += weight * from[at[1] + i];
}

static void restrict_chunk(const transfer_job* job, int at) {
    int(*row)[2] = job->transfer->children[at / PL_GRID_CHUNK];
    const pl_grid_masks* m = &job->coarse->masks[at / PL_GRID_CHUNK];
    for (int a = 0; a < 4; a++) {
        float t[2 * PL_GRID_CHUNK + 2] = {0};
        const float* r = a < 3 ? job->fine->r[a] : job->fine->q;
        for (int k = -1; k <= 1; k++)
            for (int j = -1; j <= 1; j++) {
                float wy = a == 1 ? (j ? 0.25f : 0.5f) : (j < 0 ? 0.0f : 0.5f);
                float wz = a == 2 ? (k ? 0.25f : 0.5f) : (k < 0 ? 0.0f : 0.5f);
                if (wy * wz > 0.0f) add_row(t, r, row[3 * (k + 1) + j + 1], wy * wz);
            }
        float* to = (a < 3 ? job->coarse->f[a] : job->coarse->g) + at;
        uint16_t bits = a < 3 ? m->face[a] : m->interior;
        float scale = a < 3 ? 4.0f : 2.0f;
        for (int i = 0; i < PL_GRID_CHUNK; i++) {
            float sum = a == 0 ? 0.25f * (t[2 * i] + t[2 * i + 2]) + 0.5f * t[2 * i + 1]
                               : 0.5f * (t[2 * i + 1] + t[2 * i + 2]);
            to[i] = bits >> i & 1 ? scale * sum : 0.0f;
        }
    }
}

static void restrict_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const transfer_job* job = user;
    for (int s = job->coarse->row_segments[begin]; s < job->coarse->row_segments[end]; s++) {
        const pl_grid_segment* g = &job->coarse->segments[s];
        for (int c = 0; c < g->count; c++) restrict_chunk(job, g->begin + c * PL_GRID_CHUNK);
    }
}

void pl_grid_restrict(const pl_grid_transfer* transfer, const pl_grid_level* fine,
                      pl_grid_level* coarse, pl_pool* pool) {
    transfer_job job = {transfer, (pl_grid_level*)fine, coarse};
    pl_parallel_for(pool, restrict_task, coarse->size[1] * coarse->size[2], ROWS, &job);
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
    for (int k = 0; k < l->band_count; k++) {
        const pl_grid_band_chunk* b = &l->band[k];
        const int high[3] = {b->begin + 1, b->rows[PL_ROW_Y_HIGH], b->rows[PL_ROW_Z_HIGH]};
        for (int i = 0; i < PL_GRID_CHUNK; i++) {
            if (!(b->slaved >> i & 1)) continue;
            float sum = 0.0f;
            for (int a = 0; a < 3; a++) sum += l->u[a][high[a] + i] - l->u[a][b->begin + i];
            l->c[b->begin + i] = sum - l->c[b->begin + i];
        }
    }
}

// to[0..9] += weight * the coarse cells -1 to 8 of a row
static void add_coarse_row(float* restrict to, const float* from, int at, float weight) {
    for (int i = 0; i < 10; i++) to[i] += weight * from[at - 1 + i];
}

static void prolong_chunk(const transfer_job* job, const pl_grid_segment* g, int at) {
    const int* row = job->transfer->parents[at / PL_GRID_CHUNK];
    const pl_grid_masks* m = &job->fine->masks[at / PL_GRID_CHUNK];
    const int odd_y = g->y & 1, odd_z = g->z & 1;
    for (int a = 0; a < 3; a++) {
        float t[10] = {0};
        const float* u = job->coarse->u[a];
        for (int k = -1; k <= 1; k++)
            for (int j = -1; j <= 1; j++) {
                // along its own axis a face lies on a coarse one or half way to the next
                float wy = a == 1 ? (odd_y ? (j < 0 ? 0.0f : 0.5f) : (j ? 0.0f : 1.0f))
                                  : (j == 0               ? 0.75f
                                     : j == 2 * odd_y - 1 ? 0.25f
                                                          : 0.0f);
                float wz = a == 2 ? (odd_z ? (k < 0 ? 0.0f : 0.5f) : (k ? 0.0f : 1.0f))
                                  : (k == 0               ? 0.75f
                                     : k == 2 * odd_z - 1 ? 0.25f
                                                          : 0.0f);
                if (wy * wz > 0.0f) add_coarse_row(t, u, row[3 * (k + 1) + j + 1], wy * wz);
            }
        float v[PL_GRID_CHUNK], *to = job->fine->u[a] + at;
        for (int i = 0; i < PL_GRID_CHUNK / 2; i++) {
            v[2 * i] = a == 0 ? t[i + 1] : 0.75f * t[i + 1] + 0.25f * t[i];
            v[2 * i + 1] =
                a == 0 ? 0.5f * (t[i + 1] + t[i + 2]) : 0.75f * t[i + 1] + 0.25f * t[i + 2];
        }
        for (int i = 0; i < PL_GRID_CHUNK; i++) to[i] += m->face[a] >> i & 1 ? v[i] : 0.0f;
    }
    const float* c = job->coarse->c + row[4];
    float* to = job->fine->c + at;
    for (int i = 0; i < PL_GRID_CHUNK; i++) to[i] += m->core >> i & 1 ? 0.5f * c[i / 2] : 0.0f;
}

static void prolong_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const transfer_job* job = user;
    for (int s = job->fine->row_segments[begin]; s < job->fine->row_segments[end]; s++) {
        const pl_grid_segment* g = &job->fine->segments[s];
        for (int c = 0; c < g->count; c++) prolong_chunk(job, g, g->begin + c * PL_GRID_CHUNK);
    }
}

void pl_grid_prolong(const pl_grid_transfer* transfer, pl_grid_level* fine,
                     const pl_grid_level* coarse, pl_pool* pool) {
    transfer_job job = {transfer, fine, (pl_grid_level*)coarse};
    pl_parallel_for(pool, prolong_task, fine->size[1] * fine->size[2], ROWS, &job);
}
