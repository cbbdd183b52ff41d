// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Between two levels of the general lattice (Zhu 2010, section 6): the paper's weights, in units of
// each level's own cell (see grid_transfer.c).
//
// Where we differ: a coarse variable that does not exist takes no part in prolongation, and the
// weights of the others are scaled to sum to one.
#include "grid/grid_corot_level.h"

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

static float prolong_face(const pl_corot_level* coarse, const pl_corot_chunk* c, int i, int a) {
    const uint16_t known = (uint16_t)((PL_COROT_FACE | PL_COROT_HELD) << a);
    float sum = 0.0f, total = 0.0f;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++) {
            float wyz = weight_of(a == 1, c->y & 1, dy) * weight_of(a == 2, c->z & 1, dz);
            if (wyz == 0.0f) continue;
            for (int dx = -1; dx <= 1; dx++) {
                float w = wyz * weight_of(a == 0, i & 1, dx);
                int at = c->parents[4 + dy + 3 * dz] + i / 2 + dx;
                if (w == 0.0f || !(coarse->flags[at] & known)) continue;
                sum += w * coarse->u[a][at], total += w;
            }
        }
    return total > 0.0f ? sum / total : 0.0f;
}

static void prolong_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const transfer* job = user;
    pl_corot_level* l = job->fine;
    for (int k = begin; k < end; k++) {
        const pl_corot_chunk* c = &l->chunks[k];
        for (int i = 0; i < PL_GRID_CHUNK; i++) {
            int n = c->begin + i;
            for (int a = 0; a < 3; a++)
                if (l->flags[n] & (PL_COROT_FACE << a))
                    l->u[a][n] += prolong_face(job->coarse, c, i, a);
            if (l->flags[n] & PL_COROT_CORE)
                l->s[n] += 0.5f * job->coarse->s[c->parents[4] + i / 2];
        }
    }
}

void pl_corot_prolong(pl_corot_level* fine, const pl_corot_level* coarse, pl_pool* pool) {
    pl_parallel_for(pool, prolong_task, fine->chunk_count, CHUNKS,
                    &(transfer){fine, (pl_corot_level*)coarse});
}
