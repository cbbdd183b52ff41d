// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "mixed/mixed_cycles.h"
#include "base/memory.h"
#include "multigrid/block_multigrid.h"
#include "sparse/krylov.h"

#include <math.h>
#include <string.h>

enum { RESTART = 25, PATIENCE = 20 };
// Sweeps that diverge show in two ways: by the size of one cycle's result, or by six iterations
// that leave more than a third of the residual. Otherwise a dozen iterations reach 1e-6.
static const pl_krylov_watch WATCH = {.period = 6, .slow = 0.35, .growth = 100.0};

struct pl_mixed_cycles {
    const pl_block_matrix* A; // borrowed
    pl_pool* pool;
    pl_block_mg* mg;
    pl_krylov_work work;
    double* r;
    int count;
    double relaxation;  // NAN: automatic
    bool may_fall_back; // another solver takes over if the cycles fail
    bool keeps_relaxation;
    bool in_levels; // A has no values; they are only in the finest level
    pl_mixed_cycles_state state;
};

static pl_mg_blocks blocks_of(const pl_mixed_cycles* c) {
    return (pl_mg_blocks){c->A->row_count, c->A->offsets, c->A->columns, c->A->values};
}

void pl_mixed_cycles_multiply(const pl_mixed_cycles* c, const double* x, double* y) {
    if (c->in_levels) pl_block_mg_multiply(c->mg, x, y);
    else pl_block_matrix_apply(c->A, c->pool, 1, x, y);
}

static void apply(void* user, const void* x, void* y) { pl_mixed_cycles_multiply(user, x, y); }

static void cycle(void* user, const void* r, void* z) {
    const pl_mixed_cycles* c = user;
    pl_block_mg_apply(c->mg, r, z);
}

void pl_mixed_cycles_destroy(pl_mixed_cycles* c) {
    if (!c) return;
    pl_block_mg_destroy(c->mg);
    pl_krylov_work_free(&c->work);
    PL_FREE(c->r, double, c->count);
    PL_FREE(c, pl_mixed_cycles, 1);
}

static pl_mg_settings settings_of(const pl_multigrid* keys) {
    pl_mg_settings settings = {.unknowns = 4,
                               .levels = keys->levels,
                               .level_count = keys->level_count,
                               .smoother = PL_SMOOTHER_GAUSS_SEIDEL,
                               .pre_sweeps = keys->pre_sweeps,
                               .post_sweeps = keys->post_sweeps,
                               .stiffness_aware = keys->stiffness_aware};
    for (int l = 0; l < keys->sweep_count && l < PL_MG_MAX_LEVELS; l++)
        settings.level_sweeps[l] = keys->sweeps[l];
    return settings;
}

pl_status pl_mixed_cycles_create(const pl_block_matrix* A, const double* rest,
                                 const pl_multigrid* keys, double relaxation, pl_pool* pool,
                                 pl_mixed_cycles** out, pl_error* error) {
    pl_mixed_cycles* c = *out = PL_ALLOC(pl_mixed_cycles, 1);
    if (!c) return pl_fail_memory(error, "multigrid");
    *c = (pl_mixed_cycles){.A = A,
                           .pool = pool,
                           .count = 4 * A->row_count,
                           .relaxation = relaxation,
                           .may_fall_back = keys->fallback};
    pl_mg_blocks blocks = blocks_of(c);
    pl_mg_settings settings = settings_of(keys);
    size_t bytes = (size_t)c->count * sizeof(double);
    c->r = PL_ALLOC(double, c->count);
    pl_status status = c->r ? PL_OK : pl_fail_memory(error, "multigrid");
    if (status == PL_OK)
        status = pl_krylov_work_setup(&c->work, pl_gmres_vectors(RESTART), bytes, error);
    if (status == PL_OK) status = pl_block_mg_setup(&c->mg, &blocks, rest, &settings, pool, error);
    if (status == PL_OK) return PL_OK;
    pl_mixed_cycles_destroy(c);
    *out = NULL;
    return status;
}

bool pl_mixed_cycles_set_relaxation(pl_mixed_cycles* c, double relaxation) {
    if (c->relaxation == relaxation || (isnan(c->relaxation) && isnan(relaxation))) return false;
    c->relaxation = relaxation;
    c->state = (pl_mixed_cycles_state){0};
    return true;
}

// takes the relaxation of each level from the state
static void use_omega(pl_mixed_cycles* c) {
    for (int l = 0; l < PL_MG_MAX_LEVELS; l++) c->mg->levels[l].omega = c->state.omega[l];
}

// Finds the relaxation for the current values of the matrix.
static void relax(pl_mixed_cycles* c) {
    if (isnan(c->relaxation)) pl_block_mg_relax(c->mg);
    for (int l = 0; l < PL_MG_MAX_LEVELS; l++)
        c->state.omega[l] = isnan(c->relaxation) ? c->mg->levels[l].omega : (float)c->relaxation;
    use_omega(c);
}

static bool may_relax(const pl_mixed_cycles* c) {
    return isnan(c->relaxation) && c->state.wait == 0 && !c->keeps_relaxation;
}

bool pl_mixed_cycles_update(pl_mixed_cycles* c, bool in_levels) {
    pl_mg_blocks blocks = blocks_of(c);
    c->in_levels = in_levels;
    if (!(in_levels ? pl_block_mg_update_written(c->mg) : pl_block_mg_update(c->mg, &blocks)))
        return false;
    if (c->state.omega[0] == 0.0f) relax(c);
    if (c->state.wait > 0) c->state.wait--;
    return true;
}

void pl_mixed_cycles_keep_relaxation(pl_mixed_cycles* c, bool keeps) {
    c->keeps_relaxation = keeps;
}

bool pl_mixed_cycles_relax_again(pl_mixed_cycles* c) {
    if (!may_relax(c)) return false;
    relax(c);
    c->state.wait = PATIENCE;
    return true;
}

pl_mixed_cycles_state pl_mixed_cycles_get_state(const pl_mixed_cycles* c) { return c->state; }

void pl_mixed_cycles_set_state(pl_mixed_cycles* c, const pl_mixed_cycles_state* state) {
    c->state = *state;
    use_omega(c);
}

void pl_mixed_cycles_apply(pl_mixed_cycles* c, const double* r, double* z) { cycle(c, r, z); }

struct pl_block_mg* pl_mixed_cycles_levels(pl_mixed_cycles* c) {
    return c->mg;
}

void pl_mixed_cycles_solve(pl_mixed_cycles* c, const pl_linear_options* options, const double* b,
                           double* x, pl_linear_info* info) {
    static const pl_krylov_operations operations = {.apply = apply, .precondition = cycle};
    memset(x, 0, (size_t)c->count * sizeof(double));
    pl_krylov k = {.operations = &operations,
                   .user = c,
                   .pool = c->pool,
                   .count = c->count,
                   .b = b,
                   .x = x,
                   .r = c->r,
                   .x_is_zero = true,
                   .trusts_recurrence = true, // A is applied in double
                   .watch = WATCH};
    k.scale = sqrt(pl_krylov_dot(&k, b, b));
    // without a fallback, slow cycles continue
    const pl_krylov_watch last = {.growth = c->may_fall_back ? WATCH.growth : 0.0};
    const bool may = may_relax(c);
    if (!may && !c->keeps_relaxation) k.watch = last;
    if (pl_krylov_begin(&k, options, info) != PL_KRYLOV_GOING) return;
    pl_krylov_end end = pl_krylov_gmres(&k, &c->work, options, info);
    if (!may || (end != PL_KRYLOV_STALLED && end != PL_KRYLOV_PRECONDITIONER)) return;
    // The matrix may have changed since the relaxation was found.
    pl_mixed_cycles_relax_again(c);
    k.watch = last;
    pl_krylov_gmres(&k, &c->work, options, info);
}
