// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Levels of the general lattice and the V-cycle over them.
#include "grid/grid_corot.h"
#include "base/memory.h"
#include "grid/grid_lanes.h"
#include "multigrid/mg_cycle.h"

#include <math.h>
#include <string.h>

// Factor of the rotation term (grid_corot_smooth.c). 1 would leave bodies without bending
// stiffness. With 0.95, bending a bar of 32 x 8 x 8 cells at nu = 0.4 takes 78 cycles; with this
// value 54.
static const float ROTATION_FACTOR = 0.98f;
// The same for thin bodies, which bend much more easily than frozen rotations allow.
static const float ROTATION_FACTOR_THIN = 0.9999f;
enum { SERIAL_CHUNKS = 512, BOTTOM_SWEEPS = 40, RECOMBINED = 5, MAX_FACTOR_AGE = 8 };

static pl_pool* pool_of(const pl_grid_corot* c, int l) {
    return c->levels[l].chunk_count < SERIAL_CHUNKS ? NULL : c->pool;
}

static pl_status allocate_state(pl_grid_corot* c, pl_error* error) {
    int size = c->levels[0].layout->field_size;
    c->ease = PL_ALLOC(float, size);
    bool ok = c->ease;
    for (int e = 0; e < 9; e++) {
        c->stress[e] = PL_ALLOC(double, size);
        c->rotation[e] = PL_ALLOC(double, size);
        ok = ok && c->stress[e] && c->rotation[e];
    }
    for (int a = 0; a < 3; a++) {
        c->direction[a] = PL_ALLOC(float, size);
        c->before[a] = PL_ALLOC(float, size);
        c->spring[a] = PL_ALLOC(float, size);
        ok = ok && c->direction[a] && c->before[a] && c->spring[a];
    }
    if (!ok) return pl_fail_memory(error, "the general lattice");
    return pl_grid_recombine_create(c->levels[0].layout, RECOMBINED, &c->history, error);
}

void pl_grid_corot_forget(pl_grid_corot* c) {
    c->has_direction = false;
    pl_grid_recombine_reset(&c->history);
}

pl_status pl_grid_corot_create(const pl_grid_lattice* lattice, const float* mu, bool rotates,
                               pl_quat* turn, pl_pool* pool, pl_grid_corot* out, pl_error* error) {
    *out = (pl_grid_corot){.band_sweeps = 2,
                           .rotates = rotates,
                           .softens = rotates,
                           .springs_changed = true,
                           .is_judged = true,
                           .turn = turn,
                           .pool = pool};
    pl_status status = PL_OK;
    for (int l = 0; status == PL_OK && l < lattice->level_count; l++) {
        status = pl_corot_level_create(lattice, l, mu, l ? &out->levels[l - 1] : NULL,
                                       &out->levels[l], error);
        out->levels[l].shear = rotates ? 0.0f : 0.5f;
        out->level_count++;
        if (status == PL_OK && l > 0) pl_corot_set_transfer(&out->levels[l - 1], &out->levels[l]);
    }
    if (status == PL_OK)
        status = pl_corot_bottom_create(&out->levels[out->level_count - 1], &out->bottom, error);
    if (status == PL_OK) status = allocate_state(out, error);
    if (status != PL_OK) pl_grid_corot_free(out);
    return status;
}

void pl_grid_corot_free(pl_grid_corot* c) {
    if (c->level_count == 0) return;
    int size = c->levels[0].layout->field_size;
    for (int e = 0; e < 9; e++)
        PL_FREE(c->stress[e], double, size), PL_FREE(c->rotation[e], double, size);
    PL_FREE(c->ease, float, size);
    for (int a = 0; a < 3; a++) {
        PL_FREE(c->direction[a], float, size), PL_FREE(c->before[a], float, size);
        PL_FREE(c->spring[a], float, size);
    }
    pl_grid_recombine_free(&c->history);
    pl_corot_bottom_free(&c->bottom);
    for (int l = 0; l < PL_GRID_MAX_LEVELS; l++) pl_corot_level_free(&c->levels[l]);
    *c = (pl_grid_corot){0};
}

// ------------------------------------------------------------------ coefficients

// restricts the springs to all levels, like a residual
static void spread_springs(pl_grid_corot* c) {
    pl_corot_level* fine = &c->levels[0];
    size_t bytes = (size_t)fine->layout->field_size * sizeof(float);
    for (int a = 0; a < 3; a++) memcpy(fine->r[a], c->spring[a], bytes);
    memset(fine->rg, 0, bytes);
    for (int l = 0; l < c->level_count; l++) {
        pl_corot_level* level = &c->levels[l];
        pl_corot_level_walls(level);
        if (l > 0) {
            pl_corot_restrict(&c->levels[l - 1], level, c->pool);
            for (int a = 0; a < 3; a++)
                memcpy(level->r[a], level->f[a], (size_t)level->layout->field_size * sizeof(float));
        }
        for (int a = 0; a < 3; a++)
            for (int i = 0; i < level->layout->field_size; i++)
                if (level->flags[i] & (PL_COROT_FACE << a))
                    level->extra[a][i] += fmaxf(level->r[a][i], 0.0f);
    }
}

void pl_grid_corot_set_springs(pl_grid_corot* c, double* const stiffness[3]) {
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < c->levels[0].layout->field_size; i++) {
            const float now = stiffness ? (float)stiffness[a][i] : 0.0f;
            if (now != c->spring[a][i]) c->springs_changed = true;
            c->spring[a][i] = now;
        }
}

// Number of boundary sweeps: up to nu = 0.498 as in the paper, and more where pressures are stiff.
// Beyond that still more: with 4 sweeps the face of the scenes has a rate of 0.5 at nu = 0.499 and
// 0.7 at 0.4995.
static int sweeps_for(double compressibility) {
    return compressibility < 0.0015  ? 16
           : compressibility < 0.004 ? 8
           : compressibility < 0.12  ? 4
                                     : 2;
}

// Factoring a large coarsest level takes longer than a cycle. After the first few cycles of a step
// the factor is reused for several, because rotations change less and less.
static bool needs_factor(const pl_grid_corot* c) {
    const int age = c->cycle - c->factor_cycle;
    return !c->bottom.is_large || c->springs_changed || age <= 0 || age >= MAX_FACTOR_AGE ||
           age >= c->factor_cycle;
}

void pl_grid_corot_update(pl_grid_corot* c, double compressibility, double inertia) {
    const float softest = c->bottom.is_large ? ROTATION_FACTOR_THIN : ROTATION_FACTOR;
    pl_corot_take_rotations(&c->levels[0], c->turn, c->ease, c->softens ? softest : 0.0f, c->pool);
    const bool factors = needs_factor(c);
    if (c->springs_changed) spread_springs(c);
    c->springs_changed = false;
    c->band_sweeps = c->fixed_sweeps ? c->fixed_sweeps : sweeps_for(compressibility);
    for (int l = 0; l < c->level_count; l++) {
        pl_corot_level* level = &c->levels[l];
        if (l > 0 && c->rotates) pl_corot_coarsen_rotations(&c->levels[l - 1], level, c->pool);
        pl_corot_set_coefficients(level, compressibility, inertia * pow(4.0, l), c->pool);
    }
    if (!factors) return;
    pl_corot_bottom_update(&c->bottom, &c->levels[c->level_count - 1], c->pool);
    c->factor_cycle = c->cycle;
}

// ------------------------------------------------------------------ cycle

static void set_zero(pl_corot_level* l) {
    size_t bytes = (size_t)l->layout->field_size * sizeof(float);
    for (int a = 0; a < 3; a++) memset(l->u[a], 0, bytes);
    memset(l->s, 0, bytes);
}

static void pre_smooth(void* user, int l) {
    pl_grid_corot* c = user;
    set_zero(&c->levels[l]);
    pl_corot_smooth(&c->levels[l], c->band_sweeps, false, pool_of(c, l));
}

static void restrict_residual(void* user, int l) {
    pl_grid_corot* c = user;
    pl_corot_level* level = &c->levels[l];
    pl_corot_residual(level, pool_of(c, l));
    pl_corot_soften(level, level->r, pool_of(c, l));
    pl_corot_restrict(level, &c->levels[l + 1], pool_of(c, l + 1));
}

static void prolong_add(void* user, int l) {
    pl_grid_corot* c = user;
    pl_corot_prolong(&c->levels[l], &c->levels[l + 1], pool_of(c, l));
}

static void post_smooth(void* user, int l) {
    pl_grid_corot* c = user;
    pl_corot_level* level = &c->levels[l];
    // the finest level needs its right-hand side again
    const size_t bytes = (size_t)level->layout->field_size * sizeof(float);
    for (int a = 0; a < 3; a++) memcpy(level->r[a], level->f[a], bytes);
    pl_corot_soften(level, level->f, pool_of(c, l));
    pl_corot_smooth(level, c->band_sweeps, true, pool_of(c, l));
    for (int a = 0; a < 3; a++) memcpy(level->f[a], level->r[a], bytes);
}

static void solve_bottom(void* user, int l) {
    pl_grid_corot* c = user;
    pl_corot_level* level = &c->levels[l];
    set_zero(level);
    if (pl_corot_bottom_solve(&c->bottom, level)) return;
    for (int k = 0; k < BOTTOM_SWEEPS; k++) pl_corot_smooth(level, 2, k % 2, NULL);
}

void pl_grid_corot_cycle(pl_grid_corot* c) {
    static const pl_mg_operators operators = {pre_smooth, restrict_residual, prolong_add,
                                              post_smooth, solve_bottom};
    pl_mg_cycle(&operators, c, 0, c->level_count);
}

// ------------------------------------------------------------------ transfer

// Restriction and prolongation of the general lattice (Zhu 2010, section 6), with the paper's
// weights, in units of each level's own cell (see grid_linear_prolong.c).
//
// Where we differ: coarse variables that do not exist are left out of prolongation, and the weights
// of the others are scaled to sum to one.

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
