// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Restriction and prolongation of the general lattice (Zhu 2010, section 6), with the paper's
// weights, in units of each level's own cell (see grid_linear_transfer.c).
//
// Where we differ: coarse variables that do not exist are left out of prolongation, and the weights
// of the others are scaled to sum to one.
#include "grid/grid_corot.h"
#include "grid/grid_lanes.h"

#include <string.h>

enum { CHUNKS = 16 };

typedef struct transfer {
    pl_corot_level* fine;
    pl_corot_level* coarse;
} transfer;

// the fine index at row (-1 to 1 around the lower child row) and x from -1 to 32
static inline int fine_at(const pl_corot_chunk* c, int row, int x) {
    if (x < PL_GRID_CHUNK) return c->children[row][0] + x;
    return c->children[row][1] + x - PL_GRID_CHUNK;
}

static float restrict_face(const pl_corot_chunk* c, int i, int a, const float* r) {
    float sum = 0.0f;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                float wx = a == 0 ? (dx ? 0.25f : 0.5f) : (dx < 0 ? 0.0f : 0.5f);
                float wy = a == 1 ? (dy ? 0.25f : 0.5f) : (dy < 0 ? 0.0f : 0.5f);
                float wz = a == 2 ? (dz ? 0.25f : 0.5f) : (dz < 0 ? 0.0f : 0.5f);
                float w = wx * wy * wz;
                if (w > 0.0f) sum += w * r[fine_at(c, 4 + dy + 3 * dz, 2 * i + dx)];
            }
    return 4.0f * sum;
}

static void restrict_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const transfer* job = user;
    pl_corot_level* l = job->coarse;
    for (int k = begin; k < end; k++) {
        const pl_corot_chunk* c = &l->chunks[k];
        for (int i = 0; i < PL_GRID_CHUNK; i++) {
            int n = c->begin + i;
            for (int a = 0; a < 3; a++)
                l->f[a][n] = l->flags[n] & (PL_COROT_FACE << a)
                                 ? restrict_face(c, i, a, job->fine->r[a])
                                 : 0.0f;
            float sum = 0.0f;
            if (l->flags[n] & PL_COROT_INTERIOR)
                for (int child = 0; child < 8; child++)
                    sum += job->fine->rg[pl_corot_child(c, i, child)];
            l->g[n] = 0.25f * sum; // twice the mean
        }
    }
}

void pl_corot_restrict(const pl_corot_level* fine, pl_corot_level* coarse, pl_pool* pool) {
    pl_parallel_for(pool, restrict_task, coarse->chunk_count, CHUNKS,
                    &(transfer){(pl_corot_level*)fine, coarse});
}

// weight of the coarse neighbour d (-1 to 1) of a fine cell, along the face's axis or across it
static inline float weight_of(bool along, int odd, int d) {
    if (along) return odd ? (d < 0 ? 0.0f : 0.5f) : (d ? 0.0f : 1.0f);
    return d == 0 ? 0.75f : d == 2 * odd - 1 ? 0.25f : 0.0f;
}

// the weights of the coarse faces that exist
static float known_weights(const pl_corot_level* coarse, const pl_corot_chunk* c, int i, int a) {
    const uint16_t known = (uint16_t)((PL_COROT_FACE | PL_COROT_HELD) << a);
    float total = 0.0f;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                float w = weight_of(a == 1, c->y & 1, dy) * weight_of(a == 2, c->z & 1, dz) *
                          weight_of(a == 0, i & 1, dx);
                if (w == 0.0f) continue;
                if (coarse->flags[c->parents[4 + dy + 3 * dz] + i / 2 + dx] & known) total += w;
            }
    return total;
}

void pl_corot_set_transfer(pl_corot_level* fine, const pl_corot_level* coarse) {
    for (int k = 0; k < fine->chunk_count; k++)
        for (int i = 0; i < 3 * PL_GRID_CHUNK; i++) {
            const int a = i / PL_GRID_CHUNK, lane = i % PL_GRID_CHUNK;
            const int n = fine->chunks[k].begin + lane;
            if (!(fine->flags[n] & (PL_COROT_FACE << a))) continue;
            float total = known_weights(coarse, &fine->chunks[k], lane, a);
            fine->scale[a][n] = total > 0.0f ? 1.0f / total : 0.0f;
        }
}

// Eight coarse values next to a fine row, shifted by dx and averaged over coarse rows; missing ones
// are zero.
PL_WIDE pl_half average_rows(const float* u, const pl_corot_chunk* c, int a, int dx) {
    pl_half sum = {0};
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++) {
            float w = weight_of(a == 1, c->y & 1, dy) * weight_of(a == 2, c->z & 1, dz);
            if (w != 0.0f) sum += w * pl_load_half(u + c->parents[4 + dy + 3 * dz] + dx);
        }
    return sum;
}

static void prolong_faces(pl_corot_level* l, const float* u, const pl_corot_chunk* c, int a) {
    const pl_half own = average_rows(u, c, a, 0), next = average_rows(u, c, a, 1);
    pl_half parts[2];
    if (a == 0) pl_merge_half(own, 0.5f * (own + next), parts);
    else {
        const pl_half last = average_rows(u, c, a, -1);
        pl_merge_half(0.75f * own + 0.25f * last, 0.75f * own + 0.25f * next, parts);
    }
    for (int k = 0; k < 2; k++) {
        float* to = l->u[a] + c->begin + k * PL_HALF;
        const pl_half scale = pl_load_half(l->scale[a] + c->begin + k * PL_HALF);
        pl_store_half(to, pl_load_half(to) + scale * parts[k]);
    }
}

static void prolong_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const transfer* job = user;
    pl_corot_level* l = job->fine;
    for (int k = begin; k < end; k++) {
        const pl_corot_chunk* c = &l->chunks[k];
        const pl_corot_masks* m = &l->masks[c->begin / PL_GRID_CHUNK];
        if (!(m->core | m->slaved)) continue;
        for (int a = 0; a < 3; a++) prolong_faces(l, job->coarse->u[a], c, a);
        const pl_half s = 0.5f * pl_load_half(job->coarse->s + c->parents[4]);
        pl_half parts[2];
        pl_merge_half(s, s, parts);
        for (int half = 0; half < 2; half++) {
            float* to = l->s + c->begin + half * PL_HALF;
            const unsigned core = (unsigned)m->core >> (half * PL_HALF);
            pl_store_half(to, pl_load_half(to) + pl_keep_half(core, parts[half]));
        }
    }
}

void pl_corot_prolong(pl_corot_level* fine, const pl_corot_level* coarse, pl_pool* pool) {
    pl_parallel_for(pool, prolong_task, fine->chunk_count, CHUNKS,
                    &(transfer){fine, (pl_corot_level*)coarse});
}
