// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "eigenfit/eigenfit.h"
#include "base/memory.h"
#include "eigenfit/mode_match.h"
#include "math/polar.h"
#include "modes/panel.h"

#include <math.h>
#include <string.h>

static const double LAMBDA_TOLERANCE = 1e-8;

struct pl_eigenfit_term {
    pl_step_term term;
    pl_pool* pool;
    int vertex_count, mode_count, rigid_count;
    bool is_linear, materials_change, falls_back;
    double tolerance;
    // at rest
    double *rest, *rest_lambda, *rest_shapes, *ratios;
    bool* fixed;
    pl_hold* holds;
    int hold_count;
    // modes of the step
    pl_block_matrix K;
    pl_modes_problem problem;
    pl_modes_multigrid* multigrid; // NULL: not needed yet
    double *lambda, *shapes, *start_shapes;
    double* overlaps; // mode_count^2
    int* match;
    bool found, agrees;
    int applications;
    // the correction; the active ones of the modes are those with a ratio other than 1
    int active;
    double* weighted;     // M U of active modes
    double *constant, *C; // per active mode: (r - 1) u'f0; mode_count^2: diagonal of `low_rank`
    double* stiffness;    // per active mode: (r - 1) lambda
    double drag;          // beta / tau
    const double *x0, *reference;
    double *difference, *sums, *partials; // 2 vectors; 2 per mode
};

static size_t vector_size(const pl_eigenfit_term* e) { return 3 * (size_t)e->vertex_count; }
static size_t shapes_size(const pl_eigenfit_term* e) {
    return vector_size(e) * (size_t)e->mode_count;
}

// ---------------------------------------------------------------- memory

static pl_status allocate(pl_eigenfit_term* e, pl_error* error) {
    size_t n = vector_size(e), modes = (size_t)e->mode_count, vertices = (size_t)e->vertex_count;
    e->rest = PL_ALLOC(double, n);
    e->rest_lambda = PL_ALLOC(double, modes);
    e->rest_shapes = PL_ALLOC(double, shapes_size(e));
    e->ratios = PL_ALLOC(double, modes);
    e->holds = PL_ALLOC(pl_hold, e->hold_count);
    e->fixed = PL_ALLOC(bool, vertices);
    e->lambda = PL_ALLOC(double, modes);
    e->shapes = PL_ALLOC(double, shapes_size(e));
    e->start_shapes = PL_ALLOC(double, shapes_size(e));
    e->overlaps = PL_ALLOC(double, modes* modes);
    e->match = PL_ALLOC(int, modes);
    e->weighted = PL_ALLOC(double, shapes_size(e));
    e->constant = PL_ALLOC(double, modes);
    e->C = PL_ALLOC(double, modes* modes);
    e->stiffness = PL_ALLOC(double, modes);
    e->difference = PL_ALLOC(double, 2 * n);
    e->sums = PL_ALLOC(double, 2 * modes);
    e->partials = PL_ALLOC(double, pl_panel_partials((int)modes, (int)modes + 2));
    bool ok = e->rest && e->rest_lambda && e->rest_shapes && e->ratios &&
              (e->holds || !e->hold_count) && e->fixed && e->lambda && e->shapes &&
              e->start_shapes && e->overlaps && e->match && e->weighted && e->constant && e->C &&
              e->stiffness && e->difference && e->sums && e->partials;
    return ok ? PL_OK : pl_fail_memory(error, "EigenFit");
}

void pl_eigenfit_term_destroy(pl_eigenfit_term* e) {
    if (!e) return;
    size_t n = vector_size(e), modes = (size_t)e->mode_count, vertices = (size_t)e->vertex_count;
    pl_modes_multigrid_destroy(e->multigrid);
    pl_block_matrix_free(&e->K);
    PL_FREE(e->rest, double, n);
    PL_FREE(e->rest_lambda, double, modes);
    PL_FREE(e->rest_shapes, double, shapes_size(e));
    PL_FREE(e->ratios, double, modes);
    PL_FREE(e->holds, pl_hold, e->hold_count);
    PL_FREE(e->fixed, bool, vertices);
    PL_FREE(e->lambda, double, modes);
    PL_FREE(e->shapes, double, shapes_size(e));
    PL_FREE(e->start_shapes, double, shapes_size(e));
    PL_FREE(e->overlaps, double, modes* modes);
    PL_FREE(e->match, int, modes);
    PL_FREE(e->weighted, double, shapes_size(e));
    PL_FREE(e->constant, double, modes);
    PL_FREE(e->C, double, modes* modes);
    PL_FREE(e->stiffness, double, modes);
    PL_FREE(e->difference, double, 2 * n);
    PL_FREE(e->sums, double, 2 * modes);
    PL_FREE(e->partials, double, pl_panel_partials((int)modes, (int)modes + 2));
    PL_FREE(e, pl_eigenfit_term, 1);
}

// ---------------------------------------------------------------- modes of the step

// The rotation that takes the rest shape to x, best in the sense of masses.
static pl_mat3 turn_of(const pl_eigenfit_term* e, const double* mass, const double* x) {
    pl_vec3 from = {0, 0, 0}, to = {0, 0, 0};
    double total = 0.0;
    for (size_t v = 0; v < (size_t)e->vertex_count; v++) {
        from = pl_madd(from, mass[v], pl_vec3_load(e->rest + 3 * v));
        to = pl_madd(to, mass[v], pl_vec3_load(x + 3 * v));
        total += mass[v];
    }
    from = pl_scale(1.0 / total, from);
    to = pl_scale(1.0 / total, to);
    pl_mat3 F = {{0}}, R, S;
    for (size_t v = 0; v < (size_t)e->vertex_count; v++)
        F = pl_mat3_madd(F, mass[v],
                         pl_outer(pl_sub(pl_vec3_load(x + 3 * v), to),
                                  pl_sub(pl_vec3_load(e->rest + 3 * v), from)));
    return pl_polar(F, &R, &S) ? R : pl_mat3_identity();
}

// The modes at rest, turned with the body: it may be free, or turned by what it is attached to.
// Directions that are held do not turn, and neither do the modes of a body that they hold.
static void turn_shapes(pl_eigenfit_term* e, const pl_step_objective* f) {
    memcpy(e->start_shapes, e->rest_shapes, shapes_size(e) * sizeof(double));
    if (e->hold_count > 0) return;
    pl_mat3 R = turn_of(e, f->mass, f->start);
    for (size_t i = 0; i < shapes_size(e); i += 3)
        pl_vec3_store(e->start_shapes + i, pl_mat3_apply(&R, pl_vec3_load(e->rest_shapes + i)));
}

// K at x, every element projected to be positive semi-definite
static void assemble(pl_eigenfit_term* e, const pl_step_objective* f, const double* x) {
    pl_step_objective elastic = {.vertex_count = f->vertex_count,
                                 .set_count = f->set_count,
                                 .sets = f->sets,
                                 .mass = f->mass,
                                 .pool = f->pool,
                                 .velocity_time = 1.0,
                                 .fixed = e->fixed};
    pl_step_hessian(&elastic, x, 1.0, &e->K);
}

// Levels are those of the rest shape, and do not follow a stiffness that may change: a run that is
// resumed gets the same ones.
static pl_status prepare_multigrid(pl_eigenfit_term* e, const pl_step_objective* f,
                                   pl_error* error) {
    pl_status status = PL_OK;
    if (!e->multigrid) {
        assemble(e, f, e->rest);
        status = pl_modes_multigrid_create(&e->problem, !e->materials_change, e->pool,
                                           &e->multigrid, error);
    }
    if (status != PL_OK) return status;
    assemble(e, f, f->start);
    int first = e->rigid_count < e->mode_count ? e->rigid_count : e->mode_count - 1;
    return pl_modes_multigrid_update(e->multigrid, 0.1 * e->rest_lambda[first], error);
}

// overlaps = |U' M W| of the modes of the step and those at rest
static void find_overlaps(pl_eigenfit_term* e) {
    size_t n = vector_size(e);
    for (int k = 0; k < e->mode_count; k++)
        pl_modes_mass(&e->problem, e->pool, e->start_shapes + (size_t)k * n,
                      e->weighted + (size_t)k * n);
    pl_panel_dots(e->pool, (int)n, e->mode_count, e->shapes, e->mode_count, e->weighted,
                  e->partials, e->overlaps);
    for (int i = 0; i < e->mode_count * e->mode_count; i++) e->overlaps[i] = fabs(e->overlaps[i]);
}

static void take_rest_modes(pl_eigenfit_term* e) {
    memcpy(e->lambda, e->rest_lambda, (size_t)e->mode_count * sizeof(double));
    memcpy(e->shapes, e->rest_shapes, shapes_size(e) * sizeof(double));
    for (int k = 0; k < e->mode_count; k++) e->match[k] = k;
    e->found = e->agrees = true;
}

static pl_status find_modes(pl_eigenfit_term* e, const pl_step_objective* f, pl_error* error) {
    turn_shapes(e, f);
    pl_status status = prepare_multigrid(e, f, error);
    if (status == PL_OK)
        status = pl_modes_multigrid_find(e->multigrid, e->mode_count, LAMBDA_TOLERANCE,
                                         e->mode_count, e->start_shapes, e->lambda, e->shapes,
                                         &e->applications, &e->found, error);
    if (status == PL_OK && e->found) {
        find_overlaps(e);
        e->agrees = pl_modes_agree(e->mode_count, e->rigid_count, e->overlaps, e->tolerance);
        pl_match_modes(e->mode_count, e->mode_count, e->overlaps, e->match);
    }
    // a state that has no modes of use: the step goes without a correction
    return status == PL_ERROR_MEMORY ? status : PL_OK;
}

// ---------------------------------------------------------------- the correction

// Forces at the start, in difference.
static void find_forces(pl_eigenfit_term* e, const pl_step_objective* f) {
    memset(e->difference, 0, vector_size(e) * sizeof(double));
    for (int s = 0; s < f->set_count; s++)
        pl_element_set_gradient(&f->sets[s], f->pool, f->start, e->difference);
    for (size_t i = 0; i < vector_size(e); i++) e->difference[i] = -e->difference[i];
    pl_modes_restrict(&e->problem, e->difference);
}

static void set_correction(pl_eigenfit_term* e, const pl_step_objective* f) {
    size_t n = vector_size(e);
    e->active = 0;
    e->x0 = f->start;
    e->reference = f->reference;
    e->drag = f->damping_stiffness > 0.0 ? f->damping_stiffness / f->velocity_time : 0.0;
    if (!e->found || (e->falls_back && !e->agrees)) return;
    find_forces(e, f);
    for (int k = 0; k < e->mode_count; k++) {
        double change = e->match[k] < e->rigid_count ? 0.0 : e->ratios[e->match[k]] - 1.0;
        if (change == 0.0) continue;
        const double* u = e->shapes + (size_t)k * n;
        double force, *weighted = e->weighted + (size_t)e->active * n;
        pl_panel_dots(e->pool, (int)n, 1, u, 1, e->difference, e->partials, &force);
        pl_modes_mass(&e->problem, e->pool, u, weighted);
        e->constant[e->active] = change * force;
        e->stiffness[e->active++] = change * e->lambda[k];
    }
    memset(e->C, 0, (size_t)e->mode_count * (size_t)e->mode_count * sizeof(double));
    for (int k = 0; k < e->active; k++) e->C[k * e->active + k] = (1.0 + e->drag) * e->stiffness[k];
}

// True if a step holds what was held at rest.
static bool is_held_alike(const pl_eigenfit_term* e, const pl_step_objective* f) {
    if (f->hold_count != e->hold_count) return false;
    for (int v = 0; v < e->vertex_count; v++)
        if (e->fixed[v] != (f->fixed && f->fixed[v])) return false;
    for (int k = 0; k < e->hold_count; k++)
        if (f->holds[k].vertex != e->holds[k].vertex ||
            memcmp(&f->holds[k].free, &e->holds[k].free, sizeof(pl_mat3)) != 0)
            return false;
    return true;
}

static pl_status begin(void* user, const struct pl_step_objective* f, pl_error* error) {
    pl_eigenfit_term* e = user;
    e->problem.mass = f->mass;
    e->problem.M = f->mass_matrix;
    e->applications = 0;
    e->found = e->agrees = false;
    pl_status status = PL_OK;
    if (is_held_alike(e, f)) {
        if (e->is_linear) take_rest_modes(e);
        else status = find_modes(e, f, error);
    }
    set_correction(e, f);
    return status;
}

// sums[2 k] and sums[2 k + 1]: along mode k, of x - x0 and of x - reference
static void find_sums(const pl_eigenfit_term* e, const double* x) {
    size_t n = vector_size(e);
    for (size_t i = 0; i < n; i++) {
        e->difference[i] = x[i] - e->x0[i];
        e->difference[n + i] = e->drag > 0.0 ? x[i] - e->reference[i] : 0.0;
    }
    pl_panel_dots(e->pool, (int)n, e->active, e->weighted, 2, e->difference, e->partials, e->sums);
}

static double energy(const void* user, const double* x) {
    const pl_eigenfit_term* e = user;
    double sum = 0.0;
    if (e->active == 0) return 0.0;
    find_sums(e, x);
    for (int k = 0; k < e->active; k++) {
        double along = e->sums[2 * k], moved = e->sums[2 * k + 1];
        sum += 0.5 * e->stiffness[k] * (along * along + e->drag * moved * moved) -
               e->constant[k] * along;
    }
    return sum;
}

static void gradient(const void* user, const double* x, double* to) {
    const pl_eigenfit_term* e = user;
    if (e->active == 0) return;
    find_sums(e, x);
    for (int k = 0; k < e->active; k++)
        e->sums[k] =
            e->stiffness[k] * (e->sums[2 * k] + e->drag * e->sums[2 * k + 1]) - e->constant[k];
    pl_panel_combine(e->pool, (int)vector_size(e), e->active, e->weighted, 1, e->sums, 1, 1.0, true,
                     to);
}

static pl_low_rank low_rank(const void* user, const double* x) {
    const pl_eigenfit_term* e = user;
    (void)x;
    return (pl_low_rank){e->active, e->weighted, e->C};
}

// ---------------------------------------------------------------- setup

static void copy_input(pl_eigenfit_term* e, const pl_eigenfit_input* in) {
    size_t modes = (size_t)e->mode_count, bytes = (size_t)e->vertex_count * sizeof(bool);
    memcpy(e->rest, in->rest, vector_size(e) * sizeof(double));
    memcpy(e->rest_lambda, in->lambda, modes * sizeof(double));
    memcpy(e->rest_shapes, in->shapes, shapes_size(e) * sizeof(double));
    memcpy(e->ratios, in->ratios, modes * sizeof(double));
    if (in->fixed) memcpy(e->fixed, in->fixed, bytes);
    if (in->hold_count) memcpy(e->holds, in->holds, (size_t)in->hold_count * sizeof(pl_hold));
}

// What points into e itself.
static void tie(pl_eigenfit_term* e) {
    e->term.user = e;
    e->problem = (pl_modes_problem){.K = &e->K,
                                    .positions = e->rest,
                                    .fixed = e->fixed,
                                    .holds = e->holds,
                                    .hold_count = e->hold_count};
}

pl_status pl_eigenfit_term_create(const pl_eigenfit_input* in, pl_pool* pool,
                                  pl_eigenfit_term** out, pl_error* error) {
    pl_eigenfit_term* e = *out = PL_ALLOC(pl_eigenfit_term, 1);
    if (!e) return pl_fail_memory(error, "EigenFit");
    *e = (pl_eigenfit_term){.pool = pool,
                            .vertex_count = in->vertex_count,
                            .mode_count = in->mode_count,
                            .rigid_count = in->rigid_count,
                            .hold_count = in->hold_count,
                            .is_linear = in->is_linear,
                            .materials_change = in->materials_change,
                            .falls_back = in->falls_back,
                            .tolerance = in->tolerance};
    e->term = (pl_step_term){.energy = energy,
                             .gradient = gradient,
                             .low_rank = low_rank,
                             .is_indefinite = true,
                             .begin = begin};
    pl_status status = allocate(e, error);
    if (status == PL_OK)
        status = pl_block_matrix_setup(&e->K, in->vertex_count, 3, in->neighbour_offsets,
                                       in->neighbours, error);
    if (status != PL_OK) {
        pl_eigenfit_term_destroy(e);
        *out = NULL;
        return status;
    }
    copy_input(e, in);
    tie(e);
    return PL_OK;
}

pl_status pl_eigenfit_term_refit(pl_eigenfit_term* e, const pl_eigenfit_input* in,
                                 pl_error* error) {
    pl_eigenfit_term *next, before = *e;
    pl_status status = pl_eigenfit_term_create(in, e->pool, &next, error);
    if (status != PL_OK) return status;
    *e = *next;
    *next = before; // whose multigrid still looks at e->problem
    tie(e);
    pl_eigenfit_term_destroy(next);
    return PL_OK;
}

const pl_step_term* pl_eigenfit_term_of(pl_eigenfit_term* e) { return &e->term; }

pl_eigenfit_info pl_eigenfit_term_info(const pl_eigenfit_term* e) {
    return (pl_eigenfit_info){e->found, e->agrees, e->applications, e->lambda, e->match};
}
