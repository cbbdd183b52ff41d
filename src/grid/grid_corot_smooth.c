// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Sweeps of the general lattice (Zhu 2010, section 7): distributive in the core (Eq. 15 and 16),
// Gauss-Seidel with substituted pressures elsewhere. In a core cell s is a variable of its own; in
// the other interior cells it is what its equation makes of the positions, s = k (T - g), and
// follows every change of a face.
//
// Where we differ: a cell's equation is relaxed with the true diagonal of T T', which is 6 only
// where R = I; the paper's -Delta misjudges cells that turned by more than about 30 degrees.
// Sweeps are lexicographic within slabs of planes; slabs of one parity run at the same time.
#include "grid/grid_corot_stencil.h"

enum { PLANES = 4, CHUNKS = 32 };
// Sweeps over core cells: what they leave of the pressure equation becomes a force, lambda / mu
// times as large, once pressures are substituted. At nu = 0.475, R = I, 1 gives a rate of 0.44, 3
// gives 0.45; turned by 86 degrees 0.54 and 0.33.
enum { CORE_SWEEPS = 3 };

typedef struct sweep {
    pl_corot_level* level;
    int kind; // 0: faces outside the core, 1: inner faces, 2: core cells
    int parity;
    bool backwards;
} sweep;

static inline bool is_slaved(uint16_t flags) {
    return (flags & (PL_COROT_INTERIOR | PL_COROT_CORE)) == PL_COROT_INTERIOR;
}

// A u at a face, with the pressures that there are
static inline float row(const pl_corot_level* l, const int* base, int i, int a,
                        const pl_corot_terms* t) {
    float sum = pl_corot_natural(l, base, i, a) +
                (l->inertia + l->extra[a][base[13] + i]) * l->u[a][base[13] + i];
    for (int k = 0; k < 10; k++) sum += t->factor[k] * l->s[t->cell[k]];
    return sum;
}

static inline void relax_band_face(pl_corot_level* l, const int* base, int i, int a) {
    const int n = base[13] + i;
    pl_corot_terms t;
    pl_corot_terms_of(l, base, i, a, &t);
    float change = (l->f[a][n] - row(l, base, i, a, &t)) * l->inverse[a][n];
    l->u[a][n] += change;
    for (int k = 0; k < 10; k++) {
        l->s[t.cell[k]] += l->slave_k[t.cell[k]] * t.factor[k] * change;
    }
}

static inline void relax_inner_face(pl_corot_level* l, const int* base, int i, int a) {
    const int n = base[13] + i;
    pl_corot_terms t;
    pl_corot_terms_of(l, base, i, a, &t);
    l->u[a][n] += (l->f[a][n] - row(l, base, i, a, &t)) * l->inverse[a][n];
}

// Changes positions by T' q and s by -(2 mu Laplacian + inertia) q, so that the equations of
// positions keep their residual where R is smooth (Eq. 16).
static void relax_core_cell(pl_corot_level* l, const int* base, int i) {
    const int *S = pl_corot_stride, n = base[13] + i;
    float residual = l->g[n] - pl_corot_trace_core(l, l->u, base, i) + l->s[n] / l->k[n];
    float q = residual * l->inverse_q[n], centre = l->inertia;
    pl_corot_form form;
    pl_corot_form_of(l, base, i, &form);
    for (int k = 0; k < form.count; k++) l->u[form.axis[k]][form.face[k]] += form.factor[k] * q;
    for (int a = 0; a < 3; a++)
        for (int side = -1; side <= 1; side += 2) {
            int near = base[13 + side * S[a]] + i;
            if (l->flags[near] & PL_COROT_DIRICHLET) continue;
            float weight = l->mu[n] + l->mu[near];
            centre += weight;
            if (l->flags[near] & PL_COROT_CORE) l->s[near] += weight * q;
        }
    l->s[n] -= centre * q;
}

static void sweep_chunk(const sweep* job, const pl_corot_chunk* chunk) {
    pl_corot_level* l = job->level;
    int base[27];
    pl_corot_reach(chunk, base);
    for (int step = 0; step < PL_GRID_CHUNK; step++) {
        int i = job->backwards ? PL_GRID_CHUNK - 1 - step : step;
        uint16_t flags = l->flags[chunk->begin + i];
        if (job->kind == 2) {
            if (flags & PL_COROT_CORE) relax_core_cell(l, base, i);
            continue;
        }
        for (int d = 0; d < 3; d++) {
            int a = job->backwards ? 2 - d : d;
            if (!(flags & (PL_COROT_FACE << a))) continue;
            bool inner = flags & (PL_COROT_INNER << a);
            if (inner && job->kind == 1) relax_inner_face(l, base, i, a);
            if (!inner && job->kind == 0) relax_band_face(l, base, i, a);
        }
    }
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
        int low = l->planes[first], high = l->planes[last];
        for (int k = 0; k < high - low; k++)
            sweep_chunk(job, &l->chunks[job->backwards ? high - 1 - k : low + k]);
    }
}

static void run_sweep(pl_corot_level* l, int kind, bool backwards, pl_pool* pool) {
    int pairs = (l->layout->size[2] + 2 * PLANES - 1) / (2 * PLANES);
    sweep job = {l, kind, 0, backwards};
    for (int p = 0; p < 2; p++) {
        job.parity = backwards ? 1 - p : p;
        pl_parallel_for(pool, sweep_task, pairs, 1, &job);
    }
}

static void slave_task(int begin, int end, int worker, void* user) {
    (void)worker;
    pl_corot_level* l = user;
    int base[27];
    for (int k = begin; k < end; k++) {
        pl_corot_reach(&l->chunks[k], base);
        for (int i = 0; i < PL_GRID_CHUNK; i++) {
            const int n = base[13] + i;
            if (is_slaved(l->flags[base[13] + i]))
                l->s[n] = l->k[n] * (pl_corot_trace(l, l->u, base, i) - l->g[n]);
        }
    }
}

void pl_corot_slave(pl_corot_level* l, pl_pool* pool) {
    pl_parallel_for(pool, slave_task, l->chunk_count, CHUNKS, l);
}

void pl_corot_smooth(pl_corot_level* l, int band_sweeps, bool backwards, pl_pool* pool) {
    pl_corot_slave(l, pool);
    for (int k = 0; k < band_sweeps; k++) run_sweep(l, 0, backwards, pool);
    run_sweep(l, 1, backwards, pool);
    for (int k = 0; k < CORE_SWEEPS; k++) run_sweep(l, 2, backwards, pool);
    pl_corot_slave(l, pool);
    for (int k = 0; k < band_sweeps; k++) run_sweep(l, 0, backwards, pool);
}

static void face_residual_task(int begin, int end, int worker, void* user) {
    (void)worker;
    pl_corot_level* l = user;
    int base[27];
    for (int k = begin; k < end; k++) {
        pl_corot_reach(&l->chunks[k], base);
        for (int i = 0; i < PL_GRID_CHUNK; i++)
            for (int a = 0; a < 3; a++) {
                const int n = base[13] + i;
                l->r[a][n] = 0.0f;
                if (!(l->flags[n] & (PL_COROT_FACE << a))) continue;
                pl_corot_terms t;
                pl_corot_terms_of(l, base, i, a, &t);
                l->r[a][n] = l->f[a][n] - row(l, base, i, a, &t);
            }
    }
}

static void cell_residual_task(int begin, int end, int worker, void* user) {
    (void)worker;
    pl_corot_level* l = user;
    int base[27];
    for (int k = begin; k < end; k++) {
        pl_corot_reach(&l->chunks[k], base);
        for (int i = 0; i < PL_GRID_CHUNK; i++) {
            const int n = base[13] + i;
            bool core = l->flags[base[13] + i] & PL_COROT_CORE;
            l->rg[base[13] + i] =
                core ? l->g[n] - pl_corot_trace_core(l, l->u, base, i) + l->s[n] / l->k[n] : 0.0f;
        }
    }
}

void pl_corot_residual(pl_corot_level* l, pl_pool* pool) {
    pl_parallel_for(pool, face_residual_task, l->chunk_count, CHUNKS, l);
    pl_parallel_for(pool, cell_residual_task, l->chunk_count, CHUNKS, l);
}
