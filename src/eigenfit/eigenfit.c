// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "eigenfit/eigenfit.h"
#include "base/memory.h"
#include "eigenfit/mode_match.h"
#include "math/polar.h"
#include "modes/panel.h"

#include <math.h>
#include <string.h>

// Relative tolerances of lambda: for modes followed from similar shapes, and for modes found anew.
static const double FOLLOW_TOLERANCE = 0.1, LAMBDA_TOLERANCE = 1e-8;
// Weight of the whole body's rotation in the rotation of a vertex. It matters where all neighbours
// are in one plane.
static const double WHOLE_PART = 0.05;
// The same for the rotation of the held vertices. It matters where these are at one point or on a
// line.
static const double WHOLE_PART_OF_FRAME = 1e-3;

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
    double* start;                 // positions x0 where modes and forces are evaluated
    double* elastic;               // gradient of the elements at `start`
    bool knows_forces;             // `elastic` is up to date
    bool knows_K;                  // K is up to date
    double projected;              // fraction of the projected Hessian in K
    double *lambda, *shapes;
    double* turned;   // first: shapes at rest, rotated with the body; later: shapes of active modes
    double* overlaps; // mode_count^2
    int* match;
    bool found, agrees;
    int applications;
    // the correction; active modes are those with a ratio other than 1
    int active;
    double* weighted;     // M U of active modes
    double *constant, *C; // per active mode: (r - 1) u'f0; mode_count^2: diagonal of `low_rank`
    double* stiffness;    // per active mode: (r - 1) lambda
    double* inverse;      // per active mode: E of `low_rank`
    double drag;          // beta / tau
    const double* reference;
    double *difference, *sums, *partials; // 2 vectors; 2 per mode
};

enum { VERTICES_PER_TASK = 256 };

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
    e->turned = PL_ALLOC(double, shapes_size(e));
    e->start = PL_ALLOC(double, n);
    e->elastic = PL_ALLOC(double, n);
    e->overlaps = PL_ALLOC(double, modes* modes);
    e->match = PL_ALLOC(int, modes);
    e->weighted = PL_ALLOC(double, shapes_size(e));
    e->constant = PL_ALLOC(double, modes);
    e->C = PL_ALLOC(double, modes* modes);
    e->stiffness = PL_ALLOC(double, modes);
    e->inverse = PL_ALLOC(double, modes);
    e->difference = PL_ALLOC(double, 2 * n);
    e->sums = PL_ALLOC(double, 2 * modes);
    e->partials = PL_ALLOC(double, pl_panel_partials((int)modes, (int)modes + 2));
    bool ok = e->rest && e->rest_lambda && e->rest_shapes && e->ratios &&
              (e->holds || !e->hold_count) && e->fixed && e->lambda && e->shapes && e->turned &&
              e->start && e->elastic && e->overlaps && e->match && e->weighted && e->constant &&
              e->C && e->stiffness && e->inverse && e->difference && e->sums && e->partials;
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
    PL_FREE(e->turned, double, shapes_size(e));
    PL_FREE(e->start, double, n);
    PL_FREE(e->elastic, double, n);
    PL_FREE(e->overlaps, double, modes* modes);
    PL_FREE(e->match, int, modes);
    PL_FREE(e->weighted, double, shapes_size(e));
    PL_FREE(e->constant, double, modes);
    PL_FREE(e->C, double, modes* modes);
    PL_FREE(e->stiffness, double, modes);
    PL_FREE(e->inverse, double, modes);
    PL_FREE(e->difference, double, 2 * n);
    PL_FREE(e->sums, double, 2 * modes);
    PL_FREE(e->partials, double, pl_panel_partials((int)modes, (int)modes + 2));
    PL_FREE(e, pl_eigenfit_term, 1);
}

// ---------------------------------------------------------------- modes of the step

// The best mass-weighted linear map from the rest shape to the start of the step, up to a stretch.
// It considers all vertices, or only held ones; 0 if there are none.
static pl_mat3 gradient_of(const pl_eigenfit_term* e, const double* mass, bool held_only) {
    pl_vec3 from = {0, 0, 0}, to = {0, 0, 0};
    double total = 0.0, size = 0.0;
    pl_mat3 F = {{0}};
    for (size_t v = 0; v < (size_t)e->vertex_count; v++) {
        if (held_only && !e->fixed[v]) continue;
        from = pl_madd(from, mass[v], pl_vec3_load(e->rest + 3 * v));
        to = pl_madd(to, mass[v], pl_vec3_load(e->start + 3 * v));
        total += mass[v];
    }
    if (total == 0.0) return F;
    from = pl_scale(1.0 / total, from);
    to = pl_scale(1.0 / total, to);
    for (size_t v = 0; v < (size_t)e->vertex_count; v++) {
        if (held_only && !e->fixed[v]) continue;
        pl_vec3 X = pl_sub(pl_vec3_load(e->rest + 3 * v), from);
        F = pl_mat3_madd(F, mass[v], pl_outer(pl_sub(pl_vec3_load(e->start + 3 * v), to), X));
        size += mass[v] * pl_norm2(X);
    }
    return size > 0.0 ? pl_mat3_scale(1.0 / size, F) : F;
}

static pl_mat3 rotation_of(pl_mat3 F) {
    pl_mat3 R;
    return pl_polar(F, &R, NULL) ? R : pl_mat3_identity();
}

// The rotation of the whole body, which may be free or turned by its attachments. Held directions
// do not rotate, nor do modes of a body held by them.
static pl_mat3 turn_of_body(const pl_eigenfit_term* e, const double* mass) {
    return e->hold_count > 0 ? pl_mat3_identity() : rotation_of(gradient_of(e, mass, false));
}

// The rotation of the body's frame of reference: that of its held vertices, or of a free body
// itself.
static pl_mat3 turn_of_frame(const pl_eigenfit_term* e, const double* mass) {
    if (e->hold_count > 0) return pl_mat3_identity();
    pl_mat3 held = gradient_of(e, mass, true), all = gradient_of(e, mass, false);
    return rotation_of(pl_mat3_madd(held, WHOLE_PART_OF_FRAME, all));
}

static void turn_rest_shapes(pl_eigenfit_term* e, pl_mat3 R) {
    for (size_t i = 0; i < shapes_size(e); i += 3)
        pl_vec3_store(e->turned + i, pl_mat3_apply(&R, pl_vec3_load(e->rest_shapes + i)));
}

typedef struct turn_job {
    pl_eigenfit_term* e;
    pl_mat3 whole; // rotation of the whole body
    pl_quat start; // the same
} turn_job;

// initial guess: shapes at rest, each vertex rotated like its neighbourhood
static void turn_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const turn_job* job = user;
    pl_eigenfit_term* e = job->e;
    size_t n = vector_size(e);
    for (int v = begin; v < end; v++) {
        pl_vec3 X = pl_vec3_load(e->rest + 3 * (size_t)v),
                x = pl_vec3_load(e->start + 3 * (size_t)v);
        pl_mat3 F = {{0}}, R;
        pl_quat q = job->start;
        double size = 0.0;
        for (int k = e->K.offsets[v]; k < e->K.offsets[v + 1]; k++) {
            size_t at = 3 * (size_t)e->K.columns[k];
            pl_vec3 from = pl_sub(pl_vec3_load(e->rest + at), X);
            F = pl_mat3_madd(F, 1.0, pl_outer(pl_sub(pl_vec3_load(e->start + at), x), from));
            size += pl_norm2(from);
        }
        F = pl_mat3_madd(F, WHOLE_PART * size, job->whole);
        if (!pl_polar_warm(F, &q, &R)) R = job->whole;
        for (size_t i = 3 * (size_t)v; i < shapes_size(e); i += n)
            pl_vec3_store(e->shapes + i, pl_mat3_apply(&R, pl_vec3_load(e->rest_shapes + i)));
    }
}

// K at x. projected: how far each element's matrix is projected to a positive semi-definite one
static void assemble(pl_eigenfit_term* e, const pl_step_objective* f, const double* x,
                     double projected) {
    pl_step_objective elastic = {.vertex_count = f->vertex_count,
                                 .set_count = f->set_count,
                                 .sets = f->sets,
                                 .mass = f->mass,
                                 .pool = f->pool,
                                 .velocity_time = 1.0,
                                 .fixed = e->fixed};
    pl_step_hessian(&elastic, x, projected, &e->K);
    e->projected = projected;
}

// Levels are built from the stiffness at rest, not the present one, so that a resumed run gets the
// same levels.
static pl_status prepare_multigrid(pl_eigenfit_term* e, const pl_step_objective* f,
                                   pl_error* error) {
    if (e->multigrid) return PL_OK;
    assemble(e, f, e->rest, 1.0);
    return pl_modes_multigrid_create(&e->problem, !e->materials_change, e->pool, &e->multigrid,
                                     error);
}

// overlaps = |U' M W|, with U the modes of the step and W the modes at rest, rotated by R
static void find_overlaps(pl_eigenfit_term* e, pl_mat3 R) {
    size_t n = vector_size(e);
    turn_rest_shapes(e, R);
    for (int k = 0; k < e->mode_count; k++)
        pl_modes_mass(&e->problem, e->pool, e->turned + (size_t)k * n, e->weighted + (size_t)k * n);
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

// Finds the modes of K, assembled with this fraction of the projected Hessian. Follows them from
// the rotated rest shapes; if that fails, finds them anew.
static pl_status find_modes_of(pl_eigenfit_term* e, const pl_step_objective* f, double projected,
                               pl_mat3 turn, pl_error* error) {
    int first = e->rigid_count < e->mode_count ? e->rigid_count : e->mode_count - 1;
    turn_job job = {e, turn, pl_quat_from_mat3(turn)};
    assemble(e, f, e->start, projected);
    pl_status status = pl_modes_multigrid_update(e->multigrid, 0.1 * e->rest_lambda[first], error);
    if (status != PL_OK) return status;
    pl_parallel_for(e->pool, turn_task, e->vertex_count, VERTICES_PER_TASK, &job);
    status = pl_modes_multigrid_follow(e->multigrid, e->mode_count, FOLLOW_TOLERANCE, e->lambda,
                                       e->shapes, &e->applications, &e->found, error);
    if (status == PL_OK && !e->found)
        status = pl_modes_multigrid_find(e->multigrid, e->mode_count, LAMBDA_TOLERANCE,
                                         e->mode_count, e->turned, e->lambda, e->shapes,
                                         &e->applications, &e->found, error);
    return status;
}

// Finds the modes of the Hessian at the start of the step or, if that is indefinite, as in
// buckling, of the projected Hessian.
static pl_status find_modes(pl_eigenfit_term* e, const pl_step_objective* f, pl_error* error) {
    pl_mat3 turn = turn_of_body(e, f->mass);
    turn_rest_shapes(e, turn);
    pl_status status = prepare_multigrid(e, f, error);
    if (status == PL_OK) status = find_modes_of(e, f, f->first_projected, turn, error);
    if (e->multigrid && status != PL_ERROR_MEMORY && !e->found && f->first_projected < 1.0)
        status = find_modes_of(e, f, 1.0, turn, error);
    e->knows_K = status == PL_OK && e->found;
    if (e->knows_K) {
        // ratios follow rotated shapes; the paper's test does not rotate those of a held body
        find_overlaps(e, turn_of_frame(e, f->mass));
        e->agrees = pl_modes_agree(e->mode_count, e->rigid_count, e->overlaps, e->tolerance);
        find_overlaps(e, turn);
        pl_match_modes(e->mode_count, e->mode_count, e->overlaps, e->match);
    }
    // other failures: this state has no usable modes, and the step no correction
    return status == PL_ERROR_MEMORY ? status : PL_OK;
}

// ---------------------------------------------------------------- the correction

static void find_elastic(pl_eigenfit_term* e, const pl_step_objective* f) {
    memset(e->elastic, 0, vector_size(e) * sizeof(double));
    for (int s = 0; s < f->set_count; s++)
        pl_element_set_gradient(&f->sets[s], f->pool, e->start, e->elastic);
    e->knows_forces = true;
}

// E of a mode u: A u = (w + k lambda) M u; with the correction (w + k r lambda) M u
static double fitted_inverse(double w, double k, double lambda, double ratio) {
    double fitted = w + k * ratio * lambda;
    return fitted > 0.0 ? 1.0 / fitted : 0.0;
}

static void set_correction(pl_eigenfit_term* e, const pl_step_objective* f) {
    size_t n = vector_size(e);
    e->active = 0;
    e->reference = f->reference;
    e->drag = f->damping_stiffness > 0.0 ? f->damping_stiffness / f->velocity_time : 0.0;
    if (!e->found || (e->falls_back && !e->agrees)) return;
    find_elastic(e, f);
    for (int k = 0; k < e->mode_count; k++) {
        double ratio = e->match[k] < e->rigid_count ? 1.0 : e->ratios[e->match[k]];
        if (ratio == 1.0) continue;
        double gradient, *u = e->turned + (size_t)e->active * n,
                         *weighted = e->weighted + (size_t)e->active * n;
        memcpy(u, e->shapes + (size_t)k * n, n * sizeof(double));
        pl_panel_dots(e->pool, (int)n, 1, u, 1, e->elastic, e->partials, &gradient);
        pl_modes_mass(&e->problem, e->pool, u, weighted);
        e->constant[e->active] = -(ratio - 1.0) * gradient;
        e->inverse[e->active] =
            fitted_inverse(pl_step_mass_weight(f), 1.0 + e->drag, e->lambda[k], ratio);
        e->stiffness[e->active++] = (ratio - 1.0) * e->lambda[k];
    }
    memset(e->C, 0, (size_t)e->mode_count * (size_t)e->mode_count * sizeof(double));
    for (int k = 0; k < e->active; k++) e->C[k * e->active + k] = (1.0 + e->drag) * e->stiffness[k];
}

// True if a step holds the same directions as at rest.
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
    e->found = e->agrees = e->knows_K = e->knows_forces = false;
    memcpy(e->start, f->placed, vector_size(e) * sizeof(double));
    pl_status status = PL_OK;
    if (is_held_alike(e, f)) {
        if (e->is_linear) take_rest_modes(e);
        else status = find_modes(e, f, error);
    }
    set_correction(e, f);
    return status;
}

// sums[2 k] and sums[2 k + 1]: components of x - start and of x - reference along mode k
static void find_sums(const pl_eigenfit_term* e, const double* x) {
    size_t n = vector_size(e);
    for (size_t i = 0; i < n; i++) {
        e->difference[i] = x[i] - e->start[i];
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
    return (pl_low_rank){e->active, e->weighted, e->C, e->turned, e->inverse};
}

static bool is_start(const pl_eigenfit_term* e, const double* x) {
    return memcmp(x, e->start, vector_size(e) * sizeof(double)) == 0;
}

static const double* elastic_gradient(const void* user, const double* x) {
    const pl_eigenfit_term* e = user;
    return e->knows_forces && is_start(e, x) ? e->elastic : NULL;
}

static const pl_block_matrix* stiffness(const void* user, const double* x, double projected) {
    const pl_eigenfit_term* e = user;
    return e->knows_K && projected == e->projected && is_start(e, x) ? &e->K : NULL;
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

// Sets pointers into e itself.
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
                             .elastic_gradient = elastic_gradient,
                             .stiffness = stiffness,
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
    *next = before; // freed below
    tie(e);
    pl_eigenfit_term_destroy(next);
    return PL_OK;
}

const pl_step_term* pl_eigenfit_term_of(pl_eigenfit_term* e) { return &e->term; }

pl_eigenfit_info pl_eigenfit_term_info(const pl_eigenfit_term* e) {
    return (pl_eigenfit_info){e->found, e->agrees, e->applications, e->lambda, e->match};
}
