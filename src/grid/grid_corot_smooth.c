// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Sweeps of the general lattice (Zhu 2010, section 7): distributive in the core (Eq. 15 and 16),
// Gauss-Seidel with substituted pressures elsewhere. In a core cell s is an unknown. In other
// interior cells it is eliminated, s = k (T - g), and follows every change of a face.
//
// Differs from the paper: a cell's equation is relaxed with the true diagonal of T T', which is 6
// only for R = I. The paper's -Delta is wrong for cells that have rotated by more than about 30
// degrees. Sweeps go row by row within slabs of planes; slabs of one parity run in parallel.
// PL_LANES cells, or inner faces, of a row are relaxed together: their coupling along the row is
// smaller than their diagonals, so sweeps still reduce the energy. Faces outside the core are
// coupled through stiff pressures and are relaxed one by one.
#include "grid/grid_corot_kernels.h"

#include <string.h>

enum { PLANES = 4, CHUNKS = 32 };
// Number of sweeps over core cells. Once pressures are substituted, the remaining residual of the
// pressure equation becomes a force lambda / mu times as large. At nu = 0.475 and R = I, 1 sweep
// gives a rate of 0.44 and 3 give 0.45; rotated by 86 degrees, 0.54 and 0.33.
enum { CORE_SWEEPS = 3 };

typedef struct sweep {
    pl_corot_level* level;
    pl_corot_part part;
    int parity;
    bool backwards;
} sweep;

// ------------------------------------------------------------------ faces

// Relaxes one face outside the core and updates the pressures of slaved cells. A row has few of
// them, so they are relaxed one by one, from records that hold the whole equation.
static inline void relax_band_face(pl_corot_level* l, const pl_corot_face* face) {
    const int *at = face->at, a = face->axis;
    const float *w = face->weights, *t = face->factors, *u = l->u[a];
    float *s = l->s, own = u[at[0]];
    float sum[3] = {w[0] * (own - u[face->next]) + w[1] * (own - u[at[1]]) + face->stiffness * own,
                    t[0] * s[at[0]] + t[1] * s[at[1]], 0.0f};
    for (int e = 0; e < 2; e++) {
        const int low = at[2 + 4 * e], up = at[4 + 4 * e];
        float under = own - u[low], over = own - u[up];
        if (l->shear > 0.0f) { // linear elasticity: mu (F_ab + F_ba)
            const float* v = l->u[pl_grid_other_axis(a, e)];
            under = 0.5f * (under + v[at[0]] - v[at[1]]);
            over = 0.5f * (over - v[up] + v[at[5 + 4 * e]]);
        }
        sum[0] += w[2 + 2 * e] * under + w[3 + 2 * e] * over;
    }
    for (int k = 2; k < 10; k++) sum[1 + k % 2] += t[k] * s[at[k]];
    const float change = (l->f[a][at[0]] - (sum[0] + (sum[1] + sum[2]))) * face->inverse;
    l->u[a][at[0]] = own + change;
    for (int k = 0; k < 10; k++) s[at[k]] += l->slave_k[at[k]] * (t[k] * change);
}

PL_WIDE void relax_inner_faces(pl_corot_level* l, const pl_corot_masks* m, const int* rows, int i,
                               int a, bool plain) {
    if (!(m->inner[a] >> i & ((1 << PL_LANES) - 1))) return;
    pl_fw change =
        pl_corot_residual_w(l, rows, i, a, true, plain) * pl_beside_w(l->inverse[a], rows, i, 13);
    pl_add_to_w(l->u[a] + pl_corot_at(rows, i, 13), pl_keep_w(m->inner[a], i, change));
}

// ------------------------------------------------------------------ core cells

// Adds the cells' distribution to faces across a. open: the faces of all lanes are variables.
PL_WIDE void add_to_faces_w(pl_corot_level* l, const int* rows, int i, int a, int way, bool open,
                            pl_fw before, pl_fw own, pl_fw after) {
    float* at = l->u[a] + pl_corot_at(rows, i, way);
    if (open) {
        pl_add_beside_w(at, before, own, after);
        return;
    }
    const uint16_t* flags = l->flags + pl_corot_at(rows, i, way);
    const uint16_t bit = (uint16_t)(PL_COROT_FACE << a);
    const uint16_t bits = l->layout->masks[pl_corot_at(rows, i, way) / PL_GRID_CHUNK].face[a];
    const pl_fw zero = {0};
    own += pl_next_lanes_w(before, zero) + pl_last_lanes_w(zero, after);
    pl_add_to_w(at, pl_keep_w(bits, i, own));
    if (before[0] != 0.0f && flags[-1] & bit) at[-1] += before[0];
    if (after[PL_LANES - 1] != 0.0f && flags[PL_LANES] & bit) at[PL_LANES] += after[PL_LANES - 1];
}

// u += T' q; q is 0 in lanes that are not core cells
PL_WIDE void distribute_to_x_w(pl_corot_level* l, const int* rows, int i, bool open, pl_fw q) {
    const pl_fw zero = {0}, along = q * pl_beside_w(l->R[0], rows, i, 13);
    add_to_faces_w(l, rows, i, 0, 13, open, zero, -along, along);
#pragma GCC unroll 9
    for (int b = 1; b < 3; b++) {
        const pl_fw part = 0.25f * q * pl_beside_w(l->R[b], rows, i, 13);
        const int B = pl_corot_way(b);
        add_to_faces_w(l, rows, i, 0, 13 - B, open, zero, -part, -part);
        add_to_faces_w(l, rows, i, 0, 13 + B, open, zero, part, part);
    }
}
PL_WIDE void distribute_to_w(pl_corot_level* l, const int* rows, int i, int a, bool open, pl_fw q) {
    const int A = pl_corot_way(a), b = 3 - a, B = pl_corot_way(b);
    const pl_fw zero = {0}, along = q * pl_beside_w(l->R[4 * a], rows, i, 13);
    const pl_fw by_x = 0.25f * q * pl_beside_w(l->R[3 * a], rows, i, 13);
    const pl_fw by_b = 0.25f * q * pl_beside_w(l->R[3 * a + b], rows, i, 13);
    add_to_faces_w(l, rows, i, a, 13, open, -by_x, -along, by_x);
    add_to_faces_w(l, rows, i, a, 13 + A, open, -by_x, along, by_x);
    add_to_faces_w(l, rows, i, a, 13 - B, open, zero, -by_b, zero);
    add_to_faces_w(l, rows, i, a, 13 + A - B, open, zero, -by_b, zero);
    add_to_faces_w(l, rows, i, a, 13 + B, open, zero, by_b, zero);
    add_to_faces_w(l, rows, i, a, 13 + A + B, open, zero, by_b, zero);
}

// q times (mu + mu of the neighbour), if the neighbour is not a Dirichlet cell
PL_WIDE pl_fw pass_on_w(const pl_corot_level* l, const int* rows, int i, int way, pl_fw q) {
    const pl_iw flags = pl_flags_w(l->flags + pl_corot_at(rows, i, way));
    const pl_fw weight = pl_beside_w(l->mu, rows, i, 13) + pl_beside_w(l->mu, rows, i, way);
    return pl_where_w((flags & PL_COROT_INTERIOR) != 0, weight * q);
}

// Also changes slaved cells, whose pressures are later recomputed from the positions.
PL_WIDE void distribute_to_s_w(pl_corot_level* l, const int* rows, int i, bool plain, pl_fw q) {
    pl_fw sides[6],
        centre = l->inertia + (plain ? pl_splat_w(12.0f) : pl_beside_w(l->spread, rows, i, 13));
#pragma GCC unroll 9
    for (int side = 0; side < 6; side++) {
        const int way = pl_corot_way(side / 2);
        sides[side] = plain ? 2.0f * q : pass_on_w(l, rows, i, side % 2 ? 13 + way : 13 - way, q);
    }
    pl_add_beside_w(l->s + pl_corot_at(rows, i, 13), sides[0], -centre * q, sides[1]);
#pragma GCC unroll 9
    for (int side = 2; side < 6; side++) {
        const int way = pl_corot_way(side / 2);
        pl_add_to_w(l->s + pl_corot_at(rows, i, side % 2 ? 13 + way : 13 - way), sides[side]);
    }
}

// Adds T' q to positions and -(2 mu Laplacian + inertia) q to s, which leaves the residual of the
// position equations unchanged where R is smooth (Eq. 16).
PL_WIDE void relax_core_cells(pl_corot_level* l, const pl_corot_masks* m, const int* rows, int i,
                              bool plain) {
    if (!(m->core >> i & ((1 << PL_LANES) - 1))) return;
    pl_fw residual = pl_beside_w(l->g, rows, i, 13) - pl_corot_trace_w(l, l->u, rows, i, true);
    residual = pl_fma_w(
        pl_beside_w(l->s, rows, i, 13),
        plain ? pl_splat_w(l->compressibility) : pl_beside_w(l->inverse_k, rows, i, 13), residual);
    pl_fw q = pl_keep_w(m->core, i, residual * pl_beside_w(l->inverse_q, rows, i, 13));
    distribute_to_x_w(l, rows, i, plain, q);
    distribute_to_w(l, rows, i, 1, plain, q);
    distribute_to_w(l, rows, i, 2, plain, q);
    distribute_to_s_w(l, rows, i, plain, q);
}

// ------------------------------------------------------------------ sweeps

static void sweep_band_plane(pl_corot_level* l, int z, bool backwards) {
    const int begin = l->band_planes[z], count = l->band_planes[z + 1] - begin;
    for (int n = 0; n < count; n++)
        relax_band_face(l, &l->band[begin + (backwards ? count - 1 - n : n)]);
}

PL_WIDE void sweep_inner(pl_corot_level* l, const pl_corot_masks* m, const int* rows,
                         bool backwards, bool plain) {
    for (int k = 0; k < PL_GRID_CHUNK; k += PL_LANES) {
        const int i = backwards ? PL_GRID_CHUNK - PL_LANES - k : k;
#pragma GCC unroll 9
        for (int a = 0; a < 3; a++) relax_inner_faces(l, m, rows, i, a, plain);
    }
}

PL_WIDE void sweep_core(pl_corot_level* l, const pl_corot_masks* m, const int* rows, bool backwards,
                        bool plain) {
    for (int k = 0; k < PL_GRID_CHUNK; k += PL_LANES)
        relax_core_cells(l, m, rows, backwards ? PL_GRID_CHUNK - PL_LANES - k : k, plain);
}

static void sweep_chunk(const sweep* job, const pl_corot_chunk* chunk) {
    pl_corot_level* l = job->level;
    const pl_corot_masks* m = &l->masks[chunk->begin / PL_GRID_CHUNK];
    const bool plain = m->plain && l->shear == 0.0f;
    const int* rows = chunk->rows;
    if (!m->core) return;
    if (job->part == PL_COROT_INNER_FACES) {
        if (plain) sweep_inner(l, m, rows, job->backwards, true);
        else sweep_inner(l, m, rows, job->backwards, false);
    } else {
        if (plain) sweep_core(l, m, rows, job->backwards, true);
        else sweep_core(l, m, rows, job->backwards, false);
    }
}

static void sweep_plane(const sweep* job, int z) {
    const pl_corot_level* l = job->level;
    if (job->part == PL_COROT_BAND_FACES) {
        sweep_band_plane(job->level, z, job->backwards);
        return;
    }
    int low = l->planes[z], high = l->planes[z + 1];
    for (int k = 0; k < high - low; k++)
        sweep_chunk(job, &l->chunks[job->backwards ? high - 1 - k : low + k]);
}

static void sweep_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const sweep* job = user;
    const pl_corot_level* l = job->level;
    int size = l->layout->size[2];
    for (int slab = 2 * begin + job->parity; slab < 2 * end + job->parity; slab += 2) {
        int first = slab * PLANES, last = first + PLANES;
        if (first > size) first = size;
        if (last > size) last = size;
        for (int k = 0; k < last - first; k++)
            sweep_plane(job, job->backwards ? last - 1 - k : first + k);
    }
}

void pl_corot_sweep(pl_corot_level* l, pl_corot_part part, bool backwards, pl_pool* pool) {
    int pairs = (l->layout->size[2] + 2 * PLANES - 1) / (2 * PLANES);
    sweep job = {l, part, 0, backwards};
    for (int p = 0; p < 2; p++) {
        job.parity = backwards ? 1 - p : p;
        pl_parallel_for(pool, sweep_task, pairs, 1, &job);
    }
}

static void slave_task(int begin, int end, int worker, void* user) {
    (void)worker;
    pl_corot_level* l = user;
    for (int k = begin; k < end; k++) {
        const pl_corot_masks* m = &l->masks[l->chunks[k].begin / PL_GRID_CHUNK];
        if (!m->slaved) continue;
        const int* rows = l->chunks[k].rows;
        for (int i = 0; i < PL_GRID_CHUNK; i += PL_LANES) {
            if (!(m->slaved >> i & ((1 << PL_LANES) - 1))) continue;
            pl_fw s = pl_corot_trace_w(l, l->u, rows, i, false) - pl_beside_w(l->g, rows, i, 13);
            s *= pl_beside_w(l->slave_k, rows, i, 13);
            float* at = l->s + pl_corot_at(rows, i, 13);
            pl_storeu_w(at, pl_select_w(pl_lanes_w(m->slaved, i), s, pl_loadu_w(at)));
        }
    }
}

void pl_corot_slave(pl_corot_level* l, pl_pool* pool) {
    pl_parallel_for(pool, slave_task, l->chunk_count, CHUNKS, l);
}

void pl_corot_smooth(pl_corot_level* l, int band_sweeps, bool backwards, pl_pool* pool) {
    pl_corot_slave(l, pool);
    for (int k = 0; k < band_sweeps; k++) pl_corot_sweep(l, PL_COROT_BAND_FACES, backwards, pool);
    pl_corot_sweep(l, PL_COROT_INNER_FACES, backwards, pool);
    for (int k = 0; k < CORE_SWEEPS; k++) pl_corot_sweep(l, PL_COROT_CORE_CELLS, backwards, pool);
    pl_corot_slave(l, pool);
    for (int k = 0; k < band_sweeps; k++) pl_corot_sweep(l, PL_COROT_BAND_FACES, backwards, pool);
}

// ------------------------------------------------------------------ residual

PL_WIDE void face_residual(pl_corot_level* l, const pl_corot_masks* m, const int* rows, int i,
                           int a, bool plain) {
    const uint16_t faces = m->inner[a] | m->band[a];
    pl_fw r = {0};
    if (plain) r = pl_keep_w(faces, i, pl_corot_residual_w(l, rows, i, a, true, true));
    else if (faces >> i & ((1 << PL_LANES) - 1))
        r = pl_keep_w(faces, i, pl_corot_residual_w(l, rows, i, a, false, false));
    pl_storeu_w(l->r[a] + pl_corot_at(rows, i, 13), r);
}

static void residual_task(int begin, int end, int worker, void* user) {
    (void)worker;
    pl_corot_level* l = user;
    for (int k = begin; k < end; k++) {
        const pl_corot_masks* m = &l->masks[l->chunks[k].begin / PL_GRID_CHUNK];
        const int* rows = l->chunks[k].rows;
        const bool plain =
            m->plain && l->shear == 0.0f && !(m->band[0] | m->band[1] | m->band[2]) && m->core;
        for (int i = 0; i < PL_GRID_CHUNK; i += PL_LANES) {
#pragma GCC unroll 9
            for (int a = 0; a < 3; a++) {
                if (plain) face_residual(l, m, rows, i, a, true);
                else face_residual(l, m, rows, i, a, false);
            }
            pl_fw rg = {0};
            if (m->core) {
                rg = pl_beside_w(l->g, rows, i, 13) - pl_corot_trace_w(l, l->u, rows, i, true);
                rg = pl_keep_w(m->core, i,
                               pl_fma_w(pl_beside_w(l->s, rows, i, 13),
                                        pl_beside_w(l->inverse_k, rows, i, 13), rg));
            }
            pl_storeu_w(l->rg + pl_corot_at(rows, i, 13), rg);
        }
    }
}

void pl_corot_residual(pl_corot_level* l, pl_pool* pool) {
    pl_parallel_for(pool, residual_task, l->chunk_count, CHUNKS, l);
}

// ------------------------------------------------------------------ rotation term

// The rotation term of the tangent stiffness. With frozen rotations, rotating a cell costs as much
// as shearing it: A has 2 mu |dF|^2. In the Hessian of the true energy the rotation follows: dR = R
// [w]x, where w minimises mu sum |dF - dR|^2 over the gradients that are not boundary ones:
//   K w = g,  g_k = sum of dF_ab C^k_ab,  K_kl = sum of (known part of ab) C^k_ab C^l_ab,
// where C^k = R [e_k]x. This subtracts 2 mu g' K^-1 g (K = 2 I for cells without boundary
// gradients). With A alone, a slender body needs hundreds of cycles to bend.
//
// Differs from the paper: this term is subtracted from the residuals that are restricted and from
// the coarsest matrix, up to a limit that keeps the matrix definite. Sweeps, which reduce high
// frequencies, treat it explicitly on their right-hand side.

void pl_corot_rotation_matrix(const pl_corot_level* l, const int* base, int i, float out[9]) {
    const int n = base[13] + i;
    memset(out, 0, 9 * sizeof(float));
    if (l->flags[n] & PL_COROT_CORE) {
        for (int k = 0; k < 3; k++) out[4 * k] = l->soft[n];
        return;
    }
    float missing[9];
    double R[9], known[9];
    pl_mat3 inverse;
    pl_corot_missing(l, base, i, missing);
    for (int e = 0; e < 9; e++) R[e] = (double)l->R[e][n], known[e] = 1.0 - (double)missing[e];
    if (!pl_corot_untwist(R, known, &inverse)) return;
    for (int e = 0; e < 9; e++) out[e] = 2.0f * l->soft[n] * (float)inverse.m[e];
}

static void twist_chunk(pl_corot_level* l, const pl_corot_masks* m, const int* rows, bool core) {
    for (int i = 0; i < PL_GRID_CHUNK; i += PL_LANES) {
        pl_fw R[9], g[3], y[3];
        if (core) pl_corot_twist_w(l, l->u, rows, i, true, R, g, y);
        else pl_corot_twist_w(l, l->u, rows, i, false, R, g, y);
        for (int k = 0; k < 3; k++) y[k] = pl_keep_w(m->core | m->slaved, i, y[k]);
        for (int e = 0; e < 9; e++) {
            // column e is nonzero only in the C^k of the other two axes
            const int a = e / 3, after = (e + 1) % 3, before = (e + 2) % 3;
            pl_storeu_w(l->twist[e] + pl_corot_at(rows, i, 13),
                        pl_fnma_w(y[after], R[3 * a + before], y[before] * R[3 * a + after]));
        }
    }
}

static void twist_task(int begin, int end, int worker, void* user) {
    (void)worker;
    pl_corot_level* l = user;
    for (int c = begin; c < end; c++) {
        const pl_corot_masks* m = &l->masks[l->chunks[c].begin / PL_GRID_CHUNK];
        if (m->core | m->slaved) twist_chunk(l, m, l->chunks[c].rows, !m->slaved);
    }
}

typedef struct soften_job {
    const pl_corot_level* level;
    float* const* to;
} soften_job;

static void soften_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const soften_job* job = user;
    const pl_corot_level* l = job->level;
    for (int k = begin; k < end; k++) {
        const int* rows = l->chunks[k].rows;
        const pl_corot_masks* m = &l->masks[l->chunks[k].begin / PL_GRID_CHUNK];
        const bool inner = !(m->band[0] | m->band[1] | m->band[2]);
        if (!(m->core | m->slaved)) continue;
        for (int i = 0; i < PL_GRID_CHUNK; i += PL_LANES) {
#pragma GCC unroll 9
            for (int a = 0; a < 3; a++) {
                pl_fw sum = inner ? pl_corot_differences_w(l, l->twist, NULL, rows, i, a, true)
                                  : pl_corot_differences_w(l, l->twist, NULL, rows, i, a, false);
                float* to = job->to[a] + pl_corot_at(rows, i, 13);
                pl_storeu_w(to, pl_loadu_w(to) + pl_keep_w(m->inner[a] | m->band[a], i, sum));
            }
        }
    }
}

void pl_corot_soften(pl_corot_level* l, float* const to[3], pl_pool* pool) {
    if (l->shear > 0.0f) return;
    pl_parallel_for(pool, twist_task, l->chunk_count, CHUNKS, l);
    pl_parallel_for(pool, soften_task, l->chunk_count, CHUNKS, &(soften_job){l, to});
}
