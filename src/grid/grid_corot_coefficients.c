// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Coefficients of a level of the general lattice for the current rotations, and rotations of coarse
// cells.
#include "grid/grid_corot_kernels.h"
#include "math/polar.h"

#include <math.h>

enum { CHUNKS = 32, FACES = 256 };

// k of cells: mu / (1 / lambda + w / 2), in units of mu
static void set_pressures(pl_corot_level* l, const pl_corot_chunk* chunk) {
    const pl_corot_masks* m = &l->masks[chunk->begin / PL_GRID_CHUNK];
    for (int i = 0; i < PL_GRID_CHUNK; i += PL_LANES) {
        const int n = chunk->begin + i;
        const pl_fw mu = pl_loadu_w(l->mu + n), core = mu / l->compressibility;
        pl_fw known[9], w = {0}, slaved = {0};
        if (m->slaved >> i & ((1 << PL_LANES) - 1)) {
            pl_corot_known_w(l, chunk->rows, i, known);
            for (int e = 0; e < 9; e++) {
                const pl_fw R = pl_loadu_w(l->R[e] + n);
                w = pl_fma_w((1.0f - known[e]) * R, R, w);
            }
            slaved = pl_keep_w(m->slaved, i,
                               mu / pl_fma_w(pl_splat_w(0.5f), w, pl_splat_w(l->compressibility)));
        }
        pl_storeu_w(l->k + n, slaved + pl_keep_w(m->core, i, core));
        pl_storeu_w(l->slave_k + n, slaved);
        pl_storeu_w(l->inverse_k + n, pl_keep_w(m->core, i, l->compressibility / mu));
        pl_storeu_w(l->s + n, (pl_fw){0});
    }
}

// 1 where the faces across a next to core cells are variables, else 0.
PL_WIDE pl_fw open_w(const pl_corot_level* l, const int* rows, int i, int way, int a) {
    const pl_iw flags = pl_flags_w(l->flags + pl_corot_at(rows, i, way));
    return pl_where_w((flags & (PL_COROT_FACE << a)) != 0, pl_splat_w(1.0f));
}

// (T T')_cc of core cells: the sum of their squared factors over variable faces.
PL_WIDE pl_fw squares_w(const pl_corot_level* l, const int* rows, int i, bool plain) {
    pl_fw sum = {0};
#pragma GCC unroll 3
    for (int a = 0; a < 3; a++) {
        const int A = pl_corot_way(a);
        const pl_fw along = pl_beside_w(l->R[4 * a], rows, i, 13);
        pl_fw count = pl_splat_w(2.0f);
        if (!plain) count = open_w(l, rows, i, 13, a) + open_w(l, rows, i, 13 + A, a);
        sum = pl_fma_w(count * along, along, sum);
#pragma GCC unroll 2
        for (int e = 0; e < 2; e++) {
            const int b = pl_grid_other_axis(a, e), B = pl_corot_way(b);
            const pl_fw part = 0.25f * pl_beside_w(l->R[3 * a + b], rows, i, 13);
            count = pl_splat_w(4.0f);
            if (!plain)
                count = (open_w(l, rows, i, 13 - B, a) + open_w(l, rows, i, 13 + B, a)) +
                        (open_w(l, rows, i, 13 + A - B, a) + open_w(l, rows, i, 13 + A + B, a));
            sum = pl_fma_w(count * part, part, sum);
        }
    }
    return sum;
}

// inverse diagonals of core cells: (T T')_cc plus the distributed pressure's part
static void set_distribution(pl_corot_level* l, const pl_corot_chunk* chunk) {
    const pl_corot_masks* m = &l->masks[chunk->begin / PL_GRID_CHUNK];
    for (int i = 0; i < PL_GRID_CHUNK; i += PL_LANES) {
        const int n = chunk->begin + i;
        const pl_fw squares =
            m->plain ? squares_w(l, chunk->rows, i, true) : squares_w(l, chunk->rows, i, false);
        pl_fw q = (l->inertia + pl_loadu_w(l->spread + n)) * pl_loadu_w(l->inverse_k + n);
        q = 1.0f / (q + squares);
        pl_storeu_w(l->inverse_q + n, pl_where_w(pl_is_finite_w(q), pl_keep_w(m->core, i, q)));
    }
}

// inverse diagonals of faces between core cells
PL_WIDE void set_diagonals(pl_corot_level* l, const pl_corot_chunk* chunk, int i, int a) {
    const int n = chunk->begin + i, *rows = chunk->rows;
    const pl_corot_masks* m = &l->masks[n / PL_GRID_CHUNK];
    pl_fw sum = l->inertia + pl_loadu_w(l->extra[a] + n);
    sum += pl_beside_w(l->cell_weight[a], rows, i, 13) +
           pl_beside_w(l->cell_weight[a], rows, i, 13 - pl_corot_way(a));
#pragma GCC unroll 2
    for (int e = 0; e < 2; e++) {
        const int b = pl_grid_other_axis(a, e);
        const float* edge = l->edge_weight[3 - a - b];
        sum = pl_fma_w(
            pl_splat_w(1.0f - l->shear),
            pl_beside_w(edge, rows, i, 13) + pl_beside_w(edge, rows, i, 13 + pl_corot_way(b)), sum);
    }
    const pl_fw inverse = pl_keep_w(m->inner[a], i, 1.0f / sum);
    pl_storeu_w(l->inverse[a] + n, pl_where_w(pl_is_finite_w(inverse), inverse));
}

static void chunk_task(int begin, int end, int worker, void* user) {
    (void)worker;
    pl_corot_level* l = user;
    for (int k = begin; k < end; k++) {
        const pl_corot_chunk* chunk = &l->chunks[k];
        const pl_corot_masks* m = &l->masks[chunk->begin / PL_GRID_CHUNK];
        if (m->core | m->slaved) set_pressures(l, chunk);
        if (!m->core) continue;
        set_distribution(l, chunk);
        for (int i = 0; i < PL_GRID_CHUNK; i += PL_LANES) {
#pragma GCC unroll 3
            for (int a = 0; a < 3; a++) set_diagonals(l, chunk, i, a);
        }
    }
}

// Factors and diagonal of a face outside the core. Substituted pressures add to its stiffness.
static void set_face(const pl_corot_level* l, pl_corot_face* f) {
    const int a = f->axis, n = f->at[0], m = f->at[1];
    const float* w = f->weights;
    float* t = f->factors;
    t[0] = w[0] > 0.0f ? -l->R[4 * a][n] : 0.0f, t[1] = w[1] > 0.0f ? l->R[4 * a][m] : 0.0f;
    f->stiffness = l->inertia + l->extra[a][n];
    float sum = f->stiffness + w[0] + w[1];
    for (int e = 0; e < 2; e++) {
        const float* R = l->R[3 * a + pl_grid_other_axis(a, e)];
        const float under = w[2 + 2 * e] > 0.0f ? 0.25f : 0.0f;
        const float over = w[3 + 2 * e] > 0.0f ? 0.25f : 0.0f;
        t[0] += (under - over) * R[n], t[1] += (under - over) * R[m];
        for (int k = 0; k < 4; k++)
            t[2 + 4 * e + k] = (k < 2 ? under : -over) * R[f->at[2 + 4 * e + k]];
        sum += (1.0f - l->shear) * (w[2 + 2 * e] + w[3 + 2 * e]);
    }
    for (int k = 0; k < 10; k++) sum += l->slave_k[f->at[k]] * t[k] * t[k];
    f->inverse = sum > 0.0f ? 1.0f / sum : 0.0f;
}

static void face_task(int begin, int end, int worker, void* user) {
    (void)worker;
    pl_corot_level* l = user;
    for (int k = begin; k < end; k++) set_face(l, &l->band[k]);
}

void pl_corot_set_coefficients(pl_corot_level* l, double compressibility, double inertia,
                               pl_pool* pool) {
    l->compressibility = (float)compressibility;
    l->inertia = (float)inertia;
    pl_parallel_for(pool, chunk_task, l->chunk_count, CHUNKS, l);
    pl_parallel_for(pool, face_task, l->band_planes[l->layout->size[2]], FACES, l);
}

typedef struct rotation_job {
    const pl_corot_level* fine;
    pl_corot_level* coarse;
} rotation_job;

// Sum of the rotations of a cell's interior children, and the mean of their rotation terms.
static void add_children(const rotation_job* job, const pl_corot_chunk* c, int i, float sum[9],
                         float* soft) {
    float count = 0.0f, total = 0.0f;
    for (int e = 0; e < 9; e++) sum[e] = 0.0f;
    for (int child = 0; child < 8; child++) {
        const int at = pl_corot_child(c, i, child);
        if (!(job->fine->flags[at] & PL_COROT_INTERIOR)) continue;
        for (int e = 0; e < 9; e++) sum[e] += job->fine->R[e][at];
        total += job->fine->soft[at], count += 1.0f;
    }
    *soft = count > 0.0f ? total / count : 0.0f;
}

// Coarse rotation: the rotation of the mean over the eight children, which is that of the
// restricted positions up to stretch. The identity if no child has one.
static void rotate_lanes(const rotation_job* job, const pl_corot_chunk* c, int i, uint16_t cells) {
    pl_corot_level* l = job->coarse;
    float sums[9][PL_LANES], sum[9], soft[PL_LANES];
    for (int lane = 0; lane < PL_LANES; lane++) {
        add_children(job, c, i + lane, sum, &soft[lane]);
        for (int e = 0; e < 9; e++) sums[e][lane] = sum[e];
    }
    const int n = c->begin + i;
    pl_mat3w F, R, last;
    pl_fw norm = {0};
    for (int e = 0; e < 9; e++) {
        F.m[e] = pl_loadu_w(sums[e]), last.m[e] = pl_loadu_w(l->R[e] + n);
        norm = pl_fma_w(F.m[e], F.m[e], norm);
    }
    // The iteration starts from the mean, which is nearly a rotation. Starting from the last
    // rotation would make results depend on data that a checkpoint does not hold.
    const pl_iw some = norm > 1e-6f;
    F = pl_mat3_select_w(some, F, pl_mat3_identity_w());
    const pl_fw scale = pl_sqrt_w(3.0f / pl_select_w(some, norm, pl_splat_w(3.0f)));
    const pl_mat3w mean = pl_mat3_scale_w(scale, F);
    pl_quatw q = pl_quat_from_mat3_w(&mean);
    pl_polar_w(&F, &q, &R);
    const pl_iw lanes = pl_lanes_w(cells, i);
    for (int e = 0; e < 9; e++) pl_storeu_w(l->R[e] + n, pl_select_w(lanes, R.m[e], last.m[e]));
    pl_storeu_w(l->soft + n, pl_keep_w(cells, i, pl_loadu_w(soft)));
}

static void rotation_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const rotation_job* job = user;
    for (int k = begin; k < end; k++) {
        const pl_corot_chunk* c = &job->coarse->chunks[k];
        const pl_corot_masks* m = &job->coarse->masks[c->begin / PL_GRID_CHUNK];
        const uint16_t cells = m->core | m->slaved;
        for (int i = 0; i < PL_GRID_CHUNK; i += PL_LANES)
            if (cells >> i & ((1 << PL_LANES) - 1)) rotate_lanes(job, c, i, cells);
    }
}

void pl_corot_coarsen_rotations(const pl_corot_level* fine, pl_corot_level* coarse, pl_pool* pool) {
    pl_parallel_for(pool, rotation_task, coarse->chunk_count, CHUNKS,
                    &(rotation_job){fine, coarse});
}

typedef struct take_job {
    pl_corot_level* level;
    const pl_quat* turn;
    const float* ease;
    float softest;
} take_job;

static void take_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const take_job* job = user;
    pl_corot_level* l = job->level;
    for (int k = begin; k < end; k++) {
        const int first = l->chunks[k].begin;
        const pl_corot_masks* m = &l->masks[first / PL_GRID_CHUNK];
        for (int i = 0; i < PL_GRID_CHUNK; i++) {
            if (!((m->core | m->slaved) >> i & 1)) continue;
            const pl_mat3 R = pl_quat_to_mat3(job->turn[first + i]);
            for (int e = 0; e < 9; e++) l->R[e][first + i] = (float)R.m[e];
            l->soft[first + i] = job->softest * l->mu[first + i] * job->ease[first + i];
        }
    }
}

void pl_corot_take_rotations(pl_corot_level* l, const pl_quat* turn, const float* ease,
                             float softest, pl_pool* pool) {
    pl_parallel_for(pool, take_task, l->chunk_count, CHUNKS, &(take_job){l, turn, ease, softest});
}
