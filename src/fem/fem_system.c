// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Time integration as minimisation (S0 section 3.1). Every integrator here solves for one set of
// positions x,
//
// clang-format off
//   Euler      w = 1/h^2,     y = x0 + h v0,                      v = (x - x0)/h
//   midpoint   w = 4/h^2,     y = x0 + h/2 v0                     x1 = 2x - x0, v1 = 2 v - v0
//   BDF2       w = 9/(4 h^2), y = (4 x0 - x_-1)/3 + 2h/3 (4 v0 - v_-1)/3
//   quasistatic w = 0
// clang-format on
//
// The midpoint rule has its contacts at the end of the step (fem_objective.c) and is kept from
// gaining energy (fem_midpoint.c).
//
// A step that ends in something non-finite is tried again as two, four, eight smaller ones.
#include "fem/fem_system.h"
#include "base/array.h"
#include "base/memory.h"
#include "base/timer.h"
#include "fem/cloth_elements.h"
#include "fem/fem_midpoint.h"
#include "fem/fem_minimise.h"
#include "fem/fem_objective.h"
#include "fem/fem_pieces.h"
#include "fem/fem_projective_fast.h"
#include "fem/fem_reactions.h"
#include "fem/fem_search.h"
#include "fem/free_bodies.h"
#include "fem/rigid_start.h"
#include "geometry/box.h"
#include "multigrid/block_multigrid.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

enum { STATE_VECTORS = 4, MAX_RETRIES = 3, VERTICES_PER_TASK = 4096 };
static const double COLLAPSED = 1e-12; // of the rest shape
static const double SLIP_SPEED = 4e-5; // sliding below this counts as at rest [m/s]

struct pl_fem_system {
    int vertex_count;
    pl_pool* pool;
    pl_fem_settings settings;
    double* mass;
    pl_block_matrix mass_matrix; // consistent; empty: lumped
    pl_element_set sets[PL_MAX_ELEMENT_SETS];
    int set_count;

    // state: positions, velocities, and those of the step before (BDF2)
    double* state[STATE_VECTORS];
    int history; // steps taken since the last jump, at most 1

    // work of a step
    double* saved[STATE_VECTORS];
    double* y;
    double* reference;
    double* start; // positions at the begin of the step
    pl_fem_holds holds;
    pl_array pins; // of pl_pin, with targets on the way
    pl_fem_pressure pressure;
    pl_fem_reactions reactions;
    pl_block_matrix damping_matrix;
    pl_fem_pieces pieces;
    pl_midpoint* midpoint;  // of that integrator; else NULL
    double* midpoint_saved; // its state before a step
    pl_minimiser minimiser;
    pl_projective_fast* projective; // in its place, where multigrid solves Projective Dynamics
    bool projective_fails;          // on this system: the minimiser has a direct solver
    pl_rigid_start* rigid_start;    // of Projective Dynamics in motion, else NULL
    pl_free_bodies free_bodies;     // of quasistatics
    double size;                    // of the rest shape [m]
};

enum { POSITIONS, VELOCITIES, POSITIONS_BEFORE, VELOCITIES_BEFORE };

pl_fem_settings pl_default_fem_settings(void) {
    return (pl_fem_settings){.integrator = PL_INTEGRATOR_EULER,
                             .nonlinear = PL_NONLINEAR_NEWTON,
                             .linear = PL_LINEAR_DIRECT,
                             .tolerance = 1e-5,
                             .max_iterations = 20,
                             .line_search = true,
                             .linear_tolerance = 1e-6,
                             .linear_max_iterations = 1000,
                             .multigrid = {.smoother = PL_SMOOTHER_GAUSS_SEIDEL,
                                           .pre_sweeps = 1,
                                           .post_sweeps = 1,
                                           .stiffness_aware = true,
                                           .fallback = true}};
}

void pl_fem_system_destroy(pl_fem_system* s) {
    if (!s) return;
    int count = 3 * s->vertex_count;
    pl_projective_fast_destroy(s->projective); // it looks at the sets
    PL_FREE(s->mass, double, s->vertex_count);
    pl_block_matrix_free(&s->mass_matrix);
    for (int k = 0; k < s->set_count; k++) pl_element_set_free(&s->sets[k]);
    for (int k = 0; k < STATE_VECTORS; k++) {
        PL_FREE(s->state[k], double, count);
        PL_FREE(s->saved[k], double, count);
    }
    PL_FREE(s->y, double, count);
    PL_FREE(s->reference, double, count);
    PL_FREE(s->start, double, count);
    pl_fem_holds_free(&s->holds);
    pl_array_free(&s->pins);
    pl_fem_pressure_free(&s->pressure);
    pl_fem_reactions_free(&s->reactions);
    pl_block_matrix_free(&s->damping_matrix);
    pl_minimiser_free(&s->minimiser);
    PL_FREE(s->midpoint_saved, double, s->pieces.count);
    pl_midpoint_destroy(s->midpoint);
    pl_fem_pieces_free(&s->pieces);
    pl_free_bodies_free(&s->free_bodies);
    pl_rigid_start_destroy(s->rigid_start);
    PL_FREE(s, pl_fem_system, 1);
}

static bool allocate(pl_fem_system* s) {
    size_t count = 3 * (size_t)s->vertex_count;
    double** vectors[] = {&s->y, &s->reference, &s->start};
    bool ok = true;
    for (int k = 0; k < 3; k++) ok = ok && (*vectors[k] = PL_ALLOC(double, count));
    for (int k = 0; k < STATE_VECTORS; k++) {
        ok = ok && (s->state[k] = PL_ALLOC(double, count));
        ok = ok && (s->saved[k] = PL_ALLOC(double, count));
    }
    return ok && (s->mass = PL_ALLOC(double, s->vertex_count));
}

static bool takes_projective_multigrid(const pl_fem_settings* settings) {
    return settings->nonlinear == PL_NONLINEAR_PROJECTIVE &&
           (settings->linear == PL_LINEAR_MULTIGRID || settings->linear == PL_LINEAR_MGPCG);
}

// The linear solver; multigrid looks at the stiffness at rest, to keep soft and stiff parts apart.
static pl_status setup_linear(pl_fem_system* s, const double* rest, pl_error* error) {
    pl_block_matrix* A = &s->minimiser.A;
    for (int k = 0; k < s->set_count; k++)
        if (A->block == 3) pl_element_set_hessian(&s->sets[k], s->pool, rest, true, 1.0, A);
        else pl_element_set_projective(&s->sets[k], s->pool, A);
    pl_status status = pl_minimiser_setup_linear(&s->minimiser, rest, s->sets, s->set_count,
                                                 &s->settings, s->pool, error);
    if (status == PL_OK && takes_projective_multigrid(&s->settings))
        status = pl_projective_fast_setup(&s->projective, A, rest, s->sets, s->set_count,
                                          &s->settings, s->pool, error);
    if (A->values) pl_block_matrix_zero(A);
    return status;
}

static pl_status setup_pieces(pl_fem_system* s, const double* rest, const int* neighbour_offsets,
                              const int* neighbours, pl_error* error) {
    pl_status status = pl_fem_pieces_setup(&s->pieces, rest, s->vertex_count, neighbour_offsets,
                                           neighbours, s->sets, s->set_count, error);
    if (status != PL_OK || s->settings.integrator != PL_INTEGRATOR_MIDPOINT) return status;
    s->midpoint_saved = PL_ALLOC(double, s->pieces.count);
    if (!s->midpoint_saved && s->pieces.count) return pl_fail_memory(error, "a fem system");
    return pl_midpoint_create(&s->pieces, &s->midpoint, error);
}

static pl_status setup_matrices(pl_fem_system* s, const double* rest, const int* neighbour_offsets,
                                const int* neighbours, pl_error* error) {
    int block = s->settings.nonlinear == PL_NONLINEAR_PROJECTIVE ? 1 : 3;
    pl_status status =
        pl_minimiser_setup(&s->minimiser, &s->pieces, block, neighbour_offsets, neighbours, error);
    if (status == PL_OK && (s->settings.damping_stiffness > 0.0 || s->settings.damping_may_change))
        status = pl_block_matrix_setup(&s->damping_matrix, s->vertex_count, 3, neighbour_offsets,
                                       neighbours, error);
    if (status == PL_OK && s->settings.integrator == PL_INTEGRATOR_QUASISTATIC)
        status = pl_free_bodies_setup(&s->free_bodies, s->vertex_count, neighbour_offsets,
                                      neighbours, error);
    else if (status == PL_OK && block == 1)
        status = pl_rigid_start_create(s->vertex_count, neighbour_offsets, neighbours,
                                       &s->rigid_start, error);
    for (int k = 0; status == PL_OK && k < s->set_count; k++) {
        status = pl_element_set_locate_by(s->pool, &s->sets[k], &s->minimiser.A, error);
        if (status == PL_OK && block == 3)
            status = pl_spring_elements_gather(&s->sets[k], s->vertex_count, error);
    }
    return status == PL_OK ? setup_linear(s, rest, error) : status;
}

// diagonal of the bounding box
static double extent(const double* positions, int vertex_count) {
    pl_box box = pl_box_empty();
    for (int v = 0; v < vertex_count; v++)
        box = pl_box_add_point(box, pl_vec3_load(positions + 3 * (size_t)v));
    return vertex_count ? pl_distance(box.low, box.high) : 0.0;
}

pl_status pl_fem_system_create(const double* positions, const double* mass, int vertex_count,
                               const int* neighbour_offsets, const int* neighbours,
                               pl_element_set* sets, int set_count, const pl_fem_settings* settings,
                               pl_pool* pool, pl_fem_system** out, pl_error* error) {
    *out = NULL;
    PL_ASSERT(set_count <= PL_MAX_ELEMENT_SETS);
    pl_fem_system* s = PL_ALLOC(pl_fem_system, 1);
    if (!s) {
        for (int k = 0; k < set_count; k++) pl_element_set_free(&sets[k]);
        return pl_fail_memory(error, "a fem system");
    }
    s->vertex_count = vertex_count;
    s->settings = *settings;
    s->pool = pool;
    s->pins = pl_array_of(sizeof(pl_pin));
    pl_fem_pressure_setup(&s->pressure);
    s->set_count = set_count;
    memcpy(s->sets, sets, (size_t)set_count * sizeof(pl_element_set));
    memset(sets, 0, (size_t)set_count * sizeof(pl_element_set));
    pl_status status = allocate(s) ? PL_OK : pl_fail_memory(error, "a fem system");
    if (status == PL_OK) status = pl_fem_holds_setup(&s->holds, vertex_count, error);
    if (status == PL_OK) status = pl_fem_reactions_setup(&s->reactions, vertex_count, error);
    if (status == PL_OK) status = setup_pieces(s, positions, neighbour_offsets, neighbours, error);
    if (status == PL_OK)
        status = setup_matrices(s, positions, neighbour_offsets, neighbours, error);
    if (status != PL_OK) {
        pl_fem_system_destroy(s);
        return status;
    }
    memcpy(s->mass, mass, (size_t)vertex_count * sizeof(double));
    memcpy(s->state[POSITIONS], positions, 3 * (size_t)vertex_count * sizeof(double));
    s->size = extent(positions, vertex_count);
    *out = s;
    return PL_OK;
}

void pl_fem_use_mass_matrix(pl_fem_system* s, pl_block_matrix* M) {
    PL_ASSERT(M->block == 1 && M->row_count == s->vertex_count);
    pl_block_matrix_free(&s->mass_matrix);
    s->mass_matrix = *M;
    *M = (pl_block_matrix){0};
}

static bool has_mass_matrix(const pl_fem_system* s) { return s->mass_matrix.values != NULL; }

static void objective_common(pl_fem_system* s, const pl_method_step* step, pl_fem_objective* f) {
    // contacts may hold what no pin does
    bool is_static = s->settings.integrator == PL_INTEGRATOR_QUASISTATIC && !step->detect;
    *f = (pl_fem_objective){.vertex_count = s->vertex_count,
                            .set_count = s->set_count,
                            .sets = s->sets,
                            .mass = s->mass,
                            .mass_matrix = has_mass_matrix(s) ? &s->mass_matrix : NULL,
                            .pool = s->pool,
                            .y = s->y,
                            .reference = s->reference,
                            .damping_mass = s->settings.damping_mass,
                            .damping_stiffness = s->settings.damping_stiffness,
                            .damping_matrix = &s->damping_matrix,
                            .force = s->pressure.load_count ? s->pressure.dead.data : step->force,
                            .load = step->force,
                            .pressure = s->pressure.load_count ? &s->pressure : NULL,
                            .start = s->start,
                            .solves_midpoint = s->settings.integrator == PL_INTEGRATOR_MIDPOINT,
                            .free_bodies = is_static ? &s->free_bodies : NULL,
                            .fixed = s->holds.fixed,
                            .coupling = s->settings.coupling};
}

static bool is_bdf2(const pl_fem_system* s, bool use_history) {
    return s->settings.integrator == PL_INTEGRATOR_BDF2 && use_history;
}

typedef struct copy_job {
    const double* from;
    double* to;
} copy_job;

static void copy_task(int begin, int end, int worker, void* user) {
    const copy_job* job = user;
    (void)worker;
    memcpy(job->to + 3 * (size_t)begin, job->from + 3 * (size_t)begin,
           3 * (size_t)(end - begin) * sizeof(double));
}

// 3 per vertex
static void copy_values(const pl_fem_system* s, const double* from, double* to) {
    copy_job job = {from, to};
    pl_parallel_for(s->pool, copy_task, s->vertex_count, VERTICES_PER_TASK, &job);
}

// w and tau of the integrator; returns the time that velocities are followed for
static double objective_times(const pl_fem_system* s, double h, bool use_history,
                              pl_fem_objective* f) {
    pl_integrator integrator = s->settings.integrator;
    double step = integrator == PL_INTEGRATOR_MIDPOINT ? 0.5 * h
                  : is_bdf2(s, use_history)            ? 2.0 / 3.0 * h
                                                       : h;
    f->inertia = integrator == PL_INTEGRATOR_QUASISTATIC ? 0.0 : 1.0 / (step * step);
    f->velocity_time = integrator == PL_INTEGRATOR_QUASISTATIC ? 0.0 : step;
    f->time_step = h;
    f->slip_length = SLIP_SPEED * h;
    f->positions_before = is_bdf2(s, use_history) ? s->state[POSITIONS_BEFORE] : NULL;
    f->velocities = s->state[VELOCITIES];
    return step;
}

// what loops over vertices share
typedef struct vertex_job {
    pl_fem_system* s;
    const pl_fem_objective* f;
    const double* x;
    double step;
    bool bdf2;
} vertex_job;

static void find_inertia(const vertex_job* job, int begin, int end) {
    pl_fem_system* s = job->s;
    const double *x0 = s->state[POSITIONS], *v0 = s->state[VELOCITIES];
    const double *x1 = s->state[POSITIONS_BEFORE], *v1 = s->state[VELOCITIES_BEFORE];
    for (int i = 3 * begin; i < 3 * end; i++) {
        double from = job->bdf2 ? (4.0 * x0[i] - x1[i]) / 3.0 : x0[i];
        double velocity = job->bdf2 ? (4.0 * v0[i] - v1[i]) / 3.0 : v0[i];
        s->reference[i] = from;
        s->y[i] = from + job->step * velocity;
    }
}

static void inertia_task(int begin, int end, int worker, void* user) {
    (void)worker;
    find_inertia(user, begin, end);
}

// w, y, tau and the reference of the integrator
static void objective_inertia(pl_fem_system* s, double h, bool use_history, pl_fem_objective* f) {
    vertex_job job = {
        .s = s, .step = objective_times(s, h, use_history, f), .bdf2 = is_bdf2(s, use_history)};
    pl_parallel_for(s->pool, inertia_task, s->vertex_count, VERTICES_PER_TASK, &job);
}

// The damping matrix K of this step, from its first positions. That of Projective Dynamics would
// brake turns too, which no force within a body does.
static void update_damping(pl_fem_system* s) {
    pl_block_matrix* K = &s->damping_matrix;
    if (!(s->settings.damping_stiffness > 0.0)) return;
    pl_block_matrix_zero(K);
    for (int k = 0; k < s->set_count; k++)
        pl_element_set_hessian(&s->sets[k], s->pool, s->state[POSITIONS], true, 1.0, K);
}

// how many values are not finite
static double commit_part(int begin, int end, void* user) {
    const vertex_job* job = user;
    pl_fem_system* s = job->s;
    const double *x = job->x, time = job->f->velocity_time;
    double *x0 = s->state[POSITIONS], *v0 = s->state[VELOCITIES];
    bool midpoint = s->settings.integrator == PL_INTEGRATOR_MIDPOINT;
    int lost = 0;
    for (int i = 3 * begin; i < 3 * end; i++) {
        double velocity = time > 0.0 ? (x[i] - s->reference[i]) / time : 0.0;
        double position = x[i];
        if (midpoint) {
            velocity = 2.0 * velocity - v0[i];
            position = 2.0 * x[i] - x0[i];
        }
        s->state[POSITIONS_BEFORE][i] = x0[i];
        s->state[VELOCITIES_BEFORE][i] = v0[i];
        x0[i] = position;
        v0[i] = velocity;
        lost += !isfinite(position) || !isfinite(velocity);
    }
    return lost;
}

// the solved x into new positions and velocities; false if they are not finite
static bool commit(pl_fem_system* s, const pl_fem_objective* f, const double* x) {
    vertex_job job = {.s = s, .f = f, .x = x};
    return pl_parallel_sum(s->pool, commit_part, s->vertex_count, VERTICES_PER_TASK, &job) == 0.0;
}

// Marks what pins hold, for the objective.
static pl_status hold_vertices(pl_fem_system* s, pl_fem_objective* f, pl_error* error) {
    pl_status status = pl_fem_holds_mark(&s->holds, f->pins, f->pin_count, error);
    f->holds = s->holds.holds.data;
    f->hold_count = (int)s->holds.holds.count;
    f->hold_of = f->hold_count ? s->holds.hold_of : NULL;
    return status;
}

// pins on the way to their targets. Midpoint solves for the middle of its step, so its pins are
// half way there.
static pl_status place_pins(pl_fem_system* s, const pl_method_step* step, double begin, double end,
                            pl_error* error) {
    s->pins.count = 0;
    pl_pin* pins = pl_array_add(&s->pins, (size_t)step->pin_count);
    if (!pins && step->pin_count) return pl_fail_memory(error, "pins");
    double part = s->settings.integrator == PL_INTEGRATOR_MIDPOINT ? 0.5 * (begin + end) : end;
    for (int k = 0; k < step->pin_count; k++) {
        pins[k] = step->pins[k];
        pins[k].target = pl_lerp(pins[k].from, pins[k].target, part);
    }
    return PL_OK;
}

static void fly_task(int begin, int end, int worker, void* user) {
    const vertex_job* job = user;
    const pl_fem_system* s = job->s;
    (void)worker;
    for (int v = begin; v < end; v++) {
        const double* from = s->holds.fixed[v] ? s->minimiser.x : s->y;
        for (size_t i = 3 * (size_t)v; i < 3 * (size_t)v + 3; i++) s->minimiser.trial[i] = from[i];
    }
}

// The minimisation starts where the pieces were, or where they would fly to, whichever is better. A
// single linearised solve is one about the present positions.
static void choose_start(pl_fem_system* s, const pl_fem_objective* f) {
    pl_minimiser* m = &s->minimiser;
    vertex_job job = {.s = s};
    copy_values(s, s->state[POSITIONS], m->x);
    pl_fem_holds_place(&s->holds, f->pins, f->pin_count, m->x);
    if (!(f->inertia > 0.0) || s->settings.nonlinear == PL_NONLINEAR_LINEARISED) return;
    pl_parallel_for(s->pool, fly_task, s->vertex_count, VERTICES_PER_TASK, &job);
    if (s->rigid_start)
        pl_rigid_start_move(s->rigid_start, s->pool, s->mass, s->state[POSITIONS], s->holds.fixed,
                            m->trial);
    pl_fem_holds_place(&s->holds, f->pins, f->pin_count, m->trial);
    pl_search_take_lower(m, f);
}

static void copy_state(const pl_fem_system* s, double* const* from, double* const* to) {
    for (int k = 0; k < STATE_VECTORS; k++) copy_values(s, from[k], to[k]);
}

static void save_state(pl_fem_system* s) {
    copy_state(s, s->state, s->saved);
    if (s->midpoint) pl_midpoint_state_save(s->midpoint, s->midpoint_saved);
}

static void restore_state(pl_fem_system* s) {
    copy_state(s, s->saved, s->state);
    if (s->midpoint) pl_midpoint_state_load(s->midpoint, s->midpoint_saved);
}

// False if the midpoint rule created more energy than can be taken out again.
static bool balance_midpoint(pl_fem_system* s, const pl_fem_objective* f) {
    if (!s->midpoint) return true;
    return pl_midpoint_balance(s->midpoint, f, s->start, s->state[POSITIONS], s->state[VELOCITIES],
                               s->minimiser.scratch);
}

// A system that multigrid cannot solve gets the direct solver.
static pl_status check_projective(pl_fem_system* s, pl_fem_objective* f, pl_method_info* info,
                                  pl_error* error) {
    if (!(f->inertia > 0.0) || !s->settings.multigrid.fallback) return PL_OK;
    pl_status status =
        pl_projective_fast_check(s->projective, f, &s->minimiser, &s->projective_fails, error);
    if (status != PL_OK || !s->projective_fails) return status;
    info->switch_count++;
    if (s->minimiser.solver) return PL_OK;
    pl_fem_settings settings = s->settings;
    settings.linear = PL_LINEAR_DIRECT;
    return pl_minimiser_setup_linear(&s->minimiser, s->state[POSITIONS], s->sets, s->set_count,
                                     &settings, s->pool, error);
}

// What pins and obstacles exert, from the state at the end of a step. The midpoint rule balances
// forces in the middle of the step.
static pl_status float_reactions(pl_fem_system* s, const pl_method_step* step,
                                 const pl_fem_objective* f, pl_error* error) {
    const double* x = s->state[POSITIONS];
    double* middle = s->minimiser.trial;
    if (!step->pin_forces && !step->obstacle_forces) return PL_OK;
    bool is_midpoint = s->settings.integrator == PL_INTEGRATOR_MIDPOINT;
    for (int i = 0; is_midpoint && i < 3 * s->vertex_count; i++)
        middle[i] = 0.5 * (f->start[i] + x[i]);
    return pl_fem_reactions_find(&s->reactions, f, is_midpoint ? middle : x, s->minimiser.scratch,
                                 step, error);
}

// The whole step in float. Not done: the caller takes the long way, from m->x if there is a start.
static pl_status advance_in_float(pl_fem_system* s, const pl_method_step* step, bool* done,
                                  bool* has_start, pl_method_info* info, pl_error* error) {
    *done = *has_start = false;
    pl_fem_objective f;
    objective_common(s, step, &f);
    bool bdf2 = is_bdf2(s, s->history > 0);
    double tau = objective_times(s, step->time_step, s->history > 0, &f);
    pl_status status = place_pins(s, step, 0.0, 1.0, error);
    if (status != PL_OK) return status;
    f.pins = s->pins.data;
    f.pin_count = step->pin_count;
    status = hold_vertices(s, &f, error);
    if (status == PL_OK) status = check_projective(s, &f, info, error);
    if (status != PL_OK || s->projective_fails) return status;
    if (!pl_projective_fast_can(s->projective, &f)) return PL_OK;
    f.start = s->state[POSITIONS];
    vertex_job job = {.s = s, .step = tau, .bdf2 = bdf2};
    if (s->settings.damping_stiffness > 0.0) {
        pl_parallel_for(s->pool, inertia_task, s->vertex_count, VERTICES_PER_TASK, &job);
        update_damping(s);
    }
    for (int k = 0; step->pin_forces && k < f.pin_count; k++) // for their reactions
        find_inertia(&job, f.pins[k].vertex, f.pins[k].vertex + 1);
    if (s->midpoint) save_state(s);
    if (s->midpoint || step->obstacle_forces) {
        copy_values(s, s->state[POSITIONS], s->start);
        f.start = s->start;
    }
    pl_projective_motion motion = {.positions = s->state[POSITIONS],
                                   .velocities = s->state[VELOCITIES],
                                   .positions_before = s->state[POSITIONS_BEFORE],
                                   .velocities_before = s->state[VELOCITIES_BEFORE],
                                   .step = tau,
                                   .rigid_start = s->rigid_start,
                                   .bdf2 = bdf2,
                                   .midpoint = s->settings.integrator == PL_INTEGRATOR_MIDPOINT,
                                   .keeps_before = s->settings.integrator == PL_INTEGRATOR_BDF2};
    status = pl_projective_fast_step(s->projective, &s->minimiser, &f, &motion, &s->settings,
                                     step->detect, step->detect_user, info, done, error);
    if (status == PL_ERROR_DIVERGED) { // smaller steps may do
        *done = false;
        return PL_OK;
    }
    if (status == PL_OK && *done && !balance_midpoint(s, &f)) {
        restore_state(s);
        *done = false;
        return PL_OK;
    }
    if (status == PL_OK && *done) status = float_reactions(s, step, &f, error);
    if (status == PL_OK && *done) s->history = 1;
    *has_start = status == PL_OK && !*done;
    return status;
}

// from `begin` to `end` of the step, both in [0, 1]
static pl_status advance(pl_fem_system* s, const pl_method_step* step, double begin, double end,
                         bool has_start, pl_method_info* info, pl_error* error) {
    double h = (end - begin) * step->time_step;
    pl_status status = place_pins(s, step, begin, end, error);
    if (status != PL_OK) return status;
    copy_values(s, s->state[POSITIONS], s->start);
    pl_fem_pressure_restart(&s->pressure, s->start);
    update_damping(s);
    pl_fem_objective f;
    objective_common(s, step, &f);
    objective_inertia(s, h, s->history > 0 && end - begin == 1.0, &f);
    f.pins = s->pins.data;
    f.pin_count = step->pin_count;
    s->minimiser.value = NAN;
    s->minimiser.gradient_known = false;
    status = hold_vertices(s, &f, error);
    if (status != PL_OK) return status;
    if (has_start) pl_fem_holds_place(&s->holds, f.pins, f.pin_count, s->minimiser.x);
    else choose_start(s, &f);
    status = s->settings.nonlinear == PL_NONLINEAR_PROJECTIVE
                 ? pl_projective_minimise(s->projective_fails ? NULL : s->projective, &s->minimiser,
                                          &f, &s->settings, step->detect, step->detect_user,
                                          has_start, info, error)
                 : pl_minimise(&s->minimiser, &f, &s->settings, step->detect, step->detect_user,
                               info, error);
    if (status == PL_OK)
        status = pl_fem_reactions_find(&s->reactions, &f, s->minimiser.x, s->minimiser.scratch,
                                       step, error);
    if (status != PL_OK) return status;
    if (!commit(s, &f, s->minimiser.x))
        return pl_fail(error, PL_ERROR_DIVERGED, "the step ended in positions that are not finite");
    bool is_smallest = (end - begin) * (1 << MAX_RETRIES) < 1.5;
    if (balance_midpoint(s, &f)) return PL_OK;
    if (!pl_midpoint_is_finite(s->midpoint)) return pl_fail_inverted(info, error);
    return is_smallest ? PL_OK : pl_fail(error, PL_ERROR_DIVERGED, "the step created energy");
}

// Elements whose corners are all in one place exert no force: they would stay there for ever. In
// quasistatics that is no answer.
static pl_status look_for_collapse(pl_fem_system* s, pl_method_info* info, pl_error* error) {
    for (int k = 0; k < s->set_count; k++)
        info->collapsed_count += pl_element_set_collapsed(&s->sets[k], s->pool, s->state[POSITIONS],
                                                          COLLAPSED * s->size);
    if (info->collapsed_count) info->converged = false;
    if (!info->collapsed_count || s->settings.integrator != PL_INTEGRATOR_QUASISTATIC) return PL_OK;
    restore_state(s);
    return pl_fail(error, PL_ERROR_UNSUPPORTED,
                   "%d elements are collapsed to a point, where they exert no force; move their "
                   "vertices apart, a thousandth of the size is enough",
                   info->collapsed_count);
}

pl_status pl_fem_system_check(pl_fem_system* s, const pl_method_step* step, int* rigid_mode_count,
                              pl_error* error) {
    *rigid_mode_count = 0;
    // contacts may hold what no pin does
    if (s->settings.integrator != PL_INTEGRATOR_QUASISTATIC || step->detect) return PL_OK;
    return pl_free_bodies_check(&s->free_bodies, step->force, step->pins, step->pin_count,
                                rigid_mode_count, error);
}

pl_status pl_fem_system_step(pl_fem_system* s, const pl_method_step* step, pl_method_info* info,
                             pl_error* error) {
    *info = (pl_method_info){0};
    double start = pl_seconds();
    if (!(step->time_step > 0.0) || !isfinite(step->time_step))
        return pl_fail(error, PL_ERROR_ARGUMENT, "the time step is %g; it must be above 0",
                       step->time_step);
    int rigid_mode_count = 0;
    pl_status status = pl_fem_system_check(s, step, &rigid_mode_count, error);
    info->rigid_mode_count = rigid_mode_count;
    if (status != PL_OK) return status;
    bool done = false, has_start = false;
    status = pl_fem_pressure_begin(&s->pressure, step->pressures, step->pressure_count,
                                   s->vertex_count, s->state[POSITIONS], step->force, error);
    if (status == PL_OK && s->projective)
        status = advance_in_float(s, step, &done, &has_start, info, error);
    if (done || status != PL_OK) {
        info->seconds = pl_seconds() - start;
        return status;
    }
    save_state(s);
    status = PL_ERROR_DIVERGED;
    for (int retry = 0; status == PL_ERROR_DIVERGED && retry <= MAX_RETRIES; retry++) {
        int parts = 1 << retry;
        info->retries = retry;
        status = PL_OK;
        for (int k = 0; status == PL_OK && k < parts; k++)
            status = advance(s, step, (double)k / parts, (double)(k + 1) / parts,
                             has_start && retry == 0, info, error);
        if (status != PL_OK) restore_state(s);
        else s->history = parts == 1 ? 1 : 0;
    }
    if (rigid_mode_count > info->rigid_mode_count) info->rigid_mode_count = rigid_mode_count;
    if (status == PL_OK && !info->converged) {
        info->has_worst_vertex = true;
        info->worst_vertex = pl_search_worst_vertex(&s->minimiser);
    }
    if (status == PL_OK) status = look_for_collapse(s, info, error);
    info->seconds = pl_seconds() - start;
    return status;
}

double* pl_fem_positions(pl_fem_system* s) { return s->state[POSITIONS]; }
double* pl_fem_velocities(pl_fem_system* s) { return s->state[VELOCITIES]; }
const double* pl_fem_masses(pl_fem_system* s) { return s->mass; }
int pl_fem_vertex_count(const pl_fem_system* s) { return s->vertex_count; }
pl_projective_fast* pl_fem_projective_of(pl_fem_system* s) { return s->projective; }
int pl_fem_aggregates(pl_fem_system* s, int level, int* nodes) {
    const pl_mg_hierarchy* h = NULL;
    const int* rows = NULL; // the row of each vertex
    if (s->projective && !s->projective_fails) {
        h = pl_scalar_mg_hierarchy(s->projective->mg);
    } else if (s->minimiser.newton) {
        const pl_block_mg* mg = pl_newton_multigrid_levels(s->minimiser.newton);
        h = &mg->hierarchy;
        rows = mg->new_of_old;
    }
    if (!h || level < 1 || level >= h->level_count) return 0;
    for (int v = 0; v < s->vertex_count; v++) {
        int node = rows ? rows[v] : v;
        for (int l = 0; l < level; l++) node = h->transfers[l].parent[node];
        nodes[v] = node;
    }
    return h->node_counts[level];
}

void pl_fem_restart(pl_fem_system* s) {
    s->history = 0;
    if (s->midpoint) pl_midpoint_restart(s->midpoint);
    if (s->projective) pl_projective_fast_restart(s->projective);
}

pl_fem_model pl_fem_system_model(pl_fem_system* s) {
    if (s->projective) pl_projective_fast_forget(s->projective);
    if (s->minimiser.newton) pl_newton_multigrid_forget(s->minimiser.newton);
    s->minimiser.rest_stale = true;
    return (pl_fem_model){
        s->vertex_count, s->mass,      has_mass_matrix(s) ? &s->mass_matrix : NULL,
        s->sets,         s->set_count, &s->settings};
}

static double kinetic_part(int begin, int end, void* user) {
    const pl_fem_system* s = user;
    const double* v = s->state[VELOCITIES];
    double sum = 0.0;
    for (int i = 3 * begin; i < 3 * end; i++) sum += s->mass[i / 3] * v[i] * v[i];
    return sum;
}

pl_method_energies pl_fem_system_energies(pl_fem_system* s) {
    pl_method_energies energies = {0.0, 0.0};
    const double* v = s->state[VELOCITIES];
    double* Mv = s->minimiser.scratch;
    if (has_mass_matrix(s)) {
        pl_block_matrix_apply(&s->mass_matrix, s->pool, 3, v, Mv);
        energies.kinetic = 0.5 * pl_vector_dot(s->pool, 3 * s->vertex_count, Mv, v);
    } else {
        energies.kinetic =
            0.5 * pl_parallel_sum(s->pool, kinetic_part, s->vertex_count, VERTICES_PER_TASK, s);
    }
    for (int k = 0; k < s->set_count; k++)
        energies.elastic += pl_element_set_energy(&s->sets[k], s->pool, s->state[POSITIONS]);
    const pl_fem_coupling* coupling = s->settings.coupling;
    if (coupling) energies.elastic += coupling->energy(coupling->data, s->state[POSITIONS]);
    return energies;
}

size_t pl_fem_state_size(const pl_fem_system* s) {
    return sizeof(int64_t) + STATE_VECTORS * 3 * (size_t)s->vertex_count * sizeof(double) +
           (s->midpoint ? pl_midpoint_state_size(s->midpoint) : 0) +
           (s->projective ? pl_projective_fast_state_size(s->projective) : 0);
}

void pl_fem_state_save(const pl_fem_system* s, void* out) {
    char* to = out;
    int64_t history = s->history;
    memcpy(to, &history, sizeof history);
    to += sizeof history;
    size_t size = 3 * (size_t)s->vertex_count * sizeof(double);
    for (int k = 0; k < STATE_VECTORS; k++, to += size) memcpy(to, s->state[k], size);
    if (s->midpoint) {
        pl_midpoint_state_save(s->midpoint, to);
        to += pl_midpoint_state_size(s->midpoint);
    }
    if (s->projective) pl_projective_fast_state_save(s->projective, to);
}

void pl_fem_state_load(pl_fem_system* s, const void* in) {
    const char* from = in;
    int64_t history;
    memcpy(&history, from, sizeof history);
    s->history = (int)history;
    from += sizeof history;
    size_t size = 3 * (size_t)s->vertex_count * sizeof(double);
    for (int k = 0; k < STATE_VECTORS; k++, from += size) memcpy(s->state[k], from, size);
    if (s->midpoint) {
        pl_midpoint_state_load(s->midpoint, from);
        from += pl_midpoint_state_size(s->midpoint);
    }
    if (s->projective) pl_projective_fast_state_load(s->projective, from);
}
