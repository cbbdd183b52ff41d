// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Levels of the general lattice and the V-cycle over them.
#include "base/memory.h"
#include "grid/grid_corot.h"
#include "multigrid/mg_cycle.h"

#include <math.h>
#include <string.h>

// Factor of the rotation term (grid_corot_tangent.c). 1 would leave bodies without bending
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
