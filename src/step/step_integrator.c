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
// With the midpoint rule, contacts act at the end of the step (step_contact_forces.c), and
// step_midpoint.c keeps it from gaining energy.
#include "step/step_integrator.h"
#include "step/rigid_start.h"
#include "step/step_search.h"

#include <math.h>
#include <string.h>

enum { VERTICES_PER_TASK = 4096 };
static const double SLIP_SPEED = 4e-5; // sliding below this counts as at rest [m/s]

void pl_step_objective_begin(pl_step_system* s, const pl_method_step* step, pl_step_objective* f) {
    bool has_pressure = s->pressure.load_count > 0;
    // contacts may hold bodies without pins
    bool is_static = s->settings.integrator == PL_INTEGRATOR_QUASISTATIC && !step->detect;
    *f = (pl_step_objective){.vertex_count = s->vertex_count,
                             .set_count = s->set_count,
                             .sets = s->sets,
                             .mass = s->mass,
                             .mass_matrix = s->mass_matrix.values ? &s->mass_matrix : NULL,
                             .pool = s->pool,
                             .y = s->y,
                             .reference = s->reference,
                             .damping_mass = s->settings.damping_mass,
                             .damping_stiffness = s->settings.damping_stiffness,
                             .damping_matrix = &s->damping_matrix,
                             .force = has_pressure ? s->pressure.dead.data : step->force,
                             .load = step->force,
                             .terms = (const pl_step_term**)s->terms.data + (has_pressure ? 0 : 1),
                             .term_count = (int)s->terms.count - (has_pressure ? 0 : 1),
                             .start = s->start,
                             .solves_midpoint = s->settings.integrator == PL_INTEGRATOR_MIDPOINT,
                             .free_bodies = is_static ? &s->free_bodies : NULL,
                             .fixed = s->holds.fixed,
                             .coupling = s->settings.coupling};
}

bool pl_step_is_bdf2(const pl_step_system* s, bool use_history) {
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

void pl_step_copy(const pl_step_system* s, const double* from, double* to) {
    copy_job job = {from, to};
    pl_parallel_for(s->pool, copy_task, s->vertex_count, VERTICES_PER_TASK, &job);
}

double pl_step_times(const pl_step_system* s, double h, bool use_history, pl_step_objective* f) {
    pl_integrator integrator = s->settings.integrator;
    double step = integrator == PL_INTEGRATOR_MIDPOINT ? 0.5 * h
                  : pl_step_is_bdf2(s, use_history)    ? 2.0 / 3.0 * h
                                                       : h;
    f->inertia = integrator == PL_INTEGRATOR_QUASISTATIC ? 0.0 : 1.0 / (step * step);
    f->velocity_time = integrator == PL_INTEGRATOR_QUASISTATIC ? 0.0 : step;
    f->time_step = h;
    f->slip_length = SLIP_SPEED * h;
    f->positions_before =
        pl_step_is_bdf2(s, use_history) ? s->state[PL_STATE_POSITIONS_BEFORE] : NULL;
    f->velocities = s->state[PL_STATE_VELOCITIES];
    return step;
}

// shared by loops over vertices
typedef struct vertex_job {
    pl_step_system* s;
    const pl_step_objective* f;
    const double* x;
    double step;
    bool bdf2;
} vertex_job;

static void find_inertia(const vertex_job* job, int begin, int end) {
    pl_step_system* s = job->s;
    const double *x0 = s->state[PL_STATE_POSITIONS], *v0 = s->state[PL_STATE_VELOCITIES];
    const double *x1 = s->state[PL_STATE_POSITIONS_BEFORE],
                 *v1 = s->state[PL_STATE_VELOCITIES_BEFORE];
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

void pl_step_inertia(pl_step_system* s, double tau, bool bdf2) {
    vertex_job job = {.s = s, .step = tau, .bdf2 = bdf2};
    pl_parallel_for(s->pool, inertia_task, s->vertex_count, VERTICES_PER_TASK, &job);
}

void pl_step_inertia_of(pl_step_system* s, double tau, bool bdf2, int vertex) {
    vertex_job job = {.s = s, .step = tau, .bdf2 = bdf2};
    find_inertia(&job, vertex, vertex + 1);
}

// The matrix of Projective Dynamics would also damp rotations, which internal forces do not.
void pl_step_update_damping(pl_step_system* s) {
    pl_block_matrix* K = &s->damping_matrix;
    if (!(s->settings.damping_stiffness > 0.0)) return;
    pl_block_matrix_zero(K);
    for (int k = 0; k < s->set_count; k++)
        pl_element_set_hessian(&s->sets[k], s->pool, s->state[PL_STATE_POSITIONS], true, 1.0, K);
}

// number of values that are not finite
static double commit_part(int begin, int end, void* user) {
    const vertex_job* job = user;
    pl_step_system* s = job->s;
    const double *x = job->x, time = job->f->velocity_time;
    double *x0 = s->state[PL_STATE_POSITIONS], *v0 = s->state[PL_STATE_VELOCITIES];
    bool midpoint = s->settings.integrator == PL_INTEGRATOR_MIDPOINT;
    int lost = 0;
    for (int i = 3 * begin; i < 3 * end; i++) {
        double velocity = time > 0.0 ? (x[i] - s->reference[i]) / time : 0.0;
        double position = x[i];
        if (midpoint) {
            velocity = 2.0 * velocity - v0[i];
            position = 2.0 * x[i] - x0[i];
        }
        s->state[PL_STATE_POSITIONS_BEFORE][i] = x0[i];
        s->state[PL_STATE_VELOCITIES_BEFORE][i] = v0[i];
        x0[i] = position;
        v0[i] = velocity;
        lost += !isfinite(position) || !isfinite(velocity);
    }
    return lost;
}

bool pl_step_commit(pl_step_system* s, const pl_step_objective* f, const double* x) {
    vertex_job job = {.s = s, .f = f, .x = x};
    return pl_parallel_sum(s->pool, commit_part, s->vertex_count, VERTICES_PER_TASK, &job) == 0.0;
}

pl_status pl_step_hold(pl_step_system* s, pl_step_objective* f, pl_error* error) {
    pl_status status = pl_step_holds_mark(&s->holds, f->pins, f->pin_count, error);
    f->holds = s->holds.holds.data;
    f->hold_count = (int)s->holds.holds.count;
    f->hold_of = f->hold_count ? s->holds.hold_of : NULL;
    return status;
}

// The midpoint rule solves for the middle of its step, so its pins are at their targets there.
pl_status pl_step_place_pins(pl_step_system* s, const pl_method_step* step, double begin,
                             double end, pl_error* error) {
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
    const pl_step_system* s = job->s;
    (void)worker;
    for (int v = begin; v < end; v++) {
        const double* from = s->holds.fixed[v] ? s->minimiser.x : s->y;
        for (size_t i = 3 * (size_t)v; i < 3 * (size_t)v + 3; i++) s->minimiser.trial[i] = from[i];
    }
}

// A linearised step is linearised at the current positions.
void pl_step_choose_start(pl_step_system* s, const pl_step_objective* f) {
    pl_minimiser* m = &s->minimiser;
    vertex_job job = {.s = s};
    if (!(f->inertia > 0.0) || s->settings.nonlinear == PL_NONLINEAR_LINEARISED) return;
    if (!pl_step_has_energy(f)) return; // the two starts cannot be compared
    pl_parallel_for(s->pool, fly_task, s->vertex_count, VERTICES_PER_TASK, &job);
    if (s->rigid_start)
        pl_rigid_start_move(s->rigid_start, s->pool, s->mass, s->state[PL_STATE_POSITIONS],
                            s->holds.fixed, m->trial);
    pl_step_holds_place(&s->holds, f->pins, f->pin_count, m->trial);
    pl_search_take_lower(m, f);
}
