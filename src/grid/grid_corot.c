// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Levels of the general lattice and the V-cycle over them.
#include "grid/grid_corot.h"
#include "base/memory.h"
#include "grid/grid_transfer.h"
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
        c->descent.direction[a] = PL_ALLOC(float, size);
        c->descent.before[a] = PL_ALLOC(float, size);
        c->spring[a] = PL_ALLOC(float, size);
        ok = ok && c->descent.direction[a] && c->descent.before[a] && c->spring[a];
    }
    if (!ok) return pl_fail_memory(error, "the general lattice");
    return pl_grid_recombine_create(c->levels[0].layout, RECOMBINED, &c->cycles.history, error);
}

void pl_grid_corot_forget(pl_grid_corot* c) {
    c->descent.has_direction = false;
    pl_grid_recombine_reset(&c->cycles.history);
}

pl_status pl_grid_corot_create(const pl_grid_lattice* lattice, const float* mu, bool rotates,
                               pl_quat* turn, pl_pool* pool, pl_grid_corot* out, pl_error* error) {
    *out = (pl_grid_corot){.cycles.functions = &pl_grid_corot_functions,
                           .band_sweeps = 2,
                           .problem = rotates ? PL_COROT_TURNING : PL_COROT_LINEAR,
                           .springs_changed = true,
                           .progress = {.turn = PL_COROT_TURN_ALL, .is_judged = true},
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
        PL_FREE(c->descent.direction[a], float, size), PL_FREE(c->descent.before[a], float, size);
        PL_FREE(c->spring[a], float, size);
    }
    pl_grid_recombine_free(&c->cycles.history);
    pl_corot_bottom_free(&c->bottom);
    for (int l = 0; l < PL_GRID_MAX_LEVELS; l++) pl_corot_level_free(&c->levels[l]);
    *c = (pl_grid_corot){0};
}

// ------------------------------------------------------------------ coefficients

// Restricts the springs to all levels, like a residual. Uses f and g as scratch.
static void spread_springs(pl_grid_corot* c) {
    for (int l = 0; l < c->level_count; l++) {
        pl_corot_level* level = &c->levels[l];
        float* const* springs = l > 0 ? level->f : c->spring;
        pl_corot_level_walls(level);
        if (l > 0)
            pl_corot_restrict(level - 1, l > 1 ? level[-1].f : c->spring, level[-1].rg, level,
                              c->pool);
        for (int a = 0; a < 3; a++)
            for (int i = 0; i < level->layout->field_size; i++)
                if (level->flags[i] & (PL_COROT_FACE << a))
                    level->extra[a][i] += fmaxf(springs[a][i], 0.0f);
    }
}

void pl_grid_corot_set_springs(pl_grid_corot* c, double* const stiffness[3]) {
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < c->levels[0].layout->field_size; i++) {
            const float now = (float)stiffness[a][i];
            if (now != c->spring[a][i]) c->springs_changed = true;
            c->spring[a][i] = now;
        }
}

// Number of boundary sweeps: as in the paper up to nu = 0.498, and more beyond, where pressures are
// stiff. With 4 sweeps the face of the scenes has a rate of 0.5 at nu = 0.499 and 0.7 at 0.4995.
static int sweeps_for(double compressibility) {
    return compressibility < 0.0015  ? 16
           : compressibility < 0.004 ? 8
           : compressibility < 0.12  ? 4
                                     : 2;
}

// Factoring a large coarsest level takes longer than a cycle. After the first few cycles of a step
// one factor serves several cycles, because rotations change less and less.
static bool needs_factor(const pl_grid_corot* c) {
    const int age = c->progress.cycle - c->progress.factor_cycle;
    return !c->bottom.is_large || c->springs_changed || age <= 0 || age >= MAX_FACTOR_AGE ||
           age >= c->progress.factor_cycle;
}

void pl_grid_corot_update(pl_grid_corot* c, double compressibility, double inertia) {
    const float softest = c->bottom.is_large ? ROTATION_FACTOR_THIN : ROTATION_FACTOR;
    pl_corot_take_rotations(&c->levels[0], c->turn, c->ease,
                            c->problem == PL_COROT_TURNING ? softest : 0.0f, c->pool);
    const bool factors = needs_factor(c);
    if (c->springs_changed) spread_springs(c);
    c->springs_changed = false;
    c->band_sweeps = c->fixed_sweeps ? c->fixed_sweeps : sweeps_for(compressibility);
    for (int l = 0; l < c->level_count; l++) {
        pl_corot_level* level = &c->levels[l];
        if (l > 0 && c->problem != PL_COROT_LINEAR)
            pl_corot_coarsen_rotations(&c->levels[l - 1], level, c->pool);
        pl_corot_set_coefficients(level, compressibility, inertia * pow(4.0, l), c->pool);
    }
    if (!factors) return;
    pl_corot_bottom_update(&c->bottom, &c->levels[c->level_count - 1], c->pool);
    c->progress.factor_cycle = c->progress.cycle;
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
    pl_corot_restrict(level, level->r, level->rg, level + 1, pool_of(c, l + 1));
}

static void prolong_add(void* user, int l) {
    pl_grid_corot* c = user;
    pl_corot_prolong(&c->levels[l], &c->levels[l + 1], pool_of(c, l));
}

static void post_smooth(void* user, int l) {
    pl_grid_corot* c = user;
    pl_corot_level* level = &c->levels[l];
    // Saves f, which the finest level needs after the cycle.
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

// Differs from the paper: coarse variables that do not exist are omitted from prolongation, and the
// weights of the others are scaled to sum to one.

enum { CHUNKS = 16 };

void pl_corot_restrict(const pl_corot_level* fine, float* const faces[3], const float* cells,
                       pl_corot_level* coarse, pl_pool* pool) {
    const pl_grid_restriction job = {.fine = fine->layout,
                                     .coarse = coarse->layout,
                                     .to = {coarse->f[0], coarse->f[1], coarse->f[2], coarse->g},
                                     .masks = coarse->layout->masks,
                                     .order = PL_GRID_BY_X};
    pl_grid_restrict_fields(&job, (const float*[]){faces[0], faces[1], faces[2], cells}, pool);
}

// sums the weights of the coarse faces that exist
static float known_weights(const pl_corot_level* coarse, const int* parents,
                           const pl_corot_chunk* c, int i, int a) {
    const uint16_t known = (uint16_t)((PL_COROT_FACE | PL_COROT_HELD) << a);
    float total = 0.0f;
    for (int n = 0; n < 27; n++) {
        const int dx = n % 3 - 1, row = n / 3;
        const float w = pl_prolong_weight(a == 0, i & 1, dx) *
                        pl_prolong_weight(a == 1, c->y & 1, row % 3 - 1) *
                        pl_prolong_weight(a == 2, c->z & 1, row / 3 - 1);
        if (w == 0.0f) continue;
        const int at = pl_parent_at(parents[row], PL_GRID_BY_X) + i / 2 + dx;
        if (coarse->flags[at] & known) total += w;
    }
    return total;
}

void pl_corot_set_transfer(pl_corot_level* fine, const pl_corot_level* coarse) {
    for (int k = 0; k < fine->chunk_count; k++)
        for (int i = 0; i < 3 * PL_GRID_CHUNK; i++) {
            const pl_corot_chunk* c = &fine->chunks[k];
            const int a = i / PL_GRID_CHUNK, lane = i % PL_GRID_CHUNK, n = c->begin + lane;
            if (!(fine->flags[n] & (PL_COROT_FACE << a))) continue;
            const int* parents = fine->layout->parents[c->begin / PL_GRID_CHUNK];
            const float total = known_weights(coarse, parents, c, lane, a);
            fine->scale[a][n] = total > 0.0f ? 1.0f / total : 0.0f;
        }
}

typedef struct prolong_job {
    pl_corot_level* fine;
    const pl_corot_level* coarse;
} prolong_job;

// to += scale * the prolonged values of even and odd x
PL_WIDE void add_scaled(float* to, const float* scale, const pl_half values[2]) {
    pl_half parts[2];
    pl_merge_half(values[0], values[1], parts);
    for (int k = 0; k < 2; k++, to += PL_HALF)
        pl_store_half(to, pl_load_half(to) + pl_load_half(scale + k * PL_HALF) * parts[k]);
}

static void prolong_chunk(const prolong_job* job, const pl_corot_chunk* c) {
    pl_corot_level* l = job->fine;
    const int* parents = l->layout->parents[c->begin / PL_GRID_CHUNK];
    const pl_corot_masks* m = &l->masks[c->begin / PL_GRID_CHUNK];
    pl_half values[2], parts[2];
    if (!(m->core | m->slaved)) return;
#pragma GCC unroll 3
    for (int a = 0; a < 3; a++) {
        const pl_prolong_rows rows = pl_prolong_rows_of(a, c->y & 1, c->z & 1);
        pl_prolong_chunk(job->coarse->u[a], parents, &rows, a, PL_GRID_BY_X, values);
        add_scaled(l->u[a] + c->begin, l->scale[a] + c->begin, values);
    }
    const pl_half s = 0.5f * pl_load_parents(job->coarse->s, parents[4], PL_GRID_BY_X);
    pl_merge_half(s, s, parts);
    for (int half = 0; half < 2; half++) {
        float* to = l->s + c->begin + half * PL_HALF;
        const unsigned core = (unsigned)m->core >> (half * PL_HALF);
        pl_store_half(to, pl_load_half(to) + pl_keep_half(core, parts[half]));
    }
}

static void prolong_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const prolong_job* job = user;
    for (int k = begin; k < end; k++) prolong_chunk(job, &job->fine->chunks[k]);
}

void pl_corot_prolong(pl_corot_level* fine, const pl_corot_level* coarse, pl_pool* pool) {
    pl_parallel_for(pool, prolong_task, fine->chunk_count, CHUNKS, &(prolong_job){fine, coarse});
}
